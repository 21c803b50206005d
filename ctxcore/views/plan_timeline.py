"""The plan over time: a bar for each attempt at a step, coloured by what the record says to its end; a mark for each change of the plan."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from ctxcore.model import Thread
from ctxcore.plan.attempts import Attempt
from ctxcore.plan.review import PlanReview
from ctxcore.plan.values import Revision
from ctxcore.views.duration import length
from ctxcore.views.plan import STATUS_WORDS, step_name
from ctxcore.views.plan_figure import BAR_ROWS, BAR_SHIFT, hover_title
from ctxcore.views.plan_looks import LOOKS, PICKED, TITLE_CELLS, VERDICT_LOOKS, VERDICT_MARKS, bars, lay_out, plain, title_above
from ctxcore.views.time_scale import TimeScale
from ctxcore.views.visible import fitted, shortened

LEAST_SHARE = 0.006
"""Part of the axis that a bar is wide at least, so that short attempts can be seen and picked."""

WHY_CHARS = 100
"""Characters of a revision's reason under the pointer."""

TOP = -1.1
"""Where the rows begin: changes of the plan stand above the first step."""


def plan_timeline(
    thread: Thread, review: PlanReview, tries: Sequence[Attempt], scale: TimeScale | None, *, rows: range | None = None, ink: str | None = None
) -> go.Figure:
    """Attempts by time, or by call where times are missing.

    A bar's ``customdata`` begins with its step and the call at which it ended.

    Args:
        thread: That the plan is of.
        review: Of a plan with at least one step.
        tries: All attempts.
        scale: Of the thread's times; None draws by call.
        rows: Steps to show, without a gap; all of them if left out.
        ink: Colour of titles and numbers; None leaves it to the page.
    """
    rows = range(len(review.history.steps)) if rows is None else rows
    figure = go.Figure()
    axis = _Axis(thread, scale, review, tries)
    for name, look, mine in _kinds([one for one in tries if one.step in rows]):
        _bars(figure, review, name, look, mine, rows.start, axis)
    _revisions(figure, review, axis)
    for place, row in enumerate(rows):
        title_above(figure, place, f"{row + 1}. {plain(fitted(step_name(review.history.steps[row]), TITLE_CELLS))}")
    _signs(figure, [one for one in tries if one.step in rows and one.claim is not None], rows.start, axis)
    axis.draw(figure, len(rows))
    lay_out(figure, len(rows), ink, first=TOP)
    return figure


class _Axis:
    """Where calls and moments stand; it reaches from the first to the last that the plan tells of."""

    def __init__(self, thread: Thread, scale: TimeScale | None, review: PlanReview, tries: Sequence[Attempt]) -> None:
        self.thread, self.scale = thread, scale
        ends = [self._end(one) for one in tries]
        starts = [self.place(one.start, one.start_at) for one in tries]
        told = [self.place(one.call, one.at) for one in review.history.revisions]
        self.low, self.high = min([*starts, *told], default=0.0), max([*ends, *told], default=1.0)
        self.width = max(self.high - self.low, 1.0)

    def place(self, call: int, at: float | None) -> float:
        """Of an end of an attempt: by its time, else by the nearest call before that has one."""
        if self.scale is None:
            return float(call)
        while at is None and 0 <= call < len(self.thread.calls):
            at = self.thread.calls[call].at
            call -= 1
        return 0.0 if at is None else self.scale.place(at)

    def _end(self, one: Attempt) -> float:
        if one.end is not None:
            return self.place(one.end, one.end_at)
        return self.scale.width if self.scale is not None else float(max(0, len(self.thread.calls) - 1))

    def span(self, one: Attempt) -> tuple[float, float]:
        """Start and length of an attempt's bar, wide enough to be seen."""
        start = self.place(one.start, one.start_at)
        return start, max(self._end(one) - start, self.width * LEAST_SHARE)

    def draw(self, figure: go.Figure, rows: int) -> None:
        """Marks of the axis, and its pauses."""
        reach = [self.low - self.width * 0.02, self.high + self.width * 0.04]
        if self.scale is None:
            figure.update_xaxes(title="call", tickprefix="#", tickformat=",d", range=[reach[0] - 0.5, reach[1] + 0.5])
            return
        places, labels = self.scale.ticks(self.low, self.high)
        pauses = [(place, words) for place, words in self.scale.pause_words() if self.low < place < self.high]
        figure.update_xaxes(title="time (UTC), pauses shortened" if pauses else "time (UTC)", range=reach)
        figure.update_xaxes(tickmode="array", tickvals=places, ticktext=labels)
        for place, words in pauses:
            figure.add_shape(type="line", x0=place, x1=place, y0=TOP, y1=rows - 0.5, line={"dash": "dash", "width": 1, "color": PICKED})
            note = {"x": place, "y": TOP + 0.2, "text": words, "showarrow": False, "xanchor": "left", "xshift": 4, "font": {"size": 11}}
            figure.add_annotation(**note)


def _kinds(tries: Sequence[Attempt]) -> list[tuple[str, tuple[str, str], list[Attempt]]]:
    """Attempts by how they ended: words, look, and those that did."""
    open_ends = [one for one in tries if one.claim is None]
    claimed = [
        (f"done, {verdict} {VERDICT_MARKS[verdict]}", look, [one for one in tries if one.claim is not None and one.claim.verdict == verdict])
        for verdict, look in VERDICT_LOOKS.items()
    ]
    others = [
        ("never ended" if status == "in_progress" else f"ended {STATUS_WORDS[status]}", look, [one for one in open_ends if one.status == status])
        for status, look in LOOKS.items()
    ]
    removed = [("removed", ("#555555", "-"), [one for one in open_ends if one.status == "absent"])]
    return [*claimed, *others, *removed]


def _bars(figure: go.Figure, review: PlanReview, name: str, look: tuple[str, str], mine: Sequence[Attempt], first: int, axis: _Axis) -> None:
    places, facts = [], []
    for one in mine:
        places.append((one.step - first + BAR_SHIFT, *axis.span(one)))
        facts.append([one.step, one.start if one.end is None else one.end, hover_title(review, one.step), _told(one)])
    bars(figure, name, look, places, facts, width=BAR_ROWS, hovertemplate="%{customdata[2]}<br>%{customdata[3]}<extra></extra>")


def _told(one: Attempt) -> str:
    """An attempt in words."""
    began = f"from call #{one.start:,}" if one.started else f"start not recorded, plan written before at call #{one.start:,}"
    ended = "never ended" if one.end is None else f"to call #{one.end:,}"
    lasted = f", {length(one.end_at - one.start_at)}" if one.start_at is not None and one.end_at is not None and one.end_at >= one.start_at else ""
    verdict = f"<br>{one.claim.verdict}: {plain(shortened(one.claim.facts[0].what, WHY_CHARS))}" if one.claim and one.claim.facts else ""
    return f"attempt {one.number}, {began} {ended}{lasted}{verdict}"


def _signs(figure: go.Figure, tries: Sequence[Attempt], first: int, axis: _Axis) -> None:
    """The verdict behind each attempt, as a sign."""
    if tries:
        figure.add_scatter(
            x=[sum(axis.span(one)) for one in tries],
            y=[one.step - first + BAR_SHIFT for one in tries],
            mode="text",
            text=[f" {VERDICT_MARKS[one.claim.verdict]}" for one in tries if one.claim],
            textposition="middle right",
            textfont={"size": 15},
            showlegend=False,
            hoverinfo="skip",
            cliponaxis=False,
        )


def _revisions(figure: go.Figure, review: PlanReview, axis: _Axis) -> None:
    """A mark above the steps for each change of the plan."""
    changed = [one for one in review.history.revisions if one.changes or not one.applied]
    for name, symbol, colour, mine in (
        ("plan changed", "line-ns-open", "#66707D", [one for one in changed if one.applied]),
        ("write refused", "x-thin-open", "#C2183C", [one for one in changed if not one.applied]),
    ):
        if mine:
            figure.add_scatter(
                name=name,
                mode="markers",
                x=[axis.place(one.call, one.at) for one in mine],
                y=[TOP + 0.2] * len(mine),
                customdata=[[-1, one.call, _why(one)] for one in mine],
                marker={"symbol": symbol, "size": 11, "color": colour, "line": {"width": 2, "color": colour}},
                hovertemplate="%{customdata[2]}<extra></extra>",
            )


def _why(revision: Revision) -> str:
    what = f"{len(revision.changes)} changed" if revision.applied else "refused"
    note = f"<br>{plain(shortened(revision.note, WHY_CHARS))}" if revision.note else ""
    return f"call #{revision.call:,}, {plain(shortened(revision.tool, 40))}: {what}{note}"

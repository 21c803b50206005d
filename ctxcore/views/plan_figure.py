"""The matrix of steps and calls: bars by status, below them what each call has of the step's text, the findings marked where they show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from ctxcore.plan.review import PlanReview
from ctxcore.plan.values import STATUSES, Finding
from ctxcore.views.plan import STATUS_WORDS, step_name
from ctxcore.views.plan_looks import HOVER_CHARS, LOOKS, MARKS, PICKED, SIGHT_LOOKS, TITLE_CELLS, Mark, bars, lay_out, plain, title_above
from ctxcore.views.visible import fitted, shortened

BAR_ROWS, BAR_SHIFT = 0.42, 0.2
"""Height of a status bar in rows, and by how much of a row it stands lower to leave room for the title."""

THIN_ROWS, THIN_SHIFT, STRIP_ROWS, STRIP_SHIFT = 0.28, 0.13, 0.13, 0.36
"""The same where a second layer stands below, and of that layer."""

ROWS = 40
"""Steps in one figure."""


def row_window(steps: int, first: int) -> range:
    """Rows that one figure shows, from a first one on."""
    start = min(max(0, first), max(0, steps - 1))
    return range(start, min(start + ROWS, steps))


def plan_figure(
    review: PlanReview, picked: int, *, rows: range | None = None, sight: NDArray[np.int8] | None = None, ink: str | None = None
) -> go.Figure:
    """Steps × calls by status, one bar per stretch of calls with the same status, with the findings marked where they show.

    A bar's ``customdata`` begins with its step and its first call.

    Args:
        review: Of a plan with at least one step.
        picked: The call that is picked.
        rows: Steps to show, without a gap; all of them if left out.
        sight: From ``plan_sight``: shown as a second layer.
        ink: Colour of titles and numbers; None leaves it to the page.
    """
    history = review.history
    rows = range(len(history.steps)) if rows is None else rows
    figure = go.Figure()
    _status_bars(figure, review, rows, thin=sight is not None)
    if sight is not None:
        _sight_bars(figure, review, rows, sight)
    shift = BAR_SHIFT if sight is None else THIN_SHIFT
    for kind, mark in MARKS.items():
        _mark(figure, review, [f for f in review.findings if f.kind == kind], rows, mark, shift)
    for place, row in enumerate(rows):
        title_above(figure, place, f"{row + 1}. {plain(fitted(step_name(history.steps[row]), TITLE_CELLS))}")
    _pick(figure, picked, len(rows))
    calls = history.status.shape[1]
    axis = {"tickprefix": "#", "tickformat": ",d", "rangemode": "nonnegative"}
    figure.update_xaxes(title="call", range=[-0.6, max(0.6, calls - 0.4)], **axis)
    lay_out(figure, len(rows), ink)
    return figure


def hover_title(review: PlanReview, row: int) -> str:
    """A step's number and title under the pointer."""
    return f"{row + 1}. {plain(shortened(step_name(review.history.steps[row]), HOVER_CHARS))}"


def _status_bars(figure: go.Figure, review: PlanReview, rows: range, *, thin: bool) -> None:
    found = list(_stretches(review.history.status, rows))
    width, shift = (THIN_ROWS, THIN_SHIFT) if thin else (BAR_ROWS, BAR_SHIFT)
    for status, look in LOOKS.items():
        mine = [(row, start, stop) for row, start, stop, code in found if STATUSES[code] == status]
        words = f"%{{customdata[3]}}<br>{STATUS_WORDS[status]} from call #%{{customdata[1]}} to #%{{customdata[2]}}<extra></extra>"
        places = [(row - rows.start + shift, start - 0.5, float(stop - start)) for row, start, stop in mine]
        facts = [[row, start, stop - 1, hover_title(review, row)] for row, start, stop in mine]
        bars(figure, STATUS_WORDS[status], look, places, facts, width=width, hovertemplate=words)


def _sight_bars(figure: go.Figure, review: PlanReview, rows: range, sight: NDArray[np.int8]) -> None:
    found = list(_stretches(sight, rows))
    for code, (words, colour, pattern) in SIGHT_LOOKS.items():
        mine = [(row, start, stop) for row, start, stop, one in found if one == code]
        told = f"%{{customdata[3]}}<br>{words} from call #%{{customdata[1]}} to #%{{customdata[2]}}<extra></extra>"
        places = [(row - rows.start + STRIP_SHIFT, start - 0.5, float(stop - start)) for row, start, stop in mine]
        facts = [[row, start, stop - 1, hover_title(review, row)] for row, start, stop in mine]
        bars(figure, words, (colour, pattern), places, facts, width=STRIP_ROWS, hovertemplate=told)


def _pick(figure: go.Figure, picked: int, rows: int) -> None:
    """A line at the picked call, named in the legend."""
    figure.add_scatter(
        name=f"picked call #{picked:,}",
        mode="lines",
        x=[picked, picked],
        y=[-0.5, rows - 0.5],
        line={"width": 1.5, "dash": "dot", "color": PICKED},
        hoverinfo="skip",
    )


def _mark(figure: go.Figure, review: PlanReview, findings: list[Finding], rows: range, mark: Mark, shift: float) -> None:
    places = [(finding.call, step) for finding in findings for step in finding.steps if step in rows]
    if places:
        figure.add_scatter(
            name=mark.words,
            mode="markers",
            x=[call for call, _ in places],
            y=[step - rows.start + shift + mark.shift for _, step in places],
            customdata=[[step, call, call, hover_title(review, step)] for call, step in places],
            marker={"symbol": mark.symbol, "size": 12, "color": mark.colour, "line": {"color": mark.edge, "width": 1.5}},
            hovertemplate=f"%{{customdata[3]}}<br>{mark.words} at call #%{{x}}<extra></extra>",
        )


def _stretches(codes: NDArray[np.int8], rows: range) -> Iterator[tuple[int, int, int, int]]:
    """Row, first call, call after the last, and code of every stretch of calls with one code; zeros are left out."""
    for row in rows:
        line = codes[row]
        edges = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
        for start, stop in pairwise(edges):
            if stop > start and line[start]:
                yield row, start, stop, int(line[start])

"""What the page Plan draws: the matrix of steps and calls, the changes, the steps, and what is odd in plain words."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ctxcore.counted import count
from ctxcore.model import Session
from ctxcore.plan.families import FAMILIES
from ctxcore.plan.history import plan_history
from ctxcore.plan.values import IN_PROGRESS, STATUSES, Change, Finding, FindingKind, PlanHistory, PlanStep, Status
from ctxcore.views.visible import fitted, shortened, visible
from ctxcore.views.words import number

STATUS_WORDS: dict[Status, str] = {
    "pending": "pending",
    "in_progress": "in progress",
    "completed": "completed",
    "cancelled": "cancelled",
    "unknown": "unknown status",
    "absent": "removed",
}
"""Statuses for people."""

LOOKS: dict[Status, tuple[str, str]] = {
    "pending": ("#8794A3", "."),
    "in_progress": ("#E69F00", "/"),
    "completed": ("#0072B2", ""),
    "cancelled": ("#CC79A7", "x"),
    "unknown": ("#8C7AD1", "+"),
}
"""Colour and pattern of each status; neither carries the meaning alone. Hues of Okabe and Ito."""

PATTERN = {"fillmode": "replace", "fgopacity": 1, "size": 6, "solidity": 0.45}
"""How dense a pattern is; it is drawn in the colour on the page's own background, so that it shows on light and dark pages."""

Mark = tuple[str, str, str, float]

MARKS: dict[FindingKind, Mark] = {
    "reopened": ("reopened", "triangle-left", "#C2183C", -0.14),
    "vanished": ("removed without completion", "x", "#111111", 0),
    "two_in_progress": ("two in progress at once", "diamond", "#7A3E9D", 0.14),
}
"""Findings that are marked in the matrix: words, symbol, colour, and by how much of a row the symbol stands lower."""

OTHER_WORDS: dict[FindingKind, tuple[str, str]] = {
    "unknown_status": ("1 status word is not known", "{} status words are not known"),
    "duplicate_id": ("1 id stands twice in one write", "{} ids stand twice in one write"),
    "renumbered": ("step numbers changed once", "step numbers changed {} times"),
    "failed_write": ("1 write was refused by the tool", "{} writes were refused by the tool"),
    "unknown_id": ("1 change is to a step that was never created here", "{} changes are to steps that were never created here"),
    "malformed_write": ("1 write cannot be read", "{} writes cannot be read"),
}
"""The other findings, for one and for several."""

TITLE_CELLS = 50
"""Width of a step's title above its bars, a Latin letter is 1: what a screen of 390 pixels holds."""

ROW_PIXELS, BAR_ROWS, BAR_SHIFT = 46, 0.42, 0.2
"""Height of a step's row; of its bars, and by how much of a row they stand lower to leave room for the title."""

HOVER_CHARS = 120
"""Characters of it under the pointer."""


def step_name(step: PlanStep) -> str:
    """A step's title, or what is known of one whose creation is not recorded."""
    return visible(step.title) if step.title else f"(step {visible(step.id)}, created outside this recording)"


PROGRESS: tuple[Status, ...] = ("completed", "in_progress", "pending", "cancelled", "unknown", "absent")
"""Statuses in the order in which a sentence names them."""


def plan_progress(history: PlanHistory) -> str:
    """How many steps there were, and where they stand at the end: ``3 steps in all; at the end 2 completed, 1 cancelled.``."""
    if not history.steps:
        return "The plan never had a step."
    counts = Counter(step.status for step in history.steps)
    parts = [f"{number(counts[status])} {STATUS_WORDS[status]}" for status in PROGRESS if status != "absent" and counts[status]]
    if counts["absent"]:
        done = sum(step.status == "absent" and step.before_removal == "completed" for step in history.steps)
        parts.append(f"{number(counts['absent'])} removed ({number(done)} of them completed before)")
    return f"{count(len(history.steps), 'step')} in all; at the end {', '.join(parts)}."


def plan_at(history: PlanHistory, call: int) -> str:
    """Where the plan stands after the reply of a call: which steps are in progress, how many are completed, pending and so on."""
    codes = history.status[:, call] if history.steps and call >= 0 else np.zeros(0, np.int8)
    if not codes.any():
        return f"At call #{number(max(0, call))}: {'the plan is empty' if _is_begun(history, call) else 'no plan yet'}."
    counts = Counter(STATUSES[code] for code in codes.tolist())
    busy = np.flatnonzero(codes == IN_PROGRESS).tolist()
    parts = [_busy_words(history, busy)] if busy else []
    parts += [f"{number(counts[status])} {STATUS_WORDS[status]}" for status in PROGRESS if status not in ("in_progress", "absent") and counts[status]]
    return f"At call #{number(call)}: {', '.join(parts)}."


def _is_begun(history: PlanHistory, call: int) -> bool:
    return any(revision.call <= call and revision.applied for revision in history.revisions)


def _busy_words(history: PlanHistory, rows: list[int]) -> str:
    if len(rows) == 1:
        return f"step {rows[0] + 1} in progress ({shortened(step_name(history.steps[rows[0]]), 60)})"
    return f"steps {', '.join(str(row + 1) for row in rows[:-1])} and {rows[-1] + 1} in progress"


def plan_sentence(history: PlanHistory) -> str:
    """How often the plan was written and what is odd in its history, counted, in plain words."""
    reopened, vanished, busy = (history.count(kind) for kind in ("reopened", "vanished", "two_in_progress"))
    times = len(history.revisions)
    words = [f"The plan was written {'once' if times == 1 else f'{number(times)} times'}.", plan_progress(history)]
    odd = []
    if reopened:
        odd.append("1 step was reopened" if reopened == 1 else f"steps were reopened {reopened} times")
    if vanished:
        odd.append("1 step was removed without completion" if vanished == 1 else f"{vanished} steps were removed without completion")
    if busy:
        odd.append("once two or more steps were in progress" if busy == 1 else f"{busy} times two or more steps were in progress")
    for kind, (one, many) in OTHER_WORDS.items():
        if times := history.count(kind):
            odd.append(one if times == 1 else many.format(times))
    words.append((", ".join(odd) + ".").capitalize() if odd else "No step was reopened, none was removed unfinished, never two in progress at once.")
    return " ".join(words)


def plan_tools() -> tuple[str, ...]:
    """The tools that are looked for, one line per family."""
    return tuple(family.tools for family in FAMILIES)


def other_plans(session: Session, thread_id: str) -> tuple[tuple[str, str], ...]:
    """Other threads of the session that have a plan: id, and a line of words."""
    found = []
    for thread in session.threads:
        if thread.id != thread_id and (history := plan_history(thread)).revisions:
            parent = f", started by call #{thread.parent_call}" if thread.parent_call is not None else ""
            found.append((thread.id, f"{shortened(thread.title or thread.id, 60)}{parent}: {plan_progress(history)}"))
    return tuple(found)


def changes_table(history: PlanHistory) -> pd.DataFrame:
    """Each change of a step, and each write that was not applied or is odd, in order; ``call`` is where it counts from."""
    rows = [row for revision in history.revisions for row in _revision_rows(history, revision.index)]
    return pd.DataFrame(rows, columns=["call", "step", "change", "from", "to", "finding", "source", "turn", "tool"])


def changes_note(history: PlanHistory, rows: int) -> str:
    """Under the table of changes: how many rows, and how many writes it leaves out because they only repeat the plan."""
    found = {f.revision for f in history.findings}
    same = sum(revision.applied and not revision.changes and revision.index not in found for revision in history.revisions)
    left_out = f" {count(same, 'write that changed no step is', 'writes that changed no step are')} left out." if same else ""
    return f"{count(rows, 'row')}. A row opens its call on the page Calls.{left_out}"


def _revision_rows(history: PlanHistory, index: int) -> Iterator[dict[str, object]]:
    revision = history.revisions[index]
    findings = [f for f in history.findings if f.revision == index]
    common = {"call": revision.call, "turn": revision.turn, "tool": shortened(revision.tool, 40), "source": visible(str(revision.source))}
    for change in revision.changes:
        yield {
            **common,
            "step": step_name(history.steps[change.step]),
            "change": _change_words(change),
            "from": "" if change.before == "absent" else STATUS_WORDS[change.before],
            "to": visible(change.word) if change.after == "unknown" else STATUS_WORDS[change.after],
            "finding": _kinds(f.kind for f in findings if change.step in f.steps),
        }
    loose = [f.note for f in findings if not any(change.step in f.steps for change in revision.changes)]
    if loose or not revision.applied:
        words = "note" if revision.applied else "not applied"
        yield {**common, "step": "", "change": words, "from": "", "to": "", "finding": visible(" ".join(loose))}


def _kinds(kinds: Iterable[FindingKind]) -> str:
    """Kinds of findings in words, each with its count where there are several."""
    words = Counter(kind.replace("_", " ") for kind in kinds)
    return ", ".join(f"{word} ×{times}" if times > 1 else word for word, times in words.items())


def _change_words(change: Change) -> str:
    match change.kind:
        case "reworded":
            return f"reworded, was: {visible(change.detail)}"
        case "renumbered":
            return f"renumbered, was: {visible(change.detail)}"
        case "returned":
            return "came back"
        case kind:
            return str(kind)


def steps_table(history: PlanHistory) -> pd.DataFrame:
    """One row per step: title, status at the end, calls of its first and last change, earlier titles, findings."""
    rows = [
        {
            "number": row + 1,
            "step": step_name(step),
            "id": visible(step.id),
            "status": visible(step.word) if step.status == "unknown" else _final_words(step),
            "first call": history.revisions[step.first].call,
            "last change": history.revisions[step.last].call,
            "calls in progress": int((history.status[row] == STATUSES.index("in_progress")).sum()),
            "earlier titles": " ← ".join(visible(title) for title in reversed(step.titles[:-1])),
            "findings": _kinds(f.kind for f in history.findings if row in f.steps),
        }
        for row, step in enumerate(history.steps)
    ]
    return pd.DataFrame(rows)


def _final_words(step: PlanStep) -> str:
    return f"{STATUS_WORDS[step.before_removal]}, then removed" if step.status == "absent" else STATUS_WORDS[step.status]


def plain(text: str) -> str:
    """Text as a figure must get it to show exactly these characters: plotly takes tags and entities as markup."""
    return html.escape(text, quote=False)


def plan_figure(history: PlanHistory, picked: int) -> go.Figure:
    """Steps × calls by status, one bar per stretch of calls with the same status, with the findings marked where they show.

    Every row has its title above its bars, so that a narrow screen keeps the whole width for them.

    Args:
        history: Of a thread with at least one step.
        picked: The call that is picked.
    """
    figure = go.Figure()
    whole = [f"{row}. {plain(shortened(step_name(step), HOVER_CHARS))}" for row, step in enumerate(history.steps, 1)]
    bars = list(_stretches(history))
    for status in LOOKS:
        _bars(figure, status, [(row, start, stop) for row, start, stop, code in bars if STATUSES[code] == status], whole)
    for kind, (words, symbol, colour, shift) in MARKS.items():
        _mark(figure, [f for f in history.findings if f.kind == kind], whole, (words, symbol, colour, shift))
    for row, step in enumerate(history.steps):
        title = f"{row + 1}. {plain(fitted(step_name(step), TITLE_CELLS))}"
        place = {"xref": "paper", "x": 0, "xanchor": "left", "y": row - 0.03, "yanchor": "bottom", "yref": "y"}
        figure.add_annotation(text=title, showarrow=False, align="left", borderpad=0, **place)
    figure.add_vline(x=picked, line={"width": 1.5, "dash": "dot", "color": "#66707D"})
    _lay_out(figure, rows=len(history.steps), calls=history.status.shape[1])
    return figure


def _bars(figure: go.Figure, status: Status, mine: list[tuple[int, int, int]], whole: list[str]) -> None:
    """The stretches of one status. Their height is fixed: plotly would take it from the distance of the rows that this status has bars in."""
    if not mine:
        return
    colour, pattern = LOOKS[status]
    figure.add_bar(
        name=STATUS_WORDS[status],
        orientation="h",
        width=BAR_ROWS,
        y=[row + BAR_SHIFT for row, _, _ in mine],
        base=[start - 0.5 for _, start, _ in mine],
        x=[stop - start for _, start, stop in mine],
        customdata=[[start, stop - 1, whole[row]] for row, start, stop in mine],
        marker={"color": colour, "pattern": {"shape": pattern, "fgcolor": colour, **PATTERN}, "line": {"width": 1, "color": colour}},
        hovertemplate=f"%{{customdata[2]}}<br>{STATUS_WORDS[status]} from call #%{{customdata[0]}} to #%{{customdata[1]}}<extra></extra>",
    )


def _lay_out(figure: go.Figure, *, rows: int, calls: int) -> None:
    figure.update_layout(
        barmode="overlay",
        height=110 + ROW_PIXELS * rows,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "title": None, "itemclick": False, "itemdoubleclick": False},
        dragmode="zoom",
        hoverlabel={"align": "left"},
    )
    figure.update_yaxes(range=[rows - 0.5, -0.5], showticklabels=False, fixedrange=True, showgrid=False, zeroline=False)
    figure.update_xaxes(title="call", range=[-0.6, max(0.6, calls - 0.4)], tickprefix="#", tickformat=",d", rangemode="nonnegative", zeroline=False)


def _mark(figure: go.Figure, findings: list[Finding], whole: list[str], mark: Mark) -> None:
    words, symbol, colour, shift = mark
    places = [(finding.call, step) for finding in findings for step in finding.steps]
    if places:
        figure.add_scatter(
            name=words,
            mode="markers",
            x=[call for call, _ in places],
            y=[step + BAR_SHIFT + shift for _, step in places],
            customdata=[[whole[step]] for _, step in places],
            marker={"symbol": symbol, "size": 12, "color": colour, "line": {"color": "white", "width": 1.5}},
            hovertemplate=f"%{{customdata[0]}}<br>{words} at call #%{{x}}<extra></extra>",
        )


def _stretches(history: PlanHistory) -> Iterator[tuple[int, int, int, int]]:
    """Row, first call, call after the last, and code of every stretch of calls with one status; absent ones are left out."""
    for row, codes in enumerate(history.status):
        edges = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
        for start, stop in pairwise(edges):
            if stop > start and codes[start]:
                yield row, start, stop, int(codes[start])

"""The matrix of steps and calls: bars by status, the findings marked where they show."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from ctxcore.plan.values import STATUSES, Finding, FindingKind, PlanHistory, Status
from ctxcore.views.plan import STATUS_WORDS, step_name
from ctxcore.views.visible import fitted, shortened

LOOKS: dict[Status, tuple[str, str]] = {
    "pending": ("#8794A3", "."),
    "in_progress": ("#E69F00", "/"),
    "completed": ("#0072B2", ""),
    "cancelled": ("#CC79A7", "x"),
    "unknown": ("#8C7AD1", "+"),
}
"""Colour and pattern of each status; neither carries the meaning alone. Hues of Okabe and Ito."""


PICKED = "#66707D"
"""Colour of the line at the picked call, on light and dark pages."""

PATTERN = {"fillmode": "replace", "fgopacity": 1, "size": 6, "solidity": 0.45}
"""How dense a pattern is; it is drawn in the colour on the page's own background, so that it shows on light and dark pages."""


Mark = tuple[str, str, str, float]


MARKS: dict[FindingKind, Mark] = {
    "reopened": ("reopened", "triangle-left", "#C2183C", -0.14),
    "vanished": ("removed without completion", "x", "#111111", 0),
    "two_in_progress": ("two in progress at once", "diamond", "#7A3E9D", 0.14),
}
"""Findings that are marked in the matrix: words, symbol, colour, and by how much of a row the symbol stands lower."""


TITLE_CELLS = 50
"""Width of a step's title above its bars, a Latin letter is 1: what a screen of 390 pixels holds."""


ROW_PIXELS, BAR_ROWS, BAR_SHIFT = 46, 0.42, 0.2
"""Height of a step's row; of its bars, and by how much of a row they stand lower to leave room for the title."""


HOVER_CHARS = 120
"""Characters of it under the pointer."""


def plain(text: str) -> str:
    """Text as a figure must get it to show exactly these characters: plotly takes tags and entities as markup."""
    return html.escape(text, quote=False)


def plan_figure(history: PlanHistory, picked: int, *, ink: str | None = None) -> go.Figure:
    """Steps × calls by status, one bar per stretch of calls with the same status, with the findings marked where they show.

    Every row has its title above its bars, so that a narrow screen keeps the whole width for them.

    Args:
        history: Of a thread with at least one step.
        picked: The call that is picked.
        ink: Colour of titles and numbers; None leaves it to the page.
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
    _pick(figure, picked, len(history.steps))
    _lay_out(figure, rows=len(history.steps), calls=history.status.shape[1])
    if ink:
        figure.update_layout(font={"color": ink}, legend={"font": {"color": ink}})
        figure.update_annotations(font={"color": ink})
        figure.update_xaxes(tickfont={"color": ink}, title={"font": {"color": ink}})
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

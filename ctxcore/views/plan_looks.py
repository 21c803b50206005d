"""Colours, patterns and symbols of plans: no meaning rests on colour alone. Hues of Okabe and Ito, readable on light and dark pages."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from ctxcore.measures.plan_sight import DROPPED_TEXT, INSIDE, NOT_SENT, REFUSED
from ctxcore.plan.claims import Verdict
from ctxcore.plan.values import FindingKind, Status

LOOKS: dict[Status, tuple[str, str]] = {
    "pending": ("#8794A3", "."),
    "in_progress": ("#E69F00", "/"),
    "completed": ("#0072B2", ""),
    "cancelled": ("#CC79A7", "x"),
    "unknown": ("#8C7AD1", "+"),
    "failed": ("#D55E00", "\\"),
    "blocked": ("#7F6A55", "|"),
}
"""Colour and pattern of each status."""

SIGHT_LOOKS: dict[int, tuple[str, str, str]] = {
    INSIDE: ("text in the context", "#009E73", ""),
    DROPPED_TEXT: ("removed by the policy", "#C2183C", "/"),
    NOT_SENT: ("not in the recorded request", "#A05A2C", "|"),
    REFUSED: ("request refused", "#7A3E9D", "x"),
}
"""Words, colour and pattern of what a call has of a step's text."""

VERDICT_LOOKS: dict[Verdict, tuple[str, str]] = {
    "supported": ("#0072B2", ""),
    "unsupported": ("#8794A3", "."),
    "contradicted": ("#C2183C", "x"),
}
"""Colour and pattern of an attempt by the verdict on its claim."""

VERDICT_MARKS: Mapping[str, str] = {"supported": "✓", "unsupported": "?", "contradicted": "✗"}
"""A verdict in one sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a finding is marked in the matrix."""

    words: str
    """In the legend."""
    symbol: str
    """Of plotly."""
    colour: str
    """Of the symbol."""
    shift: float
    """By how much of a row it stands lower."""
    edge: str = "white"
    """Colour around it."""


MARKS: dict[FindingKind, Mark] = {
    "contradicted": Mark(words="done, but contradicted", symbol="octagon", colour="#C2183C", shift=0),
    "no_action": Mark(words="done without any tool call", symbol="circle", colour="white", shift=0, edge="#111111"),
    "reopened": Mark(words="reopened", symbol="triangle-left", colour="#C2183C", shift=-0.14),
    "resurrected": Mark(words="open again after a compaction", symbol="star", colour="#7A3E9D", shift=-0.14),
    "vanished": Mark(words="removed without completion", symbol="x", colour="#111111", shift=0),
    "two_in_progress": Mark(words="two in progress at once", symbol="diamond", colour="#7A3E9D", shift=0.14),
}
"""Findings that are marked."""

PICKED = "#66707D"
"""Colour of the line at the picked call, on light and dark pages."""

PATTERN = {"fillmode": "replace", "fgopacity": 1, "size": 6, "solidity": 0.45}
"""How dense a pattern is; it is drawn in the colour on the page's own background, so that it shows on light and dark pages."""

TITLE_CELLS = 50
"""Width of a step's title above its bars, a Latin letter is 1: what a screen of 390 pixels holds."""

ROW_PIXELS = 46
"""Height of a step's row."""

HOVER_CHARS = 120
"""Characters of a title under the pointer."""


def plain(text: str) -> str:
    """Text as a figure must get it to show exactly these characters: plotly takes tags and entities as markup."""
    return html.escape(text, quote=False)


def bars(
    figure: go.Figure, name: str, look: tuple[str, str], places: Sequence[tuple[float, float, float]], facts: Sequence[Sequence[Any]], **more: Any
) -> None:
    """Horizontal bars of one kind, if there are any; their height is fixed, plotly would take it from the distance of the rows that have one.

    Args:
        figure: To draw in.
        name: In the legend.
        look: Colour and pattern.
        places: Row, start and length of each bar.
        facts: Beside it, what ``hovertemplate`` asks for.
        **more: For the trace: ``width`` of a bar in rows, ``hovertemplate``.
    """
    if places:
        colour, pattern = look
        figure.add_bar(
            name=name,
            orientation="h",
            y=[row for row, _, _ in places],
            base=[start for _, start, _ in places],
            x=[length for _, _, length in places],
            customdata=facts,
            marker={"color": colour, "pattern": {"shape": pattern, "fgcolor": colour, **PATTERN}, "line": {"width": 1, "color": colour}},
            **more,
        )


def lay_out(figure: go.Figure, rows: int, ink: str | None, *, first: float = -0.5) -> None:
    """What both figures share: a row for each step, the legend on top, the page's colour for what is written.

    Args:
        figure: To lay out.
        rows: Of steps.
        ink: Colour of titles and numbers; None leaves it to the page.
        first: Where the rows begin.
    """
    figure.update_layout(
        barmode="overlay",
        height=120 + int(ROW_PIXELS * (rows - 0.5 - first)),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "title": None, "itemclick": False, "itemdoubleclick": False},
        dragmode="zoom",
        hoverlabel={"align": "left"},
    )
    figure.update_yaxes(range=[rows - 0.5, first], showticklabels=False, fixedrange=True, showgrid=False, zeroline=False)
    figure.update_xaxes(zeroline=False)
    if ink:
        figure.update_layout(font={"color": ink}, legend={"font": {"color": ink}})
        figure.update_annotations(font={"color": ink})
        figure.update_xaxes(tickfont={"color": ink}, title={"font": {"color": ink}})


def title_above(figure: go.Figure, row: int, text: str) -> None:
    """A step's title above its bars, so that a narrow screen keeps the whole width for them."""
    place = {"xref": "paper", "x": 0, "xanchor": "left", "y": row - 0.03, "yanchor": "bottom", "yref": "y"}
    figure.add_annotation(text=text, showarrow=False, align="left", borderpad=0, **place)

"""Size per call under every policy: small charts on one scale, as one figure.

All charts stand in one pair of axes, each moved to its place: dozens of axes would take seconds to build.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from ctxcore.columns import IntArray
from ctxcore.measures.compare import Compared
from ctxcore.views.compare_page import spark, spark_calls, spark_of

ACROSS, CHART_HEIGHT, TITLE_CHARS = 4, 132, 18
"""Charts in a row, pixels of each, and characters of a line of a title."""

WIDE, HIGH = 1.12, 1.55
"""Distance of charts, in widths and heights of one."""

GREY, BLUE, RED = "#8F8F8F", "#2E86C9", "#D6304F"
"""Of what was recorded, what is sent, and the budget; seen on light and dark pages."""


def multiples_figure(rows: Sequence[Compared]) -> go.Figure:
    """One small chart per policy: recorded sizes in grey, what is sent in blue, the budget dotted.

    Args:
        rows: Of one thread at one budget.
    """
    before = rows[0].replay.before
    peak, budget = max(int(before.max(initial=1)), 1), rows[0].replay.budget
    calls = spark_calls(len(before))
    step = np.asarray(calls) / max(len(before) - 1, 1)
    whole = np.asarray(spark_of(before)) / peak
    figure = go.Figure()
    ground = _Track()
    sent = _Track()
    limit = _Track()
    titles: list[tuple[float, float, str]] = []
    for (left, base), row in zip(_corners(len(rows)), rows, strict=True):
        sizes = spark(row.replay)
        ground.add([left, *(left + step), left + step[-1]], [base, *(base + whole), base], [])
        told = [f"{row.name}<br>call #{call:,}: {size:,} {row.replay.unit}" for call, size in zip(calls.tolist(), sizes, strict=True)]
        sent.add(left + step, base + np.asarray(sizes) / peak, told)
        if budget <= peak:
            limit.add([left, left + 1], [base + budget / peak] * 2, [])
        titles.append((left, base + 1.06, "<br>".join(wrap(row.name, TITLE_CHARS))))
    figure.add_scatter(x=ground.x, y=ground.y, mode="lines", line={"color": GREY, "width": 1}, fill="toself", fillcolor="rgba(143,143,143,0.18)")
    figure.data[0].hoverinfo = "skip"
    line = {"color": BLUE, "width": 2}
    figure.add_scatter(x=sent.x, y=sent.y, mode="lines", line=line, customdata=sent.told, hovertemplate="%{customdata}<extra></extra>")
    figure.add_scatter(x=limit.x, y=limit.y, mode="lines", line={"color": RED, "width": 1, "dash": "dot"}, hoverinfo="skip", name="budget")
    names = [title for _, _, title in titles]
    where = {"x": [x for x, _, _ in titles], "y": [y for _, y, _ in titles]}
    figure.add_scatter(**where, text=names, mode="text", textposition="top right", textfont={"size": 11}, hoverinfo="skip", cliponaxis=False)
    down = -(-len(rows) // ACROSS)
    figure.update_layout(
        height=down * CHART_HEIGHT + 20, margin={"l": 4, "r": 4, "t": 4, "b": 4}, showlegend=False, dragmode=False, hovermode="closest"
    )
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, ACROSS * WIDE - (WIDE - 1)])
    figure.update_yaxes(visible=False, fixedrange=True, range=[-(down - 1) * HIGH - 0.05, HIGH])
    return figure


class _Track:
    """Points of several lines in one trace, with gaps between."""

    def __init__(self) -> None:
        self.x: list[float | None] = []
        self.y: list[float | None] = []
        self.told: list[str] = []

    def add(self, x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray, told: Sequence[str]) -> None:
        """One line more."""
        self.x += [*map(float, x), None]
        self.y += [*map(float, y), None]
        self.told += [*told, ""]


def _corners(count: int) -> Iterator[tuple[float, float]]:
    """Lower left corners of the charts, row by row from the top."""
    for number in range(count):
        yield number % ACROSS * WIDE, -(number // ACROSS) * HIGH


def scale_words(before: IntArray, unit: str) -> str:
    """What the height of a chart is."""
    return f"Each chart is {int(before.max(initial=0)):,} {unit} high, the largest recorded request."

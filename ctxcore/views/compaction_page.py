"""What the page Compaction shows: the list, checks in words, the survival table, items beside their originals, and the line of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ctxcore.measures.compaction_sizes import request_tokens
from ctxcore.measures.compactions import RecordedCompaction
from ctxcore.model import Thread
from ctxcore.views.compaction_shown import Shown, basis_of, call_of, faults_of, judged_of, sizes_of, source_of
from ctxcore.views.compaction_words import check_rows
from ctxcore.views.palette import PALETTE
from ctxcore.views.visible import shortened, visible

CELL, ROWS, LOST = 400, 500, 8
"""Characters of a cell, rows of a table, lost values named in a row."""


def checks_of(one: Shown) -> list[tuple[str, str, str, str]]:
    """Level, plain words, sentence and code of each check; faults first."""
    return check_rows(faults_of(one))


def compactions_table(found: Sequence[Shown]) -> pd.DataFrame:
    """One row per compaction."""
    columns = ["call", "source", "before", "after", "basis", "left", "kept", "lost", "checks"]
    return pd.DataFrame([_row(one) for one in found], columns=columns)


def _row(one: Shown) -> list[Any]:
    judged = judged_of(one)
    left = "" if judged is None or judged.ratio is None else f"{100 * judged.ratio:.1f} % of {judged.before:,}"
    rows = None if one.table is None else one.table.values()
    counts: list[int | None] = [None, None] if rows is None else [sum(row.kept for row in rows), sum(len(row.lost) for row in rows)]
    told = [f"{what} (fault)" if level == "fault" else what for level, what, _, _ in checks_of(one)]
    return [call_of(one), source_of(one), *sizes_of(one), basis_of(one), left, *counts, ", ".join(dict.fromkeys(told)) or "passed"]


def needed_table(one: Shown) -> pd.DataFrame:
    """Values that the next calls needed and that were gone: those that stood nowhere first."""
    need = one.needed if isinstance(one, RecordedCompaction) else None
    told = [] if need is None else [*((v, "stood nowhere") for v in need.missing), *((v, "fetched again") for v in need.fetched_again)]
    return pd.DataFrame([[shortened(value, CELL), became] for value, became in told[:ROWS]], columns=["value", "became"])


def survival_table(one: Shown) -> pd.DataFrame:
    """One row per kind; empty where the summary cannot be read."""
    rows = [
        [
            kind.replace("_", " "),
            f"{100 * row.kept / row.total:.0f} %" if row.total else "",
            row.kept,
            row.total,
            visible(", ".join(shortened(value, 60) for value in row.lost[:LOST])),
        ]
        for kind, row in (one.table or {}).items()
    ]
    return pd.DataFrame(rows, columns=["kind", "share", "kept", "of", "lost"])


def compactions_figure(thread: Thread, found: Sequence[Shown], *, chosen: int = -1, dark: bool = False, ink: str | None = None) -> go.Figure:
    """Size of each request as counted, and each compaction at its call.

    Args:
        thread: Of a session.
        found: Recorded and simulated compactions.
        chosen: The one that is shown, drawn larger and ringed.
        dark: For a dark page.
        ink: Colour of words and numbers; None leaves it to the page.
    """
    size = request_tokens(thread).tolist()
    hues = PALETTE["dark" if dark else "light"]
    figure = go.Figure()
    figure.add_scatter(
        name="counted request",
        mode="lines",
        x=list(range(len(size))),
        y=size,
        line={"color": hues["dropped"], "shape": "hv"},
        hovertemplate="call #%{x}<br>%{y:,} tokens<extra></extra>",
    )
    for source, symbol, hue in (("recorded", "triangle-down", "distilled"), ("simulated", "diamond", "exact")):
        mine = [(place, one) for place, one in enumerate(found) if source_of(one) == source]
        if mine:
            figure.add_scatter(
                name=source,
                mode="markers",
                x=[call_of(one) for _, one in mine],
                y=[sizes_of(one)[1] for _, one in mine],
                marker={
                    "symbol": symbol,
                    "size": [18 if place == chosen else 12 for place, _ in mine],
                    "color": hues[hue],
                    "line": {"color": ink or hues["frame"], "width": [2.5 if place == chosen else 0 for place, _ in mine]},
                },
                hovertemplate=f"{source} at call #%{{x}}<br>%{{y:,}} tokens after it<extra></extra>",
            )
    figure.update_layout(
        height=260,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "itemclick": False, "itemdoubleclick": False},
        **({"font": {"color": ink}} if ink else {}),
    )
    figure.update_yaxes(title="tokens", rangemode="tozero", tickformat=",d")
    figure.update_xaxes(title="call", tickprefix="#", tickformat=",d")
    return figure

"""What the page Compaction shows: the list, checks in words, the survival table, items beside their originals, and the line of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ctxcore.compaction.values import Fault
from ctxcore.measures.compactions import RecordedCompaction
from ctxcore.measures.simulated import SimulatedCompaction
from ctxcore.model import Thread
from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.compaction_words import check_rows
from ctxcore.views.palette import PALETTE
from ctxcore.views.visible import shortened, visible

Shown = RecordedCompaction | SimulatedCompaction

CELL, ROWS, LOST = 400, 500, 8
"""Characters of a cell, rows of a table, lost values named in a row."""


def call_of(one: Shown) -> int:
    """The call at which a compaction stands."""
    return one.event.call if isinstance(one, RecordedCompaction) else one.call


def source_of(one: Shown) -> str:
    """``recorded`` or ``simulated``."""
    return "recorded" if isinstance(one, RecordedCompaction) else "simulated"


def sizes_of(one: Shown) -> tuple[int, int]:
    """Tokens before and after."""
    return (one.before, one.after) if isinstance(one, RecordedCompaction) else (one.compaction.before, one.compaction.after)


def compaction_name(one: Shown) -> str:
    """Which one it is."""
    return f"{source_of(one).capitalize()} compaction {'before' if isinstance(one, RecordedCompaction) else 'of'} call #{call_of(one):,}"


def faults_of(one: Shown) -> tuple[Fault, ...]:
    """What its checks say."""
    return one.faults if isinstance(one, RecordedCompaction) else one.compaction.faults


def checks_of(one: Shown) -> list[tuple[str, str, str, str]]:
    """Level, plain words, sentence and code of each check; faults first."""
    return check_rows(faults_of(one))


def compactions_table(found: Sequence[Shown]) -> pd.DataFrame:
    """One row per compaction."""
    return pd.DataFrame([_row(one) for one in found], columns=["call", "source", "before", "after", "left", "kept", "lost", "checks"])


def _row(one: Shown) -> list[Any]:
    before, after = sizes_of(one)
    left = f"{100 * after / before:.1f} %" if before else ""
    rows = None if one.table is None else one.table.values()
    counts: list[int | None] = [None, None] if rows is None else [sum(row.kept for row in rows), sum(len(row.lost) for row in rows)]
    told = [f"{what} (fault)" if level == "fault" else what for level, what, _, _ in checks_of(one)]
    return [call_of(one), source_of(one), before, after, left, *counts, ", ".join(dict.fromkeys(told)) or "passed"]


def needed_sentence(one: Shown) -> str:
    """What the next calls needed of what went, as numbers."""
    if not isinstance(one, RecordedCompaction):
        return "It was never sent, so no call followed it."
    if one.needed is None:
        return "No call follows it in the log."
    need = one.needed
    return (
        f"The next {need.calls:,} calls used {need.used:,} values of what was replaced: {need.standing:,} still stood there, "
        f"{len(need.fetched_again):,} were fetched again, {len(need.missing):,} stood nowhere. Tool calls repeated: {need.rereads:,}."
    )


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
    """Size of each recorded request, and each compaction at its call.

    Args:
        thread: Of a session.
        found: Recorded and simulated compactions.
        chosen: The one that is shown, drawn larger and ringed.
        dark: For a dark page.
        ink: Colour of words and numbers; None leaves it to the page.
    """
    sizes = thread_sizes(thread, "tokens").message
    size = [int(sum(int(sizes[start:stop].sum()) for start, stop in call.context)) for call in thread.calls]
    hues = PALETTE["dark" if dark else "light"]
    figure = go.Figure()
    figure.add_scatter(
        name="messages of the request",
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
                hovertemplate=f"{source} at call #%{{x}}<br>%{{y:,}} tokens left<extra></extra>",
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

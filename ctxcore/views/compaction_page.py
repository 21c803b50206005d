"""What the page Compaction shows: the list, checks in words, the survival table, items beside their originals, and the line of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ctxcore.compaction.source_text import expand
from ctxcore.measures.compactions import RecordedCompaction
from ctxcore.measures.simulated import SimulatedCompaction
from ctxcore.measures.summary_sources import traced
from ctxcore.model import Thread
from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.visible import shortened, visible

Shown = RecordedCompaction | SimulatedCompaction

WORDS = {"exact": "kept", "original": "kept as it was", "distilled": "distilled", "dropped": "dropped"}
"""What became of a span, for people."""

COLOURS = {"recorded": "#D55E00", "simulated": "#0072B2", "size": "#8794A3"}
"""Hues of Okabe and Ito; a symbol says the same."""

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


def compactions_table(found: Sequence[Shown]) -> pd.DataFrame:
    """One row per compaction."""
    return pd.DataFrame([_row(one) for one in found], columns=["call", "source", "before", "after", "left", "kept", "lost", "codes"])


def _row(one: Shown) -> list[Any]:
    before, after = sizes_of(one)
    codes = one.codes if isinstance(one, RecordedCompaction) else one.compaction.codes
    left = f"{100 * after / before:.1f} %" if before else ""
    rows = None if one.table is None else one.table.values()
    counts: list[int | None] = [None, None] if rows is None else [sum(row.kept for row in rows), sum(len(row.lost) for row in rows)]
    return [call_of(one), source_of(one), before, after, left, *counts, ", ".join(codes)]


def compaction_sentences(one: Shown) -> tuple[str, ...]:
    """The checks, and what the next calls needed; one sentence each."""
    faults = one.faults if isinstance(one, RecordedCompaction) else one.compaction.faults
    told = [f"{fault.code}: {shortened(fault.text, CELL)}" for fault in faults]
    if isinstance(one, RecordedCompaction) and one.needed is not None:
        need = one.needed
        told.append(
            f"The next {need.calls:,} calls used {need.used:,} values of what was replaced: {need.standing:,} are still there, "
            f"{len(need.fetched_again):,} were fetched again, {len(need.missing):,} stood nowhere any more. Tool calls repeated: {need.rereads:,}."
        )
    return tuple(told) or ("Every check passes.",)


def survival_table(one: Shown) -> pd.DataFrame:
    """One row per kind; empty where the summary cannot be read."""
    rows = [
        [kind.replace("_", " "), row.kept, row.total, visible(", ".join(shortened(value, 60) for value in row.lost[:LOST]))]
        for kind, row in (one.table or {}).items()
    ]
    return pd.DataFrame(rows, columns=["kind", "kept", "of", "lost"])


def items_table(thread: Thread, one: Shown) -> pd.DataFrame:
    """What stands in the result or was left out, beside the exact words of the original."""
    rows = _recorded_items(thread, one) if isinstance(one, RecordedCompaction) else _simulated_items(thread, one)
    return pd.DataFrame(rows[:ROWS], columns=["became", "kind", "original", "result", "message", "why"])


def _recorded_items(thread: Thread, one: RecordedCompaction) -> list[list[Any]]:
    return [
        [
            "found" if item.sources else "no source",
            item.span.kind,
            _words(thread, item.sources),
            shortened(item.span.text, CELL),
            item.sources[0].message if item.sources else None,
            item.span.reason,
        ]
        for item in traced(thread, one)
    ]


def _simulated_items(thread: Thread, one: SimulatedCompaction) -> list[list[Any]]:
    return [
        [
            WORDS[item.how],
            item.key.replace("_", " ") or item.kind,
            _words(thread, item.sources),
            shortened(item.text, CELL) if item.stands else "",
            item.sources[0].message,
            item.why,
        ]
        for item in one.compaction.items
    ]


def _words(thread: Thread, sources: Sequence[Any]) -> str:
    return shortened(" … ".join(expand(sources[:3], thread.messages)), CELL)


def compactions_figure(thread: Thread, found: Sequence[Shown], *, ink: str | None = None) -> go.Figure:
    """Size of each recorded request, and each compaction at its call.

    Args:
        thread: Of a session.
        found: Recorded and simulated compactions.
        ink: Colour of words and numbers; None leaves it to the page.
    """
    sizes = thread_sizes(thread, "tokens").message
    size = [int(sum(int(sizes[start:stop].sum()) for start, stop in call.context)) for call in thread.calls]
    figure = go.Figure()
    figure.add_scatter(name="messages of the request", mode="lines", x=list(range(len(size))), y=size, line={"color": COLOURS["size"], "shape": "hv"})
    for source, symbol in (("recorded", "triangle-down"), ("simulated", "diamond")):
        mine = [one for one in found if source_of(one) == source]
        if mine:
            figure.add_scatter(
                name=source,
                mode="markers",
                x=[call_of(one) for one in mine],
                y=[sizes_of(one)[1] for one in mine],
                marker={"symbol": symbol, "size": 13, "color": COLOURS[source], "line": {"color": "white", "width": 1.5}},
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

"""The chart of a thread's calls: size before and after, by category, with the budget and the calls that are refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields

import streamlit as st

from _components.assets import loader, style
from _components.packing import pack
from ctxcore.columns import CATEGORIES
from ctxcore.views.calls_chart import FixedColumns, Line, MovingColumns
from ctxcore.views.live_budget import LiveColumns
from ctxcore.views.palette import PALETTE, WORDS

KEEPER = st.components.v2.component("ctxscope_columns", html="<span hidden></span>", js=loader("columns"))

CHART = st.components.v2.component(
    "ctxscope_calls",
    html="""
<div class="chart">
  <div class="bar"><ul class="legend"></ul>
    <button type="button" class="near" aria-pressed="false" title="Stretch the axis to a little above the budget">Zoom to budget</button>
    <button type="button" class="all" title="Show all calls (key 0)">All calls</button></div>
  <div class="box" tabindex="0" role="application" aria-label="Size of every call. Left and right arrow keys pick a call.">
    <canvas></canvas>
    <div class="grip" role="slider" tabindex="0" aria-label="Budget" aria-orientation="vertical" title="Drag the budget" hidden></div>
    <div class="tip" hidden></div></div>
  <div class="live" aria-live="polite"></div>
  <div class="hint mouse">Click or ← → picks a call · wheel or drag zooms · double click shows all<span class="gripped"> · drag ⊜ to
    try budgets</span></div>
  <div class="hint touch">Tap picks a call</div>
</div>
""",
    css=style("canvas.css"),
    js=loader("calls_chart"),
)


def fixed_block(key: str, fixed: FixedColumns, events: Sequence[tuple[int, str, str]] = ()) -> bytes:
    """What no slider changes.

    Args:
        key: Name of these columns.
        fixed: Of the thread, in one unit of measure.
        events: What happened to the context: call, what, and the hover text; call order.
    """
    names = [name for name, column in zip(CATEGORIES, fixed.parts.T, strict=True) if column.any()]
    sums = {f"sum_{name}": column for name, column in zip(CATEGORIES, fixed.sums.T, strict=True) if column.any()}
    columns = {name: fixed.parts[:, CATEGORIES.index(name)] for name in names}
    others = {"before": fixed.before, "task": fixed.task, "sum_messages": fixed.sum_messages}
    return pack({"key": key, "names": names, "events": list(events)}, {**others, **columns, **sums})


def moving_block(
    key: str, moving: MovingColumns, *, picked: int, lines: Sequence[Line], unit: str, height: int = 340, address: str = "", search: str = ""
) -> bytes:
    """What a slider changes.

    Args:
        key: Name of the fixed columns that belong to it.
        moving: Of a replay.
        picked: Index of the picked call.
        lines: Level lines; the chart can stretch to the budget's.
        unit: Of every size.
        height: Of the chart, in pixels.
        address: Query string that the browser's address is to have, with its question mark; empty leaves it.
        search: Name of the tables that tell what any other budget does; empty where there are none.
    """
    head = {
        "key": key,
        "n": moving.calls,
        "notice": moving.notice.tolist(),
        "picked": picked,
        "unit": unit,
        "height": height,
        "address": address,
        "search": search,
        "budget": next((line.value for line in lines if line.kind == "budget"), None),
        "lines": [asdict(line) for line in lines],
        "palette": PALETTE,
        "words": WORDS,
    }
    if moving.cut is not None:
        return pack(head, {"cut": moving.cut})
    columns = {f"dropped_{name}": column for name, column in zip(CATEGORIES, moving.dropped.T, strict=True) if column.any()}
    return pack(head, {"after": moving.after, **columns})


def keep_columns(block: bytes, *, key: str) -> None:
    """Hand the fixed columns to the browser; outside the fragment that draws the chart."""
    KEEPER(data=block, key=key, height=1)


def search_block(key: str, live: LiveColumns) -> bytes:
    """The tables that tell what any budget does.

    Args:
        key: Name of these tables.
        live: Of a policy over a thread.
    """
    return pack({"key": key}, {one.name: getattr(live, one.name) for one in fields(live)})


def calls_chart(block: bytes, *, key: str, on_pick: Callable[[], None], on_budget: Callable[[], None] | None = None) -> None:
    """The chart.

    Args:
        block: What it shows.
        key: In the session state.
        on_pick: Runs when a call is picked: its index is ``st.session_state[key].picked``.
        on_budget: Runs when the budget line was moved: it is ``st.session_state[key].budget``. Only with tables (``search_block``).
    """
    if on_budget is None:
        CHART(data=block, key=key, on_picked_change=on_pick)
    else:
        CHART(data=block, key=key, on_picked_change=on_pick, on_budget_change=on_budget)

"""The persistence grid: what became of every unit in every call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from _components.assets import loader, style
from _components.packing import pack
from ctxcore.units import Catalog
from ctxcore.views.grid import Grid
from ctxcore.views.palette import PALETTE
from ctxcore.views.unit_facts import KINDS, UnitFacts
from ctxcore.views.visible import shortened

GRID = st.components.v2.component(
    "ctxscope_persistence",
    html="""
<div class="chart">
  <div class="bar"><ul class="legend"></ul>
    <button type="button" data-scale="age" aria-pressed="true"
      title="Height: how many units back from the newest, on a logarithmic scale">By age</button>
    <button type="button" data-scale="unit" aria-pressed="false" title="Height: the unit's number, oldest on top">By unit</button>
    <button type="button" class="all" title="Show all calls (key 0)">All calls</button></div>
  <div class="box" tabindex="0" role="application"
    aria-label="Units kept, pinned and dropped in every call. Left and right arrow keys pick a call, up and down a unit, Enter opens it.
      The table below holds the same numbers.">
    <canvas></canvas><div class="tip" hidden></div></div>
  <div class="unit" hidden><span></span> <button type="button">Open its first message</button></div>
  <div class="live" aria-live="polite"></div>
  <div class="hint mouse">Click or ← → picks a call, ↑ ↓ a unit, Enter opens it · wheel or drag zooms · double click shows all</div>
  <div class="hint touch">Tap picks a call and its unit</div>
</div>
""",
    css=style("canvas.css"),
    js=loader("persistence"),
)

MARKS = 12
"""At most this many units are marked in the grid."""


def fixed_grid(key: str, grid: Grid, facts: UnitFacts, units: Catalog) -> bytes:
    """What no slider changes: what every call received, and what every unit is."""
    head = {
        "key": key,
        "epochs": [{"runs": epoch.runs, "pinned": epoch.pinned} for epoch in grid.epochs],
        "kinds": KINDS,
        "tools": [shortened(tool, 40) for tool in facts.tools],
    }
    calls = {"epoch": grid.epoch, "seen": grid.seen, "task": grid.task, "newest": grid.newest}
    return pack(head, {**calls, "kind": facts.kind, "tool": facts.tool, "size": facts.size, "turn": units.turn, "born": units.born})


def moving_grid(
    key: str, columns: Mapping[str, NDArray[np.int32]], *, picked: int, marks: Sequence[int], unit: str, height: int = 380, address: str = ""
) -> bytes:
    """What a slider changes: what each call drops, and the units that hold the text searched for.

    Args:
        key: Name of the fixed columns that belong to it.
        columns: What each call drops.
        picked: Index of the picked call.
        marks: Units that hold the text searched for.
        unit: Of every size.
        height: Of the grid, in pixels.
        address: Query string that the browser's address is to have, with its question mark; empty leaves it.
    """
    count = len(columns["cut" if "cut" in columns else "refused"])
    head = {
        "key": key,
        "n": count,
        "picked": picked,
        "unit": unit,
        "height": height,
        "palette": PALETTE,
        "marks": list(marks)[:MARKS],
        "address": address,
    }
    return pack(head, columns)


def persistence_grid(block: bytes, *, key: str, on_pick: Callable[[], None], on_open: Callable[[], None]) -> None:
    """The grid.

    Args:
        block: From ``moving_grid``.
        key: Of the component.
        on_pick: Runs when a call is picked: its index is ``st.session_state[key].picked``.
        on_open: Runs when a unit is to be opened: ``st.session_state[key].opened`` is the call and the number of the unit.
    """
    GRID(data=block, key=key, on_picked_change=on_pick, on_opened_change=on_open)

"""The strip of all calls that every page shares."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from _components.assets import loader, style
from _components.packing import pack
from ctxcore.columns import IntArray
from ctxcore.views.palette import PALETTE
from ctxcore.views.scrubber import Strip

Pick = Callable[[], None]
"""Runs when a call is picked."""

STRIP = st.components.v2.component(
    "ctxscope_strip",
    html="""
<div class="chart strip">
  <div class="box" tabindex="0" role="slider" aria-valuenow="0" aria-label="Picked call. Arrow keys, Home and End pick another.">
    <canvas></canvas><div class="tip" hidden></div></div>
  <div class="bar"><ul class="legend"></ul><button type="button" class="all" hidden></button></div>
  <div class="live" aria-live="polite"></div>
</div>
""",
    css=style("canvas.css", "scrubber.css"),
    js=loader("scrubber"),
)

KEEPER = st.components.v2.component("ctxscope_strip_columns", html="<span hidden></span>", js=loader("columns"))

STATES = ("fits", "trimmed", "refused")
"""What becomes of a call, by its number in ``Strip.state``."""

MARKS = ("context changed", "plan changed", "value set", "lost reference")
"""What a mark says, by its number in ``Strip.mark_kind``."""

HEIGHT = 58
"""Pixels."""


def sizes_block(key: str, sizes: IntArray) -> bytes:
    """The bars, which no budget changes.

    Args:
        key: Name of these columns.
        sizes: Per call: size of the request.
    """
    return pack({"key": key}, {"before": sizes})


def marks_block(key: str, calls: IntArray, kinds: IntArray) -> bytes:
    """The marks that no budget changes.

    Args:
        key: Name of these columns.
        calls: Per mark: its call.
        kinds: Per mark: its number in ``MARKS``.
    """
    return pack({"key": key}, {"mark_call": calls, "mark_kind": kinds})


def keep_for_strip(block: bytes, *, key: str) -> None:
    """Hand the browser what no budget changes of the strip; outside the fragment that draws it."""
    KEEPER(data=block, key=key, height=1)


def call_strip(strip: Strip, names: tuple[str, str], *, calls: int, picked: int, unit: str, budget: int | None, key: str, on_pick: Pick) -> None:
    """Draw the strip; what is equal to the last time is not drawn again.

    Args:
        strip: At a budget.
        names: Of the bars and of the marks that belong to it (``sizes_block``, ``marks_block``).
        calls: Their number.
        picked: Index of the picked call.
        unit: Of the sizes.
        budget: In this unit; None is unlimited.
        key: In the session state.
        on_pick: Runs when another call is picked: its index is ``st.session_state[key].picked``.
    """
    head = {
        "key": names[0],
        "search": names[1],
        "n": calls,
        "picked": picked,
        "unit": unit,
        "budget": budget,
        "height": HEIGHT,
        "palette": PALETTE,
        "states": STATES,
        "marks": MARKS,
        "open": "" if strip.lost_known else "lost references: not looked for yet, Compare does",
    }
    STRIP(data=pack(head, {"begins": strip.begins, "state": strip.state, "lost": strip.lost}), key=key, on_picked_change=on_pick)

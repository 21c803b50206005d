"""The strip of all calls that every page shares."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from _components.assets import loader, style
from _components.packing import pack
from ctxcore.views.palette import PALETTE
from ctxcore.views.scrubber import Strip

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

STATES = ("fits", "trimmed", "refused")
"""What becomes of a call, by its number in ``Strip.state``."""

MARKS = ("context changed", "plan changed", "value set", "lost reference")
"""What a mark says, by its number in ``Strip.mark_kind``."""

HEIGHT = 58
"""Pixels."""


def call_strip(strip: Strip, *, picked: int, unit: str, budget: int | None, key: str, on_pick: Callable[[], None]) -> None:
    """Draw the strip.

    Args:
        strip: All calls.
        picked: Index of the picked call.
        unit: Of the sizes.
        budget: In this unit; None is unlimited.
        key: In the session state.
        on_pick: Runs when another call is picked: its index is ``st.session_state[key].picked``.
    """
    head = {
        "key": key,
        "n": len(strip.before),
        "picked": picked,
        "unit": unit,
        "budget": budget,
        "height": HEIGHT,
        "palette": PALETTE,
        "states": STATES,
        "marks": MARKS,
    }
    columns = {"before": strip.before, "state": strip.state, "mark_call": strip.mark_call, "mark_kind": strip.mark_kind}
    STRIP(data=pack(head, columns), key=key, on_picked_change=on_pick)

"""The strip of all calls, for every page that looks at one of them."""

from __future__ import annotations

import streamlit as st
from _components.scrubber import call_strip
from _visit import Visit, go

from ctxcore.replay import Replay
from ctxcore.views.scrubber import strip

STRIP = "call_strip"
"""Key in the session state."""


def scrubber(visit: Visit, replay: Replay) -> None:
    """All calls in one strip; picking one changes the visit and draws the page anew.

    Args:
        visit: As it stands; it has a call.
        replay: Of the visit.
    """
    call_strip(strip(replay), picked=visit.call, unit=visit.unit, budget=visit.budget, key=STRIP, on_pick=_picked)


def _picked() -> None:
    go(call=int(st.session_state[STRIP].picked))
    st.rerun()

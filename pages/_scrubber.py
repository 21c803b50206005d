"""The strip of all calls above every page that shows a session: a part of the frame, drawn anew with what moves in the page.

The page draws it with the fragment that moves (``redraw``), so that no run comes for the strip alone; where a page has none, the frame does.
Marks that take time to find come when the page stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from _components.scrubber import call_strip, keep_for_strip, marks_block, sizes_block
from _visit import Visit, go
from streamlit.delta_generator import DeltaGenerator

from ctxcore.replay import Replay
from ctxcore.views.scrubber import call_marks, request_sizes, strip

STRIP, SLOT, DRAWN = "call_strip", "call_strip_slot", "call_strip_drawn"
"""Keys in the session state."""


@contextmanager
def frame_of(visit: Visit, place: DeltaGenerator) -> Iterator[None]:
    """The strip above, the page within.

    Args:
        visit: As it stands; it has a call.
        place: Of the strip.
    """
    with place:
        kept, slot = st.container(gap=None), st.container(gap=None)
    st.session_state[SLOT], st.session_state[DRAWN] = slot, False
    with kept:
        keep_for_strip(sizes_block(_names(visit)[0], request_sizes(visit.thread, visit.unit)), key="strip_sizes")
    yield
    with kept:
        keep_for_strip(marks_block(_names(visit)[1], *call_marks(visit.thread)), key="strip_marks")


def redraw(visit: Visit, replay: Replay) -> None:
    """Draw the strip as the visit stands; picking a call changes the visit and draws the page anew.

    Args:
        visit: As it stands; it has a call.
        replay: Of the visit.
    """
    st.session_state[DRAWN] = True
    with st.session_state[SLOT]:
        found, calls = strip(replay), len(visit.thread.calls)
        call_strip(found, _names(visit), calls=calls, picked=visit.call, unit=visit.unit, budget=visit.budget, key=STRIP, on_pick=_picked)


def is_drawn() -> bool:
    """True where the page has drawn the strip in this run."""
    return bool(st.session_state[DRAWN])


def _names(visit: Visit) -> tuple[str, str]:
    thread = f"{visit.session.digest}/{visit.thread.id}"
    return f"{thread}/{visit.unit}/strip", f"{thread}/marks"


def _picked() -> None:
    go(call=int(st.session_state[STRIP].picked))
    st.rerun()

"""Going from another page to one message of one call on the page Calls."""

from __future__ import annotations

from dataclasses import dataclass

import _ui
import streamlit as st
from _visit import Visit

SEARCH, SHOW, JUMPS, PLACE, OPENED = "message_search", "message_show", "message_jump", "message_place", "calls_opened"
"""Keys in the session state: what limits the list there, how often it was jumped in, to which message, and which are open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A message that a jump asked for."""

    of: tuple[str, str, int, int]
    """Session, thread, call, and the number of the jump: after another one it is no longer asked for."""
    position: int
    """In the request; -1 is the reply."""
    text: str
    """To mark in it, or empty."""


def jumps() -> int:
    """How often the list of messages was jumped in."""
    done: int = st.session_state.get(JUMPS, (0, 0))[1]
    return done


def asked_place(visit: Visit) -> Place | None:
    """The message that another page asked for; None once another jump was made, or at another call."""
    place: Place | None = st.session_state.get(PLACE)
    return place if place is not None and place.of == (visit.session.digest, visit.thread.id, visit.call, jumps()) else None


def open_message(visit: Visit, call: int, message: int, position: int, *, text: str = "") -> None:
    """Leave for the page Calls and show a message there in full, whatever the list was limited to (not in a callback).

    Args:
        visit: As it stands.
        call: Index in the thread.
        message: Index in the thread.
        position: In the call's request; -1 is its reply.
        text: To mark in it.
    """
    thread = (visit.session.digest, visit.thread.id)
    turn, done = st.session_state.get(JUMPS, (0, 0))
    st.session_state[JUMPS] = (turn, done + 1)
    st.session_state[PLACE] = Place(of=(*thread, call, done + 1), position=position, text=text)
    st.session_state[OPENED] = (thread, {(message, "text")})
    st.session_state[SEARCH], st.session_state[SHOW] = "", "all"
    _ui.open_call(call)

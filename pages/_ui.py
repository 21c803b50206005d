"""What every page needs: the visit, its replay, the budget control, ways to a call.

A page asks ``need_session()`` first (it stops with an empty page where nothing is open), and in the fragment that moves ``moving()``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import streamlit as st
from _controls import budget_control, follow_moves, show
from _empty import no_session
from _formats import chosen_formats, format_choice
from _links import address_text, call_link, open_call, report_link
from _rules import keep_unit, rule_controls
from _scrubber import frame_of, is_drawn, redraw
from _sessions import default_session, session_at, session_key, source_at
from _visit import Visit, go, link, notes
from streamlit.delta_generator import DeltaGenerator

from ctxcore.errors import PluginError, ReadError
from ctxcore.policies import POLICIES
from ctxcore.replay import Replay
from ctxcore.views.budget import default_budget, replay_budget
from ctxcore.views.link import missed
from ctxcore.views.words import literal

REPLAYS = 8
"""Replays kept per visitor."""


KEPT = "visit_replays"
"""Key in the session state."""

HOLDING = ("search_found", "side_rows", "compare_rows", "report_made")
"""Keys under which pages keep results that hold a session."""

__all__ = [
    "Replay",
    "Visit",
    "address_text",
    "budget_control",
    "call_link",
    "go",
    "keep_unit",
    "open_call",
    "report_link",
    "rule_controls",
    "show",
    "strip_alone",
]


def forget_replays() -> None:
    """Drop the replays of this visitor and what pages made of them, and with them the last hold on a closed session."""
    for key in (KEPT, *HOLDING):
        st.session_state.pop(key, None)


def find_visit() -> Visit | None:
    """What the visitor looks at, or None where no session is open.

    Raises:
        ReadError: The address names a file that gives no session.
    """
    wish = link()
    session = session_at(wish.session or default_session())
    if session is None or not session.threads:
        return None
    thread = next((t for t in session.threads if t.id == wish.thread), session.threads[0])
    last = len(thread.calls) - 1
    return Visit(
        session=session,
        thread=thread,
        call=last if wish.call is None else min(wish.call, last),
        policy=wish.policy,
        settings=wish.settings,
        budget=default_budget(thread, wish.unit) if wish.budget == "default" else wish.budget,
        unit=wish.unit,
        keep=wish.keep,
    )


def current() -> Visit:
    """What the visitor looks at; only after ``need_session()``."""
    follow_moves()
    visit = find_visit()
    if visit is None:
        st.stop()
    return visit


def moving() -> Visit:
    """What the visitor looks at, for the fragment that moves with the budget; draws the strip of calls anew. Only after ``need_session()``."""
    visit = current()
    if visit.call >= 0:
        redraw(visit, replayed(visit))
    return visit


def framed(page: Callable[[], None], place: DeltaGenerator) -> None:
    """A page about a session, under the strip of all its calls.

    Args:
        page: Draws the page.
        place: Of the strip.
    """
    try:
        visit = find_visit()
    except ReadError:
        visit = None
    if visit is None or visit.call < 0:
        page()
        return
    with frame_of(visit, place):
        page()
        if not is_drawn():
            strip_alone()


@st.fragment
def strip_alone() -> None:
    """The strip of a page in which nothing moves; a page that takes long draws it early. A fragment too, so that it stands in the same place."""
    moving()


def need_session() -> Visit:
    """The visit, or a page that says how to open a session; the script ends there."""
    try:
        visit = find_visit()
    except ReadError as error:
        _complaint(error)
        visit = None
    if visit is None:
        no_session()
        st.stop()
    for note in (*notes(), *missed(link(), visit.session, visit.thread)):
        st.warning(literal(note))
    return visit


def _complaint(error: ReadError) -> None:
    """Why the file that the address names gives no session, and where a format may be the answer, the question."""
    st.error(literal(error.question or str(error)), title="This file gives no session")
    error_details(error.details)
    source = source_at(session_key())
    if error.question and source and (chosen := format_choice(source.key, error.formats)):
        chosen_formats()[source.key] = chosen
        st.rerun()


def error_details(lines: Sequence[str]) -> None:
    """What else there is to say of an error, closed until it is asked for."""
    if lines:
        with st.expander("More of this error"):
            st.markdown("\n".join(f"- {literal(line)}" for line in lines))


def replayed(visit: Visit) -> Replay:
    """The visit's policy over all calls of its thread at its budget; cached per visitor."""
    kept: OrderedDict[tuple[str, str, str, str, int | None, str, str], Replay] = st.session_state.setdefault(KEPT, OrderedDict())
    key = (visit.session.digest, visit.thread.id, visit.policy, visit.settings, visit.budget, visit.unit, visit.keep)
    if key not in kept:
        kept[key] = _replay(visit)
        while len(kept) > REPLAYS:
            kept.popitem(last=False)
    return kept[key]


def _replay(visit: Visit) -> Replay:
    """The visit's replay, or what failed in a plug-in and the way out of it; the script ends there."""
    try:
        return replay_budget(visit.thread, visit.policy, visit.budget, visit.unit, visit.kept(), **visit.values())
    except PluginError as error:
        st.error(literal(str(error)))
        st.button(f"Use {POLICIES[0].name} instead", key="leave_plugin", on_click=go, kwargs={"policy": POLICIES[0].name, "settings": ""})
        st.stop()


def data_key(visit: Visit) -> str:
    """Name of the visit's size columns: the same for the same session, thread and unit."""
    return f"{visit.session.digest}/{visit.thread.id}/{visit.unit}"

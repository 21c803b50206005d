"""Calls: the size of every call before and after trimming, and one call message by message."""

from __future__ import annotations

from typing import NamedTuple

import _ui
import streamlit as st
from _components.calls_chart import calls_chart, fixed_block, keep_columns, moving_block, search_block
from _components.messages import message_list
from _components.report import report
from _composition import composed
from _harm import harm, open_jump
from _jump import JUMPS, OPENED, SEARCH, SHOW, asked_place, jumps
from _notes import notes_box
from streamlit.delta_generator import DeltaGenerator

from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.calls import call_facts, call_tables
from ctxcore.views.calls_chart import calls_frame, chart_lines, fixed_columns, moving_columns
from ctxcore.views.events import event_facts, event_marks
from ctxcore.views.listing import PAGE_SIZE, SHOWS, matching, page_of, pages_of, turn_count, turn_start
from ctxcore.views.live_budget import live_columns
from ctxcore.views.messages import message_rows, notice_row
from ctxcore.views.reply import reply_row, reply_sentence
from ctxcore.views.words import budget_sentence, counter_sentence, page_sentence

CHART, LIST, PAGER = "calls_chart", "calls_messages", "message_pager"
LOST, MADE_OF = "calls_lost", "calls_made_of"
"""Keys in the session state."""


class Slots(NamedTuple):
    """Places below the slider that move with it; the widgets between them do not."""

    table: DeltaGenerator
    """Of the chart's numbers."""
    facts: DeltaGenerator
    """Of the picked call."""
    made_of: DeltaGenerator
    """What the picked call is made of."""
    lost: DeltaGenerator
    """What the policy would have cost the picked call."""
    messages: DeltaGenerator
    """Of the picked call."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    open_jump(visit)
    st.title("Calls")
    if visit.call < 0:
        st.info("This thread has no model call. Choose another thread on the left.")
        return
    sizes = thread_sizes(visit.thread, visit.unit)
    with st.container(gap=None):
        _ui.rule_controls(visit)
        keep_columns(fixed_block(_ui.data_key(visit), fixed_columns(visit.thread, sizes), event_marks(visit.thread)), key="calls_columns")
        live = live_columns(_ui.replayed(visit))
        if live is not None:
            keep_columns(search_block(_search_key(visit), live), key="calls_search")
    top = st.container()
    st.toggle("Show as table", key="calls_as_table")
    table = st.container()
    _call_controls(visit)
    notes_box(visit, "call", visit.call)
    facts = st.container()
    st.toggle("Show what it is made of", key=MADE_OF, persist_state="session")
    made_of = st.container()
    st.toggle("Show what this policy would have cost the call", key=LOST, persist_state="session")
    lost = st.container()
    _message_controls(visit)
    slots = Slots(table, facts, made_of, lost, st.container())
    with top:
        explore(slots)


@st.fragment
def explore(slots: Slots) -> None:
    """All that moves with the budget."""
    visit = _ui.moving()
    replay = _ui.replayed(visit)
    open_jump(visit)
    _ui.budget_control(visit, replay, address=False)
    st.text(f"{budget_sentence(replay, visit.budget)} {counter_sentence(replay.sizes)}".rstrip())
    lines = chart_lines(visit.thread, visit.budget, visit.unit)
    address, search = _ui.address_text(), _search_key(visit)
    block = moving_block(_ui.data_key(visit), moving_columns(replay), picked=visit.call, lines=lines, unit=visit.unit, address=address, search=search)
    calls_chart(block, key=CHART, on_pick=_picked, on_budget=_dragged)
    if st.session_state["calls_as_table"]:
        slots.table.dataframe(calls_frame(replay), key="calls_table", hide_index=True, height=280)
    with slots.facts:
        report((*call_facts(replay, visit.call), *event_facts(visit.thread, visit.call)), call_tables(replay, visit.call), key="call_report")
    if st.session_state[MADE_OF]:
        with slots.made_of:
            composed(visit, replay)
    if st.session_state[LOST]:
        with slots.lost:
            harm(visit, replay)
    with slots.messages:
        _messages(visit, replay)


def _call_controls(visit: _ui.Visit) -> None:
    last = len(visit.thread.calls) - 1
    _ui.show("call_number", visit.call)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.header(f"Call #{visit.call:,}", width="stretch", anchor=False)
        st.button("Previous", key="call_previous", icon=":material/chevron_left:", disabled=visit.call == 0, on_click=_step, args=(-1,))
        st.button("Next", key="call_next", icon=":material/chevron_right:", disabled=visit.call == last, on_click=_step, args=(1,))
        st.number_input(f"Call, 0 to {last:,}", 0, last, key="call_number", on_change=_numbered, width=150)


def _message_controls(visit: _ui.Visit) -> None:
    """Search, filter, jump and page; the page starts anew with each of them."""
    replay = _ui.replayed(visit)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input("Search in these messages", key=SEARCH, placeholder="text, tool or argument", persist_state="session")
        show = st.selectbox("Show", SHOWS, key=SHOW, width=140, persist_state="session")
        st.number_input("Go to turn", 0, turn_count(replay, visit.call), None, key="message_turn", on_change=_jump, width=140)
    found = matching(replay, visit.call, search=search or "", show=show)
    turn, done = st.session_state.get(JUMPS, (0, 0))
    asked = asked_place(visit)
    first = page_of(found, turn_start(replay, visit.call, turn) if asked is None else asked.position)
    key = f"message_page_{visit.call}_{done}"
    st.session_state[PAGER] = (key, first)
    if pages_of(found) > 1:
        st.pagination(pages_of(found), key=key, default=first)


def _messages(visit: _ui.Visit, replay: _ui.Replay) -> None:
    search, show, asked = st.session_state[SEARCH] or "", st.session_state[SHOW], asked_place(visit)
    found = matching(replay, visit.call, search=search, show=show)
    key, first = st.session_state[PAGER]
    page = min(st.session_state.get(key, first), pages_of(found))
    opened = _opened(visit)
    reply = reply_row(replay, visit.call, search=search, show=show, opened=opened)
    told = page_sentence(found, page, PAGE_SIZE, visit.thread.calls[visit.call].message_count, turn_count(replay, visit.call))
    st.text(told + reply_sentence(reply, search, visit.unit))
    rows = message_rows(replay, visit.call, found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], opened, search=search)
    notice = notice_row(replay, visit.call) if page == 1 else None
    reveal = None if asked is None else (asked.position, jumps())
    wanted = search or ("" if asked is None else asked.text)
    message_list(rows, notice=notice, reply=reply, unit=visit.unit, key=LIST, on_open=_open, on_keep=_keep, reveal=reveal, search=wanted)


def _opened(visit: _ui.Visit) -> set[tuple[int, str]]:
    """Messages opened in this thread; another thread starts with none."""
    place = (visit.session.digest, visit.thread.id)
    if st.session_state.get(OPENED, (None,))[0] != place:
        st.session_state[OPENED] = (place, set())
    found: set[tuple[int, str]] = st.session_state[OPENED][1]
    return found


def _picked() -> None:
    _ui.go(call=st.session_state[CHART].picked)
    st.rerun()


def _dragged() -> None:
    _ui.go(budget=int(st.session_state[CHART].budget))


def _search_key(visit: _ui.Visit) -> str:
    """Name of the tables behind every budget: of the thread, the policy and its settings, and what is kept."""
    return f"{_ui.data_key(visit)}/{visit.policy}/{visit.settings}/{visit.keep}"


def _step(by: int) -> None:
    _ui.go(call=_ui.current().call + by)


def _numbered() -> None:
    _ui.go(call=st.session_state["call_number"])


def _jump() -> None:
    st.session_state[JUMPS] = (st.session_state["message_turn"] or 0, jumps() + 1)


def _keep() -> None:
    _ui.keep_unit(int(st.session_state[LIST].kept))
    st.rerun()


def _open() -> None:
    message, what = st.session_state[LIST].opened
    st.session_state[OPENED][1].symmetric_difference_update({(message, what)})


main()

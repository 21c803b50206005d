"""Dropped units: what every call would go without, and from which call a text is gone."""

from __future__ import annotations

from typing import NamedTuple

import _ui
import streamlit as st
from _components.calls_chart import keep_columns
from _components.persistence import fixed_grid, moving_grid, persistence_grid
from _components.report import report
from _components.rows import Column, Page, rows_table
from _jump import open_message
from _notes import notes_box, unit_notes
from _visit import Visit, go
from streamlit.delta_generator import DeltaGenerator

from ctxcore.counted import count
from ctxcore.measures.biography import biography
from ctxcore.measures.cost import cost
from ctxcore.measures.positions import in_the_middle, text_places
from ctxcore.measures.seen import find_text
from ctxcore.model import Thread
from ctxcore.replay import Replay
from ctxcore.views.dropped import ORDERS, dropped_frame, dropped_sentence, dropped_units, nothing_dropped_words
from ctxcore.views.grid import dropped_columns, grid
from ctxcore.views.lost import biography_facts
from ctxcore.views.seen_strip import middle_frame, middle_sentence, places_figure, places_sentence, wish_title, wishes
from ctxcore.views.sight import message_place, sights_note, text_sentence, text_sight
from ctxcore.views.unit_facts import KINDS, unit_excerpt, unit_facts, unit_message
from ctxcore.views.words import literal, number

CHART, WANTED, ORDER, KIND, TABLE, HITS = "dropped_grid", "dropped_text", "dropped_order", "dropped_kind", "dropped_rows", "dropped_hits"
SIGHTS = "dropped_sight"
"""Keys in the session state."""

LIVES, LIFE = "dropped_lives", "dropped_life_unit"
"""Keys of the switch for lives, and of the unit whose life is told."""

WISH, MIDDLE_ON, MIDDLE_ROWS, AT_CALL = "dropped_wish", "dropped_middle", "dropped_middle_rows", "dropped_at_call"
"""Keys of a plan step or value to look for, the switch and table of what stands in the middle, and the call and message to open."""

IN_MIDDLE = {
    "what": Column(label="What"),
    "message": Column(label="Message", number=True),
    "text": Column(label="Begins", wide=True),
    "calls": Column(label="Calls", number=True, help="Calls that would have it in the middle only"),
    "first call": Column(label="First", number=True),
    "last call": Column(label="Last", number=True),
}
"""How the user's words in the middle are shown."""

START, ROWS = "dropped_start", 20
"""Key of the first row shown, and rows on a page."""

UNIT, MESSAGE = "dropped_unit", "dropped_message"
"""Keys of what to open on the page Calls: a call and a unit of it; a message of the thread."""

COLUMNS = {
    "unit": Column(label="Unit", number=True, help="Number of the unit in this thread, oldest first"),
    "kind": Column(label="Kind"),
    "text": Column(label="Begins", wide=True),
    "note": Column(label="Note", wide=True, optional=True),
    "first dropped": Column(label="First dropped", number=True, help="First call that would not receive it"),
    "dropped in": Column(label="In calls", number=True, help="How many calls would not receive it"),
    "rule": Column(label="Rule"),
    "size": Column(label="Size", number=True),
    "tool": Column(label="Tool"),
    "turn": Column(label="Turn", number=True),
    "born": Column(label="Born at", number=True, help="First call that received it"),
}
"""How the table of dropped units is shown."""

SIGHT = {
    "message": Column(label="Message", number=True, help="Number of the message in this thread"),
    "role": Column(label="Role"),
    "text": Column(label="Text", wide=True, marked=True),
    "gone from": Column(label="Gone from", number=True, help="First call after the last one that would receive it"),
    "received by": Column(label="Received by", number=True, help="Calls whose recorded context holds it"),
    "seen by": Column(label="Seen by", number=True, help="Calls that would still receive it"),
    "first seen": Column(label="First seen", number=True),
    "last seen": Column(label="Last seen", number=True),
    "unit": Column(label="Unit", number=True),
}
"""How the table of messages that hold a text is shown."""


class Slots(NamedTuple):
    """Places that move with the slider; the widgets between them do not."""

    sight: DeltaGenerator
    """Of the calls that have the text searched for."""
    middle: DeltaGenerator
    """Of what stands only in the middle."""
    table: DeltaGenerator
    """Of the dropped units."""
    life: DeltaGenerator
    """Of one unit's life."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Dropped units")
    st.caption("A unit is kept or dropped whole: a message, or an exchange of tool calls with all their results.")
    if visit.call < 0:
        st.info("This thread has no model call, so there is nothing to drop. Choose another thread on the left.")
        return
    replay = _ui.replayed(visit)
    with st.container(gap=None):
        _ui.rule_controls(visit)
        keep_columns(fixed_grid(_grid_key(visit), grid(replay), unit_facts(replay), replay.units), key="dropped_columns")
    moving = st.container()
    _search_controls(visit)
    sight = st.container()
    st.toggle("Show the goal and corrections that stand only in the middle", key=MIDDLE_ON, persist_state="session")
    middle = st.container()
    _table_controls()
    table = st.container()
    st.header("The life of one unit", anchor=False)
    st.toggle("Show what one unit costs, and when it goes", key=LIVES, persist_state="session")
    slots = Slots(sight, middle, table, st.container())
    with moving:
        explore(slots)


def _grid_key(visit: Visit) -> str:
    return f"{_ui.data_key(visit)}/units"


@st.fragment
def explore(slots: Slots) -> None:
    """All that moves with the budget."""
    visit = _ui.moving()
    replay = _ui.replayed(visit)
    _open_asked(visit, replay)
    _ui.budget_control(visit, replay, address=False)
    wanted = st.session_state.get(WANTED, "")
    found = _found(visit.thread, visit.session.digest, wanted)
    sight = text_sight(replay, found, wanted)
    st.text(dropped_sentence(replay))
    persistence_grid(
        moving_grid(_grid_key(visit), dropped_columns(replay), picked=visit.call, marks=sight.units, unit=visit.unit, address=_ui.address_text()),
        key=CHART,
        on_pick=_picked,
        on_open=_opened,
    )
    _ui.call_link(f"Open call #{number(visit.call)} message by message", visit.call)
    if wanted.strip():
        with slots.sight.container():
            _sight(replay, visit, found, wanted)
    if st.session_state[MIDDLE_ON]:
        with slots.middle.container():
            _middle(visit, replay)
    with slots.table.container():
        _table(visit, replay)
    if st.session_state[LIVES]:
        with slots.life.container():
            _life(visit, replay)


def _life(visit: Visit, replay: Replay) -> None:
    """The life of one unit, and the wish to keep it."""
    last = len(replay.units.first) - 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        unit = int(st.number_input(f"Unit, 0 to {number(last)}", 0, last, key=LIFE, width=180, persist_state="session"))
        _keep_button(visit, unit)
    st.caption(literal(unit_excerpt(visit.thread, unit)))
    report(biography_facts(biography(replay, unit, cost(replay)), visit.unit), (), key="dropped_life")
    notes_box(visit, "unit", unit)


def _keep_button(visit: Visit, unit: int) -> None:
    kept = unit in visit.kept().units
    label = f"Let the policy drop unit {number(unit)}" if kept else f"Never drop unit {number(unit)}"
    if st.button(label, key="dropped_keep", icon=":material/keep:", on_click=_ui.keep_unit, args=(unit,)):
        st.rerun()


def _picked() -> None:
    go(call=st.session_state[CHART].picked)


def _opened() -> None:
    st.session_state[UNIT] = tuple(int(value) for value in st.session_state[CHART].opened)


def _hit_chosen() -> None:
    visit = _ui.current()
    found, row = _found(visit.thread, visit.session.digest, st.session_state.get(WANTED, "")), int(st.session_state[SIGHTS].row)
    if row < len(found):
        st.session_state[MESSAGE] = found[row]


def _open_asked(visit: Visit, replay: Replay) -> None:
    """Leave for the page Calls where a unit or a message was asked for: it is listed there in full."""
    call, unit = st.session_state.pop(UNIT, (-1, -1))
    if first := unit_message(replay, unit, call):
        open_message(visit, call, *first)
    call, message = st.session_state.pop(AT_CALL, (-1, -1))
    if call >= 0 and message in (held := visit.thread.calls[call].messages()):
        open_message(visit, call, message, held.index(message))
    message = st.session_state.pop(MESSAGE, -1)
    if place := message_place(replay, message):
        open_message(visit, place[0], message, place[1], text=st.session_state.get(WANTED, ""))


def _found(thread: Thread, digest: str, wanted: str) -> tuple[int, ...]:
    """Messages that hold the text; the last answer is kept, so that a slider does not search again."""
    key = (digest, thread.id, wanted)
    if st.session_state.get(HITS, (None,))[0] != key:
        st.session_state[HITS] = (key, find_text(thread, wanted))
    found: tuple[int, ...] = st.session_state[HITS][1]
    return found


def _search_controls(visit: Visit) -> None:
    st.header("Which calls have a text, and where?", anchor=False)
    wanted, offered = st.session_state.get(WANTED, ""), wishes(visit.thread)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Find a text", key=WANTED, placeholder="a file name, an id, a number, a sentence …", persist_state="session")
        if offered:
            choice = [text for text in offered if text != wanted]
            st.selectbox("or a plan step or value", choice, None, key=WISH, format_func=wish_title, on_change=_wished, width=320)


def _sight(replay: Replay, visit: Visit, found: tuple[int, ...], wanted: str) -> None:
    """Which calls would have the text."""
    sight = text_sight(replay, found, wanted)
    st.write(literal(text_sentence(replay, sight, found)))
    if found:
        _strip(visit, replay, wanted)
        pick = "Open it in the first call that would receive it"
        rows_table(sight.frame, SIGHT, key=SIGHTS, pick=pick, on_row=_hit_chosen, height=320, search=wanted, note=sights_note(sight))


def _wished() -> None:
    if st.session_state[WISH]:
        st.session_state[WANTED] = st.session_state[WISH]


def _strip(visit: Visit, replay: Replay, wanted: str) -> None:
    """Where in each request the text stands."""
    with st.spinner("Looking where it stands …"):
        marks = text_places(replay, wanted).marks[0]
    said = places_sentence(replay, marks)
    st.write(literal(said))
    if marks.any():
        st.plotly_chart(places_figure(marks, visit.call), key="dropped_strip", alt=said, config={"displayModeBar": False})


def _middle(visit: Visit, replay: Replay) -> None:
    """The user's words that some calls have only in the middle."""
    found = in_the_middle(replay)
    st.write(literal(middle_sentence(found)))
    frame = middle_frame(visit.thread, found)
    if len(frame):
        rows_table(frame, IN_MIDDLE, key=MIDDLE_ROWS, pick="Open it in the first such call", on_row=_middle_chosen, height=280)


def _middle_chosen() -> None:
    found, row = in_the_middle(_ui.replayed(_ui.current())), int(st.session_state[MIDDLE_ROWS].row)
    if row < len(found):
        st.session_state[AT_CALL] = (found[row].calls[0], found[row].message)


def _table_controls() -> None:
    st.header("Unit by unit", anchor=False)
    left, right = st.columns(2)
    left.multiselect("Kinds", KINDS, key=KIND, placeholder="all kinds", persist_state="session")
    right.selectbox("Sorted by", ORDERS, key=ORDER, persist_state="session", format_func=str.capitalize)


def _table(visit: Visit, replay: Replay) -> None:
    kinds, order = st.session_state[KIND], st.session_state[ORDER]
    found = dropped_units(replay, order=order, kinds=kinds)
    total = len(found.unit)
    if not total:
        st.info(nothing_dropped_words(replay, filtered=bool(kinds)))
        return
    start = min(st.session_state.get(START, 0), (total - 1) // ROWS * ROWS)
    frame = dropped_frame(replay, found, start, start + ROWS)
    frame["note"] = unit_notes(visit, [int(unit) for unit in frame["unit"]])
    rows_table(
        frame,
        COLUMNS,
        key=TABLE,
        pick="Pick the first call that goes without it",
        on_row=_row_chosen,
        on_page=_page_turned,
        page=Page(start=start, size=ROWS, total=total),
        note=f"{number(start + 1)} to {number(start + len(frame))} of {count(total, 'unit')}, sizes in {visit.unit}",
    )
    chosen = st.session_state.get(LIFE)
    if chosen is not None and not st.session_state.get(LIVES) and int(chosen) in found.unit:
        _keep_button(visit, int(chosen))
        notes_box(visit, "unit", int(chosen))


def _row_chosen() -> None:
    found = dropped_units(_ui.replayed(_ui.current()), order=st.session_state[ORDER], kinds=st.session_state[KIND])
    row = st.session_state.get(START, 0) + int(st.session_state[TABLE].row)
    if row < len(found.unit):
        go(call=int(found.first[row]))
        st.session_state[LIFE] = int(found.unit[row])


def _page_turned() -> None:
    st.session_state[START] = max(0, int(st.session_state[TABLE].start))


main()

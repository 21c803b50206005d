"""The part of the page State about one call: which values it would see, which are gone, and where an outdated one stands without its correction."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _jump import open_message
from _visit import Visit, go

from ctxcore.measures.state_sight import StateSight, call_moments, state_sight
from ctxcore.measures.state_words import state_words
from ctxcore.replay import Replay
from ctxcore.state.domain import Domain
from ctxcore.state.entries import State
from ctxcore.views.sight import message_place
from ctxcore.views.state_fields import (
    MOST_ENTRIES,
    all_calls_sentence,
    confidence_note,
    counts_sentence,
    entries_note,
    entries_table,
    fields_table,
    headline,
    is_refused,
    next_stale,
)
from ctxcore.views.words import literal

FIELDS, ENTRIES, CHOSEN, JUMP, SEEN = "state_fields", "state_entries", "state_field", "state_jump", "state_seen"
"""Keys in the session state."""

FIELD_COLUMNS = {
    "field": Column(label="Field", tail=True),
    "sees": Column(label="In the request", help="What the picked call would see of it after trimming; a lower bound, other words may say the same"),
    "value": Column(label="Value", wide=True, help="The newest value before the picked call"),
    "last seen": Column(label="It would see", optional=True),
    "words": Column(label="Words", wide=True, help="The exact words that the value was read from"),
    "message": Column(label="Message", number=True),
    "why": Column(label="Why"),
    "round": Column(label="Round", number=True),
    "extractor": Column(label="Read by"),
    "confidence": Column(label="Confidence"),
    "entries": Column(label="Entries", number=True, help="Everything in its chain, refused and withdrawn ones too"),
}
"""How the table of fields is shown."""

ENTRY_COLUMNS = {
    "round": Column(label="Round", number=True),
    "value": Column(label="Value", wide=True),
    "why": Column(label="Why"),
    "status": Column(label="Status"),
    "words": Column(label="Words", wide=True),
    "message": Column(label="Message", number=True),
    "said beside it": Column(label="Also rests on", wide=True, optional=True),
    "extractor": Column(label="Read by"),
    "confidence": Column(label="Confidence"),
    "rule": Column(label="Rule", optional=True),
}
"""How a chain is shown."""


def request_tab(visit: Visit, _domain: Domain, state: State) -> None:
    """The state before the picked call beside what the call would see of it."""
    if visit.call < 0:
        st.info("This thread has no model call. The chains show what was said.")
        return
    _ui.rule_controls(visit)
    replay = _ui.replayed(visit)
    _ui.budget_control(visit, replay)
    sight = sight_of(visit, replay, state)
    _headline(visit, sight)
    before = state.as_of(int(call_moments(visit.thread)[visit.call]))
    table = fields_table(sight, before, visit.call)
    if table.empty:
        return
    chosen = st.session_state.get(CHOSEN)
    rows = table["name"].tolist()
    row = rows.index(chosen) if chosen in rows else 0
    st.session_state["state_listed"] = rows
    rows_table(table, FIELD_COLUMNS, key=FIELDS, pick="Show everything that happened to this field", on_row=_chosen, chosen=row, height=440)
    field_detail(state, rows[row])


def _headline(visit: Visit, sight: StateSight) -> None:
    """What the page is for, first."""
    sentence, lines = headline(sight, visit.call)
    told = "\n".join([f"**{literal(sentence)}**", "", *(f"- {literal(line)}" for line in lines)])
    calm = not lines and not is_refused(sight, visit.call)
    (st.success if calm else st.warning)(told, icon=":material/check:" if calm else ":material/warning:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.write(literal(f"{counts_sentence(sight, visit.call)} {all_calls_sentence(sight)}"))
        following = next_stale(sight, visit.call)
        if following is not None:
            st.button(f"Go to call #{following:,}", key="state_next", on_click=go, kwargs={"call": following}, help="The next call that would")


def sight_of(visit: Visit, replay: Replay, state: State) -> StateSight:
    """What all calls would see; kept until the policy or the budget is another."""
    kept = st.session_state.get(SEEN)
    if kept is None or kept[0] is not replay or kept[1] is not state:
        kept = st.session_state[SEEN] = (replay, state, state_sight(replay, state_words(visit.thread, state)))
    found: StateSight = kept[2]
    return found


def _chosen() -> None:
    st.session_state[CHOSEN] = _at(st.session_state["state_listed"], int(st.session_state[FIELDS].row))


def _at(rows: list[str], row: int) -> str:
    return rows[row] if 0 <= row < len(rows) else ""


def field_detail(state: State, name: str) -> None:
    """All entries of a field, with the words behind each."""
    chain = state.fields.get(name)
    if chain is None:
        return
    st.header(literal(name), anchor=False)
    st.session_state["state_sources"] = [(entry.source.message, entry.source.quote) for entry in chain.entries[-MOST_ENTRIES:]]
    pick = "Open the message with these words"
    rows_table(entries_table(chain), ENTRY_COLUMNS, key=ENTRIES, pick=pick, on_row=_source_chosen, note=entries_note(chain), height=360)
    st.caption(literal(confidence_note()))


def _source_chosen() -> None:
    sources, row = st.session_state["state_sources"], int(st.session_state[ENTRIES].row)
    if row < len(sources):
        jump_to(*sources[row])


def jump_to(message: int, words: str) -> None:
    """Open a message when the page is drawn next; use it in a callback."""
    st.session_state[JUMP] = (message, words)


def follow_jump(visit: Visit) -> None:
    """Leave for the message that was asked for."""
    message, words = st.session_state.pop(JUMP, (-1, ""))
    place = message_place(_ui.replayed(visit), message) if message >= 0 and visit.call >= 0 else None
    if place is not None:
        open_message(visit, place[0], message, place[1], text=words)

"""Notes of the visitor on calls and units, by the content of the session; they end with the visit unless they are saved."""

from __future__ import annotations

from pathlib import Path

import _ui
import pandas as pd
import streamlit as st
from _components.rows import Column, rows_table
from _visit import Visit, go, link

from ctxcore.counted import count
from ctxcore.errors import InputError
from ctxcore.views.json_output import strict_json
from ctxcore.views.notes import MOST_CHARS, About, Note, notes_json, notes_markdown, notes_on, notes_rows, read_notes, with_note
from ctxcore.views.words import literal, number, visible_lines

HERE = Path(__file__).resolve().parent

KEPT, COMPLAINT, TABLE, CHOSEN, FILE, TAKEN = (f"notes_{name}" for name in ("kept", "complaint", "rows", "chosen", "file", "taken"))
"""Keys in the session state."""

COLUMNS = {"on": Column(label="On"), "note": Column(label="Note", wide=True, main=True, whole=True)}
THREAD = {"thread": Column(label="Thread")}
"""How notes are listed; the thread where there are several."""


def kept_notes(visit: Visit) -> tuple[Note, ...]:
    """All notes on the session that is open."""
    kept: dict[str, tuple[Note, ...]] = st.session_state.setdefault(KEPT, {})
    return kept.get(visit.session.digest, ())


def _keep(visit: Visit, notes: tuple[Note, ...]) -> None:
    st.session_state.setdefault(KEPT, {})[visit.session.digest] = notes


def notes_box(visit: Visit, about: About, place: int) -> None:
    """Notes on one call or unit, and a field for the next.

    Args:
        visit: As it stands.
        about: What they are on.
        place: Number of the call or unit.
    """
    mine = notes_on(kept_notes(visit), visit.thread.id, about, place)
    on = f"call #{number(place)}" if about == "call" else f"unit {number(place)}"
    key = f"note_{about}_{place}"
    with st.expander(f"{count(len(mine), 'note')} on {on}" if mine else f"Write a note on {on}", expanded=bool(mine), icon=":material/edit_note:"):
        for row, note in enumerate(mine):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(visible_lines(note.text), width="stretch")
                st.button("Delete", key=f"{key}_delete_{row}", icon=":material/delete:", type="tertiary", on_click=_delete, args=(note,))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            hint = "a short note, kept for this visit"
            st.text_input("Note", key=key, max_chars=MOST_CHARS, placeholder=hint, label_visibility="collapsed", width="stretch")
            st.button("Add note", key=f"{key}_add", on_click=_add, args=(about, place, key))
        if complaint := st.session_state.pop(COMPLAINT, ""):
            st.error(literal(complaint))


def _add(about: About, place: int, key: str) -> None:
    visit, text = _ui.current(), st.session_state[key].strip()
    try:
        _keep(visit, with_note(kept_notes(visit), Note(thread=visit.thread.id, about=about, number=place, text=text)))
        st.session_state[key] = ""
    except InputError as error:
        st.session_state[COMPLAINT] = str(error)


def _delete(note: Note) -> None:
    visit = _ui.current()
    _keep(visit, tuple(one for one in kept_notes(visit) if one != note))


def unit_notes(visit: Visit, units: list[int]) -> list[str]:
    """Notes on units in one line each, empty where there is none; for a table of units."""
    notes = kept_notes(visit)
    return [" · ".join(visible_lines(note.text) for note in notes_on(notes, visit.thread.id, "unit", unit)) for unit in units]


def leave_for_note(visit: Visit) -> None:
    """Go to the call or unit whose note was picked; first on the page that lists notes."""
    row = st.session_state.pop(CHOSEN, None)
    notes = kept_notes(visit)
    if row is None or row >= len(notes):
        return
    note = notes[row]
    go(thread=note.thread)
    if note.about == "call":
        _ui.open_call(note.number)
    st.session_state["dropped_lives"], st.session_state["dropped_life_unit"] = True, note.number
    st.switch_page(str(HERE / "dropped.py"), query_params=link().query())


def notes_section(visit: Visit) -> None:
    """All notes of the session, files to hand on, and a way to take some back."""
    notes = kept_notes(visit)
    st.header("Notes", anchor=False)
    if notes:
        columns = {**COLUMNS, **THREAD} if len(visit.session.threads) > 1 else COLUMNS
        rows_table(pd.DataFrame(notes_rows(notes)), columns, key=TABLE, pick="Go there", on_row=_chosen, height=360)
    else:
        st.caption("None yet. Notes are written beside a call on the page Calls and beside a unit on the page Dropped units.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if notes:
            data = strict_json(notes_json(visit.session, notes)).encode()
            text = notes_markdown(visit.session, notes).encode("utf-8", "replace")
            icon = ":material/download:"
            st.download_button("Notes (JSON)", data, "notes.json", "application/json", key="notes_json", on_click="ignore", icon=icon)
            st.download_button("Notes (Markdown)", text, "notes.md", "text/markdown", key="notes_markdown", on_click="ignore", icon=icon)
        with st.popover("Take notes from a file", icon=":material/upload:"):
            file = st.file_uploader("A file that the button Notes (JSON) wrote", "json", key=FILE, max_upload_size=1)
            st.caption("They must be on this very recording. Notes that are here already stay.")
            if file is not None:
                _take(visit, file.file_id, file.getvalue())


def _take(visit: Visit, file_id: str, data: bytes) -> None:
    """The notes of a file, taken once for each file and session."""
    taken: set[tuple[str, str]] = st.session_state.setdefault(TAKEN, set())
    try:
        found = read_notes(data, visit.session)
        notes = kept_notes(visit)
        for note in found if (file_id, visit.session.digest) not in taken else ():
            notes = with_note(notes, note)
    except InputError as error:
        st.error(literal(str(error)))
        return
    st.success(f"{count(len(found), 'note')} taken from this file.")
    if (file_id, visit.session.digest) not in taken:
        taken.add((file_id, visit.session.digest))
        _keep(visit, notes)
        st.rerun()


def _chosen() -> None:
    st.session_state[CHOSEN] = int(st.session_state[TABLE].row)

"""The table of what happened to the context between calls."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _visit import Visit, go

from ctxcore.views.event_table import events_frame
from ctxcore.views.events import events_note

TABLE = "context_events"
"""Key in the session state."""

COLUMNS = {
    "call": Column(label="Call", number=True, help="First call after it"),
    "what": Column(label="What"),
    "trigger": Column(label="Trigger"),
    "before": Column(label="Before (tokens)", number=True, help="As recorded"),
    "after": Column(label="After (tokens)", number=True, help="As recorded"),
    "change": Column(label="Change"),
    "known": Column(label="Known", help="Recorded in the log, or inferred from a drop in size that no record explains"),
    "note": Column(label="Note", wide=True),
}
"""How the table is shown."""


def events_section(visit: Visit) -> None:
    """Heading and table; nothing where the log tells of no event."""
    if not visit.thread.events:
        return
    st.header("What happened to the context", anchor=False)
    frame = events_frame(visit.thread)
    rows_table(frame, COLUMNS, key=TABLE, pick="Pick this call", on_row=_chosen, note=events_note(visit.thread), height=360)


def _chosen() -> None:
    frame, row = events_frame(_ui.current().thread), int(st.session_state[TABLE].row)
    if row < len(frame):
        go(call=int(frame["call"].iloc[row]))

"""Symptoms of the recording, on the page Overview."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _visit import Visit

from ctxcore.measures.symptoms import repetition
from ctxcore.replay import Replay
from ctxcore.views.symptoms import asked_frame, symptoms, symptoms_frame

ROWS, ASKED, ON, TO_CALL = "overview_symptoms", "overview_asked", "overview_symptoms_on", "overview_open"
"""Keys in the session state; the last one holds a call that is to be opened."""

SHORT_CALLS = 400
"""Calls up to which symptoms are looked for at once; in a longer thread the first look takes seconds."""

COLUMNS = {
    "symptom": Column(label="Symptom"),
    "value": Column(label="How much", whole=True),
    "basis": Column(label="Basis"),
    "call": Column(label="Look at call", number=True),
}
"""How symptoms are shown."""

ASKED_COLUMNS = {
    "tool": Column(label="Tool"),
    "what": Column(label="Asks for", wide=True),
    "times": Column(label="Times", number=True),
    "first": Column(label="First call", number=True),
    "last": Column(label="Last call", number=True),
}
"""How repeated tool calls are shown."""


def symptoms_section(visit: Visit, replay: Replay) -> None:
    """Heading, table, and what is asked again.

    Args:
        visit: As it stands.
        replay: Of the visit.
    """
    st.header("Symptoms", anchor=False)
    begins = len(visit.thread.calls) <= SHORT_CALLS
    if not st.toggle("Look for symptoms in this recording", begins, key=ON, persist_state="session"):
        return
    with st.spinner("Looking for evidence …"):
        frame = symptoms_frame(symptoms(replay))
    rows_table(frame, COLUMNS, key=ROWS, pick="Open this call", on_row=_chosen)
    asked = asked_frame(repetition(visit.thread))
    if len(asked):
        with st.expander("Tool calls that ask again"):
            rows_table(asked, ASKED_COLUMNS, key=ASKED, pick="Open the last call that asks", on_row=_asked_chosen, height=320)


def _chosen() -> None:
    frame, row = symptoms_frame(symptoms(_ui.replayed(_ui.current()))), int(st.session_state[ROWS].row)
    if row < len(frame) and frame["call"].notna().iloc[row]:
        st.session_state[TO_CALL] = int(frame["call"].iloc[row])


def _asked_chosen() -> None:
    frame, row = asked_frame(repetition(_ui.current().thread)), int(st.session_state[ASKED].row)
    if row < len(frame):
        st.session_state[TO_CALL] = int(frame["last"].iloc[row])

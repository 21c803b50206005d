"""What the policy would have cost the picked call, on the page Calls: lost references, faults, evidence by type, results to be fetched again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import _ui
import streamlit as st
from _components.report import report
from _components.rows import Column, rows_table
from _jump import open_message
from _visit import Visit, go

from ctxcore.measures.evidence_kept import evidence_kept
from ctxcore.measures.references import LostReference, references
from ctxcore.measures.refetch import refetch_debt
from ctxcore.measures.validity import call_faults, validity
from ctxcore.replay import Replay
from ctxcore.views.harm import (
    debt_facts,
    debt_frame,
    faults_frame,
    faults_sentence,
    kept_frame,
    kept_sentence,
    way_of,
    way_sentence,
)
from ctxcore.views.lost import BOUND, lost_frame, lost_sentence, worst_calls
from ctxcore.views.sight import REPLY
from ctxcore.views.words import literal

T = TypeVar("T")

WHAT, LOST_ROWS, WORST_ROWS, FAULT_ROWS, DEBT_ROWS = "harm_what", "calls_lost_rows", "calls_worst_rows", "calls_fault_rows", "calls_debt_rows"
CHOSEN, JUMP, MEASURED = "harm_chosen", "harm_jump", "harm_measured"
"""Keys in the session state: the picked value of a call, a message to be opened in a call, and measures of the newest replay."""

TOPICS = ("Lost references", "Faults", "Evidence kept", "To fetch again")
"""What the section can tell, one at a time: each is computed when it is looked at."""

LOST_COLUMNS = {
    "value": Column(label="Value", wide=True),
    "type": Column(label="Kind"),
    "first use": Column(label="First use", help="yes: no earlier reply used it; a value that the model repeated itself stays in sight"),
    "message": Column(label="Stood in message", number=True, help="Newest message of this thread that held it"),
    "unit": Column(label="Unit", number=True, help="As on the page Dropped units"),
    "age": Column(label="Calls ago", number=True, help="Calls since the message was first received"),
    "rule": Column(label="Removed by"),
}
"""How lost references are shown."""

WORST_COLUMNS = {
    "call": Column(label="Call", number=True),
    "lost": Column(label="Lost references", number=True),
    "at first use": Column(label="At first use", number=True),
    "used": Column(label="Values used", number=True),
}
"""How the calls that would miss most are shown."""

FAULT_COLUMNS = {
    "fault": Column(label="Fault", wide=True),
    "message": Column(label="Message", number=True),
    "unit": Column(label="Unit", number=True, help="As on the page Dropped units"),
    "refused by": Column(label="Refused by"),
}
"""How faults of a request are shown."""

KEPT_COLUMNS = {
    "type": Column(label="Kind of value"),
    "held": Column(label="Recorded", number=True, help="Distinct values in the recorded context"),
    "kept": Column(label="Still there", number=True),
    "gone": Column(label="Gone", number=True),
    "share": Column(label="Share"),
}
"""How evidence by type is shown."""

DEBT_COLUMNS = {
    "call": Column(label="Missed first at call", number=True),
    "message": Column(label="Stood in message", number=True),
    "tool": Column(label="Tool"),
    "file": Column(label="File", tail=True, optional=True),
    "size": Column(label="Size", number=True),
}
"""How results that would have to be fetched again are shown."""


def harm(visit: Visit, replay: Replay) -> None:
    """Draw the section for the picked call.

    Args:
        visit: As it stands.
        replay: Of the visit.
    """
    topic = st.segmented_control("What", TOPICS, default=TOPICS[0], key=WHAT, label_visibility="collapsed", persist_state="session")
    match topic:
        case "Faults":
            _faults(replay, visit.call)
        case "Evidence kept":
            _kept(visit, replay)
        case "To fetch again":
            _debt(visit, replay)
        case _:
            _lost(visit, replay)


def open_jump(visit: Visit) -> None:
    """Go where a row or a button of the section leads; call it early in the page's fragment."""
    call, message, text = st.session_state.pop(JUMP, (-1, -1, ""))
    if not 0 <= call < len(visit.thread.calls):
        return
    held = visit.thread.calls[call].messages()
    if message in held:
        open_message(visit, call, message, held.index(message), text=text)
    if message == visit.thread.calls[call].reply:
        open_message(visit, call, message, REPLY, text=text)
    go(call=call)
    st.rerun()


def _measured(name: str, replay: Replay, make: Callable[[], T]) -> T:
    """A measure of the replay that is shown, made once: paging and picking rows do not make it again."""
    known: tuple[Any, dict[str, Any]] = st.session_state.get(MEASURED, (None, {}))
    if known[0] is not replay:
        known = st.session_state[MEASURED] = (replay, {})
    if name not in known[1]:
        with st.spinner("Looking for evidence …"):
            known[1][name] = make()
    made: T = known[1][name]
    return made


def _lost(visit: Visit, replay: Replay) -> None:
    """Values that the call's reply uses and the policy would have taken away."""
    found = _measured("lost", replay, lambda: references(replay))
    st.text(lost_sentence(found, visit.call))
    frame = lost_frame(found, visit.call)
    if len(frame):
        call, row = st.session_state.get(CHOSEN, (-1, 0))
        row = row if call == visit.call and row < len(frame) else 0
        pick = "Show where it stood, went and was needed"
        rows_table(frame, LOST_COLUMNS, key=LOST_ROWS, pick=pick, on_row=_lost_chosen, chosen=row, height=280)
        _way(visit, replay, found.listed(visit.call)[row])
    worst = worst_calls(found)
    if len(worst):
        st.caption("Calls that would miss most")
        rows_table(worst, WORST_COLUMNS, key=WORST_ROWS, pick="Pick this call", on_row=_worst_chosen, height=220)


def _lost_chosen() -> None:
    visit = _ui.current()
    st.session_state[CHOSEN] = (visit.call, int(st.session_state[LOST_ROWS].row))


def _way(visit: Visit, replay: Replay, one: LostReference) -> None:
    """The picked value: where it stood, where it went, where it was needed, and the wish to keep its unit."""
    way = way_of(replay, one)
    st.text(way_sentence(way, one.atom.value))
    reply = visit.thread.calls[way.needed].reply
    with st.container(horizontal=True):
        _jump_button("Where it stood", "harm_stood", (way.needed, way.message, one.atom.value))
        if way.dropped is not None:
            _jump_button("Where it went", "harm_went", (way.dropped, way.message, one.atom.value))
        if reply is not None:
            _jump_button("Where it was needed", "harm_needed", (way.needed, reply, one.atom.value))
        if way.unit >= 0 and st.button(
            f"Never drop unit {way.unit:,}", key="harm_keep", icon=":material/keep:", on_click=_ui.keep_unit, args=(way.unit,)
        ):
            st.rerun()


def _jump_button(label: str, key: str, target: tuple[int, int, str]) -> None:
    st.button(label, key=key, icon=":material/arrow_forward:", on_click=_jump, args=(target,))


def _jump(target: tuple[int, int, str]) -> None:
    st.session_state[JUMP] = target


def _worst_chosen() -> None:
    worst = worst_calls(references(_ui.replayed(_ui.current())))
    row = int(st.session_state[WORST_ROWS].row)
    if row < len(worst):
        st.session_state[JUMP] = (int(worst["call"].iloc[row]), -1, "")


def _faults(replay: Replay, call: int) -> None:
    """Faults of the request with the units they stand at, and the calls that have some."""
    every = _measured("validity", replay, lambda: validity(replay))
    faults = call_faults(replay, call)
    st.text(faults_sentence(faults, bool(replay.refused[call]), bool(every.rejected[call])))
    if faults:
        rows_table(faults_frame(replay, faults), FAULT_COLUMNS, key=FAULT_ROWS, pick="Open this message", on_row=_fault_chosen, height=280)
    st.caption(literal(f"{int(every.rejected.sum()):,} of {len(every.rejected):,} calls would be rejected under this policy."))


def _fault_chosen() -> None:
    visit = _ui.current()
    frame, row = faults_frame(_ui.replayed(visit), call_faults(_ui.replayed(visit), visit.call)), int(st.session_state[FAULT_ROWS].row)
    if row < len(frame) and frame["message"].notna().iloc[row]:
        st.session_state[JUMP] = (visit.call, int(frame["message"].iloc[row]), "")


def _kept(visit: Visit, replay: Replay) -> None:
    """Evidence of the call by type."""
    found = _measured("kept", replay, lambda: evidence_kept(replay))
    st.text(kept_sentence(found, visit.call))
    frame = kept_frame(found, visit.call)
    if len(frame):
        rows_table(frame, KEPT_COLUMNS, key="calls_kept_rows", note=BOUND)


def _debt(visit: Visit, replay: Replay) -> None:
    """Results that an agent would have to fetch again."""
    debt = _measured("debt", replay, lambda: refetch_debt(replay))
    report(debt_facts(debt, visit.call, visit.unit), (), key="calls_debt")
    frame = debt_frame(debt)
    if len(frame):
        rows_table(frame, DEBT_COLUMNS, key=DEBT_ROWS, pick="Open it in the call that misses it", on_row=_debt_chosen, height=280)


def _debt_chosen() -> None:
    frame = debt_frame(refetch_debt(_ui.replayed(_ui.current())))
    row = int(st.session_state[DEBT_ROWS].row)
    if row < len(frame):
        st.session_state[JUMP] = (int(frame["call"].iloc[row]), int(frame["message"].iloc[row]), "")

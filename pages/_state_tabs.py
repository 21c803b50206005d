"""Alerts, injections, the edit log and the forgetting test of the page State."""

from __future__ import annotations

from typing import get_args

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _state_request import jump_to
from _visit import Visit

from ctxcore.measures.state_sight import call_moments
from ctxcore.state.domain import Domain
from ctxcore.state.edit_log import RETENTION_DAYS, log_lines
from ctxcore.state.entries import LogKind, State
from ctxcore.state.forgetting import DELETED, TRIALS, forgetting_test, recorded_agent
from ctxcore.views.state_fields import alerts_table
from ctxcore.views.state_tools import (
    forgetting_figure,
    forgetting_sentences,
    forgetting_table,
    language_of,
    log_sentence,
    log_table,
    preview,
    whole_state,
)
from ctxcore.views.words import literal, visible_lines

ALERTS, LOG, KINDS, WORDS, ACTION = "state_alerts", "state_log", "state_log_kinds", "state_log_find", "state_action"
TRIAL_COUNT, SEED, MOST, CALL = "state_trials", "state_seed", "state_most", "state_injection_call"
"""Keys in the session state."""

INKS = {"light": "#1b2430", "dark": "#e6ebf2"}
"""Colour of the page's text by theme."""

ROWS = 100
"""Lines of the log on a page."""

ALERT_COLUMNS = {
    "round": Column(label="Round", number=True),
    "text": Column(label="What", wide=True, main=True, whole=True),
    "code": Column(label="Code"),
    "field": Column(label="Field", optional=True),
    "message": Column(label="Message", number=True),
}
"""How alerts are shown."""

LOG_COLUMNS = {
    "round": Column(label="Round", number=True),
    "step": Column(label="Step"),
    "field": Column(label="Field", tail=True),
    "value": Column(label="Value", wide=True),
    "code": Column(label="Code"),
    "words": Column(label="Words", wide=True),
    "extractor": Column(label="Read by"),
    "message": Column(label="Message", number=True),
}
"""How the log is shown."""

FORGET_COLUMNS = {
    "field": Column(label="Field taken away"),
    "deleted": Column(label="Trials", number=True),
    "noticed": Column(label="Noticed", number=True),
    "went on": Column(label="Went on", number=True),
    "cannot tell": Column(label="Cannot tell", number=True, help="The recording never shows the agent without the field"),
    "read from": Column(label="Read from", wide=True, help="A recording cannot be asked again: its reply without the field stands for all"),
}
"""How the forgetting test is shown."""


def alerts_tab(_visit: Visit, _domain: Domain, state: State) -> None:
    """What a person should look at, in order."""
    if not state.alerts:
        st.info("No alert: no value was refused, no rule broken, nothing left open.")
        return
    table = alerts_table(state)
    st.session_state["state_alert_sources"] = [
        (-1, "") if alert.source is None else (alert.source.message, alert.source.quote) for alert in state.alerts
    ]
    codes = table["code"].value_counts()
    st.write(literal(", ".join(f"{code}: {times}" for code, times in codes.items()) + "."))
    rows_table(table, ALERT_COLUMNS, key=ALERTS, pick="Open the message", on_row=_alert_chosen, height=520)


def _alert_chosen() -> None:
    sources, row = st.session_state["state_alert_sources"], int(st.session_state[ALERTS].row)
    if row < len(sources) and sources[row][0] >= 0:
        jump_to(*sources[row])


def injection_tab(visit: Visit, domain: Domain, state: State) -> None:
    """What each action would get before the picked call."""
    before = state
    if visit.call >= 0:
        _ui.show(CALL, visit.call)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.number_input("Before call", 0, len(visit.thread.calls) - 1, key=CALL, on_change=_call_typed, width=160)
            _ui.call_link(f"Open call #{visit.call:,}", visit.call)
        before = state.as_of(int(call_moments(visit.thread)[visit.call]))
    st.caption("An action gets its own fields inside its own tag, escaped, never the whole state. Where a required field is missing, the gate asks.")
    if not domain.actions:
        st.info(f"The domain {domain.name} declares no action.")
    language = language_of(visit.thread)
    for name in domain.actions:
        shown = preview(visit.thread, domain, before, name, language)
        with st.container(border=True):
            st.header(name, anchor=False)
            st.write(literal(shown.sentence))
            for field, question in zip(shown.fragment.missing, shown.fragment.questions, strict=True):
                st.warning(literal(f"{field} is missing. The question to ask: {question}"), icon=":material/help:")
            st.code(visible_lines(shown.fragment.text), language=None, wrap_lines=True)
    text, size = whole_state(visit.thread, before)
    with st.expander(f"The whole state, for people to look at: {size}"):
        st.code(visible_lines(text), language=None, wrap_lines=True)


def _call_typed() -> None:
    _ui.go(call=int(st.session_state[CALL]))


def log_tab(visit: Visit, domain: Domain, state: State) -> None:
    """Everything the editor did, round by round."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kinds = st.multiselect("Steps", get_args(LogKind), key=KINDS, placeholder="all", width=380, persist_state="session")
        wanted = st.text_input("Find", key=WORDS, placeholder="field, code, value or words", width=260, persist_state="session")
        st.download_button(
            "Download (JSONL)",
            data=lambda: log_lines(state.log, visit.session.id or visit.session.digest).encode("utf-8", "backslashreplace"),
            file_name=f"state-{domain.name}.jsonl",
            mime="application/x-ndjson",
            key="state_log_download",
            on_click="ignore",
            help="One line a round, nothing left out and nothing hidden: texts stand as recorded.",
        )
    table = log_table(state.log, kinds, wanted or "")
    if table.empty:
        st.info("Nothing matches these filters." if kinds or wanted else "The log is empty.")
        return
    pages = -(-len(table) // ROWS)
    page = st.pagination(pages, key=f"state_log_page_{pages}") if pages > 1 else 1
    shown = table[(page - 1) * ROWS : page * ROWS]
    st.session_state["state_log_sources"] = list(zip(shown["message"].tolist(), shown["words"].tolist(), strict=True))
    rows_table(shown, LOG_COLUMNS, key=LOG, pick="Open the message", on_row=_log_chosen, height=560)
    st.caption(
        f"{log_sentence(table)} A log that is kept by a live run loses rounds older than its retention, {RETENTION_DAYS} days unless set otherwise."
    )


def _log_chosen() -> None:
    sources, row = st.session_state["state_log_sources"], int(st.session_state[LOG].row)
    if row < len(sources):
        jump_to(int(sources[row][0]), str(sources[row][1]))


def forgetting_tab(visit: Visit, domain: Domain, state: State) -> None:
    """Core fields are taken away at random: does the recorded agent notice?"""
    actions = [name for name, action in domain.actions.items() if action.required]
    if not actions:
        st.info(f"The domain {domain.name} has no action that requires a field, so there is nothing to forget.")
        return
    if st.session_state.get(ACTION) not in actions:
        st.session_state[ACTION] = actions[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        action = st.selectbox("Action", actions, key=ACTION, width=240)
        trials = st.number_input("Trials", 1, 10_000, TRIALS, key=TRIAL_COUNT, width=140)
        most = st.number_input("Fields taken away", 1, 20, DELETED, key=MOST, width=160)
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key=SEED, width=140, help="The same seed gives the same trials")
    agent, reasons = recorded_agent(visit.thread, domain, action)
    tested = forgetting_test(domain, state, action, agent, trials=trials, seed=seed, most=most, reasons=reasons)
    told, gate = forgetting_sentences(tested)
    (st.error if tested.went_on else st.info if tested.cannot_tell else st.success)(literal(told))
    figure = forgetting_figure(tested, INKS.get(st.context.theme.type or ""))
    st.plotly_chart(figure, key="state_forgetting", alt=told, config={"displaylogo": False})
    rows_table(forgetting_table(tested), FORGET_COLUMNS, key="state_forget_rows")
    st.caption(literal(gate))

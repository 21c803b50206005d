"""Overview: what was read, how it stands against the budget, and what fills the window."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.calls_chart import calls_chart, fixed_block, keep_columns, moving_block
from _components.report import report
from _events import events_section
from _sessions import uploaded_sessions

from ctxcore.views.calls_chart import chart_lines, fixed_columns, moving_columns
from ctxcore.views.events import event_marks
from ctxcore.views.overview import (
    biggest_messages,
    problems_frame,
    problems_title,
    refused_frame,
    sentence,
    session_facts,
    size_facts,
    skipped_table,
    together,
    usage_frame,
)
from ctxcore.views.sent import consumer_tables
from ctxcore.views.words import counter_sentence, literal

CHART = "overview_chart"


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    replay = _ui.replayed(visit)
    st.title("Overview")
    st.markdown(sentence(visit.session, replay, visit.budget))
    if visit.call >= 0:
        report(size_facts(replay, visit.budget), (), key="overview_sizes")
        st.text(counter_sentence(replay.sizes))
        keep_columns(fixed_block(_ui.data_key(visit), fixed_columns(visit.thread, replay.sizes), event_marks(visit.thread)), key="overview_columns")
        lines = chart_lines(visit.thread, visit.budget, visit.unit)
        block = moving_block(_ui.data_key(visit), moving_columns(replay), picked=visit.call, lines=lines, unit=visit.unit, height=260)
        calls_chart(block, key=CHART, on_pick=_picked)
        _ui.call_link(f"Open call #{visit.call:,} message by message", visit.call)
        _refused(replay)
        events_section(visit)
        st.subheader("What fills the window", anchor=False)
        report((), consumer_tables(replay), key="overview_consumers")
        report((), (biggest_messages(replay),), key="overview_biggest")
    _read(visit)


def _refused(replay: _ui.Replay) -> None:
    frame = refused_frame(replay)
    if frame.empty:
        return
    st.subheader("Calls that would not fit", anchor=False)
    st.caption("Not even with every cut the policy allows. Select a row to open the call.")
    columns = {name: st.column_config.NumberColumn(format="localized") for name in frame.columns}
    event = st.dataframe(
        frame, key="overview_refused", hide_index=True, height="auto", column_config=columns, on_select="rerun", selection_mode="single-row"
    )
    rows = event["selection"]["rows"]
    if rows:
        _ui.open_call(int(frame["call"].iloc[rows[0]]))


def _read(visit: _ui.Visit) -> None:
    session = visit.session
    st.subheader("What was read", anchor=False)
    tables = (skipped_table(session),) if session.ledger.skipped else ()
    report(session_facts(session), tables, key="overview_read")
    usage = usage_frame(session)
    if not usage.empty:
        st.markdown("**Recorded tokens**")
        columns = {name: st.column_config.NumberColumn(format="localized") for name in usage.columns[1:]}
        st.dataframe(usage, key="overview_usage", hide_index=True, column_config=columns)
    if sum_of_all := together(uploaded_sessions()):
        st.caption(sum_of_all)
    for note in session.notes:
        st.info(literal(note))
    if session.problems:
        st.markdown(f"**{problems_title(session)}**")
        st.dataframe(problems_frame(session), key="overview_problems", hide_index=True)


def _picked() -> None:
    _ui.go(call=st.session_state[CHART].picked)


main()

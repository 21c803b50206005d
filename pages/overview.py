"""Overview: what was read, how it stands against the budget, and what fills the window."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.calls_chart import calls_chart, fixed_block, keep_columns, moving_block
from _components.report import report
from _components.rows import Column, rows_table
from _events import events_section
from _notes import leave_for_note, notes_section
from _sessions import session_key, uploaded_sessions
from _story import SAMPLE, story_button
from _symptoms import symptoms_section
from _visit import link

from ctxcore.views.calls_chart import chart_lines, fixed_columns, moving_columns
from ctxcore.views.events import event_marks
from ctxcore.views.overview import (
    biggest_messages,
    listed,
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
from ctxcore.views.uncounted import budget_note
from ctxcore.views.words import counter_sentence, literal

CHART, REFUSED, OPEN = "overview_chart", "overview_refused", "overview_open"
"""Keys in the session state; the last one holds a call that is to be opened."""

ROWS = 50
"""Rows that a table shows at most."""

PROBLEM_COLUMNS = {
    "where": Column(label="Where", tail=True),
    "kind": Column(label="Kind"),
    "what": Column(label="What", wide=True),
    "excerpt": Column(label="Excerpt", wide=True, optional=True),
}
"""How the table of problems is shown."""


REFUSED_COLUMNS = {
    "call": Column(label="Call", number=True),
    "turn": Column(label="Turn", number=True),
    "before": Column(label="Before", number=True, help="Size as recorded"),
    "missing": Column(label="Too large by", number=True, help="After every cut"),
    "system": Column(label="System", number=True, help="System and developer messages, which stay"),
    "tools": Column(label="Tools", number=True, help="Tool definitions, which stay"),
    "task": Column(label="Task", number=True, help="The newest message of the user, which stays"),
    "newest": Column(label="Newest unit", number=True, help="The newest unit after the task, which stays"),
    "rest": Column(label="Rest", number=True, help="Brackets, the notice, and what the policy does not drop"),
}
"""How the table of refused calls is shown."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    asked = st.session_state.pop(OPEN, None)
    if asked is not None:
        _ui.open_call(asked)
    leave_for_note(visit)
    replay = _ui.replayed(visit)
    st.title("Overview")
    st.markdown(sentence(visit.session, replay, visit.budget))
    if session_key() == SAMPLE and not link().story:
        story_button(key="story_begin")
    if visit.call >= 0:
        _ui.strip_alone()
        report(size_facts(replay, visit.budget), (), key="overview_sizes")
        st.caption(literal(" ".join(filter(None, (counter_sentence(replay.sizes), budget_note(visit.session, visit.thread))))))
        keep_columns(fixed_block(_ui.data_key(visit), fixed_columns(visit.thread, replay.sizes), event_marks(visit.thread)), key="overview_columns")
        lines = chart_lines(visit.thread, visit.budget, visit.unit)
        block = moving_block(_ui.data_key(visit), moving_columns(replay), picked=visit.call, lines=lines, unit=visit.unit, height=260)
        calls_chart(block, key=CHART, on_pick=_picked)
        _ui.call_link(f"Open call #{visit.call:,} message by message", visit.call)
        _ui.report_link()
        _refused(replay)
        events_section(visit)
        symptoms_section(visit, replay)
        st.header("What fills the window", anchor=False)
        report((), consumer_tables(replay), key="overview_consumers")
        report((), (biggest_messages(replay),), key="overview_biggest")
    notes_section(visit)
    _read(visit)


def _refused(replay: _ui.Replay) -> None:
    frame = refused_frame(replay, ROWS)
    if frame.empty:
        return
    st.header("Calls that would not fit", anchor=False)
    st.caption("Not even with every cut the policy allows: what stays of each is on the right. A row opens its call on the page Calls.")
    note = f"{listed(int(replay.refused.sum()), ROWS, 'call')} Sizes in {replay.unit}.".strip()
    rows_table(frame, REFUSED_COLUMNS, key=REFUSED, pick="Open this call", on_row=_refused_chosen, note=note, height=320)


def _refused_chosen() -> None:
    frame, row = refused_frame(_ui.replayed(_ui.current()), ROWS), int(st.session_state[REFUSED].row)
    if row < len(frame):
        st.session_state[OPEN] = int(frame["call"].iloc[row])


def _read(visit: _ui.Visit) -> None:
    session = visit.session
    st.header("What was read", anchor=False)
    tables = (skipped_table(session),) if session.ledger.skipped else ()
    report(session_facts(session), tables, key="overview_read")
    usage = usage_frame(session)
    if not usage.empty:
        st.markdown("**Recorded tokens**")
        columns = {name: Column(label=str(name).capitalize(), number=name != "thread", wide=name == "thread") for name in usage.columns}
        rows_table(usage.head(ROWS), columns, key="overview_usage", note=listed(len(usage), ROWS, "thread"), height=320)
    if sum_of_all := together(uploaded_sessions()):
        st.caption(sum_of_all)
    for note in session.notes:
        st.info(literal(note))
    if session.problems:
        st.markdown(f"**{problems_title(session)}**")
        problems = problems_frame(session)
        rows_table(problems.head(ROWS), PROBLEM_COLUMNS, key="overview_problems", note=listed(len(problems), ROWS, "problem"), height=320)


def _picked() -> None:
    _ui.go(call=st.session_state[CHART].picked)


main()

"""Plan: every step over all calls, as the model said it stood, and what is odd about it."""

from __future__ import annotations

import _ui
import pandas as pd
import streamlit as st
from _components.rows import Column, rows_table
from _empty import nothing_found
from _visit import Visit, go

from ctxcore.plan.history import plan_history
from ctxcore.plan.review import plan_review
from ctxcore.plan.values import PlanHistory
from ctxcore.views.plan import other_plans, plan_at, plan_sentence, plan_tools
from ctxcore.views.plan_figure import plan_figure
from ctxcore.views.plan_tables import changes_note, changes_table, steps_table
from ctxcore.views.words import literal

CHANGES, ODD, JUMP = "plan_changes", "plan_odd", "plan_jump"
"""Keys in the session state."""

INKS = {"light": "#1b2430", "dark": "#e6ebf2"}
"""Colour of the page's text by theme: what a figure writes is as easy to read."""

CHANGE_COLUMNS = {
    "call": Column(label="Call", number=True, help="The call whose reply made the change"),
    "step": Column(label="Step", wide=True),
    "change": Column(label="Change"),
    "from": Column(label="From"),
    "to": Column(label="To"),
    "finding": Column(label="Finding", optional=True),
    "source": Column(label="Source", tail=True),
    "turn": Column(label="Turn", number=True),
    "tool": Column(label="Tool"),
}
"""How the table of changes is shown."""

STEP_COLUMNS = {
    "number": Column(label="#", number=True, help="Number of the step in the chart"),
    "step": Column(label="Step", wide=True),
    "status": Column(label="At the end"),
    "first call": Column(label="First call", number=True),
    "last change": Column(label="Last change", number=True),
    "calls in progress": Column(label="In progress", number=True, help="For how many calls it was in progress"),
    "findings": Column(label="Findings", optional=True),
    "id": Column(label="Id", optional=True),
    "earlier titles": Column(label="Earlier titles", wide=True, optional=True),
}
"""How the table of steps is shown."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Plan")
    history = plan_history(visit.thread)
    if not history.revisions:
        nothing_found(
            "No plan in this thread",
            "A plan is read from the tool calls that write one. None of these tools was called here:",
            plan_tools(),
            "What tool calls touched and set is on the page State, plan or not.",
        )
    else:
        _plan(visit, history)
    _others(visit)


def _plan(visit: Visit, history: PlanHistory) -> None:
    st.caption("What the model said about its steps. A status counts from the call whose reply set it; whether it is true is not judged here.")
    st.write(literal(plan_at(history, visit.call)))
    told = plan_sentence(plan_review(visit.thread))
    st.write(literal(told))
    if history.steps:
        figure = plan_figure(history, visit.call, ink=INKS.get(st.context.theme.type or ""))
        st.plotly_chart(figure, key="plan_matrix", alt=f"{plan_at(history, visit.call)} {told}", config={"displaylogo": False})
    _changes(history)
    if history.steps:
        st.subheader("Steps", anchor=False)
        rows_table(steps_table(history), STEP_COLUMNS, key="plan_steps", height=420)


@st.fragment
def _changes(history: PlanHistory) -> None:
    st.subheader("Changes", anchor=False)
    call = st.session_state.pop(JUMP, None)
    if call is not None:
        _ui.open_call(call)
    if history.findings:
        st.toggle("Only what is odd", key=ODD, persist_state="session")
    table = _shown_changes(history)
    note = changes_note(history, len(table))
    rows_table(table, CHANGE_COLUMNS, key=CHANGES, pick="Open this call", on_row=_change_chosen, note=note, height=420)


def _shown_changes(history: PlanHistory) -> pd.DataFrame:
    table = changes_table(history)
    return table[table["finding"] != ""] if st.session_state.get(ODD) and history.findings else table


def _change_chosen() -> None:
    table = _shown_changes(plan_history(_ui.current().thread))
    st.session_state[JUMP] = int(table["call"].iloc[int(st.session_state[CHANGES].row)])


def _others(visit: Visit) -> None:
    found = other_plans(visit.session, visit.thread.id)
    if found:
        st.subheader("Plans of other threads", anchor=False)
        for thread_id, words in found:
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.write(literal(words))
            right.button("Show", key=f"plan_thread_{thread_id}", on_click=go, kwargs={"thread": thread_id, "call": None})


main()

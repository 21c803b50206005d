"""Plan: every step over all calls, as the model said it stood, and what the record says to that."""

from __future__ import annotations

from typing import Any

import _ui
import pandas as pd
import streamlit as st
from _components.rows import Column, rows_table
from _empty import nothing_found
from _jump import open_message
from _looks import ink
from _visit import Visit, go

from ctxcore.measures.plan_sight import plan_sight
from ctxcore.plan.attempts import attempts
from ctxcore.plan.review import PlanReview, plan_review
from ctxcore.views.plan import other_plans, plan_at, plan_counters, plan_goals, plan_sentence, plan_tools, sight_sentence
from ctxcore.views.plan_figure import ROWS, plan_figure, row_window
from ctxcore.views.plan_step import claims_note, facts_table, sight_words, step_changes, step_choices, step_sentence
from ctxcore.views.plan_tables import changes_note, changes_table, steps_table
from ctxcore.views.plan_timeline import plan_timeline
from ctxcore.views.time_scale import thread_scale
from ctxcore.views.words import literal

CHANGES, STEPS, ODD, JUMP = "plan_changes", "plan_steps", "plan_odd", "plan_jump"
VIEW, SIGHT, FIRST, STEP, TOLD = "plan_view", "plan_sight", "plan_first", "plan_step", "plan_told"
FACTS, HISTORY = "plan_facts", "plan_step_changes"
"""Keys in the session state."""

MATRIX, TIMELINE = "By call", "Timeline"
"""Views of the plan."""

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
    "verdict": Column(label="Verdict", optional=True, help="What the record says to the last claim that it is done"),
    "record": Column(label="The record says", wide=True, optional=True),
    "first call": Column(label="First call", number=True),
    "last change": Column(label="Last change", number=True),
    "calls in progress": Column(label="In progress", number=True, help="For how many calls it was in progress"),
    "findings": Column(label="Findings", optional=True),
    "id": Column(label="Id", optional=True),
    "earlier titles": Column(label="Earlier titles", wide=True, optional=True),
}
"""How the table of steps is shown."""

FACT_COLUMNS = {
    "call": Column(label="Call", number=True),
    "what": Column(label="What the record says", wide=True),
    "against": Column(label="Against", optional=True),
    "verdict": Column(label="Verdict"),
    "claim": Column(label="Claimed at", number=True),
    "since": Column(label="Started at", help="about: the start is not recorded, the plan was written there before"),
}
"""How the evidence of a step is shown."""

HISTORY_COLUMNS = {
    "call": Column(label="Call", number=True),
    "change": Column(label="Change"),
    "from": Column(label="From"),
    "to": Column(label="To"),
    "said": Column(label="Said beside it", wide=True, optional=True),
    "tool": Column(label="Tool"),
}
"""How the changes of one step are shown."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Plan")
    review = plan_review(visit.thread)
    if not review.history.revisions:
        nothing_found(
            "No plan in this thread",
            "A plan is read from what writes one. None of this is here:",
            plan_tools(),
            "What tool calls touched and set is on the page State, plan or not.",
        )
    else:
        _plan(visit, review)
    _others(visit)


def _plan(visit: Visit, review: PlanReview) -> None:
    st.markdown(f"**{literal(plan_counters(review))}**")
    for words in (plan_goals(review), plan_at(review.history, visit.call), plan_sentence(review)):
        if words:
            st.write(literal(words))
    st.caption(
        "A status is what the model said, from the call whose reply set it. Supported means that tool calls succeeded between start and claim, "
        "not that the work is right; contradicted means that the record itself says otherwise."
    )
    if review.history.steps:
        _explore()
    _changes(review)
    if review.history.steps:
        st.header("Steps", anchor=False)
        rows_table(steps_table(review), STEP_COLUMNS, key=STEPS, pick="Show this step", on_row=_row_chosen, height=420)


@st.fragment
def _explore() -> None:
    """The figures and the picked step."""
    visit = _ui.moving()
    review = plan_review(visit.thread)
    _follow_jump(visit, review)
    sight = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = st.segmented_control("View", [MATRIX, TIMELINE], default=MATRIX, key=VIEW, required=True, label_visibility="collapsed")
        wanted = view == MATRIX and st.toggle("Show whether each call still had the step's text", key=SIGHT, persist_state="session")
        rows = _rows(len(review.history.steps))
    if wanted:
        _ui.rule_controls(visit)
        replay = _ui.replayed(visit)
        _ui.budget_control(visit, replay)
        sight = plan_sight(replay)
        st.text(sight_sentence(sight, replay.policy.name))
    if view == TIMELINE:
        tries = attempts(visit.thread, review)
        figure = plan_timeline(visit.thread, review, tries, thread_scale(visit.thread), rows=rows, ink=ink())
    else:
        figure = plan_figure(review, visit.call, rows=rows, sight=sight, ink=ink())
    told = f"{plan_counters(review)} {plan_at(review.history, visit.call)} {plan_sentence(review)}"
    key = f"plan_figure_{view}"
    event = st.plotly_chart(figure, key=key, alt=told, on_select="rerun", selection_mode="points", config={"displayModeBar": False})
    _take_pick(event, key)
    _step(visit, review, sight)


def _rows(steps: int) -> range:
    """Which steps the figure shows: all, or a part of a long plan."""
    if steps <= ROWS:
        return range(steps)
    starts = list(range(0, steps, ROWS))
    first = st.selectbox("Steps", starts, format_func=lambda start: f"{start + 1} to {min(start + ROWS, steps)} of {steps}", key=FIRST, width=180)
    return row_window(steps, first)


def _take_pick(event: Any, key: str) -> None:
    """A bar that was clicked picks its step; once, so that the box below can pick another."""
    points = event.selection.points if event else []
    place = points[0].get("customdata") if points else None
    if place is not None and st.session_state.get(TOLD) != (key, place):
        st.session_state[TOLD] = (key, place)
        if place[0] >= 0:
            st.session_state[STEP] = int(place[0])
        go(call=int(place[1]))
        st.rerun()


def _step(visit: Visit, review: PlanReview, sight: Any) -> None:
    """One step: what the record says to its claims, and the messages that changed it."""
    choices = step_choices(review)
    st.session_state.setdefault(STEP, 0)
    if st.session_state[STEP] >= len(choices):
        st.session_state[STEP] = 0
    step = st.selectbox("One step", range(len(choices)), format_func=choices.__getitem__, key=STEP)
    st.write(literal(step_sentence(review, step, visit.call)))
    if sight is not None and visit.call >= 0:
        st.write(literal(f"Its text before call #{visit.call:,}: {sight_words(int(sight[step, visit.call]))}."))
    facts = facts_table(review, step)
    if len(facts):
        rows_table(facts, FACT_COLUMNS, key=FACTS, pick="Open this call", on_row=_fact_chosen, note=claims_note(facts), height=300)
    changes = step_changes(visit.thread, review, step)
    st.caption("What changed it")
    rows_table(changes, HISTORY_COLUMNS, key=HISTORY, pick="Open the message that changed it", on_row=_source_chosen, height=260)


def _fact_chosen() -> None:
    facts = facts_table(plan_review(_ui.current().thread), st.session_state[STEP])
    row = int(st.session_state[FACTS].row)
    if row < len(facts):
        st.session_state[JUMP] = (int(facts["call"].iloc[row]), -1)


def _source_chosen() -> None:
    thread = _ui.current().thread
    changes = step_changes(thread, plan_review(thread), st.session_state[STEP])
    row = int(st.session_state[HISTORY].row)
    if row < len(changes):
        st.session_state[JUMP] = (int(changes["call"].iloc[row]), int(changes["message"].iloc[row]))


def _follow_jump(visit: Visit, review: PlanReview) -> None:
    """Open a call, and the message in it that changed the plan."""
    call, message = st.session_state.pop(JUMP, (-1, -1))
    if call < 0:
        return
    if message >= 0:
        one = visit.thread.calls[call]
        held = one.messages()
        if one.reply == message or message in held:
            title = review.history.steps[st.session_state[STEP]].title
            open_message(visit, call, message, -1 if one.reply == message else held.index(message), text=title)
    _ui.open_call(call)


def _row_chosen() -> None:
    st.session_state[STEP] = int(st.session_state[STEPS].row)


@st.fragment
def _changes(review: PlanReview) -> None:
    st.header("Changes", anchor=False)
    call = st.session_state.pop(f"{JUMP}_change", None)
    if call is not None:
        _ui.open_call(call)
    if review.findings:
        st.toggle("Only what is odd", key=ODD, persist_state="session")
    table = _shown_changes(review)
    note = changes_note(review.history, len(table))
    rows_table(table, CHANGE_COLUMNS, key=CHANGES, pick="Open this call", on_row=_change_chosen, note=note, height=420)


def _shown_changes(review: PlanReview) -> pd.DataFrame:
    table = changes_table(review)
    return table[table["finding"] != ""] if st.session_state.get(ODD) and review.findings else table


def _change_chosen() -> None:
    table = _shown_changes(plan_review(_ui.current().thread))
    st.session_state[f"{JUMP}_change"] = int(table["call"].iloc[int(st.session_state[CHANGES].row)])


def _others(visit: Visit) -> None:
    found = other_plans(visit.session, visit.thread.id)
    if found:
        st.header("Plans of other threads", anchor=False)
        for thread_id, words in found:
            left, right = st.columns([5, 1], vertical_alignment="center")
            left.write(literal(words))
            right.button("Show", key=f"plan_thread_{thread_id}", on_click=go, kwargs={"thread": thread_id, "call": None})


main()

"""Side by side: two sessions turn by turn, or one session under two policies or budgets."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple

import _ui
import numpy as np
import streamlit as st
from _components.rows import Column, rows_table
from _jump import open_message
from _sessions import session_at, session_choices, session_key
from _visit import Visit, go, link

from ctxcore.columns import IntArray
from ctxcore.errors import InputError, ReadError
from ctxcore.measures.alignment import Alignment, align, columns_of, turns
from ctxcore.measures.compare import Compared
from ctxcore.measures.totals import NO_LIMIT, Totals, recorded_sizes, records_input, totals
from ctxcore.model import Session, Thread
from ctxcore.policies import all_policies
from ctxcore.replay import replay
from ctxcore.views.at_call import aligned_call, sides_at_call
from ctxcore.views.budget import budget_text, parse_budget, replay_budget
from ctxcore.views.policies import policy_label
from ctxcore.views.side_by_side import (
    alignment_sentence,
    bases_note,
    divergence_sentences,
    policies_sentence,
    policy_frame,
    totals_frame,
    turns_frame,
)
from ctxcore.views.side_figure import Side, by_call, by_turn, sizes_figure
from ctxcore.views.sight import message_place
from ctxcore.views.visible import shortened
from ctxcore.views.words import literal, thread_title

MODE, OTHER, THREAD, POLICY, LIMIT, AXIS, TURNS, START, CHOSEN = (
    f"side_{name}" for name in ("mode", "session", "thread", "policy", "budget", "axis", "turns", "start", "chosen")
)
COMPLAINT, ROWS_KEPT = "side_complaint", "side_rows"
"""Keys in the session state."""

SESSIONS, POLICIES = "Two sessions", "Two policies or budgets"
MODES = (SESSIONS, POLICIES)

AXES = ("By turn", "By call")
"""How the two lines of the chart are laid over each other."""

SIDES = 4
"""Sides kept per visitor."""

ROWS = 200
"""Turns that the table shows at most."""

TURN = {
    "first turn": Column(label="Turn 1st", number=True, help="Of the first"),
    "second turn": Column(label="Turn 2nd", number=True),
    "paired": Column(label="Paired by"),
    "first text": Column(label="User text, first", wide=True),
    "second text": Column(label="User text, second", wide=True),
    "tools": Column(label="Tool calls", help="Name and arguments, in order; spaces and the order of keys make no difference"),
    "first tools": Column(label="Tools 1st", number=True, help="Tool calls of the first"),
    "second tools": Column(label="Tools 2nd", number=True, help="Tool calls of the second"),
    "first calls": Column(label="Calls 1st", number=True, help="Model calls of the first"),
    "second calls": Column(label="Calls 2nd", number=True, help="Model calls of the second"),
    "first peak": Column(label="Peak 1st", number=True, help="Largest request of the turn"),
    "second peak": Column(label="Peak 2nd", number=True, help="Largest request of the turn"),
}
"""How the table of turns is shown."""

POLICY_TURN = {
    "first turn": Column(label="Turn", number=True),
    "first text": Column(label="User text", wide=True, main=True),
    "first calls": Column(label="Calls", number=True, help="Model calls"),
    "first tools": Column(label="Tool calls", number=True),
    "first peak": Column(label="Peak 1st", number=True, help="Largest request that the first sends in the turn"),
    "second peak": Column(label="Peak 2nd", number=True, help="Largest request that the second sends in the turn"),
}
"""The same where both sides are one recording."""

TOTAL = {
    "what": Column(label="What", main=True),
    "first": Column(label="First", right=True),
    "second": Column(label="Second", right=True),
    "difference": Column(label="Second less first", right=True),
    "basis": Column(label="Basis", help="Where the numbers come from"),
}
"""How the table of totals is shown."""


class Other(NamedTuple):
    """What stands beside the visit's thread."""

    session: Session
    """It may be the same."""
    thread: Thread
    """Of it."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    _leave(visit)
    st.title("Side by side")
    if visit.call < 0:
        st.info("This thread has no model call, so there is nothing to hold against another. Choose another thread on the left.")
        return
    _ui.show(MODE, SESSIONS if link().beside or st.session_state.get(MODE) == SESSIONS else POLICIES)
    mode = st.segmented_control("What stands side by side", MODES, key=MODE, on_change=_moded, label_visibility="collapsed", persist_state="session")
    if mode == SESSIONS:
        _sessions(visit)
    else:
        _ui.rule_controls(visit)
        _policies()


def _moded() -> None:
    if st.session_state[MODE] == SESSIONS:
        go(beside_policy="", beside_budget="default")
    else:
        go(beside="", beside_thread="")


def _sessions(visit: Visit) -> None:
    other = _other()
    if other is None:
        return
    _ui.strip_alone()
    pair = (visit.thread, other.thread)
    found = align(*map(turns, pair))
    names = _names(visit, other)
    st.write(literal(f"First: {names[0]}. Second: {names[1]}."))
    st.header("Where they part", anchor=False)
    for sentence in divergence_sentences(found):
        st.write(literal(sentence))
    st.caption(literal(alignment_sentence(found)))
    told, beside = aligned_call(found, visit.call)
    st.write(literal(told))
    recorded = all(map(records_input, pair))
    with st.spinner("Adding up both sides …"):
        sums = [totals(thread, recorded=recorded) for thread in pair]
    sizes = [_sizes(thread, recorded=recorded) for thread in pair]
    _chart(found, (Side(name=f"1 · {names[0]}", sizes=sizes[0]), Side(name=f"2 · {names[1]}", sizes=sizes[1])), "tokens", (visit.call, beside))
    _totals(sums[0], sums[1])
    _turn_table(found, (sizes[0], sizes[1]), "tokens", TURN)


def _other() -> Other | None:
    """The second session and thread; an invitation where none is chosen."""
    choices = dict(session_choices())
    wish = link()
    _ui.show(OTHER, wish.beside if wish.beside in choices else None)
    left, right = st.columns(2)
    left.selectbox(
        "Second session",
        list(choices),
        None,
        key=OTHER,
        format_func=choices.__getitem__,
        placeholder="Choose the session to hold against",
        on_change=_chosen,
    )
    session = None
    try:
        session = session_at(wish.beside) if wish.beside else None
    except ReadError as error:
        st.error(literal(str(error)), title="This file gives no session")
        _ui.error_details(error.details)
        return None
    if session is None or not session.threads:
        _invite(wish.beside)
        return None
    thread = next((one for one in session.threads if one.id == wish.beside_thread), session.threads[0])
    if len(session.threads) > 1:
        titles = {one.id: thread_title(one) for one in session.threads}
        _ui.show(THREAD, thread.id)
        right.selectbox(f"Second thread, {len(titles):,}", list(titles), key=THREAD, format_func=titles.__getitem__, on_change=_threaded)
    return Other(session, thread)


def _invite(asked: str) -> None:
    """What to hold against, where nothing is."""
    if asked:
        st.warning(literal(f"The address names the session {asked[:60]!r}, which is not open here. Uploads are private: add the same file again."))
    with st.container(border=True):
        st.header("Choose what to hold this session against", anchor=False)
        st.write("Another run of the same task, the same run in another format, or another thread: turns with the same user text stand side by side.")
        st.caption("More files go into the box in the sidebar.")


def _chosen() -> None:
    go(beside=st.session_state[OTHER] or "", beside_thread="")


def _threaded() -> None:
    go(beside_thread=st.session_state[THREAD])


def _names(visit: Visit, other: Other) -> tuple[str, str]:
    """What both sides are called: by their threads where it is one session."""
    choices = dict(session_choices())
    first, second = (choices.get(key, session.name) for key, session in ((session_key(), visit.session), (link().beside, other.session)))
    if first == second:
        first, second = (f"{name}, {thread_title(thread)}" for name, thread in ((first, visit.thread), (second, other.thread)))
    return shortened(first, 80), shortened(second, 80)


def _sizes(thread: Thread, *, recorded: bool) -> IntArray:
    return np.asarray(recorded_sizes(thread), np.int64) if recorded else replay(thread, "none", NO_LIMIT, "tokens").before


def _chart(found: Alignment, sides: tuple[Side, Side], unit: str, picked: tuple[int, int | None]) -> None:
    st.header("Size of each call", anchor=False)
    axis = st.segmented_control("Lines", AXES, default=AXES[0], key=AXIS, label_visibility="collapsed", persist_state="session")
    turned = axis != AXES[1]
    peaks = [int(side.sizes.max(initial=0)) for side in sides]
    said = f"The largest request is {peaks[0]:,} {unit} in the first and {peaks[1]:,} {unit} in the second; both lines have one scale."
    st.caption(f"{said} {'Turns that are a pair begin at one place; the dotted lines part them.' if turned else 'Calls are numbered from 0.'}")
    places = by_turn(found, sides) if turned else by_call(sides)
    figure = sizes_figure(sides, places, unit, starts=columns_of(found.pairs)[:-1] if turned else (), picked=picked)
    st.plotly_chart(figure, key="side_chart", alt=said, config={"displaylogo": False, "displayModeBar": False})


def _totals(first: Totals, second: Totals) -> None:
    st.header("In sum", anchor=False)
    rows_table(totals_frame(first, second), TOTAL, key="side_totals", note=bases_note(first, second))


def _turn_table(found: Alignment, sizes: tuple[IntArray, IntArray], unit: str, columns: dict[str, Column]) -> None:
    st.header("Turn by turn", anchor=False)
    frame = turns_frame(found, (sizes[0].tolist(), sizes[1].tolist()))
    listed = f"The first {ROWS:,} of {len(frame):,} turns. " if len(frame) > ROWS else ""
    note = f"{listed}Sizes in {unit}. A row opens the turn's first message of the first side on the page Calls."
    rows_table(frame.head(ROWS), columns, key=TURNS, pick="Open this turn on the page Calls", on_row=_turned, height=420, note=note)


def _turned() -> None:
    st.session_state[CHOSEN] = int(st.session_state[TURNS].row)


def _leave(visit: Visit) -> None:
    """Go to the page Calls where a turn was picked: to its first message, of the side that has it."""
    row = st.session_state.pop(CHOSEN, None)
    other = _quiet_other(visit)
    if row is None or other is None:
        return
    pairs = align(turns(visit.thread), turns(other.thread)).pairs
    if row >= len(pairs):
        return
    pair, aside = pairs[row], visit
    turn = pair.first
    if turn is None and pair.second is not None:
        turn = pair.second
        go(session=link().beside, thread=other.thread.id, call=None)
        aside = _ui.current()
    if turn is None:
        return
    place = message_place(_ui.replayed(aside), turn.message)
    if place is not None:
        open_message(aside, place[0], turn.message, place[1])
    elif turn.calls:
        _ui.open_call(turn.calls[0])


def _quiet_other(visit: Visit) -> Other | None:
    """What stands beside, without a word where it is not open."""
    wish = link()
    if not wish.beside:
        return Other(visit.session, visit.thread)
    try:
        session = session_at(wish.beside)
    except ReadError:
        return None
    if session is None or not session.threads:
        return None
    return Other(session, next((one for one in session.threads if one.id == wish.beside_thread), session.threads[0]))


@st.fragment
def _policies() -> None:
    """One thread under two policies or budgets; all that moves with either budget."""
    visit = _ui.moving()
    _leave(visit)
    first = _ui.replayed(visit)
    _ui.budget_control(visit, first)
    policy, budget = _second(visit)
    settings = visit.values() if policy == visit.policy else {}
    second = _kept(visit, (policy, str(settings), budget), lambda: replay_budget(visit.thread, policy, budget, visit.unit, visit.kept(), **settings))
    rows = (_kept(visit, (visit.policy, visit.settings, visit.budget), lambda: first), second)
    names = [
        f"{number} · {name}, {budget_text(limit) or 'no limit'}" for number, name, limit in ((1, visit.policy, visit.budget), (2, policy, budget))
    ]
    st.write(literal(policies_sentence(*rows)))
    st.write(literal(sides_at_call(rows, visit.call)))
    found = align(turns(visit.thread), turns(visit.thread))
    sizes = (rows[0].replay.after, rows[1].replay.after)
    _chart(found, (Side(name=names[0], sizes=sizes[0]), Side(name=names[1], sizes=sizes[1])), visit.unit, (visit.call, visit.call))
    st.header("In sum", anchor=False)
    with st.spinner("Adding up both sides …"):
        frame = policy_frame(*rows)
    told = "What the recording fixes (tool calls, failures, time, plan) is the same on both sides and left out."
    rows_table(frame, TOTAL, key="side_policy_totals", note=told)
    _turn_table(found, sizes, visit.unit, POLICY_TURN)


def _kept(visit: Visit, what: Hashable, made: Callable[[], _ui.Replay]) -> Compared:
    """A side with its sums; the newest few stay, so that moving one budget counts one side."""
    kept: OrderedDict[Hashable, Compared] = st.session_state.setdefault(ROWS_KEPT, OrderedDict())
    key = (visit.session.digest, visit.thread.id, visit.unit, visit.keep, what)
    if key not in kept:
        kept[key] = Compared(replay=made())
    kept.move_to_end(key)
    while len(kept) > SIDES:
        kept.popitem(last=False)
    return kept[key]


def _second(visit: Visit) -> tuple[str, int | None]:
    """Policy and budget of the second side, as the address says them."""
    wish, names = link(), [kind.name for kind in all_policies()]
    policy = wish.beside_policy or "none"
    _ui.show(POLICY, policy)
    budget = visit.budget if wish.beside_policy else None  # with nothing chosen, the second is what was recorded
    if wish.beside_budget != "default":
        budget = wish.beside_budget
    typed, complaint = st.session_state.pop(COMPLAINT, ("", ""))
    _ui.show(LIMIT, typed if complaint else budget_text(budget))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Second policy", names, key=POLICY, format_func=policy_label, on_change=_second_chosen, width=420)
        st.text_input("Its budget", key=LIMIT, placeholder="no limit", help="Empty: no limit. 0: nothing fits.", on_change=_second_chosen, width=170)
    if complaint:
        st.error(literal(f"{complaint} The last result is still shown."))
    return policy, budget


def _second_chosen() -> None:
    """Take over what was chosen; a budget that stays equal to the first one's follows it."""
    go(beside_policy=st.session_state[POLICY])
    typed = st.session_state[LIMIT]
    try:
        budget = parse_budget(typed)
    except InputError as error:
        st.session_state[COMPLAINT] = (typed, str(error))
        return
    visit = _ui.find_visit()
    go(beside_budget="default" if visit is not None and budget == visit.budget else budget)


main()

"""Search: one box over messages, tools and files of all threads of the session, with what the policy does to each hit."""

from __future__ import annotations

from dataclasses import replace

import _ui
import streamlit as st
from _components.rows import Column, Page, rows_table
from _jump import open_message
from _visit import Visit, go, link

from ctxcore.errors import InputError
from ctxcore.model import Thread
from ctxcore.views.at_call import hits_at_call
from ctxcore.views.budget import replay_budget
from ctxcore.views.search import Hit, Hits, hit_place, hits_frame, hits_sentence, listed_hits, nothing_found, search_session
from ctxcore.views.search_query import STATES, WHERES, SearchWish, read_search, search_query
from ctxcore.views.words import UNIT_WORDS, literal, number

FIND, REGEX, WHERE, STATE, CALL, BUDGET, TABLE, START, CHOSEN = (
    f"search_{name}" for name in ("find", "regex", "where", "state", "call", "budget", "rows", "start", "chosen")
)
FOUND = "search_found"
"""Keys in the session state."""

ROWS = 25
"""Hits on a page."""

MOST_BUDGET = 10**15
"""The largest budget that is asked about."""

STATE_WORDS = {"all": "All hits", "dropped": "Only dropped or changed", "seen": "Seen by call …", "lost": "Lost at budget …"}
"""Which hits are listed, for people."""

COLUMNS = {
    "message": Column(label="Message", number=True, help="Number of the message in its thread"),
    "text": Column(label="Text", wide=True, main=True, marked=True),
    "where": Column(label="Where"),
    "first seen": Column(label="First seen", number=True, help="First call that would receive it"),
    "status": Column(label="Under the policy"),
}
"""How hits are shown."""

THREAD = {"thread": Column(label="Thread")}
"""Shown where the session has several threads."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    _leave(visit)
    st.title("Search")
    st.caption("Over all threads of the session: what was said and thought, tool calls, results and definitions. Capitals make no difference.")
    _box()
    if visit.call >= 0:
        _ui.rule_controls(visit)
    explore()


def _box() -> None:
    """What is searched for, where and how; the address says all of it."""
    wish = read_search(link().among)
    for key, value in ((FIND, link().find), (REGEX, wish.regex), (WHERE, wish.where), (STATE, wish.state)):
        _ui.show(key, value)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        hint = "a pattern such as error.{0,40}timeout" if wish.regex else "a word, file name, id, sentence …"
        st.text_input("Search", key=FIND, placeholder=hint, on_change=_asked, max_chars=500, width="stretch")
        st.selectbox("In", WHERES, key=WHERE, format_func=str.capitalize, on_change=_asked, width=150)
        st.selectbox("List", STATES, key=STATE, format_func=STATE_WORDS.__getitem__, on_change=_asked, width=240)
        st.toggle("Pattern", key=REGEX, on_change=_asked, help="A regular expression; it is given 2 seconds.")


def _asked() -> None:
    before = read_search(link().among)
    state = st.session_state[STATE]
    wish = SearchWish(
        regex=st.session_state[REGEX], where=st.session_state[WHERE], state=state, number=before.number if state == before.state else None
    )
    go(find=st.session_state[FIND].strip()[:500], among=search_query(wish))
    st.session_state[START] = 0


@st.fragment
def explore() -> None:
    """All that moves with the budget."""
    visit = _ui.moving()
    _leave(visit)
    if visit.call >= 0:
        _ui.budget_control(visit, _ui.replayed(visit))
    wish = _numbered(visit, read_search(link().among))
    wanted = link().find
    if not wanted:
        st.info("Type what to look for. A row of the result leads to its message on the page Calls.")
        return
    try:
        found = _found(visit, wanted, wish)
    except InputError as error:
        st.error(literal(str(error)))
        return
    listed = _listed(visit, found, wish)
    st.write(literal(hits_sentence(found, listed, wish, len(visit.session.threads), wish.number)))
    if listed:
        _at_call(visit, listed)
        _table(visit, listed, wanted, wish)
    elif not found.hits:
        st.caption(nothing_found(found))


def _numbered(visit: Visit, wish: SearchWish) -> SearchWish:
    """The wish with the call or budget that it is about, which a box asks for."""
    last = len(visit.thread.calls) - 1
    if wish.state == "seen" and last >= 0:
        call = min(visit.call if wish.number is None else wish.number, last)
        _ui.show(CALL, call)
        st.number_input(f"Call of this thread, 0 to {last:,}", 0, last, key=CALL, on_change=_counted, args=(CALL,), width=220)
        return replace(wish, number=call)
    if wish.state == "lost":
        budget = max(1, (visit.budget or 16_000) // 2) if wish.number is None else max(1, min(wish.number, MOST_BUDGET))
        _ui.show(BUDGET, budget)
        label = f"Lost at a budget in {UNIT_WORDS[visit.unit]} of"
        st.number_input(label, 1, MOST_BUDGET, key=BUDGET, on_change=_counted, args=(BUDGET,), width=220)
        return replace(wish, number=budget)
    return wish


def _counted(key: str) -> None:
    go(among=search_query(replace(read_search(link().among), number=int(st.session_state[key]))))
    st.session_state[START] = 0


def _found(visit: Visit, wanted: str, wish: SearchWish) -> Hits:
    """Hits of the newest search, kept while budgets, filters and pages change."""
    place = (visit.session.digest, wanted, wish.regex, wish.where)
    kept_place, kept = st.session_state.get(FOUND, (None, None))
    if kept_place != place or kept is None:
        with st.spinner("Searching …"):
            kept = search_session(visit.session, wanted, wish)
        st.session_state[FOUND] = (place, kept)
    hits: Hits = kept
    return hits


def _listed(visit: Visit, found: Hits, wish: SearchWish) -> tuple[Hit, ...]:
    if wish.state != "lost":
        return listed_hits(found, wish, lambda thread: _replay(visit, thread), visit.thread, visit.call if wish.number is None else wish.number)

    def at_budget(thread: Thread) -> _ui.Replay:
        return replay_budget(thread, visit.policy, wish.number, visit.unit, visit.kept(), **visit.values())

    return listed_hits(found, wish, at_budget, visit.thread, visit.call)


def _replay(visit: Visit, thread: Thread) -> _ui.Replay:
    return _ui.replayed(replace(visit, thread=thread))


def _table(visit: Visit, listed: tuple[Hit, ...], wanted: str, wish: SearchWish) -> None:
    start = min(st.session_state.get(START, 0), (len(listed) - 1) // ROWS * ROWS)
    shown = listed[start : start + ROWS]
    frame, marks = hits_frame(shown, wanted, wish, lambda thread: _replay(visit, thread))
    columns = {**THREAD, **COLUMNS} if len(visit.session.threads) > 1 else COLUMNS
    place = f"{number(start + 1)} to {number(start + len(shown))} of {number(len(listed))}"
    note = f"{place}. A row opens its message in the first call that would receive it."
    rows_table(
        frame,
        columns,
        key=TABLE,
        pick="Open it on the page Calls",
        on_row=_row_chosen,
        on_page=_turned,
        page=Page(start=start, size=ROWS, total=len(listed)),
        note=note,
        search=marks,
    )


def _at_call(visit: Visit, listed: tuple[Hit, ...]) -> None:
    """What the picked call has of the hits, and the way to it."""
    if visit.call < 0:
        return
    told, message = hits_at_call(listed, _ui.replayed(visit), visit.call)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.write(literal(told))
        if message is not None and st.button(f"Open the newest in call #{number(visit.call)}", key="search_at_call", icon=":material/arrow_forward:"):
            held = visit.thread.calls[visit.call].messages()
            open_message(visit, visit.call, message, held.index(message), text=link().find)


def _turned() -> None:
    st.session_state[START] = max(0, int(st.session_state[TABLE].start))


def _row_chosen() -> None:
    st.session_state[CHOSEN] = int(st.session_state[TABLE].row)


def _leave(visit: Visit) -> None:
    """Leave for the page Calls where a row was picked: its message is shown there with the hit marked."""
    row = st.session_state.pop(CHOSEN, None)
    _, found = st.session_state.get(FOUND, (None, None))
    if row is None or found is None:
        return
    wish, start = read_search(link().among), st.session_state.get(START, 0)
    listed = _listed(visit, found, _default_number(visit, wish))
    start = min(start, max(0, len(listed) - 1) // ROWS * ROWS)
    if start + row >= len(listed):
        return
    hit = listed[start + row]
    _, marks = hits_frame([hit], link().find, wish, lambda thread: _replay(visit, thread))
    place = hit_place(_replay(visit, hit.thread), hit.piece)
    if place is None:
        st.warning("No call of this thread ever held this.")
        return
    go(thread=hit.thread.id)
    call, message, position = place
    if message < 0:
        _ui.open_call(call)
    open_message(replace(visit, thread=hit.thread), call, message, position, text=marks[0])


def _default_number(visit: Visit, wish: SearchWish) -> SearchWish:
    """The number of the wish, or the one that its box begins with."""
    if wish.number is not None or wish.state not in ("seen", "lost"):
        return wish
    return replace(wish, number=visit.call if wish.state == "seen" else max(1, (visit.budget or 16_000) // 2))


main()

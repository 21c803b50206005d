"""Compaction: what the recorded ones kept and lost, and what our own would make of the picked call."""

from __future__ import annotations

from collections import Counter

import _ui
import streamlit as st
from _components.beside import beside
from _components.rows import Column, rows_table
from _empty import nothing_found
from _jump import open_message
from _looks import ink
from _visit import Visit

from ctxcore.compaction.source_text import expand
from ctxcore.measures.compactions import recorded_compactions
from ctxcore.measures.simulated import simulate
from ctxcore.state.domains import NAMES, shipped_domain
from ctxcore.views.compaction_page import checks_of, compactions_figure, compactions_table, needed_table, survival_table
from ctxcore.views.compaction_pieces import FATE_WORDS, FATES, Piece, holder, pieces
from ctxcore.views.compaction_sentence import pieces_sentence, session_sentence
from ctxcore.views.compaction_shown import Shown, call_of, compaction_name, needed_sentence, sizes_sentence, survival_title
from ctxcore.views.forgetting import forgetting_figure, forgotten, forgotten_sentences, tested_actions, why_not
from ctxcore.views.state_domain import suggested_domain
from ctxcore.views.words import literal

LIST, CHOSEN, BECAME, PIECES, JUMP, PAGE, AT = (
    "compaction_list",
    "compaction_chosen",
    "compaction_became",
    "compaction_pieces",
    "compaction_jump",
    "compaction_page",
    "compaction_at",
)
DOMAIN, ACTION = "compaction_domain", "compaction_action"
"""Keys in the session state."""

ON_A_PAGE = 40
"""Pieces shown at a time."""

COLUMNS = {
    "call": Column(label="Call", number=True, help="First call after it; of a simulated one the call whose history is compacted"),
    "source": Column(label="Source"),
    "before": Column(label="Tokens before", number=True, help="Of the whole context: the log's own number where it has one, else counted"),
    "after": Column(label="Tokens after", number=True, help="Of the whole context, with what stays word for word"),
    "basis": Column(label="Basis", help="Recorded by the log, counted on recorded or rebuilt messages, or estimated"),
    "left": Column(label="Left", help="After of before where both are counted in one way; of a simulated one of the part that is compacted"),
    "kept": Column(label="Facts kept", number=True, help="Values and sentences that are still there, at least"),
    "lost": Column(label="Not found", number=True, help="Not found by their words; some may be said otherwise"),
    "checks": Column(label="Checks", wide=True, main=True),
}
"""How the list is shown."""

SURVIVAL = {
    "kind": Column(label="Kind"),
    "share": Column(label="At least"),
    "kept": Column(label="Kept", number=True),
    "of": Column(label="Of", number=True),
    "lost": Column(label="Not found, for example", wide=True, main=True),
}
"""How the survival table is shown."""

NEEDED = {"value": Column(label="Value", wide=True, main=True), "became": Column(label="When it was needed")}
"""How values are shown that the next calls needed."""

BADGES = {"fault": ":red-badge[✕ Fault]", "note": ":gray-badge[i Note]"}
"""Level of a check: colour, sign and word."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Compaction")
    with st.spinner("Looking at what each compaction kept", show_time=False):
        there = bool(visit.thread.calls) and bool(_found(visit))
    if not there:
        nothing_found(
            "Nothing to compact in this thread",
            "This thread has no compaction and no call with a history:",
            ("a compaction that the log records", "a call with at least one message that is no instruction"),
            "Another thread or session can be picked in the sidebar.",
        )
        return
    st.caption("Recorded compactions, and what our own would make of the picked call. What is kept is a lower bound: other words may say the same.")
    explore()


@st.fragment
def explore() -> None:
    """All that moves with the chosen compaction."""
    visit = _ui.moving()
    _follow_jump(visit)
    found = _found(visit)
    chosen = _chosen(visit, found)
    st.write(literal(session_sentence(visit.thread, found)))
    figure = compactions_figure(visit.thread, found, chosen=chosen, dark=_dark(), ink=ink())
    alt = f"{len(found):,} compactions on the line of calls; shown is {compaction_name(found[chosen])}."
    st.plotly_chart(figure, key="compaction_line", alt=alt, config={"displayModeBar": False})
    rows_table(compactions_table(found), COLUMNS, key=LIST, pick="Show this compaction", on_row=_picked, chosen=chosen, height=260)
    one = found[chosen]
    st.header(literal(compaction_name(one)), anchor=False)
    _checks(one)
    survives, needed = st.columns([3, 2])
    with survives:
        _survival(one)
    with needed:
        _needed(one)
    _pieces(visit, one)
    _forgetting(visit)


def _checks(one: Shown) -> None:
    st.caption(literal(sizes_sentence(one)))
    rows = checks_of(one)
    if not rows:
        st.markdown(":green-badge[✓ Passed] Every check passes.")
        return
    st.markdown("\n".join(f"- {BADGES[level]} **{literal(what)}.** {literal(text)} `{code}`" for level, what, text, code in rows))


def _survival(one: Shown) -> None:
    table = survival_table(one)
    st.markdown(f"**{literal(survival_title(one))}**")
    if table.empty:
        st.caption("There is nothing to look for, or no text in which to look.")
        return
    rows_table(table, SURVIVAL, key="compaction_survival", height=330)


def _needed(one: Shown) -> None:
    st.markdown("**What the next calls needed of it**")
    st.caption(literal(needed_sentence(one)))
    table = needed_table(one)
    if len(table):
        rows_table(table, NEEDED, key="compaction_needed", height=250)


def _pieces(visit: Visit, one: Shown) -> None:
    st.header("Original beside result", anchor=False)
    every = pieces(visit.thread, one)
    if not every:
        st.info("There is no original, or no readable text, to set side by side: the checks above say why.")
        return
    counts = Counter(piece.fate for piece in every)
    choices = ["all", *(fate for fate in FATES if counts[fate])]
    if st.session_state.get(BECAME) not in choices:
        st.session_state[BECAME] = "all"
    words: dict[str, str] = {"all": f"All {len(every):,}", **{str(fate): f"{FATE_WORDS[fate]} {counts[fate]:,}" for fate in FATES}}
    st.segmented_control("Show", choices, key=BECAME, format_func=words.__getitem__, required=True, label_visibility="collapsed")
    shown = _limited(every)
    pages = -(-len(shown) // ON_A_PAGE)
    page = min(st.session_state.get(PAGE) or 1, pages)
    st.caption(literal(pieces_sentence(shown)))
    beside(shown[(page - 1) * ON_A_PAGE : page * ON_A_PAGE], key=PIECES, on_open=_opened)
    if pages > 1:
        st.pagination(pages, key=PAGE)


def _limited(every: tuple[Piece, ...]) -> tuple[Piece, ...]:
    wanted = st.session_state.get(BECAME) or "all"
    return tuple(piece for piece in every if wanted in ("all", piece.fate))


def _forgetting(visit: Visit) -> None:
    st.header("Would a loss be noticed?", anchor=False)
    left, right = st.columns(2)
    suggested = NAMES.index(suggested_domain(visit.thread)[0])
    use = "Its values stand to the letter in our own compaction"
    left.selectbox("Domain of the state", NAMES, suggested, key=DOMAIN, persist_state="session", help=use)
    domain = shipped_domain(st.session_state[DOMAIN])
    if reason := why_not(domain):
        st.caption(literal(f"{reason} Pick a domain with actions to see the test."))
        return
    actions = tested_actions(domain)
    if st.session_state.get(ACTION) not in actions:
        st.session_state[ACTION] = actions[0]
    right.selectbox("Action", actions, key=ACTION)
    told = forgotten(visit.thread, domain, st.session_state[ACTION])
    whole, *reasons = forgotten_sentences(told)
    st.write(literal(whole))
    figure = forgetting_figure(told, dark=_dark(), ink=ink())
    st.plotly_chart(figure, key="compaction_forgetting", alt=whole, config={"displayModeBar": False})
    st.caption("  \n".join(literal(reason) for reason in reasons))


def _dark() -> bool:
    return st.context.theme.type == "dark"


def _found(visit: Visit) -> tuple[Shown, ...]:
    """Recorded compactions, then our own of the picked call."""
    thread, call = visit.thread, visit.call
    name = st.session_state.get(DOMAIN) or suggested_domain(thread)[0]
    made = thread.once(f"compaction_page:{name}", lambda: simulate(thread, call, domain=shipped_domain(name)), of=thread.calls[call])
    return (*recorded_compactions(thread), *(() if made is None else (made,)))


def _chosen(visit: Visit, found: tuple[Shown, ...]) -> int:
    """Which is shown: the one that was picked, and after a move to another call what there is of that call."""
    place = (visit.session.digest, visit.thread.id, visit.call)
    before = st.session_state.get(AT)
    if before is not None and before != place:
        st.session_state[CHOSEN] = next((number for number, one in enumerate(found) if call_of(one) == visit.call), 0)
    st.session_state[AT] = place
    return min(int(st.session_state.get(CHOSEN, 0)), len(found) - 1)


def _picked() -> None:
    st.session_state[CHOSEN] = int(st.session_state[LIST].row)
    st.session_state[PAGE] = 1


def _opened() -> None:
    st.session_state[JUMP] = int(st.session_state[PIECES].row)


def _follow_jump(visit: Visit) -> None:
    """Open the message that a piece stands for, with its words marked."""
    row = st.session_state.pop(JUMP, None)
    if row is None:
        return
    found = _found(visit)
    one = found[min(st.session_state.get(CHOSEN, 0), len(found) - 1)]
    shown = _limited(pieces(visit.thread, one))
    at = ((st.session_state.get(PAGE) or 1) - 1) * ON_A_PAGE + row
    place = shown[at].place if at < len(shown) else None
    there = None if place is None else holder(visit.thread, place.message, call_of(one))
    if place is None or there is None:
        st.toast("No recorded call has this message.")
        return
    words = expand([place], visit.thread.messages)[0].partition("\n")[0]
    open_message(visit, there[0], place.message, there[1], text=words)


main()

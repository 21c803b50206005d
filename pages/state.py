"""State: what tool calls touched and set, change by change, and what the picked call still holds of it."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _visit import Visit, go

from ctxcore.measures.presence import presences
from ctxcore.state.chains import change_chains
from ctxcore.state.values import Chain
from ctxcore.views.state import chain_name, chain_table, chains_table, state_looks_for, state_sentence
from ctxcore.views.words import literal, number

CHAINS, STALE, FIND, CALL, CHOSEN = "state_chains", "state_stale", "state_find", "state_call", "state_chosen"
"""Keys in the session state."""

COLUMNS = {
    "name": Column(label="Name", wide=True),
    "kind": Column(label="Kind"),
    "reads": Column(label="Reads", number=True),
    "changes": Column(label="Changes", number=True),
    "stale reads": Column(label="Stale reads", number=True, help="Reads that are older than a later change of the same thing"),
    "last call": Column(label="Last call", number=True),
    "newest value": Column(label="Newest value"),
    "value by then": Column(label="Value by then", help="The newest value before the picked call"),
    "in context": Column(label="In its context", help="Whether the picked call would receive that value, after trimming"),
    "carried by": Column(label="Carried by"),
}
"""How the table of chains is shown."""

STEPS = {
    "call": Column(label="Call", number=True),
    "turn": Column(label="Turn", number=True),
    "action": Column(label="Action"),
    "old → new": Column(label="Old → new", wide=True),
    "detail": Column(label="Detail"),
    "read is": Column(label="This read is"),
    "who": Column(label="Who"),
    "source": Column(label="Source"),
}
"""How one chain is shown."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("State")
    chains = change_chains(visit.thread)
    if not chains:
        _no_state()
        return
    st.caption("Files and values that this thread's tool calls touched. What a sub-agent changed is seen in its own thread only.")
    _ui.rule_controls(visit)
    explore()


def _no_state() -> None:
    with st.container(border=True):
        st.subheader("No state in this thread", anchor=False)
        st.write("State is read from tool calls that name what they touch. None of these was found here:")
        st.markdown("\n".join(f"- {literal(line)}" for line in state_looks_for()))
        st.caption("Values that are only said in a message are not read: nothing is guessed.")


@st.fragment
def explore() -> None:
    """All that moves with the budget and the picked call."""
    visit = _ui.current()
    replay = _ui.replayed(visit)
    _ui.budget_control(visit, peak=int(replay.before.max(initial=0)))
    _call_box(visit)
    chains = change_chains(visit.thread)
    found = presences(chains, replay, visit.call)
    st.write(literal(state_sentence(chains, found, visit.call)))
    shown = _filter(chains)
    if not shown:
        st.info("Nothing matches these filters.")
        return
    chosen = min(st.session_state.get(CHOSEN, 0), len(shown) - 1)
    table = chains_table([chains[n] for n in shown], [found[n] for n in shown])
    rows_table(table, COLUMNS, key=CHAINS, pick="Show this chain step by step", on_row=_chosen, chosen=chosen, height=420)
    _detail(visit, chains[shown[chosen]])


def _chosen() -> None:
    st.session_state[CHOSEN] = int(st.session_state[CHAINS].row)


def _call_box(visit: Visit) -> None:
    _ui.show(CALL, visit.call)
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    left.number_input("Picked call", 0, max(0, len(visit.thread.calls) - 1), key=CALL, on_change=_picked)
    with right:
        _ui.call_link(f"Open call #{number(visit.call)}", visit.call)


def _picked() -> None:
    go(call=int(st.session_state[CALL]))


def _filter(chains: tuple[Chain, ...]) -> list[int]:
    """Widgets of the filters; numbers of the chains that they let through."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.text_input("Find", key=FIND, placeholder="part of a path or name", persist_state="session")
    right.toggle("Only with stale reads", key=STALE, persist_state="session")
    return _filtered(chains)


def _filtered(chains: tuple[Chain, ...]) -> list[int]:
    wanted, stale = str(st.session_state.get(FIND) or "").casefold(), st.session_state.get(STALE)
    return [n for n, chain in enumerate(chains) if wanted in chain_name(chain).casefold() and (chain.stale_reads or not stale)]


def _detail(visit: Visit, chain: Chain) -> None:
    st.subheader(literal(chain_name(chain)), anchor=False)
    rows_table(chain_table(chain, visit.thread), STEPS, key="state_steps", pick="Pick this call", on_row=_step_chosen, height=420)


def _step_chosen() -> None:
    visit = _ui.current()
    shown = _filtered(change_chains(visit.thread))
    chain = change_chains(visit.thread)[shown[min(st.session_state.get(CHOSEN, 0), len(shown) - 1)]]
    go(call=chain.steps[int(st.session_state["state_steps"].row)].call)


main()

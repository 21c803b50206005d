"""The part of the page State about what tool calls touched and set, change by change, and what the picked call still holds of it."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _empty import nothing_found
from _visit import Visit, go

from ctxcore.measures.presence import Presence, presences
from ctxcore.state.chains import change_chains
from ctxcore.state.values import Chain
from ctxcore.views.state import SHOWS, chain_name, chain_table, chains_table, show_counts, shown_chains, state_looks_for, state_sentence
from ctxcore.views.words import literal, number

CHAINS, SHOW, FIND, CALL, CHOSEN = "state_chains", "state_show", "state_find", "state_call", "state_chosen"
"""Keys in the session state."""

COLUMNS = {
    "name": Column(label="Name", wide=True, tail=True),
    "in context": Column(label="In its context", help="Whether the picked call would receive the newest value before it, after trimming"),
    "carried by": Column(label="Carried by", optional=True, help="The newest step that the picked call would still receive"),
    "value by then": Column(label="Value by then", help="The newest value before the picked call"),
    "changes": Column(label="Changes", number=True),
    "stale reads": Column(label="Superseded", number=True, help="Stale reads: older than a later change in this thread"),
    "reads": Column(label="Reads", number=True),
    "last call": Column(label="Last call", number=True),
    "newest value": Column(label="At the end", help="The newest value in the thread"),
    "kind": Column(label="Kind"),
}
"""How the table of chains is shown."""

STEPS = {
    "call": Column(label="Call", number=True),
    "turn": Column(label="Turn", number=True),
    "action": Column(label="Action"),
    "old → new": Column(label="Old → new", wide=True),
    "read is": Column(label="This read is", optional=True),
    "source": Column(label="Source", tail=True),
    "detail": Column(label="Detail", optional=True),
    "who": Column(label="Who"),
}
"""How one chain is shown."""


def touched(visit: Visit) -> None:
    """Files and values that tools touched, and what the picked call still holds of them; draw it inside a fragment."""
    chains = change_chains(visit.thread)
    if not chains:
        nothing_found(
            "No file or named value in this thread",
            "These are read from tool calls that name what they touch. None of these was found here:",
            state_looks_for(),
            "What is only said in a message is read by a domain, on the other tabs.",
        )
        return
    st.caption("Files and values that this thread's tool calls touched. What a sub-agent changed is seen in its own thread only.")
    _ui.rule_controls(visit)
    replay = _ui.replayed(visit)
    _ui.budget_control(visit, replay)
    _call_box(visit)
    found = presences(chains, replay, visit.call)
    st.write(literal(state_sentence(chains, found, visit.call)))
    _filters(chains, found)
    shown = _shown(chains, found)
    if not shown:
        st.info("Nothing matches these filters.")
        return
    chosen = _chosen_of(chains, shown)
    table = chains_table([chains[n] for n in shown], [found[n] for n in shown])
    rows_table(table, COLUMNS, key=CHAINS, pick="Show this chain step by step", on_row=_chosen, chosen=shown.index(chosen), height=420)
    _detail(visit, chains[chosen])


def _filters(chains: tuple[Chain, ...], found: tuple[Presence, ...]) -> None:
    counts = show_counts(chains, found)
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    left.text_input("Find", key=FIND, placeholder="part of a path or name", persist_state="session")
    right.selectbox("Show", SHOWS, key=SHOW, persist_state="session", format_func=lambda show: f"{show.capitalize()} ({number(counts[show])})")


def _shown(chains: tuple[Chain, ...], found: tuple[Presence, ...]) -> list[int]:
    return shown_chains(chains, found, st.session_state.get(SHOW) or "all", str(st.session_state.get(FIND) or ""))


def _chosen_of(chains: tuple[Chain, ...], shown: list[int]) -> int:
    """Number of the chain whose steps are shown: the one that was picked, as long as it is listed, else the first."""
    return next((n for n in shown if _name(chains[n]) == st.session_state.get(CHOSEN)), shown[0])


def _name(chain: Chain) -> tuple[str, str, str]:
    return chain.kind, chain.scope, chain.name


def _listed() -> tuple[tuple[Chain, ...], list[int]]:
    """The chains, and the numbers of those in the table, as they were when it was drawn."""
    visit = _ui.current()
    chains = change_chains(visit.thread)
    return chains, _shown(chains, presences(chains, _ui.replayed(visit), visit.call))


def _chosen() -> None:
    chains, shown = _listed()
    row = int(st.session_state[CHAINS].row)
    if row < len(shown):
        st.session_state[CHOSEN] = _name(chains[shown[row]])


def _call_box(visit: Visit) -> None:
    _ui.show(CALL, visit.call)
    left, right = st.columns([1, 3], vertical_alignment="bottom")
    left.number_input("Picked call", 0, max(0, len(visit.thread.calls) - 1), key=CALL, on_change=_picked)
    with right:
        _ui.call_link(f"Open call #{number(visit.call)}", visit.call)


def _picked() -> None:
    go(call=int(st.session_state[CALL]))


def _detail(visit: Visit, chain: Chain) -> None:
    st.header(literal(chain_name(chain)), anchor=False)
    rows_table(chain_table(chain, visit.thread), STEPS, key="state_steps", pick="Pick this call", on_row=_step_chosen, height=420)


def _step_chosen() -> None:
    chains, shown = _listed()
    if shown:
        chain = chains[_chosen_of(chains, shown)]
        st.session_state[CHOSEN] = _name(chain)
        go(call=chain.steps[int(st.session_state["state_steps"].row)].call)

"""Compaction: what the recorded ones kept and lost, and what our own would make of the picked call."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _empty import nothing_found
from _visit import Visit

from ctxcore.measures.compactions import recorded_compactions
from ctxcore.measures.simulated import simulate
from ctxcore.views.compaction_page import (
    Shown,
    compaction_sentences,
    compactions_figure,
    compactions_table,
    items_table,
    survival_table,
)
from ctxcore.views.words import literal

LIST, CHOSEN, BECAME = "compaction_list", "compaction_chosen", "compaction_became"
"""Keys in the session state."""

INKS = {"light": "#1b2430", "dark": "#e6ebf2"}
"""Colour of the page's text by theme: what a figure writes is as easy to read."""

COLUMNS = {
    "call": Column(label="Call", number=True, help="First call after it; of a simulated one the call whose history is compacted"),
    "source": Column(label="Source"),
    "before": Column(label="Tokens before", number=True),
    "after": Column(label="Tokens after", number=True),
    "left": Column(label="Left"),
    "kept": Column(label="Facts kept", number=True),
    "lost": Column(label="Facts lost", number=True),
    "codes": Column(label="Codes", wide=True),
}
"""How the list is shown."""

SURVIVAL = {
    "kind": Column(label="Kind"),
    "kept": Column(label="Kept", number=True),
    "of": Column(label="Of", number=True),
    "lost": Column(label="Lost", wide=True),
}
"""How the survival table is shown."""

ITEMS = {
    "became": Column(label="Became"),
    "kind": Column(label="Kind"),
    "original": Column(label="Original", wide=True, help="The exact words that it stands for"),
    "result": Column(label="Result", wide=True),
    "message": Column(label="Message", number=True, help="Index of the first source in the thread"),
    "why": Column(label="Why", wide=True),
}
"""How the pieces are shown."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Compaction")
    found = _found(visit)
    if not found:
        nothing_found(
            "Nothing to compact in this thread",
            "This thread has no compaction and no call with a history:",
            ("a compaction that the log records", "a call with at least one message that is no instruction"),
            "Another thread or session can be picked in the sidebar.",
        )
        return
    st.caption("Recorded compactions, and what our own would make of the picked call. What counts as lost is a lower bound: words may mean the same.")
    figure = compactions_figure(visit.thread, found, ink=INKS.get(st.context.theme.type or ""))
    st.plotly_chart(figure, key="compaction_line", alt=f"{len(found):,} compactions on the line of calls.", config={"displaylogo": False})
    explore()


@st.fragment
def explore() -> None:
    """All that moves with the chosen compaction."""
    visit = _ui.current()
    found = _found(visit)
    chosen = min(st.session_state.get(CHOSEN, 0), len(found) - 1)
    rows_table(compactions_table(found), COLUMNS, key=LIST, pick="Show this compaction", on_row=_picked, chosen=chosen, height=260)
    one = found[chosen]
    st.markdown("\n".join(f"- {literal(sentence)}" for sentence in compaction_sentences(one)))
    table = survival_table(one)
    if len(table):
        st.subheader("What survives", anchor=False)
        rows_table(table, SURVIVAL, key="compaction_survival", height=360)
    items = items_table(visit.thread, one)
    st.subheader("Piece by piece", anchor=False)
    if items.empty:
        st.info("There is no readable text to take apart.")
        return
    choices = ["all", *sorted(set(items["became"]))]
    st.segmented_control("Show", choices, key=BECAME, default="all")
    picked = st.session_state.get(BECAME) or "all"
    shown = items if picked not in choices or picked == "all" else items[items["became"] == picked]
    rows_table(shown, ITEMS, key="compaction_items", height=480)


def _found(visit: Visit) -> tuple[Shown, ...]:
    """Recorded compactions, then our own of the picked call."""
    thread, call = visit.thread, visit.call
    own = thread.once("compaction_page", lambda: simulate(thread, call), of=thread.calls[call]) if call >= 0 else None
    return (*recorded_compactions(thread), *(() if own is None else (own,)))


def _picked() -> None:
    st.session_state[CHOSEN] = int(st.session_state[LIST].row)


main()

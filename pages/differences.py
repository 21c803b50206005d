"""Differences: what changed from one request to another, or from what was recorded to what a policy would send."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.differences import difference_list
from _visit import link

from ctxcore.views.differences import diff_rows, differences, differences_sentence, sides
from ctxcore.views.words import literal

WITH, OTHER, FORM, UNFOLD, PAGE = "differences_with", "differences_other", "differences_form", "differences_unfold", "differences_page"
"""Keys in the session state."""

ROWS = 60
"""Lines on a page."""

BEFORE, TRIMMED, ANOTHER = "The call before", "What the policy would send", "Another call"
CHOICES = (BEFORE, TRIMMED, ANOTHER)


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Differences")
    if visit.call < 0:
        st.info("This thread has no model call, so there is nothing to compare. Choose another thread on the left.")
        return
    _choices(visit)
    if _trimmed():
        _ui.rule_controls(visit)
    explore()


def _trimmed() -> bool:
    """True where a side of the comparison depends on the policy."""
    return link().against.endswith("t") or link().against == "trimmed"


def _choices(visit: _ui.Visit) -> None:
    """The picked call, and what it is compared with."""
    last, against = len(visit.thread.calls) - 1, link().against
    _ui.show("differences_call", visit.call)
    _ui.show(WITH, TRIMMED if against == "trimmed" else ANOTHER if against else BEFORE)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(f"Call, 0 to {last:,}", 0, last, key="differences_call", on_change=_numbered, width=150)
        st.selectbox("Compared with", CHOICES, key=WITH, on_change=_chosen, width=260)
        if st.session_state[WITH] == ANOTHER:
            _ui.show(OTHER, min(int(against.removesuffix("t") or 0), last))
            _ui.show(FORM, against.endswith("t"))
            st.number_input("Other call", 0, last, key=OTHER, on_change=_chosen, width=150)
            st.toggle("Both after the policy", key=FORM, on_change=_chosen)


@st.fragment
def explore() -> None:
    """All that moves with the budget."""
    visit = _ui.moving()
    replay = _ui.replayed(visit)
    if _trimmed():
        _ui.budget_control(visit, replay)
    old, new = sides(visit.call, _known(visit, link().against))
    lines = differences(replay, old, new)
    st.text(differences_sentence(replay, old, new, lines))
    rows = diff_rows(replay, lines, unfold=st.toggle("Show unchanged messages one by one", key=UNFOLD))
    pages = max(1, -(-len(rows) // ROWS))
    key = f"{PAGE}_{old}_{new}_{st.session_state[UNFOLD]}"
    page = st.pagination(pages, key=key) if pages > 1 else 1
    difference_list(rows[(page - 1) * ROWS : page * ROWS], unit=visit.unit, key="differences_list")
    if new.call == 0 and old == new:
        st.caption(literal("This is the first call of the thread: there is none before it."))


def _known(visit: _ui.Visit, against: str) -> str:
    """The comparison, with a call that the thread has."""
    if not against or against == "trimmed":
        return against
    other = min(int(against.removesuffix("t")), len(visit.thread.calls) - 1)
    return f"{other}{'t' if against.endswith('t') else ''}"


def _numbered() -> None:
    _ui.go(call=st.session_state["differences_call"])


def _chosen() -> None:
    wanted = st.session_state[WITH]
    form = "t" if st.session_state.get(FORM) else ""
    other = st.session_state.get(OTHER) or 0
    _ui.go(against={BEFORE: "", TRIMMED: "trimmed", ANOTHER: f"{other}{form}"}[wanted])


main()

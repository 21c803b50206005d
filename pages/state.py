"""State: what was decided, by a domain's rules, what each call would still see of it, and what tools touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import _ui
import streamlit as st
from _empty import nothing_found
from _state_chains import chains_tab
from _state_domain import chosen_domain, state_of
from _state_files import touched
from _state_request import follow_jump, request_tab
from _state_tabs import alerts_tab, forgetting_tab, injection_tab, log_tab
from _visit import Visit, go, link, write_address
from streamlit.elements.lib.mutable_tab_container import TabContainer

from ctxcore.state.chains import change_chains
from ctxcore.state.domain import Domain
from ctxcore.state.entries import State
from ctxcore.views.link import PARTS
from ctxcore.views.state import state_looks_for

TAB, TOLD = "state_tab", "state_tab_told"
"""Keys in the session state."""

Tab = Callable[[Visit, Domain, State], None]

TABS: dict[str, Tab] = {
    "In the request": request_tab,
    "Chains": chains_tab,
    "Alerts": alerts_tab,
    "Injection": injection_tab,
    "Edit log": log_tab,
    "Forgetting test": forgetting_tab,
}
"""Parts of the page that a domain has."""

TOUCHED = "Files and values"
"""The part about what tools touched; it needs no domain."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("State")
    domain = chosen_domain(visit)
    if domain is None:
        return
    state = state_of(visit, domain)
    if state is None:
        return
    st.session_state["state_read"] = (domain, state)
    if not state.fields and not state.alerts and not change_chains(visit.thread):
        _nothing(domain)
        return
    explore()


def _nothing(domain: Domain) -> None:
    nothing_found(
        "No state in this thread",
        f"No value of the domain {domain.name} is said here, and no tool call names what it touches:",
        (*(f"{name}: {', '.join(form.calls)}" for name, form in list(domain.fields.items())[:6] if form.calls), *state_looks_for()),
        "Another domain can be picked above. Nothing is guessed: hearsay, conditions and what only the assistant says are no values.",
    )


@st.fragment
def explore() -> None:
    """The tabs; only the open one is made."""
    visit = _ui.moving()
    domain, state = st.session_state["state_read"]
    follow_jump(visit)
    names = [*TABS, TOUCHED]
    tabs = _tabs(names, names[0] if state.fields else TOUCHED)
    for name, tab in zip(names, tabs, strict=True):
        if tab.open:
            with tab:
                if name == TOUCHED:
                    touched(visit)
                elif not state.fields and not state.alerts:
                    st.info(f"No value of the domain {domain.name} is said in this thread. Another domain can be picked above.")
                else:
                    TABS[name](visit, domain, state)


def _tabs(names: list[str], first: str) -> Sequence[TabContainer]:
    """The tabs; the open one stands in the address, and an address opens its own."""
    parts = dict(zip(PARTS, names, strict=True))
    if TAB not in st.session_state or link().part != st.session_state.get(TOLD, ""):
        st.session_state[TAB] = parts.get(link().part, first)
    tabs = st.tabs(names, key=TAB, on_change="rerun")
    opened = st.session_state[TAB]
    part = "" if opened == first else PARTS[names.index(opened)]
    st.session_state[TOLD] = part
    go(part=part)
    write_address()
    return tabs


main()

"""Which domain the page State reads by, and the editor for one of the visitor's own; nothing of it is shared with other visitors."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

import _ui
import streamlit as st
from _visit import Visit, link

from ctxcore.errors import InputError
from ctxcore.state.domain import Domain
from ctxcore.state.domain_file import MOST_BYTES, DomainError
from ctxcore.state.domains import shipped_domain
from ctxcore.state.editor import edit, edit_messages
from ctxcore.state.entries import State
from ctxcore.state.reading import said_times
from ctxcore.tool_uses import tool_uses
from ctxcore.views.link import DOMAINS
from ctxcore.views.state_domain import OWN, fault_lines, fault_sentences, own_domain, shipped_yaml, suggested_domain
from ctxcore.views.words import literal

PICK, TEXT, FILE, REFUSED, READ = "state_domain", "state_own_text", "state_own_file", "state_own_refused", "state_own_read"
"""Keys in the session state."""

OWN_NAME = "your file"
"""How a fault names the file."""

LIMIT_S = 20.0
"""Seconds that reading by a domain of one's own may take."""

LABELS = {OWN: "your own file …"}


def chosen_domain(visit: Visit) -> Domain | None:
    """The domain picker; None where a file of one's own cannot be used yet, which is said."""
    suggested, filled = suggested_domain(visit.thread)
    wanted = link().domain or suggested
    _ui.show(PICK, wanted)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Domain", DOMAINS, key=PICK, format_func=lambda name: LABELS.get(name, name), on_change=_picked, width=240)
        if wanted == OWN:
            words = "Fields, words and rules of your own, for this visit only."
        else:
            words = shipped_domain(wanted).about
            if wanted == suggested and filled:
                words += f" Suggested: the beginning of this thread fills {filled} of its fields."
        st.caption(literal(words))
    return _own(suggested) if wanted == OWN else shipped_domain(wanted)


def _picked() -> None:
    _ui.go(domain=st.session_state[PICK])


def _own(suggested: str) -> Domain | None:
    """The editor, and the domain that stands in it."""
    st.session_state.setdefault(TEXT, shipped_yaml(suggested))
    domain, error = _parsed(st.session_state[TEXT])
    st.html("<style>.st-key-state_own_text textarea { font-family: monospace; font-size: 0.85rem; }</style>")
    with st.expander("Your domain file", expanded=True, key="state_own_open"):
        st.file_uploader(
            "A YAML file",
            type=["yaml", "yml"],
            key=FILE,
            on_change=_uploaded,
            max_upload_size=1,
            help=f"At most {MOST_BYTES // 1024} kB. It is read as data: nothing in it is run.",
        )
        st.text_area("YAML", key=TEXT, height=320, max_chars=MOST_BYTES, persist_state="session", help="Ctrl+Enter takes it over.")
        st.caption(
            "Patterns run under a time limit. Business rules are Python and are never uploaded: only those that are installed, or were given when "
            "the program was started, can be named."
        )
    if refused := st.session_state.get(REFUSED):
        st.error(literal(refused))
    if error is not None:
        _faults(st.session_state[TEXT], error)
    return domain


def _parsed(text: str) -> tuple[Domain | None, DomainError | None]:
    try:
        return own_domain(text, OWN_NAME), None
    except DomainError as error:
        return None, error


def _faults(text: str, error: DomainError) -> None:
    told = fault_sentences(error)
    st.error(f"This is no domain yet: {len(error.faults)} {'fault' if len(error.faults) == 1 else 'faults'}.")
    for line, sentence in told:
        st.write(literal(sentence))
        if shown := fault_lines(text, line):
            st.code(shown, language=None)
    if len(error.faults) > len(told):
        st.caption(f"{len(error.faults) - len(told)} more are not shown.")


def _uploaded() -> None:
    file = st.session_state.get(FILE)
    if file is None:
        return
    data = file.getvalue()
    st.session_state[REFUSED] = ""
    if len(data) > MOST_BYTES:
        st.session_state[REFUSED] = f"The file has {len(data):,} bytes; at most {MOST_BYTES:,} are read. Your text below is unchanged."
        return
    try:
        st.session_state[TEXT] = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        st.session_state[REFUSED] = "The file is not UTF-8 text. Your text below is unchanged."


def state_of(visit: Visit, domain: Domain) -> State | None:
    """The thread read by the domain; by one's own it is kept with the visit, and None where it takes too long, which is said."""
    if link().domain != OWN:
        return edit(visit.thread, domain)
    key = (visit.session.digest, visit.thread.id, hashlib.sha256(st.session_state[TEXT].encode("utf-8", "surrogatepass")).hexdigest())
    kept = st.session_state.get(READ)
    if kept is None or kept[0] != key:
        thread = visit.thread
        try:
            read = edit_messages(thread.messages, domain, said_times(thread), tool_uses(thread), go_on=_within(LIMIT_S))
        except InputError as error:
            st.error(literal(str(error)))
            return None
        kept = st.session_state[READ] = (key, read)
    state: State = kept[1]
    return state


def _within(seconds: float) -> Callable[[], None]:
    """Something that objects once the time is over."""
    end = time.monotonic() + seconds

    def go_on() -> None:
        if time.monotonic() > end:
            raise InputError(f"Reading this thread by your file takes longer than {seconds:g} seconds. Make its patterns simpler, or take fewer.")

    return go_on

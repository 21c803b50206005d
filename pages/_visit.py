"""The state of a visit: what the address asks for and what the visitor has uploaded. Nothing here is shared between visitors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from ctxcore.keep import Keep
from ctxcore.model import Session, Thread
from ctxcore.views.link import KEYS, Link, read_link
from ctxcore.views.settings import read_keep, read_settings

LINK, SENT, OFFERED, UPLOADS, NOTES = "visit_link", "visit_sent", "visit_offered", "visit_uploads", "visit_notes"
"""Keys in the session state."""

OFFERS = 30
"""Addresses remembered that a chart was asked to write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What the visitor looks at now; every value is valid."""

    session: Session
    """The session."""
    thread: Thread
    """Of the session."""
    call: int
    """Index of the picked call in the thread, from 0; -1 where the thread has none."""
    policy: str
    """Name of a policy."""
    settings: str
    """Its settings as the address says them; empty for the defaults."""
    budget: int | None
    """In ``unit``; None is unlimited, 0 fits nothing."""
    unit: str
    """``chars`` or ``tokens``."""
    keep: str
    """What stays whatever the policy says, as the address says it."""

    def values(self) -> dict[str, Any]:
        """Settings of the policy that differ from its defaults."""
        return read_settings(self.policy, self.settings)

    def kept(self) -> Keep:
        """What stays whatever the policy says."""
        return read_keep(self.keep)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One uploaded file, read; it lives and dies with the visitor's own session."""

    name: str
    """As the visitor's computer calls it."""
    digest: str
    """SHA-256 of its bytes."""
    sessions: tuple[Session, ...] = ()
    """Empty where it could not be read."""
    error: str = ""
    """One sentence, or empty."""
    details: tuple[str, ...] = ()
    """What else there is to say of the error, one line each."""
    asks: bool = False
    """A format that the visitor names may answer the error."""
    candidates: tuple[str, ...] = ()
    """Formats whose marks the file has, where it has those of several."""
    format: str = ""
    """As which the visitor had it read; empty where its marks told."""
    made: bool = False
    """Recorded on the page Lab: no file of the uploader."""
    group: tuple[str, ...] = ()
    """Uploader ids of the files that were read together with it, itself included; empty for a file by itself."""


def link() -> Link:
    """What the address asks for."""
    found: Link = st.session_state.setdefault(LINK, Link())
    return found


def go(**changes: Any) -> None:
    """Change the visit, for example ``go(call=3)``; use it in a callback. The address follows."""
    st.session_state[LINK] = replace(link(), **changes)


def uploads() -> dict[str, Upload]:
    """Uploaded files by the uploader's id for them."""
    found: dict[str, Upload] = st.session_state.setdefault(UPLOADS, {})
    return found


def notes() -> list[str]:
    """Sentences about values in the address that make no sense."""
    found: list[str] = st.session_state.setdefault(NOTES, [])
    return found


def adopt_address() -> None:
    """Take over an address that somebody else wrote: a deep link, the back button, a link between pages."""
    query = {key: st.query_params[key] for key in KEYS if key in st.query_params}
    if not query or query == st.session_state.get(SENT):
        return
    if query in st.session_state.get(OFFERED, ()):
        st.session_state[SENT] = query
    else:
        st.session_state[LINK], complaints = read_link(query)
        st.session_state[NOTES] = list(complaints)


def offer_address() -> dict[str, str]:
    """What the address is to say, for a chart that writes it when it draws; until then the browser may still have an earlier one."""
    query = link().query()
    offered = [one for one in st.session_state.get(OFFERED, ()) if one != query]
    st.session_state[OFFERED] = [*offered, query][-OFFERS:]
    return query


def write_address() -> None:
    """Make the address say what the visit is; keys of others stay."""
    query = link().query()
    st.session_state[SENT] = query
    written = st.query_params.to_dict()
    wanted = {key: value for key, value in written.items() if key not in KEYS} | query
    if written != wanted:
        st.query_params.from_dict(wanted)

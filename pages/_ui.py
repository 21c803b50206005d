"""What every page needs: the visit, the replay, the budget control, links to a call. The only caches of the dashboard are here.

A page asks ``need_session()`` first (it stops with an empty page where nothing is open), and inside a fragment ``current()``.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from _controls import budget_control, follow_moves, show
from _rules import keep_unit, rule_controls
from _sources import Source, named_files, samples
from _visit import Visit, go, link, notes, offer_address, uploads

from ctxcore.errors import ReadError
from ctxcore.model import Session
from ctxcore.readers.detect import read_sessions
from ctxcore.replay import Replay
from ctxcore.views.budget import default_budget, replay_budget
from ctxcore.views.link import missed
from ctxcore.views.visible import visible
from ctxcore.views.words import literal

HERE = Path(__file__).resolve().parent

SHARED_FILES = 6
"""Samples and command-line files kept in memory, for all visitors together."""

REPLAYS = 8
"""Replays kept per visitor."""

NUMBER = re.compile("[0-9]{1,9}")
"""Which session of a file an address names."""

KEPT = "visit_replays"
"""Key in the session state."""

__all__ = ["Replay", "Visit", "budget_control", "go", "keep_unit", "rule_controls", "show"]


@st.cache_data(max_entries=64, show_spinner=False)
def _digest(path: str, changed_ns: int, size: int) -> str:  # noqa: ARG001 - part of the cache key
    """SHA-256 of a file; read again only when its time or size changed."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@st.cache_resource(max_entries=SHARED_FILES, show_spinner="Reading the session …", show_time=True)
def _shared_sessions(digest: str, name: str, _path: str) -> tuple[Session, ...]:  # noqa: ARG001 - the cache key is the content
    """Sessions of a file that every visitor may see, by its content."""
    return read_sessions(_path, name)


def source_sessions(source: Source) -> tuple[Session, ...]:
    """Sessions of a sample or of a file named on the command line; parsed once per content.

    Raises:
        ReadError: The file gives no session.
    """
    if not source.path.is_file():
        return read_sessions(source.path)
    stat = source.path.stat()
    return _shared_sessions(_digest(str(source.path), stat.st_mtime_ns, stat.st_size), source.path.name, str(source.path))


def forget_replays() -> None:
    """Drop the replays of this visitor, and with them the last hold on a closed session."""
    st.session_state.pop(KEPT, None)


def sources() -> tuple[Source, ...]:
    """Files that every visitor of this server may open."""
    return (*named_files(), *samples())


def uploaded_sessions() -> list[Session]:
    """Every session of this visitor's uploads, upload order."""
    return [session for one in uploads().values() for session in one.sessions]


def default_session() -> str:
    """Key of the session that opens by itself: the first file named on the command line, else the newest upload, else none."""
    files = named_files()
    if files:
        return files[0].key
    mine = uploaded_sessions()
    return mine[-1].digest if mine else ""


def session_at(key: str) -> Session | None:
    """The session that an address names; None where it is not open here.

    Raises:
        ReadError: It names a file that gives no session.
    """
    for session in uploaded_sessions():
        if session.digest == key:
            return session
    name, _, number = key.partition("~")
    for source in sources():
        if source.key in (key, name) or source.path.name == key:
            found = source_sessions(source)
            place = int(number) - 1 if NUMBER.fullmatch(number) and source.key == name else 0
            return found[place] if 0 <= place < len(found) else found[0]
    return None


def find_visit() -> Visit | None:
    """What the visitor looks at, or None where no session is open.

    Raises:
        ReadError: The address names a file that gives no session.
    """
    wish = link()
    session = session_at(wish.session or default_session())
    if session is None or not session.threads:
        return None
    thread = next((t for t in session.threads if t.id == wish.thread), session.threads[0])
    last = len(thread.calls) - 1
    return Visit(
        session=session,
        thread=thread,
        call=last if wish.call is None else min(wish.call, last),
        policy=wish.policy,
        settings=wish.settings,
        budget=default_budget(thread, wish.unit) if wish.budget == "default" else wish.budget,
        unit=wish.unit,
        keep=wish.keep,
    )


def current() -> Visit:
    """What the visitor looks at; only after ``need_session()``."""
    follow_moves()
    visit = find_visit()
    if visit is None:
        st.stop()
    return visit


def need_session() -> Visit:
    """The visit, or a page that says how to open a session; the script ends there."""
    try:
        visit = find_visit()
    except ReadError as error:
        st.error(literal(str(error)), title="This file gives no session")
        visit = None
    if visit is None:
        _empty_page()
        st.stop()
    for note in (*notes(), *missed(link(), visit.session, visit.thread)):
        st.warning(literal(note))
    return visit


def _empty_page() -> None:
    with st.container(border=True):
        st.subheader("Open a recorded session")
        wish = link().session
        if wish and all(source.key != wish.partition("~")[0] for source in sources()):
            st.warning(literal(f"The address names the session {wish[:60]!r}, which is not open here. Uploads are private: add the same file again."))
        st.write("Drop a recording of an agent into the box in the sidebar (» at the top left opens it), or start with one of these.")
        for number, source in enumerate(sources()):
            if number == 0 or source.kind != sources()[number - 1].kind:
                st.markdown("**Samples**" if source.kind == "sample" else "**Named on the command line**")
            button, about = st.columns([1, 4], vertical_alignment="center")
            button.button(
                source.label,
                key=f"open_{source.key}",
                type="primary" if number == 0 else "secondary",
                on_click=go,
                kwargs={"session": source.key, "thread": "", "call": None},
                width="stretch",
            )
            if source.kind == "sample":
                about.markdown(literal(source.about))
        if not sources():
            st.caption("No sample sessions are installed.")
        st.caption("Read on this machine only. Nothing of a session is sent anywhere, run or fetched.")


def replayed(visit: Visit) -> Replay:
    """The visit's policy over all calls of its thread at its budget; cached per visitor."""
    kept: OrderedDict[tuple[str, str, str, str, int | None, str, str], Replay] = st.session_state.setdefault(KEPT, OrderedDict())
    key = (visit.session.digest, visit.thread.id, visit.policy, visit.settings, visit.budget, visit.unit, visit.keep)
    if key not in kept:
        kept[key] = replay_budget(visit.thread, visit.policy, visit.budget, visit.unit, visit.kept(), **visit.values())
        while len(kept) > REPLAYS:
            kept.popitem(last=False)
    return kept[key]


def data_key(visit: Visit) -> str:
    """Name of the visit's size columns: the same for the same session, thread and unit."""
    return f"{visit.session.digest}/{visit.thread.id}/{visit.unit}"


def address_text() -> str:
    """The visit as a query string, with its question mark, for a chart that writes it into the address."""
    return f"?{urlencode(offer_address())}"


def call_link(label: str, call: int) -> None:
    """A link to a call on the page Calls; the rest of the visit stays.

    Args:
        label: Of the link; shown literally.
        call: Index of the call, from 0.
    """
    query = {"session": default_session(), **link().query(), "call": str(call)}
    st.page_link(str(HERE / "calls.py"), label=literal(label), icon=":material/arrow_forward:", query_params=query)


def open_call(call: int) -> None:
    """Go to the page Calls with this call picked; for a selection in a table or figure (not in a callback)."""
    go(call=call)
    st.switch_page(str(HERE / "calls.py"), query_params=link().query())


def session_choices() -> Sequence[tuple[str, str]]:
    """Key and label of every session that can be opened now."""
    mine = {s.digest: _label(one.name, s, len(one.sessions)) for one in uploads().values() for s in one.sessions}
    return [*mine.items(), *(choice for source in sources() for choice in _source_choices(source))]


def _source_choices(source: Source) -> list[tuple[str, str]]:
    """One choice, or one for each session of the file that is open."""
    if session_key().partition("~")[0] != source.key:
        return [(source.key, visible(source.label))]
    try:
        found = source_sessions(source)
    except ReadError:
        return [(source.key, visible(source.label))]
    return [(f"{source.key}~{n}" if n > 1 else source.key, _label(source.label, s, len(found))) for n, s in enumerate(found, 1)]


def _label(name: str, session: Session, count: int) -> str:
    return visible(f"{name} · {session.id}" if count > 1 else name)


def session_key() -> str:
    """Key of the session that the visitor looks at, or wants to."""
    return link().session or default_session()

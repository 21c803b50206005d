"""The frame of every page: page settings, sidebar, navigation."""

from __future__ import annotations

from pathlib import Path

import _ui
import streamlit as st
from _components.code import send_code
from _controls import begin_page
from _formats import format_choice
from _keys import keys_button
from _lab_runs import take_finished
from _links import DONE, SEEN, SHARE, SHOWS_SESSION, WHAT_IF
from _marks import marks_legend
from _reading import readings
from _sessions import default_session, session_choices, session_key, uploaded_sessions
from _story import story_box
from _uploads import File, add_new, drop_removed, read_as
from _visit import adopt_address, go, link, uploads, write_address

from ctxcore.errors import ReadError
from ctxcore.policies.plugins import left_out
from ctxcore.readers.plugins import plugin_faults
from ctxcore.views.words import literal, thread_title

HERE = Path(__file__).resolve().parent

PAGES = (*SHOWS_SESSION, ("lab.py", "Lab", ":material/science:", WHAT_IF))
"""File, title, icon and group of each page; the first one opens by itself, and a page whose file is not there is not listed."""

GROUPS = ("", SEEN, WHAT_IF, DONE, SHARE)
"""In the order of the navigation."""

LAB = "lab"
"""Address of the page on which a finished run is shown at once; on another page nothing jumps."""


def main() -> None:
    """Draw the frame, then the page."""
    st.set_page_config(page_title="ctxscope", page_icon="🔎", layout="wide", initial_sidebar_state="auto")
    adopt_address()
    groups = _pages()
    page = st.navigation(groups, position="hidden")
    begin_page(page.url_path)
    finished = take_finished()
    if finished and page.url_path == LAB:
        go(session=finished, thread="", call=None)
    begun = link().story and not link().session
    with st.sidebar:
        st.markdown("**ctxscope** · what each model call received")
        _navigation(groups)
        first = st.container()
        _uploader()
        if not link().session and not begun:
            go(session=default_session())
        with first:
            _pickers()
        keys_button()
        send_code()
    story_box()
    with st.container(key="frame", horizontal=True, horizontal_alignment="right", gap="small", wrap=False):
        strip = st.container(key="frame_strip", gap=None)
        marks_legend()
    write_address()
    if page.url_path == LAB:
        page.run()
    else:
        _ui.framed(page.run, strip)


def _pages() -> dict[str, list[st.Page]]:
    """Every page in its group."""
    return {
        group: [
            st.Page(HERE / file, title=title, icon=icon, default=(file, title) == PAGES[0][:2])
            for file, title, icon, of in PAGES
            if of == group and (HERE / file).is_file()
        ]
        for group in GROUPS
    }


def _navigation(groups: dict[str, list[st.Page]]) -> None:
    """Links to all pages under the names of their groups; Streamlit's own list with groups is none for a screen reader.

    The links say nothing of the visit: it is kept, and the page writes its address.
    """
    with st.container(key="pages", gap="small"):
        for group, pages in groups.items():
            with st.container(gap="xxsmall"):
                if group and pages:
                    st.caption(group)
                for one in pages:
                    st.page_link(one, width="stretch")


def _uploader() -> None:
    limit = st.get_option("server.maxUploadSize")
    files = st.file_uploader(
        "Recorded sessions",
        accept_multiple_files=True,
        key="uploader",
        help=f"Up to {limit:,} MB a file. Larger ones: pack them with gzip, or start with ctxscope open FILE.",
    )
    gone = drop_removed(files)
    if gone:
        _ui.forget_replays()
    if link().session in gone:
        go(session="", thread="", call=None)
    open_before = {session.digest for session in uploaded_sessions()}
    shown = add_new(files)
    wished = link().session in {session.digest for session in uploaded_sessions()} - open_before
    if shown and not wished:
        go(session=shown, thread="", call=None)
    for file in files:
        _complaint(file)
    readings()
    for sentence in (*plugin_faults(), *left_out()):
        st.warning(literal(sentence))


def _complaint(file: File) -> None:
    """Why a file could not be read, and where a format may be the answer, the question."""
    one = uploads().get(file.file_id)
    if one is None or not one.error:
        return
    st.error(literal(one.error))
    _ui.error_details(one.details)
    if one.asks and (chosen := format_choice(file.file_id, one.candidates)):
        if shown := read_as(file, chosen):
            go(session=shown, thread="", call=None)
        st.rerun()


def _pickers() -> None:
    """Selects for the session, for one of several recordings in its file, and for the thread."""
    choices = dict(session_choices())
    if choices:
        now = session_key()
        _ui.show("session_select", now if now in choices else None)
        st.selectbox(
            "Session",
            list(choices),
            None,
            key="session_select",
            format_func=choices.__getitem__,
            placeholder="Choose a session",
            on_change=_picked,
        )
    try:
        visit = _ui.find_visit()
    except ReadError:
        return
    if visit is not None and len(visit.session.threads) > 1:
        titles = {thread.id: thread_title(thread) for thread in visit.session.threads}
        _ui.show("thread_select", visit.thread.id)
        st.selectbox(
            f"Thread, {len(titles):,}", list(titles), key="thread_select", format_func=titles.__getitem__, on_change=_picked_thread, args=(titles,)
        )


def _picked_thread(titles: dict[str, str]) -> None:
    """Follow the pick; where the threads changed under the box it may say a title, of this session or of the one before."""
    picked = st.session_state["thread_select"]
    known = picked if picked in titles else next((one for one, title in titles.items() if title == picked), "")
    go(thread=known, call=None)


def _picked() -> None:
    go(session=st.session_state["session_select"] or "", thread="", call=None)


main()

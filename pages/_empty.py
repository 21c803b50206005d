"""What a page shows where there is nothing to show, and what to do then."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from _looks import main_button
from _sessions import sources
from _story import story_button
from _visit import go, link

from ctxcore.views.words import literal


def nothing_found(title: str, about: str, looked_for: Sequence[str], note: str) -> None:
    """A box for a page whose subject the thread does not have.

    Args:
        title: What is not there.
        about: From what it is read, in our own words.
        looked_for: One line each; shown literally.
        note: Under the lines.
    """
    with st.container(border=True):
        st.header(title, anchor=False)
        st.write(about)
        st.markdown("\n".join(f"- {literal(line)}" for line in looked_for))
        st.caption(note)


def no_session() -> None:
    """How to open a session, and the files that can be opened with one click."""
    with st.container(border=True):
        st.title("Open a recorded session", anchor=False)
        wish = link().session
        if wish and all(source.key != wish.partition("~")[0] for source in sources()):
            st.warning(literal(f"The address names the session {wish[:60]!r}, which is not open here. Uploads are private: add the same file again."))
        st.write("Drop a recording of an agent into the box in the sidebar (» at the top left opens it), or start with one of these.")
        story_button(key="story_begin_empty")
        for number, source in enumerate(sources()):
            if number == 0 or source.kind != sources()[number - 1].kind:
                st.markdown("**Samples**" if source.kind == "sample" else "**Named on the command line**")
            button, about = st.columns([1, 4], vertical_alignment="center")
            button.button(
                source.label,
                key=f"open_{source.key}",
                type=main_button() if number == 0 else "secondary",
                on_click=go,
                kwargs={"session": source.key, "thread": "", "call": None},
                width="stretch",
            )
            if source.kind == "sample":
                about.markdown(literal(source.about))
        if not sources():
            st.caption("No sample sessions are installed.")
        st.caption("Read on this machine only. Nothing of a session is sent anywhere, run or fetched.")

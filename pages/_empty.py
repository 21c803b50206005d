"""What a page shows where there is nothing to show, and what to do then."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

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
        st.subheader(title, anchor=False)
        st.write(about)
        st.markdown("\n".join(f"- {literal(line)}" for line in looked_for))
        st.caption(note)

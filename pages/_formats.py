"""Which format a file is read as, where its marks do not tell and the visitor has to."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ctxcore.readers.plugins import all_readers

CHOSEN = "visit_formats"
"""Key in the session state."""


def chosen_formats() -> dict[str, str]:
    """The format that this visitor chose for a file named on the command line, by the file's name in an address."""
    found: dict[str, str] = st.session_state.setdefault(CHOSEN, {})
    return found


def format_choice(key: str, candidates: Sequence[str]) -> str:
    """A select of formats and a button below an error; the format when the button was pressed, else an empty string.

    Args:
        key: Of the file.
        candidates: Formats whose marks the file has; they come first.
    """
    known = [reader.name for reader in all_readers()]
    names = [*candidates, *(name for name in known if name not in candidates)]
    chosen: str = st.selectbox("Format", names, key=f"format_of_{key}", help="The formats whose marks the file has come first, then all others.")
    return chosen if st.button("Read it as this format", key=f"read_as_{key}") else ""

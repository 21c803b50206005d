"""The dialog that says what each key does, and where."""

from __future__ import annotations

import streamlit as st

KEYS = (
    ("Any page", (("Tab, Shift+Tab", "to the next control, and back"), ("Enter, Space", "press it"), ("Escape", "close a box or a list"))),
    (
        "Chart or strip of all calls",
        (
            ("← →", "the call before, the call after; with Shift ten calls"),
            ("Home, End", "first and last call"),
            ("Page up, Page down", "fifty calls"),
            ("Plus, minus, 0", "in a chart: zoom in, zoom out, show all"),
            ("Enter", "pick the call at once"),
        ),
    ),
    ("Units on the page Dropped units", (("↑ ↓", "a unit of the picked call"), ("Enter", "open its first message"))),
    ("Budget slider, and the grip of the budget line", (("← → or ↑ ↓", "one step"), ("Escape", "on the grip: take the move back"))),
    ("Tables", (("↑ ↓", "from row to row"), ("Enter", "open the row"))),
)
"""Where, and there: keys with what they do."""


def keys_button() -> None:
    """A button that opens the dialog."""
    if st.button("Keys", key="keys_open", icon=":material/keyboard:", type="tertiary", help="What works without a mouse"):
        _dialog()


@st.dialog("Keys")
def _dialog() -> None:
    for place, keys in KEYS:
        st.markdown(f"**{place}**")
        st.table({"Key": [key for key, _ in keys], "What it does": [what for _, what in keys]}, border="horizontal", hide_index=True)

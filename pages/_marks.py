"""What the marks beside numbers mean: on every page, in one place."""

from __future__ import annotations

import streamlit as st

from ctxcore.model import Basis

MEANS: dict[Basis, str] = {
    "recorded": "The log itself has this number or this text.",
    "exact": "Counted here on text that the log has: characters, or tokens by the model's own tokenizer.",
    "reconstructed": "Counted on a request that the log does not have as such, and that the rules of its format give back.",
    "estimate": "By another tokenizer, published prices or a stand-in for a summary: near, but not to be relied on to the last digit.",
}
"""Where a number comes from, for people."""

OTHERS = {
    "hatched": "What the policy leaves out or shortens. It stays in the recording.",
    "at least": "A lower bound: it was looked for by its words, and other words may say the same.",
}
"""What else is marked."""


def marks_legend() -> None:
    """A button that opens the legend."""
    with st.popover("Marks", icon=":material/info:", type="tertiary", help="What recorded, exact, reconstructed and estimate mean", key="marks_open"):
        rows: list[tuple[str, str]] = [*MEANS.items(), *OTHERS.items()]
        st.table({"Mark": [mark for mark, _ in rows], "What it means": [words for _, words in rows]}, border="horizontal", hide_index=True)

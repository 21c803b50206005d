"""What the marks beside numbers mean: on every page, in one place."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from ctxcore.model import Basis

MEANS: dict[Basis, str] = {
    "recorded": "The log itself has this number or this text.",
    "exact": "Counted here on text that the log has: characters, or tokens by the model's own tokenizer.",
    "reconstructed": "Counted on a request that the log does not have as such, and that the rules of its format give back.",
    "estimate": "By another tokenizer, published prices or a stand-in for a summary: near, but not to be relied on to the last digit.",
}
"""Where a number comes from, for people."""

OTHERS = (
    "Hatched: what the policy leaves out or shortens. It stays in the recording.",
    "“At least”, “lower bound”: what was looked for by its words; other words may say the same.",
)
"""What else is marked."""


def marks_legend() -> None:
    """A button that opens the legend."""
    with st.popover("Marks", icon=":material/info:", type="tertiary", help="What recorded, exact, reconstructed and estimate mean", key="marks_open"):
        st.markdown("**Where a number comes from**")
        st.markdown("\n".join(f"- :gray-badge[{basis}] {MEANS[basis]}" for basis in get_args(Basis)))
        st.markdown("**What else is marked**")
        st.markdown("\n".join(f"- {one}" for one in OTHERS))

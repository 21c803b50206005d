"""What depends on the visitor's theme."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from ctxcore.views.palette import INKS


def ink() -> str | None:
    """Colour of the page's text: what a figure writes is as easy to read. None while the theme is not known."""
    return INKS.get(st.context.theme.type or "")


def main_button() -> Literal["primary", "secondary"]:
    """Type of the button that leads on. Streamlit's letters on a primary one are always white, which the light accent of dark pages does not bear."""
    return "secondary" if st.context.theme.type == "dark" else "primary"

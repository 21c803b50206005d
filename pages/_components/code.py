"""The code of all components, sent once: Streamlit repeats a component's own script with every value of it."""

from __future__ import annotations

import streamlit as st

from _components.assets import code

CODE = st.components.v2.component("ctxscope_code", html="<span hidden></span>", js=code())


def send_code() -> None:
    """Hand the code to the browser; outside all fragments, on every page, before anything that needs it."""
    CODE(data="", key="component_code", height=1)

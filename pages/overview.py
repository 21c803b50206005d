"""Overview: what was read, and how it stands against the budget."""

from __future__ import annotations

import _ui
import streamlit as st

from ctxcore.views.words import literal

visit = _ui.need_session()
st.title("Overview")
st.write(literal(visit.session.name), visit.session.format, visit.session.level)

"""What the picked call is made of, on the page Calls: an icicle to zoom into, and a table beside it."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.rows import Column, rows_table
from _harm import JUMP
from _visit import Visit

from ctxcore.measures.composition import composition
from ctxcore.replay import Replay
from ctxcore.views.composition import LEVELS, composition_figure, composition_frame, composition_sentence
from ctxcore.views.words import literal

LEVEL, ROWS = "composition_level", "composition_rows"
"""Keys in the session state."""

COLUMNS = {
    "what": Column(label="What", wide=True, main=True),
    "in": Column(label="In", wide=True, optional=True),
    "size": Column(label="Size", number=True),
    "becomes": Column(label="Becomes"),
}
"""How the table is shown."""


def composed(visit: Visit, replay: Replay) -> None:
    """Draw the section for the picked call.

    Args:
        visit: As it stands.
        replay: Of the visit.
    """
    pieces = composition(replay, visit.call)
    told = composition_sentence(pieces, visit.unit)
    st.write(literal(told))
    with st.container(horizontal=True):
        figure, table = st.container(width="stretch"), st.container(width=410)
    with figure:
        drawn = composition_figure(pieces, visit.unit, st.context.theme.type or "light")
        st.plotly_chart(drawn, key="composition_figure", alt=told, config={"displayModeBar": False})
        st.caption("A click opens a part, a click on the line above goes back. Striped is dropped, dotted is kept in part.")
    with table:
        level = st.segmented_control(
            "Largest", list(LEVELS), default="messages", key=LEVEL, format_func=str.capitalize, required=True, persist_state="session"
        )
        frame = composition_frame(pieces, level)
        rows_table(frame, COLUMNS, key=ROWS, pick="Open its message", on_row=_chosen, height=380, note=f"Sizes in {visit.unit}.")


def _chosen() -> None:
    visit = _ui.current()
    frame = composition_frame(composition(_ui.replayed(visit), visit.call), st.session_state[LEVEL])
    row = int(st.session_state[ROWS].row)
    if row < len(frame) and frame["message"].notna().iloc[row]:
        position = int(frame["message"].iloc[row])
        st.session_state[JUMP] = (visit.call, visit.thread.calls[visit.call].messages()[position], "")

"""Calls: the size of every call before and after trimming, and one call message by message."""

from __future__ import annotations

import _ui
import streamlit as st
from _components.calls_chart import Line, calls_chart, fixed_block, keep_columns, moving_block

from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.calls_chart import fixed_columns, moving_columns

CHART = "calls_chart"


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Calls")
    _ui.rule_controls(visit)
    sizes = thread_sizes(visit.thread, visit.unit)
    keep_columns(fixed_block(_ui.data_key(visit), fixed_columns(visit.thread, sizes)), key="calls_columns")
    explore()


@st.fragment
def explore() -> None:
    """All that moves with the budget."""
    visit = _ui.current()
    replay = _ui.replayed(visit)
    _ui.budget_control(visit, peak=int(replay.before.max(initial=0)))
    lines = [] if visit.budget is None else [Line(kind="budget", label="Budget", value=visit.budget)]
    calls_chart(
        moving_block(_ui.data_key(visit), moving_columns(replay), picked=visit.call, lines=lines, unit=visit.unit),
        key=CHART,
        on_pick=_picked,
    )


def _picked() -> None:
    _ui.go(call=st.session_state[CHART].picked)


main()

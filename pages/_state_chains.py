"""The part of the page State with the chains as a figure."""

from __future__ import annotations

from typing import Any

import _ui
import streamlit as st
from _state_request import field_detail, sight_of
from _visit import Visit

from ctxcore.state.domain import Domain
from ctxcore.state.entries import State
from ctxcore.views.state_fields import all_calls_sentence
from ctxcore.views.state_figure import LANES, axes, chains_figure, lanes
from ctxcore.views.state_sentences import chains_sentence
from ctxcore.views.visible import shortened
from ctxcore.views.words import literal

AXIS, STRIP, FIRST, FIELD, TOLD = "state_axis", "state_strip", "state_first", "state_chain", "state_told"
"""Keys in the session state."""

INKS = {"light": "#1b2430", "dark": "#e6ebf2"}
"""Colour of the page's text by theme: what a figure writes is as easy to read."""


def chains_tab(visit: Visit, domain: Domain, state: State) -> None:
    """Lanes of values, and one field entry by entry."""
    if not state.fields:
        st.info(f"No value of the domain {domain.name} is said in this thread.")
        return
    st.write(literal(chains_sentence(state)))
    offered, order = axes(visit.thread, state), lanes(state)
    if st.session_state.get(AXIS) not in offered:
        st.session_state.pop(AXIS, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        axis = st.segmented_control("To the right", offered, default=offered[0], key=AXIS, required=True) or offered[0]
        strip = axis == "Call" and visit.call >= 0 and st.toggle("Show what each call would see", key=STRIP, persist_state="session")
        names = _window(order)
    sight = None
    if strip:
        _ui.rule_controls(visit)
        replay = _ui.replayed(visit)
        _ui.budget_control(visit, replay)
        sight = sight_of(visit, replay, state)
        st.text(all_calls_sentence(sight))
    figure = chains_figure(visit.thread, state, names, axis=axis, picked=visit.call, sight=sight, ink=INKS.get(st.context.theme.type or ""))
    told = "; ".join(f"{shortened(name, 60)}: {state.fields[name].changes + 1} values" for name in names)
    event = st.plotly_chart(figure, key="state_figure", alt=told, on_select="rerun", selection_mode="points", config={"displaylogo": False})
    _take_pick(event, names)
    st.caption(
        "Every mark is where the words stand, every bar the value from when it counts until the next one; the same value has the same tint. "
        "What was only asked about counts once the user goes on. Rest on a bar for the words."
    )
    if st.session_state.get(FIELD) not in order:
        st.session_state[FIELD] = order[0]
    st.selectbox("One field", order, key=FIELD, format_func=lambda name: shortened(name, 80))
    field_detail(state, st.session_state[FIELD])


def _window(order: tuple[str, ...]) -> tuple[str, ...]:
    """Fields that the figure shows: all, or a part of many."""
    if len(order) <= LANES:
        return order
    starts = list(range(0, len(order), LANES))
    if st.session_state.get(FIRST) not in starts:
        st.session_state.pop(FIRST, None)
    first = st.selectbox(
        "Fields", starts, format_func=lambda start: f"{start + 1} to {min(start + LANES, len(order))} of {len(order)}", key=FIRST, width=180
    )
    return order[first : first + LANES]


def _take_pick(event: Any, names: tuple[str, ...]) -> None:
    """A mark that was clicked picks its field; once, so that the box below can pick another."""
    points = event["selection"]["points"] if event else []
    place = points[0].get("customdata") if points else None
    if place is not None and st.session_state.get(TOLD) != place:
        st.session_state[TOLD] = place
        st.session_state[FIELD] = names[min(int(place[0]), len(names) - 1)]

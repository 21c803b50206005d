"""The guided story: a box above the page that sets the visit step by step. It plays on one sample and ends where another session is opened."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from _looks import main_button
from _sessions import session_at, session_key
from _sources import samples
from _visit import go, link

from ctxcore.policies import POLICIES
from ctxcore.views.story import Step, story
from ctxcore.views.words import literal

HERE = Path(__file__).resolve().parent

SAMPLE = "coding-agent"
"""Key of the sample that the story is about."""

LOSS, TOPIC = "calls_lost", "harm_what"
"""Keys of the switch on the page Calls that opens what a call would miss, and of the choice there: its default is the list of what is lost."""


def can_tell() -> bool:
    """Whether the sample is installed."""
    return any(source.key == SAMPLE for source in samples())


def story_button(*, key: str) -> None:
    """Starts the story.

    Args:
        key: Of the button.
    """
    if can_tell() and st.button("What a trim can lose, in three steps", key=key, icon=":material/auto_stories:"):
        go(session=SAMPLE, thread="")
        _show(1)


def story_box() -> None:
    """The step that the address asks for, with ways to the others; nothing where it asks for none."""
    if not link().story:
        return
    if not link().session and can_tell():
        go(session=SAMPLE, thread="")
    if session_key() != SAMPLE:
        go(story="")
        return
    if link().call is None:
        _show(int(link().story))
    steps = _steps()
    place = min(int(link().story), len(steps))
    with st.container(border=True, key="story_box"):
        st.markdown(f"**Step {place} of {len(steps)} · {literal(steps[place - 1].title)}**")
        st.write(literal(steps[place - 1].says))
        _ways(place, len(steps))


def _ways(place: int, last: int) -> None:
    with st.container(horizontal=True):
        if st.button("Back", key="story_back", icon=":material/chevron_left:", disabled=place == 1):
            _show(place - 1)
        if place < last and st.button("Next", key="story_next", icon=":material/chevron_right:", type=main_button()):
            _show(place + 1)
        if st.button("Show again", key="story_again"):
            _show(place)
        st.button("Leave", key="story_leave", type=main_button() if place == last else "secondary", on_click=go, kwargs={"story": ""})


def _steps() -> tuple[Step, ...]:
    session = session_at(SAMPLE)
    return () if session is None else story(session.threads[0])


def _show(place: int) -> None:
    """Make the visit that of a step, and go to its page."""
    step = _steps()[place - 1]
    st.session_state[LOSS] = step.loss
    st.session_state.pop(TOPIC, None)
    go(
        thread="",
        call=step.call,
        policy=POLICIES[0].name,
        settings="",
        budget=step.budget,
        unit="chars",
        keep="",
        against="",
        story=str(place),
    )
    st.switch_page(str(HERE / f"{step.page}.py"), query_params=link().query())

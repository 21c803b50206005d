"""Lab: run an agent here and see what a budget does to each of its requests as it is made."""

from __future__ import annotations

import os

import streamlit as st
from _components.report import report
from _components.rows import Column, rows_table
from _controls import show
from _lab_runs import Started, newest, start, stop
from _links import call_link, page_links
from _looks import main_button
from _sessions import session_at
from _visit import link

from ctxcore.errors import CtxscopeError, ReadError
from ctxcore.policies import all_policies
from ctxcore.runtime.demo.labs import LABS, configured, possible
from ctxcore.runtime.live import LiveEvent
from ctxcore.runtime.models import Model
from ctxcore.views.lab import (
    ABOUT,
    SWITCHES,
    TITLES,
    happened_frame,
    has_memory,
    live_facts,
    memory_frame,
    recorded_events,
    requests_made,
    requests_table,
    status_sentence,
)
from ctxcore.views.lab_endpoint import VARIABLE, endpoint_model, endpoints_allowed
from ctxcore.views.policies import policy_label
from ctxcore.views.words import literal

WHAT, ASKED, POLICY, PACE, MEMORY, COMPLAINT, REQUEST = (
    "lab_what",
    "lab_asked",
    "lab_policy",
    "lab_pace",
    "lab_memory",
    "lab_complaint",
    "lab_request",
)
OPENED = "lab_opened_request"
"""Key of the request whose text is looked for."""

URL, MODEL, KEY = "lab_url", "lab_model", "lab_key"
"""Keys in the session state."""

EVERY_S = 0.4
"""Seconds between two looks at a run that goes on."""

BUDGETS = tuple(range(500, 12_001, 100))
"""Stops of the slider, in characters."""

HAPPENED_COLUMNS = {
    "after": Column(label="After request", number=True),
    "what": Column(label="What"),
    "words": Column(label="", wide=True, main=True),
}
"""How the table of what happened is shown."""

MEMORY_COLUMNS = {
    "here": Column(label="In this request"),
    "layer": Column(label="Layer", help="core: in every task; extended: looked up by the step's words; episodic: what happened"),
    "text": Column(label="What is stored", wide=True, main=True),
    "retrieved": Column(label="Retrieved", number=True, help="Requests it was put into before the budget decided"),
    "seen": Column(label="Seen", number=True, help="Requests in which the model received it whole"),
    "item": Column(label="Item", tail=True),
}
"""How the table of stored items is shown."""


def main() -> None:
    """Draw the page."""
    st.title("Lab")
    st.caption("Run an agent here: every request passes the budget before it is sent, and what that did is shown as it happens.")
    started = newest()
    goes_on = started is not None and not started.taken
    _controls(goes_on)
    if started is not None:
        st.fragment(run_every=EVERY_S if goes_on else None)(_live)(started)
    else:
        _of_open_session()


def _controls(goes_on: bool) -> None:
    with st.container(border=True):
        what = st.segmented_control("Run", list(TITLES), default="published", key=WHAT, format_func=TITLES.__getitem__, persist_state="session")
        name = what or "published"
        st.caption(ABOUT[name])
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.select_slider("Budget in characters", BUDGETS, LABS[name]().budget, key=f"lab_budget_{name}", format_func=lambda stop: f"{stop:,}")
            st.selectbox("Policy", [kind.name for kind in all_policies()], key=POLICY, format_func=policy_label, width=340)
        with st.container(horizontal=True, key="lab_switches"):
            for switch in possible(name):
                st.toggle(SWITCHES[switch], key=f"lab_{name}_{switch}")
            st.toggle("With a memory", key=MEMORY, help="Stores facts and all that happens, and puts what fits the step into each request")
        _model_controls()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Run", key="lab_start", type=main_button(), icon=":material/play_arrow:", on_click=_start, disabled=goes_on, width=140)
            st.button("Cancel", key="lab_cancel", icon=":material/stop:", on_click=stop, disabled=not goes_on, width=140)
    if COMPLAINT in st.session_state:
        st.error(literal(st.session_state[COMPLAINT]))


def _model_controls() -> None:
    allowed = endpoints_allowed(os.environ)
    with st.container(horizontal=True):
        asked = st.segmented_control("Model", ["script", "endpoint"], default="script", key=ASKED, format_func=_model_title, disabled=not allowed)
        if asked != "endpoint" or not allowed:
            st.slider("Seconds before each reply", 0.0, 2.0, 0.5, 0.1, key=PACE, width=260)
    if not allowed:
        st.caption(
            "This server plays scripted models only. The command ctxscope open on your own machine asks any OpenAI-compatible endpoint. Where "
            f"others reach the server, an address typed here would let them send requests from inside its network: its operator can allow that by "
            f"{VARIABLE}=1."
        )
    elif asked == "endpoint":
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Base URL", key=URL, placeholder="that of the environment, or OpenAI's", help="Up to and without /chat/completions")
            st.text_input("Model name", key=MODEL, width=220)
            st.text_input("API key", key=KEY, type="password", autocomplete="new-password", width=220)
        st.caption(
            "The scenario's messages and the results of its tools go to that address, and the key as a bearer token: it is in no record and no link. "
            "A key of the environment goes to the address of the environment only. Whether a doubt leads to a new plan is then up to the model."
        )


def _model_title(asked: str) -> str:
    return {"script": "Scripted", "endpoint": "Endpoint"}[asked]


def _start() -> None:
    state = st.session_state
    state.pop(COMPLAINT, None)
    name = state.get(WHAT) or "published"
    is_scripted = state.get(ASKED) != "endpoint"
    try:
        model: Model | None = None
        if not is_scripted:
            model = endpoint_model(os.environ, model=state.get(MODEL) or "", base_url=state.get(URL) or "", api_key=state.get(KEY) or "")
        scenario = configured(
            name,
            budget=state[f"lab_budget_{name}"],
            policy=state[POLICY],
            switches=[switch for switch in possible(name) if state.get(f"lab_{name}_{switch}")],
            memory=bool(state.get(MEMORY)),
            pace_s=state.get(PACE, 0.0) if is_scripted else 0.0,
            model="" if is_scripted else state.get(MODEL) or "",
        )
        start(scenario, TITLES[name], model)
        state.pop(REQUEST, None)
    except CtxscopeError as error:
        state[COMPLAINT] = str(error)


def _live(started: Started) -> None:
    """The run as it stands; while it goes on this is drawn again and again."""
    view = started.run.view()
    if view.done and not started.taken:
        st.rerun()  # the shell opens its recording
    words = literal(status_sentence(view))
    if view.played is not None and view.played.status != "complete":
        st.warning(words)
    elif view.done and view.played is None:
        st.error(words)
    else:
        st.markdown(words)
    if view.done and started.digest:
        _opened(started.name, view.record)
    made = requests_made(view.events)
    report(live_facts(view), (requests_table(view.events),) if made else (), key="lab_requests")
    if view.done and started.digest and made:
        _open_request(made)
    _details(view.events, done=view.done)


def _opened(name: str, record: bytes) -> None:
    st.markdown(f"Its recording is open as **{literal(name)}**. Look at it on any page:")
    with st.container(horizontal=True, vertical_alignment="center"):
        page_links()
        st.download_button(
            "Download the recording (JSONL)",
            record,
            name.replace(" ", "-").replace(",", ""),
            key="lab_save",
            icon=":material/download:",
            on_click="ignore",
        )


def _details(events: tuple[LiveEvent, ...], *, done: bool) -> None:
    happened = happened_frame(events)
    if not happened.empty:
        st.header("What happened", anchor=False)
        rows_table(happened, HAPPENED_COLUMNS, key="lab_happened", height=360)
    made = requests_made(events)
    if has_memory(events) and made:
        st.header("Stored, retrieved, seen", anchor=False)
        asked = _request_box(made) if done else made - 1  # a box whose bounds grow under the hand would jump
        note = "Nothing leaves a store because it left a request. Items that came in later are not listed."
        rows_table(memory_frame(events, asked), MEMORY_COLUMNS, key="lab_items", note=note, height=420)


def _open_request(made: int) -> None:
    """A way to the text of a request: the call of the recording with its number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = st.number_input("Text of request", 0, made - 1, key=OPENED, width=160)
        call_link(f"Open request #{asked} on Calls", asked)


def _request_box(made: int) -> int:
    """Which request is looked at: the newest one, until another is picked."""
    picked = st.session_state.get(REQUEST)
    show("lab_request_box", made - 1 if picked is None else min(picked, made - 1))
    st.number_input("Request", 0, made - 1, key="lab_request_box", on_change=_picked_request, width=160)
    return made - 1 if picked is None else min(picked, made - 1)


def _picked_request() -> None:
    st.session_state[REQUEST] = int(st.session_state["lab_request_box"])


def _of_open_session() -> None:
    """What an opened recording of such a run wrote down."""
    try:
        session = session_at(link().session)
    except ReadError:
        return
    threads = [] if session is None else [thread for thread in session.threads if thread.journal]
    if not threads:
        return
    events = recorded_events(next((thread for thread in threads if thread.id == link().thread), threads[0]))
    st.header("The open recording", anchor=False)
    if requests_made(events):
        report((), (requests_table(events),), key="lab_recorded")
        _open_request(requests_made(events))
    _details(events, done=True)


main()

"""The runs of a visitor: one at a time, none shared; a finished one becomes a session of the visit."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from weakref import WeakSet

import streamlit as st
from _visit import Upload, uploads

from ctxcore.errors import InputError, ReadError
from ctxcore.readers.detect import read_sessions
from ctxcore.runtime.live import LiveRun
from ctxcore.runtime.models import Model
from ctxcore.runtime.scenario.form import Scenario

RUN, COUNT = "lab_run", "lab_count"
"""Keys in the session state."""

KEPT_RUNS = 8
"""Finished runs of a visitor that stay open; the oldest goes."""

AT_ONCE = 8
"""Runs of all visitors that a server lets go on at the same time."""


@dataclass(slots=True)
class Started:
    """A run of the visitor."""

    run: LiveRun
    """It."""
    name: str
    """Of its recording."""
    taken: bool = False
    """Its recording is a session of the visit, or it has none."""
    digest: str = ""
    """Of that session."""


@st.cache_resource(show_spinner=False)
def _going_on() -> WeakSet[LiveRun]:
    """The runs of all visitors; only counted."""
    return WeakSet()


def newest() -> Started | None:
    """The visitor's newest run."""
    found: Started | None = st.session_state.get(RUN)
    return found


def start(scenario: Scenario, title: str, model: Model | None) -> None:
    """Start a run; one that still goes on is stopped.

    Args:
        scenario: What to play.
        title: For the name of its recording.
        model: Asked instead of its script.

    Raises:
        InputError: The server runs enough already.
    """
    stop()
    busy = _going_on()
    if sum(not run.view().done for run in busy) >= AT_ONCE:
        raise InputError(f"{AT_ONCE} runs go on at this server already. Try again in a minute.")
    number = st.session_state[COUNT] = st.session_state.get(COUNT, 0) + 1
    run = LiveRun(scenario, model=model)
    busy.add(run)
    st.session_state[RUN] = Started(run=run, name=f"{title}, run {number}.jsonl")


def stop() -> None:
    """Stop the visitor's run, if it goes on."""
    started = newest()
    if started is not None:
        started.run.cancel()


def take_finished() -> str:
    """Make a session of a run that has finished since the last look; its digest, or an empty string."""
    started = newest()
    if started is None or started.taken:
        return ""
    view = started.run.view()
    if not view.done:
        return ""
    started.taken = True
    if view.record:
        started.digest = _add(started.name, view.record)
    return started.digest


def _add(name: str, record: bytes) -> str:
    """Open a recording as a session; its digest, or an empty string where nothing in it can be read."""
    known = uploads()
    try:
        sessions = read_sessions(record, name)
    except ReadError:
        return ""
    known[name] = Upload(name=name, digest=hashlib.sha256(record).hexdigest(), sessions=sessions, made=True)
    mine = [file_id for file_id, upload in known.items() if upload.made]
    for file_id in mine[:-KEPT_RUNS]:
        del known[file_id]
    return sessions[0].digest

"""Files read in a thread of their own: a long one shows how far it is and can be stopped, and the page goes on meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

import streamlit as st

from ctxcore.errors import ReadError
from ctxcore.model import Session
from ctxcore.readers.stopping import ReadingStopped, Watch, watched
from ctxcore.views.words import literal

JOBS = "visit_readings"
"""Key in the session state."""

PATIENCE_S = 2.0
"""So long the page waits for a file before it goes on without it."""

LOOK_S = 0.4
"""Between two looks at a file that is still read."""

Sessions = tuple[Session, ...]


class Job:
    """One file on its way to sessions."""

    def __init__(self, title: str, read: Callable[[], Sessions]) -> None:
        self.title = title
        """For people."""
        self.watch = Watch()
        self._read = read
        self._sessions: Sessions = ()
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="reading", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with watched(self.watch):
                self._sessions = self._read()
        except (Exception, ReadingStopped) as fault:  # noqa: BLE001 - raised again where it is taken
            self._fault = fault

    def ended(self, wait_s: float = 0) -> bool:
        """True once there is a result, or none to come."""
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def taken(self) -> Sessions:
        """What came of it.

        Raises:
            ReadError: The file gives no session.
            ReadingStopped: The visitor wanted no more of it.
        """
        if self._fault is not None:
            raise self._fault
        return self._sessions


def _jobs() -> dict[str, Job]:
    found: dict[str, Job] = st.session_state.setdefault(JOBS, {})
    return found


def read_apart(key: str, title: str, read: Callable[[], Sessions]) -> Sessions | None:
    """The sessions of a file; None while it is still read.

    Args:
        key: Of the file; asked for again with it until there is a result.
        title: Of the file, for people.
        read: Does the work; it may use nothing of the page.

    Raises:
        ReadError: The file gives no session, or the visitor stopped the reading.
    """
    jobs = _jobs()
    job = jobs.get(key)
    if job is None:
        job = jobs[key] = Job(title, read)
        job.ended(PATIENCE_S)
    if not job.ended():
        return None
    del jobs[key]
    try:
        return job.taken()
    except ReadingStopped:
        raise Stopped(title) from None


class Stopped(ReadError):
    """The visitor stopped the reading."""

    def __init__(self, title: str) -> None:
        super().__init__(title, f"You stopped the reading of {title}. Remove it, or add it again to read it.")


def keep_reading(keys: Collection[str]) -> None:
    """Stop the reading of all other files: the visitor removed them."""
    for key in [key for key in _jobs() if key not in keys]:
        _jobs().pop(key).watch.stop()


def readings() -> None:
    """How far each file is that is still read, with a way to stop it."""
    if _jobs():
        _progress()


@st.fragment(run_every=LOOK_S)
def _progress() -> None:
    for key, job in _jobs().items():
        st.progress(min(1.0, job.watch.share), text=literal(f"Reading {job.title} …"))
        st.button("Stop reading", key=f"stop_{key}", icon=":material/stop_circle:", on_click=job.watch.stop)
    if any(job.ended() for job in _jobs().values()):
        st.rerun()

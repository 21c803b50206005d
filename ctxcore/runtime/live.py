"""A scenario that runs in a thread of its own, can be watched while it goes on, and stopped.

Nothing is shared between two of these.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ctxcore.errors import CtxscopeError
from ctxcore.runtime.models import Model
from ctxcore.runtime.scenario.form import Scenario
from ctxcore.runtime.scenario.play import Played, play

LIMIT_S = 600.0
"""Seconds after which a run is stopped that nobody stops."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """Something that happened in a run."""

    event: str
    """Stable word; see ``play``."""
    facts: Mapping[str, Any]
    """What about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveView:
    """A run as it stands."""

    events: tuple[LiveEvent, ...]
    """So far, in order."""
    done: bool
    """It goes on no more."""
    played: Played | None
    """How it went; None while it goes on, and where it could not be played at all."""
    error: str
    """Why it could not be played, one sentence; empty where it could."""
    record: bytes
    """Every request as it was sent, once it is done; empty where none was."""


class LiveRun:
    """One run, made and started once."""

    def __init__(self, scenario: Scenario, *, model: Model | None = None, limit_s: float = LIMIT_S) -> None:
        """Start a run.

        Args:
            scenario: What to play.
            model: Asked instead of its script.
            limit_s: Seconds after which it is stopped.
        """
        self.scenario, self._model, self._limit_s = scenario, model, limit_s
        self._lock = threading.Lock()
        self._events: list[LiveEvent] = []
        self._played: Played | None = None
        self._error = ""
        self._record = b""
        self._stop = threading.Event()
        self._stopped: tuple[asyncio.AbstractEventLoop, asyncio.Task[Played]] | None = None
        self._thread = threading.Thread(target=self._run, name="ctxscope live run", daemon=True)
        self._thread.start()

    def view(self) -> LiveView:
        """How it stands now."""
        done = not self._thread.is_alive()
        with self._lock:
            return LiveView(events=tuple(self._events), done=done, played=self._played, error=self._error, record=self._record if done else b"")

    def cancel(self) -> None:
        """Ask it to stop; the view says when it did."""
        with self._lock:
            self._stop.set()
            if self._stopped is not None:
                loop, task = self._stopped
                loop.call_soon_threadsafe(task.cancel)

    def wait(self, timeout_s: float | None = None) -> LiveView:
        """The view once it is done, or after a time.

        Args:
            timeout_s: Seconds, or None.
        """
        self._thread.join(timeout_s)
        return self.view()

    def _run(self) -> None:
        self._error = "The run stopped unexpectedly."
        with TemporaryDirectory() as folder:
            path = Path(folder) / "run.jsonl"
            try:
                self._played = asyncio.run(self._play(path))
                self._error = ""
            except CtxscopeError as error:
                self._error = str(error)
            except asyncio.CancelledError:
                self._error = "The run was cancelled before it began."
            except OSError as error:
                self._error = f"The record cannot be written: {error.strerror or error}."
            finally:
                self._record = path.read_bytes() if path.is_file() else b""
                self._model = None  # it may hold a key

    async def _play(self, path: Path) -> Played:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(play(self.scenario, path, self._note, model=self._model))
        with self._lock:
            self._stopped = (loop, task)
            if self._stop.is_set():
                loop.call_soon(task.cancel)
        timer = loop.call_later(self._limit_s, task.cancel)
        try:
            return await task
        finally:
            timer.cancel()
            with self._lock:
                self._stopped = None

    def _note(self, event: str, facts: Mapping[str, Any]) -> None:
        with self._lock:
            self._events.append(LiveEvent(event, deepcopy(dict(facts))))

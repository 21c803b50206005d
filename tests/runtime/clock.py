"""An event loop whose time is a number: a wait takes no time at all, it only moves the clock."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _NoWait(selectors.DefaultSelector):
    """Moves the clock to the next timer where nothing is ready; waits only where there is no timer (a thread works)."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            return super().select(5)
        self.now += timeout
        return ready


class FakeTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.stopped_clock = _NoWait()
        super().__init__(self.stopped_clock)

    def time(self) -> float:
        return self.stopped_clock.now


def run_fast(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result, whatever it waits for."""
    with asyncio.Runner(loop_factory=FakeTimeLoop) as runner:
        return runner.run(coroutine)

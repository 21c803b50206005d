"""Reading that another thread can watch and stop: a visitor changes their mind about a long file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class ReadingStopped(BaseException):
    """The reading was to stop; no reader may take it for a fault of the file, hence no ``Exception``."""


class Watch:
    """How far the reading of one upload is, and the wish to stop it; one thread reads, any other may look and ask."""

    def __init__(self) -> None:
        self.share = 0.0
        """Part of the present file that is read, 0 to 1; it begins anew with each file and each pass."""
        self._stop = threading.Event()

    def stop(self) -> None:
        """Ask the reading to end at its next line."""
        self._stop.set()

    def reached(self, share: float) -> None:
        """Note how far the reading is.

        Raises:
            ReadingStopped: Somebody asked for the end.
        """
        if self._stop.is_set():
            raise ReadingStopped
        self.share = share


_WATCH: ContextVar[Watch | None] = ContextVar("reading_watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """What this thread reads in the block is watched."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def reached(share: float) -> None:
    """Note how far the reading of a file is, where somebody watches it.

    Args:
        share: 0 to 1.

    Raises:
        ReadingStopped: Somebody asked for the end.
    """
    watch = _WATCH.get()
    if watch is not None:
        watch.reached(share)

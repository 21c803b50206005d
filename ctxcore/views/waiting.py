"""A sign of life on a terminal while work takes long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ctxcore.views.visible import visible

PATIENCE_S = 1.0
"""Seconds before a progress bar appears."""

LARGE_BYTES = 16 * 2**20
"""Of a file that takes longer than that in any case: its bar appears at once, since nothing else runs while ``json`` decodes one large value."""


@contextmanager
def progress(what: str, console: Console | None = None, *, size_bytes: int = 0) -> Iterator[None]:
    """A moving bar on stderr while the block takes longer than a second on a terminal; nothing elsewhere.

    Args:
        what: Is being done.
        size_bytes: Of the file that is worked on.
        console: To draw on; stderr by default.
    """
    console = console or Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        yield
        return
    bar = Progress(TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), console=console, transient=True)
    bar.add_task(visible(what), total=None)
    try:
        if size_bytes >= LARGE_BYTES:
            bar.start()
        with _later(PATIENCE_S, bar.start):
            yield
    finally:
        bar.stop()


@contextmanager
def _later(seconds: float, action: Callable[[], None]) -> Iterator[None]:
    """Do something unless the block ends first; at its end it is done or never will be."""
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()

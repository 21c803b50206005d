"""Formats that other installed packages add: an entry point of the group ``ctxscope.readers`` names a ``Reader`` or a class of one."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from ctxcore.foreign_code import loading
from ctxcore.readers import READERS
from ctxcore.readers.protocol import Reader

GROUP = "ctxscope.readers"
"""Entry point group."""


@lru_cache(maxsize=1)
def all_readers() -> tuple[Reader, ...]:
    """Every format in the order they are tried: those of other packages first (they know their own marks best), then ``READERS``."""
    return (*(_loaded(point) for point in entry_points(group=GROUP)), *READERS)


def _loaded(point: EntryPoint) -> Reader:
    with loading(f"The reader {point.value} (entry point {point.name} of the group {GROUP})"):
        found = point.load()
        reader: Reader = found() if isinstance(found, type) else found
    return reader

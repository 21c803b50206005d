"""Values that a reader met and could not use: noted where they are read, heard where a file is being read, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from ctxcore.model import Json

Kind = Literal["usage_no_count", "time_unusable", "tools_unreadable"]

VALUES_KEPT = 1000
"""Different values of a kind that are looked for in the file."""


@dataclass(slots=True)
class Oddities:
    """What was met in one reading."""

    noted: dict[Kind, dict[str, Json]] = field(default_factory=dict)
    """Kind → the values, by their type and form."""

    def add(self, kind: Kind, value: Json) -> None:
        """Note a value."""
        values = self.noted.setdefault(kind, {})
        if len(values) < VALUES_KEPT:
            values.setdefault(form(value), value)


_READING: ContextVar[Oddities | None] = ContextVar("reading", default=None)


def note(kind: Kind, value: Json) -> None:
    """Say that a recorded value is of no use; heard where a file is being read, and nowhere else."""
    heard = _READING.get()
    if heard is not None:
        heard.add(kind, value)


@contextmanager
def noting() -> Iterator[Oddities]:
    """Collects what is noted inside."""
    heard = Oddities()
    token = _READING.set(heard)
    try:
        yield heard
    finally:
        _READING.reset(token)


def form(value: Json) -> str:
    """A value with its type, so that 1, 1.0 and true differ."""
    return f"{type(value).__name__} {value!r:.200}"

"""Records kept as bytes of their file and decoded when they are asked for: decoded, a log of small lines takes four times its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxcore.frozen import Later, quick_init
from ctxcore.model import Json
from ctxcore.readers.jsontext import quick_value


@quick_init
@dataclass(frozen=True, slots=True, eq=False)
class RecordedLine(Later):
    """A line that is one value of strict JSON."""

    data: bytes
    """Of the whole file: all its lines share them."""
    start: int
    """Byte at which the line begins."""

    def value(self) -> Json:
        """The line, decoded."""
        stop = self.data.find(b"\n", self.start)
        return quick_value(self.data[self.start : stop if stop >= 0 else len(self.data)])


@quick_init
@dataclass(frozen=True, slots=True, eq=False)
class RecordedList(Later):
    """Several records as one."""

    records: Sequence[Json | Later]
    """In order."""

    def value(self) -> Json:
        """A list of them."""
        return [record.value() if isinstance(record, Later) else record for record in self.records]

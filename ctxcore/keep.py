"""What a user wants kept whatever a policy says: units, results of a tool, or messages with a text."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ctxcore.columns import BoolArray, read_only
from ctxcore.model import Message, Thread
from ctxcore.policies.protocol import Timeline
from ctxcore.units import catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Units that no policy may drop or edit; a unit is kept if any of these holds."""

    units: tuple[int, ...] = ()
    """Numbers in the thread's catalog of units."""
    tools: tuple[str, ...] = ()
    """Names of tools as recorded: their exchanges are kept."""
    texts: tuple[str, ...] = ()
    """Messages that hold one of these texts are kept, with their unit; case counts."""

    def __bool__(self) -> bool:
        """True if it keeps anything."""
        return bool(self.units or self.tools or self.texts)


def kept_units(thread: Thread, keep: Keep) -> BoolArray:
    """Per unit of the thread's catalog: it must be kept.

    Args:
        thread: Of a session.
        keep: What to keep; numbers of no unit are ignored.
    """
    members = catalog(thread).members
    marks = np.zeros(len(members), np.bool_)
    marks[[unit for unit in keep.units if 0 <= unit < len(members)]] = True
    if keep.tools or keep.texts:
        held = [_holds(message, keep) for message in thread.messages]
        marks |= [any(held[index] for index in unit) for unit in members]
    return read_only(marks)


def _holds(message: Message, keep: Keep) -> bool:
    if any(call.name in keep.tools for call in message.calls):
        return True
    return any(text in part_text for text in keep.texts for part_text in (message.text, *(call.arguments for call in message.calls)))


def keeping(thread: Thread, lines: tuple[Timeline, ...], keep: Keep) -> tuple[Timeline, ...]:
    """The thread's epochs with these units pinned.

    Args:
        thread: That they are of.
        lines: Its epochs, measured.
        keep: What to keep.
    """
    marks = kept_units(thread, keep)
    return tuple(_pinned(line, marks[numbers]) for line, numbers in zip(lines, catalog(thread).of_epoch, strict=True))


def _pinned(line: Timeline, kept: BoolArray) -> Timeline:
    units = replace(line.epoch.units, pinned=read_only(line.epoch.units.pinned | kept))
    return line.with_units(units, kept=read_only(kept.copy()))

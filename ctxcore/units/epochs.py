"""Runs of calls that share one growing sequence of messages, each with its units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, Epoch, IntArray, UnitTable, read_only
from ctxcore.model import Call, Message
from ctxcore.units.grouping import group
from ctxcore.units.ranges import Ranges, indexes_of, is_prefix
from ctxcore.units.shapes import Shape, shape

RECENT_EPOCHS = 4
"""How many earlier runs a call may go on from (a log that interleaves branches switches between a few)."""


def split_epochs(messages: Sequence[Message], calls: Sequence[Call]) -> tuple[Epoch, ...]:
    """Runs of calls whose contexts are prefixes of one another, each with its units; every call is in exactly one.

    Args:
        messages: Of the thread.
        calls: Of the thread, in order.
    """
    runs: list[tuple[Ranges, list[Call]]] = []
    for call in calls:
        for number in range(len(runs) - 1, max(-1, len(runs) - 1 - RECENT_EPOCHS), -1):
            longest, members = runs[number]
            if is_prefix(longest, call.context):
                members.append(call)
                runs[number] = (call.context, members)
                break
            if is_prefix(call.context, longest):
                members.append(call)
                break
        else:
            runs.append((call.context, [call]))
    shapes = _Shapes.of(messages)
    return tuple(epoch for ranges, members in runs for epoch in _epochs_of_run(shapes, ranges, members))


@dataclass(frozen=True, slots=True)
class _Shapes:
    """Shapes of a thread's messages, and what of them is asked for whole sequences."""

    each: Sequence[Shape]
    linked: BoolArray
    """Has tool calls or results."""
    pinned: BoolArray
    user: BoolArray

    @classmethod
    def of(cls, messages: Sequence[Message]) -> _Shapes:
        each = [shape(message) for message in messages]
        linked = np.asarray([bool(item.calls or item.results) for item in each], np.bool_)
        pinned = np.asarray([item.pinned for item in each], np.bool_)
        return cls(each, linked, pinned, np.asarray([item.user for item in each], np.bool_))

    def group(self, sequence: NDArray[np.int32]) -> tuple[UnitTable, tuple[tuple[int, int], ...]]:
        """As ``group``, of the messages with these indexes; at once where each is a unit alone."""
        if self.linked[sequence].any():
            return group([self.each[index] for index in sequence.tolist()])
        own = read_only(np.arange(len(sequence), dtype=np.int32))
        table = UnitTable(
            unit_of=own,
            first=own,
            last=own,
            exchange=read_only(np.zeros(len(sequence), np.bool_)),
            pinned=read_only(self.pinned[sequence]),
            user=read_only(self.user[sequence]),
            flags=(),
        )
        return table, ()


def _epochs_of_run(shapes: _Shapes, ranges: Ranges, members: Sequence[Call]) -> list[Epoch]:
    """One epoch for the run, and one more for the calls that came before a late result changed the units, and so on.

    Args:
        shapes: Of the thread.
        ranges: The longest context of the run.
        members: Its calls; the context of each is a prefix of the longest.
    """
    epochs: list[Epoch] = []
    while members:
        sequence = indexes_of(ranges)
        table, joined = shapes.group(sequence)
        lengths = np.fromiter((call.message_count for call in members), np.int64, len(members))
        early = _needs_own_units(table, joined, lengths) & (lengths < len(sequence))
        regular = np.flatnonzero(~early)
        epochs.append(
            Epoch(
                message=read_only(sequence),
                calls=read_only(np.asarray([members[i].index for i in regular.tolist()], dtype=np.int32)),
                lengths=read_only(lengths[regular].astype(np.int32)),
                units=table,
            )
        )
        members = [members[i] for i in np.flatnonzero(early).tolist()]
        ranges = max(members, key=lambda call: call.message_count).context if members else ()
    return epochs


def _needs_own_units(table: UnitTable, joined: Sequence[tuple[int, int]], lengths: IntArray) -> BoolArray:
    """Per length: True if a unit other than the last reaches beyond it, or a later message joined units inside it."""
    own = np.zeros(len(lengths), np.bool_)
    if len(table.last) > 1:
        highest = np.maximum.accumulate(table.last)
        begun = np.searchsorted(table.first, lengths)
        own = (begun > 1) & (highest[np.maximum(begun - 2, 0)] >= lengths)
    for start, stop in joined:
        own |= (start < lengths) & (lengths < stop)
    return own

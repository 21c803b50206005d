"""The messages of an epoch as columns: what a policy looks at. A policy never sees or touches a message itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, Epoch, IntArray, Sizes, read_only
from ctxcore.model import Message, Thread, ToolCall, ToolResult
from ctxcore.policies.pieces import Measure, Pieces, part_text, sequence_pieces

SYSTEM, USER, ASSISTANT, TOOL, ODD = range(5)
"""Roles. A user-role message that carries tool results has the role ``TOOL``: in the field's libraries it is one."""

ROLE_OF = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "model": ASSISTANT, "tool": TOOL, "function": TOOL}


@dataclass(frozen=True, kw_only=True)
class History:
    """One epoch's sequence of messages and the calls that received prefixes of it.

    Columns of messages hold one entry per position of the sequence, columns of calls one per call of the epoch. All are read-only.
    """

    thread: Thread
    """As read; for texts only."""
    epoch: Epoch
    """Units and calls."""
    sizes: Sizes
    """Of the thread, in the unit of the budget."""
    before: IntArray
    """Per call: size of the whole request."""

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The message at each position."""
        return tuple(self.thread.messages[index] for index in self.epoch.message.tolist())

    @cached_property
    def length(self) -> IntArray:
        """Per call: messages in its context, a prefix of the sequence."""
        return read_only(self.epoch.lengths.astype(np.int64))

    @cached_property
    def fixed(self) -> IntArray:
        """Per call: size of tools and brackets, all of the request that is not messages."""
        return read_only(self.before - self.upto[self.length])

    @cached_property
    def size(self) -> IntArray:
        """Per position: size with its separator."""
        return read_only(self.sizes.message[self.epoch.message] + self.sizes.separator)

    @cached_property
    def upto(self) -> IntArray:
        """Size of the first n messages, for n from 0."""
        return read_only(np.concatenate(([0], np.cumsum(self.size))))

    @cached_property
    def role(self) -> NDArray[np.int8]:
        """Per position: ``SYSTEM`` to ``ODD``."""
        roles = [TOOL if m.role == "user" and m.results else ROLE_OF.get(m.role, ODD) for m in self.messages]
        return read_only(np.asarray(roles, np.int8))

    @cached_property
    def person(self) -> BoolArray:
        """Per position: a real user message, the beginning of a turn."""
        units = self.epoch.units
        return read_only(units.user[units.unit_of])

    @cached_property
    def asks(self) -> BoolArray:
        """Per position: it holds tool calls."""
        return self._holds(ToolCall)

    @cached_property
    def answers(self) -> BoolArray:
        """Per position: it holds tool results."""
        return self._holds(ToolResult)

    @cached_property
    def summary(self) -> BoolArray:
        """Per position: a summary that a recorded compaction put there."""
        return read_only(np.asarray([m.injected == "summary" for m in self.messages], np.bool_))

    @cached_property
    def turn(self) -> IntArray:
        """Per position: ordinal of its turn, from 1; 0 before the first real user message."""
        return read_only(np.cumsum(self.person).astype(np.int64))

    @cached_property
    def pieces(self) -> Pieces:
        """Parts of the messages."""
        return sequence_pieces(self.thread, self.sizes, self.epoch.message)

    @cached_property
    def measure(self) -> Measure:
        """Sizes of plain text in the unit of the budget."""
        return Measure(self.thread, self.sizes.unit)

    def text(self, piece: int) -> str:
        """The text of a piece."""
        return part_text(self.messages[int(self.pieces.message[piece])].parts[int(self.pieces.part[piece])])

    def begun(self, items: IntArray) -> IntArray:
        """Per call: how many of these ascending positions stand in its context."""
        return np.searchsorted(items, self.length).astype(np.int64)

    def begun_pieces(self, items: IntArray) -> IntArray:
        """Per call: how many of these ascending pieces stand in its context."""
        return np.searchsorted(self.pieces.message[items], self.length).astype(np.int64)

    def last(self, marks: BoolArray) -> IntArray:
        """Per call: the last marked position of its context, -1 without one."""
        running = np.maximum.accumulate(np.concatenate(([-1], np.where(marks, np.arange(len(marks)), -1))))
        return running[self.length].astype(np.int64)

    def tokens(self, count: int) -> int:
        """A number of tokens, as rules of the field state their settings, in the unit of the budget: 4 characters each."""
        return count * 4 if self.sizes.unit == "chars" else count

    def reported(self) -> IntArray:
        """Per call: input tokens that the call before it reported, its output included; -1 where unknown."""
        calls = self.thread.calls
        found = np.full(len(self.length), -1, np.int64)
        for column, index in enumerate(self.epoch.calls.tolist()):
            usage = calls[index - 1].usage if index else None
            if usage is not None and usage.input_tokens is not None:
                found[column] = usage.input_tokens + (usage.output_tokens or 0)
        return read_only(found)

    def _holds(self, kind: type[ToolCall | ToolResult]) -> BoolArray:
        """From the messages, not from pieces: a counter of one's own measures no pieces."""
        return read_only(np.asarray([any(isinstance(part, kind) for part in m.parts) for m in self.messages], np.bool_))

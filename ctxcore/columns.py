"""Read-only numpy columns beside the values of ``model``: sizes and units, as the hot paths need them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ctxcore.model import Basis

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

CATEGORIES = (
    "system",
    "tools",
    "user",
    "assistant_text",
    "reasoning",
    "tool_calls",
    "tool_results",
    "media",
    "summary",
    "other",
    "frame",
)
"""What a request is made of, in display order. ``frame`` is the request's own brackets and separators."""

Category = Literal["system", "tools", "user", "assistant_text", "reasoning", "tool_calls", "tool_results", "media", "summary", "other", "frame"]


NOTICE_DIGITS = 12
"""Counts of up to this many digits have a notice size of their own."""

A = TypeVar("A", bound=NDArray[Any])


def read_only(array: A) -> A:
    """The same array, closed for writing."""
    array.setflags(write=False)
    return array


def first_sums(values: NDArray[Any]) -> IntArray:
    """Sum of the first n entries, for n from 0: one entry more than there are values."""
    return np.concatenate(([0], np.cumsum(values, dtype=np.int64)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes of a thread's messages and tool sets in one unit of measure.

    A request's size is ``frame + tools + sum(message + separator) - separator`` (the last only if there are messages), and what its call has
    beyond that.
    """

    unit: str
    """``chars``, ``tokens`` or a counter's own name."""
    message: IntArray
    """One entry per thread message."""
    parts: NDArray[np.int32]
    """One row per thread message, one column per category; a row sums to ``message``."""
    tools: IntArray
    """One entry per tool set of the session, plus a last one (0) for calls without."""
    frame: int
    """Of an empty request."""
    separator: int
    """Between two messages."""
    notice: IntArray
    """Size of the omission notice and its separator by the number of digits of its count; entry 0 is 0 (no notice)."""
    basis: Basis
    """``exact`` or ``estimate``: how the counts were made (a rebuilt context is the call's affair)."""
    counter: str
    """Name of the counter, for people."""
    rough_models: frozenset[str] = frozenset()
    """Models of the thread's calls, as recorded, that the counter counts for by estimate although it is another one's own."""
    calls: IntArray = field(default_factory=lambda: read_only(np.zeros(0, np.int64)))
    """Per thread call: what its request has beyond its messages (``Call.form_chars``); empty where that is nothing for all."""

    def beyond(self, calls: NDArray[np.integer[Any]]) -> IntArray:
        """What the requests of these calls have beyond their messages."""
        return self.calls[calls] if len(self.calls) else np.zeros(len(calls), np.int64)

    @property
    def estimated(self) -> BoolArray:
        """Per thread message: its size is an estimate, either because all are or because it holds media, whose tokens nobody can count offline."""
        media = self.parts[:, CATEGORIES.index("media")] > 0
        return media & (self.unit == "tokens") | (self.basis == "estimate")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTable:
    """The units of one sequence of messages, ordered by their first message."""

    unit_of: NDArray[np.int32]
    """One entry per position of the sequence: the unit it belongs to."""
    first: NDArray[np.int32]
    """Per unit: position of its first message."""
    last: NDArray[np.int32]
    """Per unit: position of its last message."""
    exchange: BoolArray
    """Per unit: an assistant message with tool calls and its results."""
    pinned: BoolArray
    """Per unit: a system or developer message."""
    user: BoolArray
    """Per unit: a real user message."""
    flags: tuple[tuple[int, str], ...]
    """Unit and stable word: ``open``, ``pending``, ``orphan_result``, ``duplicate_result``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """A run of calls whose contexts are prefixes of one sequence of messages."""

    message: NDArray[np.int32]
    """The sequence: thread message per position (the longest context of the run)."""
    calls: NDArray[np.int32]
    """Thread call indexes, ascending."""
    lengths: NDArray[np.int32]
    """Per call: how many messages of the sequence it received."""
    units: UnitTable
    """Units of the sequence. For every call, only its last unit may reach beyond the call's length."""

"""What a policy sees and what it gives back.

A policy never touches a message. It sees units and sizes of a run of calls (a ``Timeline``) and says, for each budget and call,
what would be left out and why (``Fits``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from ctxcore.columns import BoolArray, Epoch, IntArray, Sizes, UnitTable
from ctxcore.errors import InputError
from ctxcore.model import Thread
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One setting of a policy."""

    name: str
    """Keyword."""
    type: str
    """``bool``, ``int``, ``float``, ``str``, ``names`` (a tuple of strings), or ``size``: a number in the unit of the budget."""
    default: Any
    """As in the original."""
    help: str
    """One sentence."""


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """The calls of one epoch, measured.

    Unit columns hold one entry per unit of the epoch's sequence; call columns one per call of the epoch.
    """

    epoch: Epoch
    """Units and calls."""
    sizes: Sizes
    """In the unit of measure asked for."""
    size: IntArray
    """Per unit: size with one separator per message."""
    count: IntArray
    """Per unit: messages."""
    before: IntArray
    """Per call: size of the whole request."""
    seen: IntArray
    """Per call: units that have begun in its context."""
    task: IntArray
    """Per call: the current task, its last real user unit; -1 without one."""
    newest: IntArray
    """Per call: the newest unit after the task that is neither pinned by role nor the task; -1 without one."""
    thread: Thread | None = None
    """That the epoch is of; None for a bare list of sizes."""
    kept: BoolArray | None = None
    """Per unit: the user wants it kept; such units count as pinned. None where there is no wish."""
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)
    """What policies derived from these columns alone; see ``once``."""

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """A result that derives from these columns alone, for every budget: made when it is first asked for, then kept.

        Args:
            key: Of the result; one maker per key.
            make: Makes it.
        """
        if key not in self.memo:
            self.memo[key] = make()
        made: T = self.memo[key]
        return made

    def with_units(self, units: UnitTable, *, kept: BoolArray) -> Timeline:
        """The same calls with other pins.

        Args:
            units: Of the epoch, pinned anew.
            kept: Per unit: pinned by the user's wish.
        """
        epoch = replace(self.epoch, units=units)
        index = np.arange(len(units.first), dtype=np.int64)
        loose = _last_before(np.where(~units.pinned & ~units.user, index, -1), self.seen)
        return replace(self, epoch=epoch, newest=np.where(loose > self.task, loose, -1), kept=kept, memo={})

    @cached_property
    def history(self) -> History:
        """The epoch's messages as policies see them.

        Raises:
            InputError: A bare list of sizes.
        """
        if self.thread is None:
            raise InputError("This policy looks at messages, and only their sizes are known here. Replay a thread.")
        return History(thread=self.thread, epoch=self.epoch, sizes=self.sizes, before=self.before)

    @classmethod
    def of(cls, epoch: Epoch, sizes: Sizes, tool_sets: IntArray, thread: Thread | None = None) -> Timeline:
        """Measure an epoch.

        Args:
            epoch: Units and calls.
            sizes: Of the thread.
            tool_sets: Per call of the epoch: index into ``sizes.tools``.
            thread: That the epoch is of, for policies that look at messages.
        """
        units = epoch.units
        each = sizes.message[epoch.message] + sizes.separator
        size = np.bincount(units.unit_of, weights=each, minlength=len(units.first)).astype(np.int64)
        count = np.bincount(units.unit_of, minlength=len(units.first)).astype(np.int64)
        upto = np.concatenate(([0], np.cumsum(each)))
        lengths = epoch.lengths.astype(np.int64)
        before = upto[lengths] - sizes.separator * (lengths > 0) + sizes.frame + sizes.tools[tool_sets]
        before += sizes.beyond(epoch.calls)
        seen = np.searchsorted(units.first, lengths, side="left").astype(np.int64)
        index = np.arange(len(units.first), dtype=np.int64)
        task = _last_before(np.where(units.user, index, -1), seen)
        loose = _last_before(np.where(~units.pinned & ~units.user, index, -1), seen)
        return cls(
            epoch=epoch,
            sizes=sizes,
            size=size,
            count=count,
            before=before,
            seen=seen,
            task=task,
            newest=np.where(loose > task, loose, -1),
            thread=thread,
        )


def _last_before(marks: IntArray, seen: IntArray) -> IntArray:
    """Per call: the last marked unit among those seen, or -1."""
    running = np.concatenate(([-1], np.maximum.accumulate(marks))) if len(marks) else np.asarray([-1])
    return running[seen]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """What a policy does to the calls of one epoch; arrays have shape (budgets, calls)."""

    after: IntArray
    """Size of what is sent; -1 where refused."""
    refused: BoolArray
    """The request cannot be made to fit."""
    missing: IntArray
    """By how much, after every cut; 0 where not refused."""
    dropped_messages: IntArray
    """Messages left out; 0 where refused."""
    dropped_turns: IntArray
    """Whole earlier user turns left out."""
    dropped_exchanges: IntArray
    """Exchanges left out, wherever they stood."""
    drops: Callable[[int, int], tuple[IntArray, IntArray]]
    """(budget row, call column) → unit indexes left out, ascending, and for each its index into ``rules``."""
    pins: Callable[[int], IntArray]
    """Call column → unit indexes that the policy never drops in this call, ascending."""
    rules: tuple[str, ...]
    """Why a unit goes, in words."""
    plan: Callable[[int], Plan]
    """Budget row → everything done to the calls."""
    edited: IntArray
    """Pieces changed in place, or taken out of a message that stays; 0 where refused."""
    cut: IntArray | None = None
    """Where a policy drops a prefix: all units before this one but those pinned by role and the task; else None."""


class Policy(Protocol):
    """A rule that fits a context to a budget; make one with keyword parameters."""

    name: ClassVar[str]
    """Stable, as on the command line: small letters, digits and hyphens."""
    title: ClassVar[str]
    """For people."""
    about: ClassVar[str]
    """One paragraph."""
    source: ClassVar[str]
    """Where the rule comes from."""
    rejects: ClassVar[str]
    """What of its requests a provider would refuse, and what the rule loses; one sentence."""
    needs_summary: ClassVar[bool]
    """It puts a summary into requests, whose text only a model could write."""
    parameters: ClassVar[tuple[Parameter, ...]]
    """Settings with their defaults."""

    def fit(self, timeline: Timeline, budgets: IntArray) -> Fits:
        """What would be left out of every call of the timeline at every budget.

        Args:
            timeline: Units, sizes and calls of one epoch.
            budgets: One entry per budget, in the timeline's unit of measure; each at least 1.
        """
        ...

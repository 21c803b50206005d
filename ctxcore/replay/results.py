"""What a policy does to every call of a thread at one budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, IntArray, Sizes, read_only
from ctxcore.fates import unit_fates
from ctxcore.model import Thread
from ctxcore.policies import Fits, NoTrim, Policy, Timeline
from ctxcore.policies.applied import changed_positions, dropped_positions, edits_of, inserts_of
from ctxcore.policies.edits import Edit, Inserted
from ctxcore.policies.freed import freed_by_message
from ctxcore.policies.needs import Needs
from ctxcore.units import Catalog, catalog

ABSENT, KEPT, PINNED, DROPPED, EDITED = range(5)
"""What became of a unit or message in a call: not in its context, sent, sent and never droppable, left out, sent in part or with another text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A unit that a call would not receive."""

    unit: int
    """Number in ``Replay.units``."""
    messages: tuple[int, ...]
    """Its thread messages that were in the call's context; all of them go."""
    rule: str
    """Why it goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What a policy does to every call of a thread at one budget.

    Arrays are read-only with one entry per call, in call order.
    """

    thread: Thread
    """The thread, as read."""
    policy: Policy
    """The policy with its settings."""
    budget: int
    """In ``sizes.unit``."""
    sizes: Sizes
    """Sizes in the unit of measure of the budget."""
    before: IntArray
    """Size of the request as it was, tools included."""
    after: IntArray
    """Size of what would be sent, notice included; -1 where refused."""
    refused: BoolArray
    """The request cannot be made to fit."""
    missing: IntArray
    """By how much, after every cut; 0 where not refused."""
    dropped_messages: IntArray
    """Messages left out; 0 where refused."""
    dropped_turns: IntArray
    """Whole earlier user turns left out."""
    dropped_exchanges: IntArray
    """Exchanges left out."""
    edited: IntArray
    """Parts of messages that stay with another text, or go."""
    fits: tuple[Fits, ...] = field(repr=False)
    """Per epoch of the thread, one budget each."""
    timelines: tuple[Timeline, ...] = field(repr=False)
    """Per epoch of the thread."""
    memo: dict[str, tuple[int, Any]] = field(default_factory=dict, repr=False, compare=False)
    """What was last asked of one call: name → call and answer; a page asks the same several times over."""

    @property
    def unit(self) -> str:
        """``chars``, ``tokens`` or a counter's own name."""
        return self.sizes.unit

    @property
    def units(self) -> Catalog:
        """The thread's units."""
        return catalog(self.thread)

    def refusal(self, call: int) -> str | None:
        """``over_budget`` where the call is refused, else None."""
        return "over_budget" if self.refused[call] else None

    @property
    def no_user_task(self) -> BoolArray:
        """Per call: its context holds no real user message. Source: the whole-unit rule, "Strict and lenient"."""
        lacking = np.zeros(len(self.thread.calls), np.bool_)
        for line in self.timelines:
            lacking[line.epoch.calls] = line.task < 0
        return read_only(lacking)

    def flags(self, call: int) -> tuple[str, ...]:
        """Stable words for what is odd about a call: those of the log, and ``no_user_task``.

        Raises:
            IndexError: No such call.
        """
        epoch, column = self.place(call)
        return (*self.thread.calls[call].flags, *(("no_user_task",) if self.timelines[epoch].task[column] < 0 else ()))

    def needs(self, call: int) -> Needs | None:
        """What fills a refused call, None for any other.

        Raises:
            IndexError: No such call.
        """
        if not self.refused[call]:
            return None
        epoch, column = self.place(call)
        tools = self.thread.calls[call].tools
        return Needs.of(
            self.timelines[epoch],
            column,
            budget=self.budget,
            missing=int(self.missing[call]),
            tools=int(self.sizes.tools[-1 if tools is None else tools]),
            unit=self.unit,
            cuts=not isinstance(self.policy, NoTrim),
            freed=None if self.fits[epoch].cut is not None else freed_by_message(self.timelines[epoch], self.fits[epoch].plan(0), column),
        )

    def place(self, call: int) -> tuple[int, int]:
        """Epoch and column of a call.

        Raises:
            IndexError: No such call.
        """
        for number, epoch in enumerate(self.thread.epochs):
            found = np.flatnonzero(epoch.calls == call)
            if len(found):
                return number, int(found[0])
        raise IndexError(call)

    def drops(self, call: int) -> tuple[Drop, ...]:
        """Units that the call would not receive, in context order."""
        epoch, column = self.place(call)
        fits, line = self.fits[epoch], self.timelines[epoch]
        units, rules = fits.drops(0, column)
        numbers = self.units.of_epoch[epoch]
        unit_of = line.epoch.units.unit_of[: int(line.epoch.lengths[column])]
        order = np.argsort(unit_of, kind="stable")
        starts = np.searchsorted(unit_of[order], units)
        stops = np.searchsorted(unit_of[order], units, side="right")
        messages = line.epoch.message[order].tolist()
        return tuple(
            Drop(unit=int(numbers[unit]), messages=tuple(messages[start:stop]), rule=fits.rules[rule])
            for unit, rule, start, stop in zip(units.tolist(), rules.tolist(), starts.tolist(), stops.tolist(), strict=True)
        )

    def status(self, call: int) -> NDArray[np.int8]:
        """What became of each unit of ``units`` in a call: ``ABSENT``, ``KEPT``, ``PINNED``, ``DROPPED`` or ``EDITED``.

        A refused call drops nothing: nothing is sent.
        """
        epoch, column = self.place(call)
        line, fits, numbers = self.timelines[epoch], self.fits[epoch], self.units.of_epoch[epoch]
        state = np.zeros(len(self.units.first), np.int8)
        state[numbers[: int(line.seen[column])]] = KEPT
        state[numbers[fits.pins(column)]] = PINNED
        if fits.cut is None and not self.refused[call]:
            state[numbers[line.epoch.units.unit_of[changed_positions(fits, line, column)]]] = EDITED
        state[numbers[fits.drops(0, column)[0]]] = DROPPED
        return read_only(state)

    def message_status(self, call: int) -> NDArray[np.int8]:
        """What became of each message of the call's context, request order; codes as in ``status``."""
        kept = self.memo.get("message_status")
        if kept is None or kept[0] != call:
            kept = self.memo["message_status"] = (call, self._message_status(call))
        status: NDArray[np.int8] = kept[1]
        return status

    def _message_status(self, call: int) -> NDArray[np.int8]:
        epoch, column = self.place(call)
        line, fits = self.timelines[epoch], self.fits[epoch]
        state = np.full(len(line.epoch.units.first), KEPT, np.int8)
        state[fits.pins(column)] = PINNED
        if fits.cut is not None:  # whole units only, and of many thousands
            state[fits.drops(0, column)[0]] = DROPPED
        found = state[line.epoch.units.unit_of[: int(line.epoch.lengths[column])]]
        if fits.cut is None and not self.refused[call]:
            found[changed_positions(fits, line, column)] = EDITED
            found[dropped_positions(fits.plan(0), column)[0]] = DROPPED
        return read_only(found)

    def edits(self, call: int) -> tuple[Edit, ...]:
        """Everything the policy does to the messages of a call, drops first; nothing where it is refused.

        Raises:
            IndexError: No such call.
        """
        epoch, column = self.place(call)
        return () if self.refused[call] else edits_of(self.timelines[epoch], self.fits[epoch].plan(0), column)

    def inserts(self, call: int) -> tuple[Inserted, ...]:
        """Messages that the policy puts into a call, request order; none where it is refused.

        Raises:
            IndexError: No such call.
        """
        epoch, column = self.place(call)
        return () if self.refused[call] else inserts_of(self.fits[epoch].plan(0), column)

    @property
    def assumed(self) -> tuple[str, ...]:
        """What the rule's description leaves open, and how it is taken here."""
        return tuple(dict.fromkeys(sentence for fits in self.fits for sentence in fits.plan(0).assumed))

    def first_dropped(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Per unit: the first call that would not receive it (-1: none), and how many calls would not."""
        first = np.full(len(self.units.first), len(self.thread.calls), np.int32)
        times = np.zeros(len(self.units.first), np.int32)
        for fits, line, numbers in zip(self.fits, self.timelines, self.units.of_epoch, strict=True):
            earliest, count = unit_fates(fits, line)
            np.minimum.at(first, numbers, np.where(count > 0, line.epoch.calls[earliest], len(self.thread.calls)).astype(np.int32))
            times[numbers] += count.astype(np.int32)
        return read_only(np.where(times > 0, first, -1).astype(np.int32)), read_only(times)

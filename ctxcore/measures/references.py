"""Lost references: evidence that a recorded reply uses, that its recorded context held, and that a policy would have taken away before.

A lower bound on harm: a value that stays is not thereby understood, and what a model would have written without it nobody knows.
Source: the notes on policies, 5.2.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ctxcore.atoms import TYPES, Atom
from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.measures.evidence_index import Evidence, has_evidence, thread_evidence
from ctxcore.measures.visible import Shown, shown
from ctxcore.policies.edits import Action
from ctxcore.replay import Replay
from ctxcore.units import catalog

ONE_BY_ONE = 6
"""Places of an atom looked at newest first, before all others are looked at together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostReference:
    """One atom that one call would have missed."""

    call: int
    """Whose reply uses it."""
    atom: Atom
    """What."""
    first: bool
    """No earlier reply used it."""
    message: int
    """Newest thread message in the recorded context that holds it."""
    part: int
    """Index into the message's parts."""
    unit: int
    """Of that message, in ``Replay.units``; -1 for none."""
    age: int
    """Calls between the first that received the message and this one; 0 where it is the same."""
    action: Action | None
    """What was done to that message."""
    rule: str
    """Why, in the policy's words."""


@dataclass(frozen=True, kw_only=True)
class References:
    """Uses of evidence over all calls of a replay; a use is one atom in one reply whose recorded context held it.

    A refused call sends nothing: its uses are neither lost nor kept, they are counted apart. Arrays of uses are sorted by epoch and call, those of
    calls have one entry per call of the thread.
    """

    evidence: Evidence
    """Of the thread."""
    call: IntArray
    """Per use: the call."""
    atom: IntArray
    """Per use: the atom."""
    first: BoolArray
    """Per use: no earlier reply used the atom."""
    row: IntArray
    """Per use: row of the newest message part that holds it in the recorded context."""
    sent: BoolArray
    """Per use: the call is sent."""
    lost: BoolArray
    """Per use: the call is sent without it."""
    action: tuple[Action | None, ...]
    """Per lost use: what was done to the newest source."""
    rule: tuple[str, ...]
    """Per lost use: why."""

    @property
    def total(self) -> int:
        """Lost references."""
        return int(self.lost.sum())

    @property
    def total_first(self) -> int:
        """Lost references at the first use of an atom: one loss counts once, however often the value is needed."""
        return int((self.lost & self.first).sum())

    @property
    def refused_uses(self) -> int:
        """Uses in calls that are refused."""
        return int((~self.sent).sum())

    @property
    def rate(self) -> float | None:
        """Lost references as a share of all uses in calls that are sent; None without any."""
        uses = int(self.sent.sum())
        return self.total / uses if uses else None

    @property
    def rate_first(self) -> float | None:
        """The same among first uses."""
        uses = int((self.sent & self.first).sum())
        return self.total_first / uses if uses else None

    @cached_property
    def per_call(self) -> IntArray:
        """Per call: lost references; 0 where refused."""
        return read_only(np.bincount(self.call[self.lost], minlength=len(self.evidence.thread.calls)).astype(np.int64))

    @cached_property
    def first_per_call(self) -> IntArray:
        """Per call: lost references at first use."""
        return read_only(np.bincount(self.call[self.lost & self.first], minlength=len(self.evidence.thread.calls)).astype(np.int64))

    @cached_property
    def uses_per_call(self) -> IntArray:
        """Per call: evidence used that the recorded context held, refused calls included."""
        return read_only(np.bincount(self.call, minlength=len(self.evidence.thread.calls)).astype(np.int64))

    def by_type(self, *, first: bool = False) -> dict[str, int]:
        """Lost references by type of atom, types in their order; those without any are left out.

        Args:
            first: Only at first use.
        """
        marks = self.lost & self.first if first else self.lost
        counts = np.bincount(self.evidence.type[self.atom[marks]], minlength=len(TYPES))
        return {kind: count for kind, count in zip(TYPES, counts.tolist(), strict=True) if count}

    def by_rule(self) -> dict[str, int]:
        """Lost references by the reason why the newest source went."""
        return dict(Counter(self.rule).most_common())

    def listed(self, call: int | None = None) -> tuple[LostReference, ...]:
        """Lost references one by one, in order of calls.

        Args:
            call: Only of this call.
        """
        uses = np.flatnonzero(self.lost)
        chosen = [n for n in range(len(uses)) if call is None or self.call[uses[n]] == call]
        return tuple(sorted((self._one(int(uses[n]), n) for n in chosen), key=lambda one: one.call))

    def _one(self, use: int, number: int) -> LostReference:
        row, call = int(self.row[use]), int(self.call[use])
        message = int(self.evidence.message[row])
        return LostReference(
            call=call,
            atom=self.evidence.atoms[int(self.atom[use])],
            first=bool(self.first[use]),
            message=message,
            part=int(self.evidence.part[row]),
            unit=self._unit_of.get(message, -1),
            age=call - int(self.evidence.received[message]),
            action=self.action[number],
            rule=self.rule[number],
        )

    @cached_property
    def _unit_of(self) -> dict[int, int]:
        return {message: unit for unit, members in enumerate(catalog(self.evidence.thread).members) for message in members}


def references(replay: Replay) -> References:
    """What each call would have used and missed.

    Args:
        replay: A policy over all calls of a thread.
    """
    evidence = thread_evidence(replay.thread)
    found = [(one, _lost(one)) for one in shown(replay)]
    sources = [one.places.high - 1 for one, _ in found]
    by = [layer for (one, lost), newest in zip(found, sources, strict=True) for layer in _removers(one, lost, newest)]
    use = _joined([one.places.use for one, _ in found], np.int64)
    return References(
        evidence=evidence,
        call=read_only(evidence.use.left[use]),
        atom=read_only(evidence.use.right[use]),
        first=read_only(evidence.first[use]),
        row=read_only(_joined([one.places.row[one.places.piece[newest]] for (one, _), newest in zip(found, sources, strict=True)], np.int64)),
        sent=read_only(_joined([one.sent[one.places.column] for one, _ in found], np.bool_)),
        lost=read_only(_joined([lost for _, lost in found], np.bool_)),
        action=tuple(action for action, _ in by),
        rule=tuple(rule for _, rule in by),
    )


def known_references(replay: Replay) -> References | None:
    """The same where the evidence of the thread was looked for before, which takes the time; else None.

    Args:
        replay: A policy over all calls of a thread.
    """
    return references(replay) if has_evidence(replay.thread) else None


def _joined(arrays: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate([np.empty(0, kind), *arrays])


def _removers(one: Shown, lost: BoolArray, newest: IntArray) -> list[tuple[Action | None, str]]:
    layers = one.removed_by(one.places.piece[newest[lost]], one.places.column[lost])
    return [(layer.action, layer.rule) if layer else (None, "") for layer in layers]


def _lost(one: Shown) -> BoolArray:
    """Per use of an epoch: the call is sent, and none of the places that hold the atom is there any more, nor an inserted text with it."""
    places = one.places
    lost = np.zeros(len(places.use), np.bool_)
    open_ = np.flatnonzero(one.sent[places.column])
    for step in range(1, ONE_BY_ONE + 1):
        place = places.high[open_] - step
        gone = ~one.holds(places.atom[place], places.piece[place], places.column[open_])
        last = place == places.low[open_]
        lost[open_[gone & last]] = True
        open_ = open_[gone & ~last]
    lost[open_] = ~_anywhere(one, open_)
    missing = np.flatnonzero(lost)
    lost[missing] = ~one.put_in(_atoms(one, missing), places.column[missing])
    return lost


def _atoms(one: Shown, uses: IntArray) -> IntArray:
    return one.evidence.use.right[one.places.use[uses]]


def _anywhere(one: Shown, uses: IntArray) -> BoolArray:
    """Per use: one of the places not looked at yet still holds the atom."""
    places = one.places
    count = places.high[uses] - ONE_BY_ONE - places.low[uses]
    owner = np.repeat(np.arange(len(uses)), count)
    place = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count) + places.low[uses][owner]
    held = one.holds(places.atom[place], places.piece[place], places.column[uses][owner])
    found: BoolArray = np.bincount(owner[held], minlength=len(uses)) > 0
    return found

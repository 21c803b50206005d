"""A conversation as agents hold it that know two sides only: replies, and what is said to the model between two of them.

What other formats keep as several messages (results of one reply, a text behind them) is one message there. System messages are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.edits import Layer, lasting
from ctxcore.policies.history import ASSISTANT, SYSTEM, History
from ctxcore.policies.pieces import RESULT


@dataclass(frozen=True)
class Sides:
    """Messages of an epoch grouped by side."""

    history: History
    """Of the epoch."""

    @cached_property
    def items(self) -> IntArray:
        """Positions of messages that belong to a side, ascending."""
        return np.flatnonzero(self.history.role != SYSTEM).astype(np.int64)

    @cached_property
    def of(self) -> IntArray:
        """Per item: number of its side, from 0."""
        replies = self.history.role[self.items] == ASSISTANT
        changes = np.ones(len(replies), np.bool_)
        changes[1:] = replies[1:] != replies[:-1]
        return (np.cumsum(changes) - 1).astype(np.int64)

    @cached_property
    def first(self) -> IntArray:
        """Per side: index into ``items`` of its first message; one more entry for the end."""
        return np.searchsorted(self.of, np.arange(int(self.of[-1]) + 2 if len(self.of) else 1)).astype(np.int64)

    @cached_property
    def reply(self) -> BoolArray:
        """Per side: it is a reply."""
        found: BoolArray = self.history.role[self.items[self.first[:-1]]] == ASSISTANT
        return found

    @cached_property
    def held(self) -> IntArray:
        """Per call: sides that stand in its context, the last one perhaps in part."""
        begun = self.history.begun(self.items)
        return np.where(begun > 0, np.append(self.of, -1)[begun - 1] + 1, 0).astype(np.int64)

    @cached_property
    def orphans(self) -> IntArray:
        """Per side: index into ``items`` after the messages at its beginning that hold nothing but results."""
        other = ~self._results_only[self.items]
        following = np.where(other, np.arange(len(other)), len(other))
        after = np.append(np.minimum.accumulate(following[::-1])[::-1], len(other))
        found: IntArray = np.minimum(after[self.first[:-1]], self.first[1:])
        return found

    @cached_property
    def _results_only(self) -> BoolArray:
        pieces = self.history.pieces
        count = np.bincount(pieces.message, minlength=len(self.history.messages))
        results = np.bincount(pieces.message[pieces.kind == RESULT], minlength=len(self.history.messages))
        found: BoolArray = (count > 0) & (count == results)
        return found

    def stripped(self, rule: str, first: IntArray) -> Layer:
        """Results beside a text at the beginning of the first side that stays, whose calls are gone; the text stays.

        Args:
            rule: Why.
            first: Per call: number of that side, never falling; 0 where nothing is gone.
        """
        pieces = self.history.pieces
        results = np.flatnonzero(pieces.kind == RESULT).astype(np.int64)
        kept = np.unique(first[first > 0])
        kept = kept[kept < len(self.orphans)]
        place = np.append(self.items, -1)[self.orphans[kept]]
        side = np.full(len(self.history.messages) + 1, -1, np.int64)
        side[place[self.orphans[kept] < self.first[kept + 1]]] = kept[self.orphans[kept] < self.first[kept + 1]]
        chosen = results[side[pieces.message[results]] >= 0]
        since = np.searchsorted(np.maximum.accumulate(first), side[pieces.message[chosen]]).astype(np.int64)
        return lasting(self.history, "strip", rule, chosen, since=since)

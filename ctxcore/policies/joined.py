"""Messages as libraries hold them that put all results of an exchange into one message: a run of results counts once.

AutoGen, ADK, Strands and the Vercel SDK keep one message of results; the request that a provider receives, and the recording, has one for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.history import SYSTEM, TOOL, History


@dataclass(frozen=True, kw_only=True)
class Joined:
    """A library's list of messages: entries, each a run of items."""

    items: IntArray
    """Positions of the sequence that the list holds, ascending."""
    first: IntArray
    """Per entry: index into ``items`` of its first message; ends with the number of items."""
    count: IntArray
    """Per call: entries that have begun in its context."""
    begun: IntArray
    """Per call: items in its context."""

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.first) - 1

    @property
    def head(self) -> IntArray:
        """Per entry: position of its first message."""
        return self.items[self.first[:-1]]

    def end(self, entry: int) -> int:
        """Position after the last message of the first entries, by their number."""
        return int(self.items[self.first[entry] - 1]) + 1

    def upto(self, entry: IntArray) -> IntArray:
        """Per call: how many items of its context stand in the first entries, by their number."""
        return np.minimum(self.first[entry], self.begun)


def joined(history: History, *, system: bool = False) -> Joined:
    """A library's list of messages.

    Args:
        history: Of the epoch.
        system: System and developer messages are part of the list; else they stand outside it and always stay.
    """
    items = np.flatnonzero(history.role >= 0 if system else history.role != SYSTEM).astype(np.int64)
    result: BoolArray = history.role[items] == TOOL
    later = result & np.concatenate(([False], result[:-1]))[: len(result)]
    begun = history.begun(items)
    first = np.append(np.flatnonzero(~later), len(items)).astype(np.int64)
    return Joined(items=items, first=first, count=np.searchsorted(first[:-1], begun).astype(np.int64), begun=begun)

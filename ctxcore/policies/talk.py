"""A history without its system texts, which many agents keep apart and put in front of every request."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import IntArray
from ctxcore.policies.history import SYSTEM, History


@dataclass(frozen=True, kw_only=True)
class Talk:
    """Messages that are no system text; columns of messages hold one entry per such message."""

    items: IntArray
    """Position of each in the epoch's sequence."""
    role: NDArray[np.int8]
    """Of each."""
    upto: IntArray
    """Size of the first n of them, for n from 0."""
    begun: IntArray
    """Per call: how many stand in its context."""
    outside: IntArray
    """Per call: size of all of the request that is none of them: system texts, tools and brackets."""

    def __len__(self) -> int:
        """Number of messages."""
        return len(self.items)

    def fitting(self, limit: IntArray) -> IntArray:
        """Per call: the smallest n such that what stands behind the first n messages fits a limit."""
        return np.searchsorted(self.upto, self.upto[self.begun] - limit).astype(np.int64)


def talk(history: History) -> Talk:
    """The messages of an epoch that are no system texts."""
    items = np.flatnonzero(history.role != SYSTEM).astype(np.int64)
    upto = np.concatenate(([0], np.cumsum(history.size[items])))
    begun = history.begun(items)
    return Talk(items=items, role=history.role[items], upto=upto, begun=begun, outside=history.before - upto[begun])

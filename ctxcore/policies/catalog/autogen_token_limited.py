"""AutoGen's token-limited context: messages go from the middle until the rest fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Layer, Plan, window
from ctxcore.policies.history import SYSTEM, TOOL, History
from ctxcore.policies.joined import Joined, joined
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "In the middle of what did not fit"
FRONT = "Results at the front of the list"


@dataclass(frozen=True, slots=True)
class AutogenTokenLimited(PlannedPolicy):
    """Taking the middle message again and again leaves the first half, rounded up, and the last half of what stays."""

    token_limit: int | None = None

    name: ClassVar[str] = "autogen-token-limited"
    title: ClassVar[str] = "AutoGen: middle messages go until the rest fits"
    about: ClassVar[str] = (
        "Takes out the middle message, and again the middle one of the rest, until what stays fits: as many of the first as of the last messages. "
        "Nothing keeps a call and its results together; only results at the very front go too. The system text is outside the list and always stays. "
        "The limit is the budget less system text, tools and brackets; upstream counts with the model client's counter."
    )
    source: ClassVar[str] = "autogen-core 0.7.5, TokenLimitedChatCompletionContext."
    rejects: ClassVar[str] = (
        "Calls without results and results without calls at both edges of the hole; the current task where it lies in the middle."
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="token_limit", type="size", default=None, help="Size that the messages may take; left out, what the budget leaves for them."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        entries = joined(history)
        sums = np.concatenate(([0], np.cumsum(history.size[entries.items])))
        kept = self._kept(entries, sums, self._limit(history, budget))
        head, tail = entries.upto((kept + 1) // 2), entries.upto(entries.count - kept // 2)
        return Plan(layers=(window(history, "drop", RULE, entries.items, start=head, stop=tail), *_front(history, entries, head)))

    def _limit(self, history: History, budget: int) -> IntArray:
        if self.token_limit is not None:
            return np.full(len(history.length), self.token_limit, np.int64)
        system = np.concatenate(([0], np.cumsum(np.where(history.role == SYSTEM, history.size, 0))))
        return budget - history.fixed - system[history.length]

    @staticmethod
    def _kept(entries: Joined, sums: IntArray, limit: IntArray) -> IntArray:
        """Per call: the greatest number of entries that fits, by halving the span in which it lies."""
        low, high = np.zeros_like(entries.count), entries.count
        whole = sums[entries.begun]
        while (low < high).any():
            middle = (low + high + 1) // 2
            size = sums[entries.upto((middle + 1) // 2)] + whole - sums[entries.upto(entries.count - middle // 2)]
            low, high = np.where(size <= limit, middle, low), np.where(size <= limit, high, middle - 1)
        return low


def _front(history: History, entries: Joined, head: IntArray) -> tuple[Layer, ...]:
    """Results that the list begins with, where it is not empty."""
    if not len(entries) or history.role[entries.head[0]] != TOOL:
        return ()
    stop = np.where(head > 0, entries.upto(np.ones_like(head)), 0)
    return (window(history, "drop", FRONT, entries.items, stop=stop),)

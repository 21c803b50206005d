"""ADK's context filter plugin: the last invocations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import USER, History
from ctxcore.policies.joined import Joined, joined
from ctxcore.policies.paired import first_orphan, last_whole
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least

RULE = "Earlier than the invocations that are kept"


@dataclass(frozen=True, slots=True)
class AdkContextFilter(PlannedPolicy):
    """Works on every request anew; an invocation begins at the first of consecutive user messages."""

    num_invocations_to_keep: int = 5
    remove_amount: int = 1

    name: ClassVar[str] = "adk-context-filter"
    title: ClassVar[str] = "ADK: last invocations"
    about: ClassVar[str] = (
        "Once there are remove_amount more invocations than are to be kept, only the newest ones are sent, whatever their size. The cut moves back "
        "until every result has its call. An invocation is what follows user messages in a row. The system text always stays. The budget only tells "
        "which requests are refused."
    )
    source: ClassVar[str] = "google-adk 2.13.0, ContextFilterPlugin."
    rejects: ClassVar[str] = "Nothing; one result without a call in the kept part makes it send everything."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="num_invocations_to_keep", type="int", default=5, help="Newest invocations kept; 0 keeps all, as upstream does by default."),
        Parameter(name="remove_amount", type="int", default=1, help="How many more there must be before it acts, at least 1."),
    )

    def __post_init__(self) -> None:
        at_least("remove_amount", self.remove_amount, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        entries = joined(history)
        cut = self._cut(history, entries)
        safe = first_orphan(history)[np.append(entries.items, len(history.role))]
        inner = np.ones(len(safe), np.bool_)
        inner[entries.first] = False
        safe[inner] = 0  # a cut may only fall between entries
        begin = last_whole(safe, cut, history.length)
        return Plan(layers=(window(history, "drop", RULE, entries.items, stop=begin),))

    def _cut(self, history: History, entries: Joined) -> IntArray:
        """Per call: index of the item that begins the oldest invocation to keep; 0 where there are few."""
        human = history.role[entries.items] == USER
        starts = np.flatnonzero(human & ~np.concatenate(([False], human[:-1]))[: len(human)]).astype(np.int64)
        seen = np.searchsorted(starts, entries.begun)
        acts = (seen >= self.num_invocations_to_keep + self.remove_amount) & (self.num_invocations_to_keep > 0)
        return np.where(acts, np.append(starts, 0)[np.where(acts, seen - self.num_invocations_to_keep, -1)], 0)

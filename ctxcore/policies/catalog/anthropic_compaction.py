"""Anthropic's ``compact_20260112``: the server writes a summary of everything, and from then on ignores what stood before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Stands before the compaction block"
ASSUMED = ("The block stands in the user's role here; the server takes it at the front of an assistant message.",)


@dataclass(frozen=True, slots=True)
class AnthropicCompaction(PlannedPolicy):
    """The client appends the block; the request over the trigger itself is answered from the summary."""

    trigger: int | None = None
    keep_turns: int = 0
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "anthropic-compaction"
    title: ClassVar[str] = "Anthropic: compaction"
    about: ClassVar[str] = (
        "Once a request reaches the trigger (the budget), the server summarises all of it, the current task included, and goes on from the summary; "
        "later requests are cut before it. With keep_turns the newest turns stay as they are, as a client can do that pauses after the compaction. "
        "System text in front and tools stay; system messages in between go. Images and documents are lost with it."
    )
    source: ClassVar[str] = "Anthropic API, compact_20260112 (beta of 2026-01-12)."
    rejects: ClassVar[str] = "Nothing; the task is in the summary only. The server's trigger is at least 50,000 tokens."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="trigger", type="size", default=None, help="Request size from which on it acts; the budget if left out (150,000 tokens)."),
        Parameter(name="keep_turns", type="int", default=0, help="Newest turns of a user that stay as they are."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        limit = budget if self.trigger is None else self.trigger
        others = np.flatnonzero(history.role != SYSTEM)
        front = int(others[0]) if len(others) else len(history.role)
        made = Summarised(history, Stand(self.summary, self.ratio), rule=RULE, kept=())
        people = np.flatnonzero(history.person)
        upto, cut = history.upto.tolist(), front
        for column, (length, before) in enumerate(zip(history.length.tolist(), history.before.tolist(), strict=True)):
            seen = int(np.searchsorted(people, length))
            stop = length if not self.keep_turns else int(people[seen - self.keep_turns]) if seen >= self.keep_turns else 0
            if before - (upto[cut] - upto[front]) + made.size >= limit and stop > cut:
                cut = stop
                made.write(column, front, cut)
        return made.plan(assumed=ASSUMED)

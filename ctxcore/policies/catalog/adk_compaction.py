"""ADK's token compaction: once the last prompt was too large, all but the newest events become a rolling summary."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.joined import joined
from ctxcore.policies.paired import first_orphan
from ctxcore.policies.pieces import CALL
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Older than the events kept beside the summary"


@dataclass(frozen=True, slots=True)
class AdkCompaction(PlannedPolicy):
    """Looks at the prompt of the call before, as its provider counted it, and once more when an invocation is over."""

    token_threshold: int | None = None
    event_retention_size: int = 20
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "adk-compaction"
    title: ClassVar[str] = "ADK: compaction by tokens"
    about: ClassVar[str] = (
        "Once the prompt of the call before was at least the threshold (the budget), all but the newest events become one summary in the model's "
        "role, and the summary before goes into it. The cut moves back until every kept result has its call. The system text stays. As it acts one "
        "call late, a request can be over the budget first."
    )
    source: ClassVar[str] = "google-adk 2.13.0, EventsCompactionConfig with token_threshold and event_retention_size."
    rejects: ClassVar[str] = "Requests that begin with the model's role, at providers that ask for the user's. The task is in the summary only."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="token_threshold", type="size", default=None, help="Prompt from which on it acts; left out, the budget (upstream has none)."),
        Parameter(name="event_retention_size", type="int", default=20, help="Newest events that stay; upstream has no default."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = _Run(self, history, budget if self.token_threshold is None else self.token_threshold)
        for column, (count, before) in enumerate(zip(run.entries.count.tolist(), history.before.tolist(), strict=True)):
            run.call(column, count, before)
        return run.made.plan()


class _Run:
    """Events of an epoch as its calls pass by."""

    def __init__(self, rule: AdkCompaction, history: History, threshold: int) -> None:
        self.rule, self.threshold = rule, threshold
        self.entries = joined(history)
        stand = Stand(rule.summary, rule.ratio, role="assistant")
        self.made = Summarised(history, stand, rule=RULE, kept=np.flatnonzero(history.role == SYSTEM).tolist())
        heads = self.entries.head
        self.heads: list[int] = [*heads.tolist(), len(history.role)]
        self.orphan = first_orphan(history)
        self.sums: list[int] = np.concatenate(([0], np.cumsum(history.size[self.entries.items])))[self.entries.first].tolist()
        self.starts: list[int] = np.flatnonzero(history.person[heads]).tolist()
        pieces = history.pieces
        open_ = np.unique(pieces.message[(pieces.kind == CALL) & (pieces.partner < 0)])
        self.open: list[int] = np.searchsorted(heads, open_).tolist()
        self.cut = self.turn = 0
        self.last = -1

    def call(self, column: int, count: int, before: int) -> None:
        """What happens up to a call: invocations that ended before it, then the call's own look at the prompt before."""
        while self.turn < len(self.starts) and self.starts[self.turn] < count:
            self._check(column, self.starts[self.turn], self._talk(self.starts[self.turn]) if self.last < 0 else self.last)
            self.turn += 1
        self._check(column, count, self._talk(count) if self.last < 0 else self.last)
        self.last = before - self.sums[self.cut] + self.made.size

    def _talk(self, count: int) -> int:
        """Estimate of a prompt that nobody counted: its events alone."""
        return self.sums[count] - self.sums[self.cut] + self.made.size

    def _check(self, column: int, count: int, prompt: int) -> None:
        if prompt < self.threshold or count - self.cut <= self.rule.event_retention_size:
            return
        length = self.heads[count]
        running = max(self.cut, self.starts[bisect_left(self.starts, count) - 1] if self.starts and self.starts[0] < count else 0)
        waits = bisect_left(self.open, running)  # a call of the running invocation that has no result yet may not go
        most = min(count - self.rule.event_retention_size, self.open[waits] if waits < len(self.open) else count)
        split = next((entry for entry in range(most, self.cut, -1) if self.orphan[self.heads[entry]] >= length), self.cut)
        if split > self.cut:
            self.cut, self.last = split, -1
            self.made.write(column, self.heads[0], self.entries.end(split))

"""Strands' summarizing manager: an overflow turns a share of the oldest messages into a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import ASSISTANT, SYSTEM, TOOL, History
from ctxcore.policies.joined import joined
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Oldest share of the messages, as the request was too large"


@dataclass(frozen=True, slots=True)
class StrandsSummarizing(PlannedPolicy):
    """The summary is the first message of the list that is left, and goes into the next one."""

    summary_ratio: float = 0.3
    preserve_recent_messages: int = 10
    proactive_compression: float = 0.0
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "strands-summarizing"
    title: ClassVar[str] = "Strands: summarizing"
    about: ClassVar[str] = (
        "Where a request is over the budget (the model's window), a share of the oldest messages becomes one summary in the user's role, and again, "
        "until it fits; the newest messages never go. The cut moves on where it would part a call from its results. All results of one exchange are "
        "one message; system text stays."
    )
    source: ClassVar[str] = "strands-agents 1.62.0, SummarizingConversationManager, without pinned messages."
    rejects: ClassVar[str] = "Nothing where results follow their call. The task is in the summary only; too few messages cannot be summarised."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="summary_ratio", type="float", default=0.3, help="Share of the messages that goes, between 0.1 and 0.8."),
        Parameter(name="preserve_recent_messages", type="int", default=10, help="Newest messages that stay."),
        Parameter(
            name="proactive_compression", type="float", default=0.0, help="Share of the window from which on it acts before a call; 0: off (0.7)."
        ),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = _Run(self, history)
        for column, (count, before) in enumerate(zip(run.entries.count.tolist(), history.before.tolist(), strict=True)):
            if self.proactive_compression and run.size(before) >= self.proactive_compression * budget:
                run.summarise(column, count)
            while run.size(before) > budget and run.summarise(column, count):
                pass
        return run.made.plan()


class _Run:
    """Messages of an epoch as its calls pass by: a summary, then all from a cut on."""

    def __init__(self, rule: StrandsSummarizing, history: History) -> None:
        self.entries = joined(history)
        self.share, self.recent = max(0.1, min(0.8, rule.summary_ratio)), rule.preserve_recent_messages
        self.made = Summarised(history, Stand(rule.summary, rule.ratio), rule=RULE, kept=np.flatnonzero(history.role == SYSTEM).tolist())
        heads = self.entries.head
        self.asks: list[bool] = ((history.role[heads] == ASSISTANT) & history.asks[heads]).tolist()
        self.results: list[bool] = (history.role[heads] == TOOL).tolist()
        self.heads: list[int] = [*heads.tolist(), len(history.role)]
        self.sums: list[int] = np.concatenate(([0], np.cumsum(history.size[self.entries.items])))[self.entries.first].tolist()
        self.cut = 0

    def size(self, before: int) -> int:
        """Of a request after what was done so far."""
        return before - self.sums[self.cut] + self.made.size

    def summarise(self, column: int, count: int) -> bool:
        """Summarise the oldest messages; False where there are too few, or no place to cut."""
        held = int(bool(self.made))
        length = held + count - self.cut
        gone = min(max(1, int(length * self.share)), length - self.recent)
        split = self._whole(self.cut + gone - held, count) if gone > held else self.cut
        if split <= self.cut or (split == count and gone < length):
            return False
        self.cut = split
        self.made.write(column, self.heads[0], self.entries.end(split))
        return True

    def _whole(self, entry: int, count: int) -> int:
        """On from results, and from a call that no results follow."""
        while entry < count and (self.results[entry] or (self.asks[entry] and entry + 1 < count and not self.results[entry + 1])):
            entry += 1
        return entry

"""The Microsoft Agent Framework's summarization: the oldest groups become a summary, as many as its summarizer takes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.groups import APART, grouped
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Older than the messages kept beside the summary"
ASSUMED = ("What a group takes of the summarizer's input is its recorded size; upstream formats it as lines and counts 4 characters to a token.",)


@dataclass(frozen=True, slots=True)
class AgentFrameworkSummarization(PlannedPolicy):
    """Counts messages that are no system text; groups go whole."""

    target_count: int = 4
    threshold: int = 2
    max_summary_input: int | None = None
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "agent-framework-summarization"
    title: ClassVar[str] = "Microsoft Agent Framework: summarization"
    about: ClassVar[str] = (
        "Once there are more messages than target and threshold together, the oldest groups become one summary in the assistant's role; about the "
        "last target_count messages stay. Only as many whole groups are summarised at once as fit the summarizer's input; a first group that is too "
        "large alone is passed over and stays. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "agent-framework-core 1.23.0, SummarizationStrategy."
    rejects: ClassVar[str] = "Requests that begin with the assistant, at providers that ask for the user. The task is in the summary only."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="target_count", type="int", default=4, help="About how many newest messages stay, at least 1."),
        Parameter(name="threshold", type="int", default=2, help="How many more there may be before it acts."),
        Parameter(name="max_summary_input", type="size", default=None, help="What the summarizer takes at once; left out, upstream's 8,000 tokens."),
        *SUMMARY_PARAMETERS,
    )

    def __post_init__(self) -> None:
        at_least("target_count", self.target_count, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = _Run(self, history)
        for column, count in enumerate(run.begun):
            run.call(column, count)
        return run.made.plan(assumed=ASSUMED)


class _Run:
    """Groups of an epoch as its calls pass by: some too large, a summary, then all from a cut on."""

    def __init__(self, rule: AgentFrameworkSummarization, history: History) -> None:
        groups = grouped(history)
        loose = np.flatnonzero(groups.kind != APART)
        self.rule = rule
        self.made = Summarised(
            history, Stand(rule.summary, rule.ratio, role="assistant"), rule=RULE, kept=np.flatnonzero(history.role == SYSTEM).tolist()
        )
        self.begun: list[int] = groups.begun(loose, history.length)[0].tolist()
        self.heads: list[int] = [*groups.head[loose].tolist(), len(history.role)]
        self.ends: list[int] = (np.maximum.accumulate(groups.last[loose]) + 1 if len(loose) else loose).tolist()
        self.sums: list[int] = np.concatenate(([0], np.cumsum(groups.size[loose]))).tolist()
        self.messages: list[int] = np.concatenate(([0], np.cumsum(np.diff(groups.first)[loose]))).tolist()
        self.limit = history.tokens(8_000) if rule.max_summary_input is None else rule.max_summary_input
        self.passed = self.cut = 0

    def call(self, column: int, count: int) -> None:
        """Summarise before a call, if there is more than may stay and the summarizer can take some of it."""
        held = int(bool(self.made))
        left = self.messages[count] - self.messages[self.cut] + self.messages[self.passed] + held
        if left <= self.rule.target_count + self.rule.threshold:
            return
        keep = self._kept(count)
        start = self.passed
        while not held and start < keep and self.sums[start + 1] - self.sums[start] > self.limit:
            start += 1
        stop, room = max(self.cut, start), self.limit - self.made.size
        while stop < keep and self.sums[stop + 1] - self.sums[max(self.cut, start)] <= room:
            stop += 1
        if stop > max(self.cut, start):
            self.passed, self.cut = start, stop
            self.made.write(column, self.heads[start], self.ends[stop - 1])

    def _kept(self, count: int) -> int:
        """The first group of those that stay."""
        keep = count
        while keep > self.cut and (keep == count or self.messages[count] - self.messages[keep] < self.rule.target_count):
            keep -= 1
        return keep

"""Semantic Kernel's summarization reducer: a summary for all but the last messages by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.catalog.semantic_kernel_truncation import Marks
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Older than the last messages that the reducer keeps"


@dataclass(frozen=True, slots=True)
class SemanticKernelSummarization(PlannedPolicy):
    """One summary at a time, as upstream does by default; the reducer runs before each call."""

    target_count: int = 40
    threshold_count: int = 10
    include_function_content_in_summary: bool = False
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "semantic-kernel-summarization"
    title: ClassVar[str] = "Semantic Kernel: summarization"
    about: ClassVar[str] = (
        "Cuts where the truncation reducer would, and one summary in the assistant's role stands for what goes and for the summary before. Where "
        "only calls and results would go, it does nothing. The first system message stays in front. Sizes do not matter: the budget only tells which "
        "requests are refused."
    )
    source: ClassVar[str] = "semantic-kernel 1.45.0, ChatHistorySummarizationReducer with use_single_summary."
    rejects: ClassVar[str] = "Requests that begin with the assistant, at providers that ask for the user. The task is in the summary only."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="target_count", type="int", default=40, help="Messages kept, system message included, at least 1; upstream has no default."),
        Parameter(name="threshold_count", type="int", default=10, help="How many more there may be before it acts (upstream 0)."),
        Parameter(
            name="include_function_content_in_summary", type="bool", default=False, help="Calls and results alone are reason enough for a summary."
        ),
        *SUMMARY_PARAMETERS,
    )

    def __post_init__(self) -> None:
        at_least("target_count", self.target_count, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        marks = Marks(history)
        system = marks.next_system[0]
        made = Summarised(history, Stand(self.summary, self.ratio, role="assistant"), rule=RULE, kept=[system] if system < len(history.role) else [])
        talks = np.concatenate(([0], np.cumsum((history.role != SYSTEM) & (self.include_function_content_in_summary | ~marks.inside))))
        cut = 0
        for column, length in enumerate(history.length.tolist()):
            found = self._cut(marks, system if system < length else -1, cut, length, summed=bool(made))
            if found > cut and (made or talks[found] > talks[cut]):
                cut = found
                made.write(column, 0, cut)
        return made.plan(self._place(made, system))

    def _cut(self, marks: Marks, system: int, cut: int, length: int, *, summed: bool) -> int:
        """Where the list that is left begins after one run of the reducer.

        Args:
            marks: Of the history.
            system: Position of the first system message, -1 without one.
            cut: Where the list begins now.
            length: Messages in the context.
            summed: A summary stands in front of it.
        """
        front = int(0 <= system < cut)
        count = front + summed + length - cut
        if count <= self.target_count + self.threshold_count:
            return cut
        saved = system >= 0 and (bool(front) or system < length - self.target_count)
        target = self.target_count - saved
        if target <= 0:
            return length
        first = cut - (summed if front else 0)
        if length - target - self.threshold_count <= first:
            return cut
        return marks.safe(cut, max(length - target, cut), length - target - self.threshold_count)

    @staticmethod
    def _place(made: Summarised, system: int) -> IntArray:
        """The summary stands behind the system message that is put back."""
        stops = [*(firing.stop for firing in made.firings), 0]
        return np.asarray([system + 1 if stops[which] > system else 0 for which in made.which.tolist()], np.int64)

"""LlamaIndex's ``ChatSummaryMemoryBuffer``: what no longer fits becomes a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import ASSISTANT, SYSTEM, TOOL, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised
from ctxcore.policies.talk import talk

RULE = "Did not fit beside the newest messages"


@dataclass(frozen=True, slots=True)
class LlamaindexSummaryBuffer(PlannedPolicy):
    """The summary is a message of the history, and part of the next one once it no longer fits."""

    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "llamaindex-summary-buffer"
    title: ClassVar[str] = "LlamaIndex: chat summary memory buffer"
    about: ClassVar[str] = (
        "Walks back from the newest message while the budget holds; the rest becomes a summary, a system message in front. Replies and results at "
        "the front of what stays go into the summary too, even where they fit, so a current turn that is larger than the budget is summarised away. "
        "The summary itself is not counted beforehand, so a request may be over the budget. The system text stands outside and is taken off the "
        "limit. Upstream's limit is 2,000 tokens or three quarters of the model's window, and it counts texts, no tool calls."
    )
    source: ClassVar[str] = "llama-index-core 0.14.25, ChatSummaryMemoryBuffer."
    rejects: ClassVar[str] = "A request that is system texts alone, where the current turn does not fit."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = SUMMARY_PARAMETERS

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        said = talk(history)
        begins = np.append(np.flatnonzero((said.role != TOOL) & (said.role != ASSISTANT)), len(said))
        made = Summarised(history, Stand(self.summary, self.ratio, role="system"), rule=RULE, kept=np.flatnonzero(history.role == SYSTEM).tolist())
        stop = 0
        for column, (outside, begun) in enumerate(zip(said.outside.tolist(), said.begun.tolist(), strict=True)):
            left = budget - outside - int(said.upto[begun] - said.upto[min(stop, begun)])
            if begun <= stop or (made and left >= made.size):  # a summary that stays stands in front
                continue
            first = max(stop, int(np.searchsorted(said.upto, said.upto[begun] - max(budget - outside, 0))))
            cut = min(int(begins[np.searchsorted(begins, first)]), begun) if first < begun else begun
            if cut > stop:
                stop = cut
                made.write(column, int(said.items[0]), int(said.items[stop - 1]) + 1)
        return made.plan()

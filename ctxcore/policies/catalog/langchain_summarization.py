"""LangChain's ``SummarizationMiddleware``: all but the newest messages become one summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, TOOL, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised
from ctxcore.policies.talk import Talk, talk

RULE = "Older than the messages kept beside the summary"

LEAD = "Here is a summary of the conversation to date:\n\n"
"""Source: ``SummarizationMiddleware._build_new_messages``."""


@dataclass(frozen=True, slots=True)
class LangchainSummarization(PlannedPolicy):
    """The summary is written back, and the next one is made of it and what came since."""

    keep_messages: int = 20
    keep_tokens: int | None = None
    trigger_messages: int | None = None
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "langchain-summarization"
    title: ClassVar[str] = "LangChain: summarization middleware"
    about: ClassVar[str] = (
        "Once a request has reached the budget, everything but the newest messages (by number, or as many as a size holds) is replaced by a summary "
        "in the user's role. A cut between results moves back to the nearest reply that owns any of them. The system text stands outside; the first "
        "user message is not kept. Upstream has no default for the trigger, and compares its estimate of the messages alone, or what the provider "
        "reported last; here the size of the whole request decides."
    )
    source: ClassVar[str] = "langchain 1.5.2, SummarizationMiddleware."
    rejects: ClassVar[str] = "Results whose call was cut off, where a run of results answers several replies. The task is in the summary only."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="keep_messages", type="int", default=20, help="Newest messages that stay."),
        Parameter(name="keep_tokens", type="size", default=None, help="Size of newest messages that stay, instead of their number."),
        Parameter(name="trigger_messages", type="int", default=None, help="Messages from which on it acts as well; none if left out."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        said, tail = talk(history), _Tail(history)
        made = Summarised(history, Stand(self.summary, self.ratio, LEAD), rule=RULE, kept=np.flatnonzero(history.role == SYSTEM).tolist())
        stop = 0
        for column, (outside, begun) in enumerate(zip(said.outside.tolist(), said.begun.tolist(), strict=True)):
            count = begun - stop + bool(made)
            size = outside + int(said.upto[begun] - said.upto[min(stop, begun)]) + made.size
            if begun <= stop or not (size >= budget or (self.trigger_messages is not None and count >= self.trigger_messages)):
                continue
            cut = tail.back_to_call(self._cut(said, stop, begun, made.size), stop, begun)
            if cut > stop:
                stop = cut
                made.write(column, int(said.items[0]), int(said.items[stop - 1]) + 1)
        return made.plan()

    def _cut(self, said: Talk, stop: int, begun: int, summary: int) -> int:
        """The first message that stays, by number or size."""
        if self.keep_tokens is None:
            return begun - self.keep_messages
        target = max(self.keep_tokens, 1)
        if int(said.upto[begun] - said.upto[stop]) + summary <= target:
            return stop
        return min(int(np.searchsorted(said.upto, said.upto[begun] - target)), begun - 1)


class _Tail:
    """Where a list of messages may begin, as upstream sees it."""

    def __init__(self, history: History) -> None:
        said = talk(history)
        self.tool: list[bool] = (said.role == TOOL).tolist()
        self.results = [{one.call_id for one in history.messages[position].results if one.call_id} for position in said.items.tolist()]
        self.calls = [{one.id for one in history.messages[position].calls if one.id} for position in said.items.tolist()]

    def back_to_call(self, cut: int, stop: int, begun: int) -> int:
        """Move a cut before a result back to the nearest reply that owns any of the results there, or past them where none does."""
        if cut <= stop or cut >= begun or not self.tool[cut]:
            return cut
        end, ids = cut, set[str]()
        while end < begun and self.tool[end]:
            ids |= self.results[end]
            end += 1
        return next((index for index in range(cut - 1, stop - 1, -1) if self.calls[index] & ids), end)

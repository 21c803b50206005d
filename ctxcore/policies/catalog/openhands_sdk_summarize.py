"""OpenHands SDK's summarising condenser: too many events or tokens, cut where nothing belongs together."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.catalog.openhands_recent_events import EVENTS
from ctxcore.policies.compacting import SummarisingPolicy, boundaries
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS, Firing

RULE = "Summarised when the view had too many events or was too large"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenhandsSdkSummarize(SummarisingPolicy):
    """A later summary is made of the earlier one and what is newly forgotten."""

    max_size: int = 240
    max_tokens: int | None = None
    keep_first: int = 2
    minimum_progress: float = 0.1

    name: ClassVar[str] = "openhands-sdk-summarize"
    title: ClassVar[str] = "OpenHands SDK: summarising condenser"
    about: ClassVar[str] = (
        "Once the view has more events than a limit, or is over the budget, all between the first events and a tail become one summary. The tail is "
        "what half the limit and half the budget leave, whichever is less. Both ends of what goes move on to the next place at which no exchange is "
        "open. A condensation of less than a tenth of the events is not made."
    )
    source: ClassVar[str] = "openhands-sdk 1.58.2, context/condenser/llm_summarizing_condenser.py."
    rejects: ClassVar[str] = "Nothing by its pairs; the task, unless it is among the first events kept."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_size", type="int", default=240, help="Events over which it condenses."),
        Parameter(name="max_tokens", type="size", default=None, help="Size over which it condenses; the budget if left out."),
        Parameter(name="keep_first", type="int", default=2, help="First events that stay."),
        Parameter(name="minimum_progress", type="float", default=0.1, help="Least share of the events that a condensation must forget."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        limit = budget if self.max_tokens is None else self.max_tokens
        made = self.summaries(history, self._firings(history, limit), RULE, kept=np.empty(0, np.int64))
        return Plan(
            layers=(made.layer,),
            inserts=(made.insert,),
            assumed=(EVENTS, "A loop of thinking and tools may be cut between two exchanges; a forced reset is not made."),
        )

    def _firings(self, history: History, limit: int) -> list[Firing]:
        bounds, upto = boundaries(history).tolist(), history.upto.tolist()
        start = bounds[min(self.keep_first, len(bounds) - 1)]
        done, added, found = start, 0, list[Firing]()
        for column, (length, before) in enumerate(zip(history.length.tolist(), history.before.tolist(), strict=True)):
            size = before - (upto[done] - upto[start]) + added
            view = length - (done - start) + bool(added)
            keeps = [self.max_size // 2] if view > self.max_size else []
            if size > limit:
                room = limit // 2 - (size - (upto[length] - upto[done]))
                keeps.append(length - bisect_left(upto, upto[length] - max(room, 0)))
            if length <= done or not keeps:
                continue
            tail = max(min(keeps) - self.keep_first - 1, 0)
            end = bounds[max(done, length - tail)]
            if end <= length and end - done >= max(1, self.minimum_progress * view):
                done, added = end, self.stand_in(history, upto[end] - upto[start])
                found.append(Firing(column, start, end))
        return found

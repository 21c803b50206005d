"""OpenHands' summarising condenser (V0): too many events, and all but half of them become a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.errors import InputError
from ctxcore.policies.catalog.openhands_recent_events import EVENTS
from ctxcore.policies.compacting import SummarisingPolicy
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.rolling import forgotten
from ctxcore.policies.summaries import SUMMARY_PARAMETERS, Firing

RULE = "Summarised when the history had too many events"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenhandsSummarize(SummarisingPolicy):
    """A later summary is made of the earlier one and what is newly forgotten."""

    max_size: int = 100
    keep_first: int = 1

    name: ClassVar[str] = "openhands-summarize"
    title: ClassVar[str] = "OpenHands: summarising condenser"
    about: ClassVar[str] = (
        "Once the history has more events than the limit, all between the first ones and the newest become one summary, so that half the "
        "limit is left, the summary included. Events count, not sizes, and nothing keeps a call and its result together. The budget only "
        "tells which requests are refused."
    )
    source: ClassVar[str] = "OpenHands at 156d0686, openhands/memory/condenser/impl/llm_summarizing_condenser.py."
    rejects: ClassVar[str] = "Results at the cut whose call was forgotten; the task, unless it is among the first events kept."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_size", type="int", default=100, help="Events over which it condenses."),
        Parameter(name="keep_first", type="int", default=1, help="First events that stay, less than half of max_size."),
        *SUMMARY_PARAMETERS,
    )

    def __post_init__(self) -> None:
        if self.keep_first >= self.max_size // 2:
            raise InputError(f"keep_first {self.keep_first} is not less than half of max_size {self.max_size}; OpenHands refuses that.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        end = forgotten(history.length, longest=self.max_size, left=self.max_size // 2, head=self.keep_first, extra=1)
        reached = np.maximum.accumulate(end)
        moved = np.flatnonzero(np.diff(reached, prepend=self.keep_first) > 0).tolist()
        firings = [Firing(column, self.keep_first, int(reached[column])) for column in moved]
        made = self.summaries(history, firings, RULE, kept=np.empty(0, np.int64))
        return Plan(layers=(made.layer,), inserts=(made.insert,), assumed=(EVENTS,))

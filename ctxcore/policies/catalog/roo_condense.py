"""Roo Code's condensing: one summary takes the place of every message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, systems, whole
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS

RULE = "Condensed when the context was too large"


@dataclass(frozen=True, slots=True, kw_only=True)
class RooCondense(SummarisingPolicy):
    """Nothing but the summary stays, not even the newest message."""

    threshold: float = 100.0
    buffer: float = 0.1
    max_output: int | None = None

    name: ClassVar[str] = "roo-condense"
    title: ClassVar[str] = "Roo Code: condense"
    about: ClassVar[str] = (
        "The budget is the model's window. Once a request reaches a percentage of it, or is over the window less a buffer and the output "
        "reserve, all messages since the last summary become one summary, the newest message included; a later one starts from the summary "
        "before. The folded outlines of files and the commands of the first message that the original adds are not in a recording."
    )
    source: ClassVar[str] = "Roo Code, src/core/context-management/index.ts and src/core/condense/index.ts at cb836567."
    rejects: ClassVar[str] = "Nothing. The task and the newest message are in the summary only."
    lead: ClassVar[str] = "## Conversation Summary\n"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="threshold", type="float", default=100.0, help="Percentage of the window from which it acts, 5 to 100."),
        Parameter(name="buffer", type="float", default=0.1, help="Share of the window that stays free."),
        Parameter(name="max_output", type="size", default=None, help="Reserved for the reply; upstream 8,192 tokens where the model names none."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        reserve = history.tokens(8_192) if self.max_output is None else self.max_output
        allowed = budget * (1 - self.buffer) - reserve
        kept = systems(history)
        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size * 100 >= self.threshold * budget or size > allowed,
            cut=whole,
            stand_in=lambda span, _stop: self.stand_in(history, span),
        )
        made = self.summaries(history, rewriting.firings(), RULE, kept=np.flatnonzero(kept))
        return Plan(layers=(made.layer,), inserts=(made.insert,), assumed=("Every condensing succeeds.",))

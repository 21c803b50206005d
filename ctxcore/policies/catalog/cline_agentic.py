"""Cline's agentic compaction: a summary, and the newest turns by size."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, View, systems
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS

RULE = "Summarised when the input limit was near"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClineAgentic(SummarisingPolicy):
    """The cut stands at a prompt, never behind the latest one."""

    input_share: float = 0.9
    trigger: float = 0.9
    preserve: int | None = None
    most: int | None = None

    name: ClassVar[str] = "cline-agentic"
    title: ClassVar[str] = "Cline: agentic compaction"
    about: ClassVar[str] = (
        "The budget is the model's window. Once a request reaches the trigger, all before a prompt of the user becomes a summary: the newest prompt "
        "from which on at least so much stays, and never one behind the latest. An earlier summary is merged. If the latest prompt is the first, "
        "nothing can go; the original then compacts without a model, as cline-basic does."
    )
    source: ClassVar[str] = "Cline SDK at 21cb8d25, packages/core/src/extensions/context/agentic-compaction.ts and compaction-shared.ts."
    rejects: ClassVar[str] = "Nothing by its pairs. A long turn of the latest prompt cannot be made shorter."
    lead: ClassVar[str] = "Context summary:\n\n"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="input_share", type="float", default=0.9, help="Share of the window that is input."),
        Parameter(name="trigger", type="float", default=0.9, help="Share of the input from which it acts."),
        Parameter(name="preserve", type="size", default=None, help="Least size of what stays; 20,000 tokens, or 0.7 of the trigger if that is less."),
        Parameter(name="most", type="size", default=None, help="Greatest size of a summary; upstream 4,096 tokens."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        trigger = budget * self.input_share * self.trigger
        preserve = min(history.tokens(20_000), trigger * 0.7) if self.preserve is None else self.preserve
        most = history.tokens(4_096) if self.most is None else self.most
        kept = systems(history)
        persons, upto = np.flatnonzero(history.person).tolist(), history.upto.tolist()

        def cut(view: View) -> int:
            candidate = bisect_right(upto, upto[view.length] - preserve) - 1
            latest = bisect_right(persons, view.length - 1) - 1
            place = bisect_right(persons, min(candidate, persons[latest] if latest >= 0 else -1)) - 1
            return persons[place] if place >= 0 else 0

        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size >= trigger,
            cut=cut,
            stand_in=lambda span, _stop: self.stand_in(history, span, most),
        )
        made = self.summaries(history, rewriting.firings(), RULE, kept=np.flatnonzero(kept), most=most)
        return Plan(
            layers=(made.layer,),
            inserts=(made.insert,),
            assumed=("The list of files that the original adds to a summary is not added.",),
        )

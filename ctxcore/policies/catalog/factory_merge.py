"""Factory's anchored summary: what is newly left out is merged into one summary that lasts."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, View, boundaries, systems
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS

RULE = "Merged into the summary when the fill line was reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactoryMerge(SummarisingPolicy):
    """Two lines: from the one it acts, down to the other it drops."""

    fill: int | None = None
    drain: float = 0.5

    name: ClassVar[str] = "factory-merge"
    title: ClassVar[str] = "Factory: anchored summary"
    about: ClassVar[str] = (
        "Once a request reaches the fill line (the budget, if left out), the oldest messages are left out, no exchange split, until it is "
        "under the drain line. Only what is newly left out is summarised, and merged into the summary that stands from before (intent, "
        "changed files, decisions, next steps). The vendor gives words, no code and no numbers."
    )
    source: ClassVar[str] = "Factory, factory.ai on compressing context (2025-12-16)."
    rejects: ClassVar[str] = "Nothing by its pairs. The task can be in the summary only."
    lead: ClassVar[str] = "Summary of the session so far:\n"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="fill", type="size", default=None, help="Size from which it acts; the budget if left out."),
        Parameter(name="drain", type="float", default=0.5, help="Share of the fill line down to which it drops; upstream names no number."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        fill = budget if self.fill is None else self.fill
        kept = systems(history)
        bounds = boundaries(history).tolist()

        def cut(view: View) -> int:
            excess = view.size - int(fill * self.drain)
            place = bisect_left(loose, loose[view.done] + max(excess, 1))
            return min(int(bounds[min(place, len(bounds) - 1)]), bounds_before[view.length])

        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size >= fill,
            cut=cut,
            stand_in=lambda span, _stop: self.stand_in(history, span),
        )
        loose = rewriting.loose.tolist()
        bounds_before = _newest_units(history)
        made = self.summaries(history, rewriting.firings(), RULE, kept=np.flatnonzero(kept))
        return Plan(
            layers=(made.layer,),
            inserts=(made.insert,),
            assumed=("The newest unit stays; the drain line is met before the new summary is counted.", "The drain line is half of the fill line."),
        )


def _newest_units(history: History) -> list[int]:
    """Per length: position at which the last unit of so many messages begins."""
    units = history.epoch.units
    return [0, *units.first[units.unit_of].tolist()]

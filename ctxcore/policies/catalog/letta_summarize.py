"""Letta's summariser with a sliding window: the older part of the messages, at least 30 % of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, View, systems
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import ASSISTANT, History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS

RULE = "Summarised when the context was over the window"


@dataclass(frozen=True, slots=True, kw_only=True)
class LettaSummarize(SummarisingPolicy):
    """The part that stays begins at a reply."""

    percentage: float = 0.3
    window_share: float = 1.0

    name: ClassVar[str] = "letta-summarize"
    title: ClassVar[str] = "Letta: sliding window summary"
    about: ClassVar[str] = (
        "The budget is the model's window. Once a request is over it, the oldest messages become a summary behind the system text: first 40 %"
        " of the messages, then 10 % more each time, up to the nearest reply before, until the rest is under 70 % of the window. If no reply "
        "is found, or only the last message would stay, everything is summarised."
    )
    source: ClassVar[str] = "Letta, services/summarizer (compact, summarizer_sliding_window, thresholds) at 63d3146 and 1a4b119."
    rejects: ClassVar[str] = (
        "Nothing by its pairs; the request begins with a summary in the user's role and then a reply. The task can be in the summary only."
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="percentage", type="float", default=0.3, help="Share of messages at which it begins, and of the window that it frees."),
        Parameter(name="window_share", type="float", default=1.0, help="Share of the window over which it acts; 0.9 for the gpt-5 family."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        kept = systems(history)
        cuts = _Cuts(history, self.percentage, budget)
        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size > budget * self.window_share,
            cut=cuts.stop,
            stand_in=lambda span, _stop: self.stand_in(history, span),
        )
        made = self.summaries(history, rewriting.firings(), RULE, kept=np.flatnonzero(kept))
        return Plan(
            layers=(made.layer,),
            inserts=(made.insert,),
            assumed=("Half a message is rounded to the even number, as Python does; an earlier summary counts as one message.",),
        )


class _Cuts:
    """Up to where messages go."""

    def __init__(self, history: History, percentage: float, budget: int) -> None:
        self.upto, self.percentage, self.goal = history.upto.tolist(), percentage, (1 - percentage) * budget
        marks = np.where(history.role == ASSISTANT, np.arange(len(history.role)), -1)
        self.reply = np.maximum.accumulate(marks).tolist() if len(marks) else []
        self.system = np.concatenate(([0], np.cumsum(np.where(systems(history), history.size, 0)))).tolist()
        self.fixed = history.fixed.tolist()

    def stop(self, view: View) -> int:
        """Position of the first message that stays; the end where all go."""
        before = 1 + bool(view.added)  # the system text, and the summary of the firing before
        count = before + view.length - view.done
        share, found = self.percentage, -1
        while share < 1:
            share += 0.1
            place = min(view.done + round(share * count) - before, view.length - 1)
            found = self.reply[place] if place >= 0 else -1
            rest = self.fixed[view.column] + self.system[view.done] + self.upto[view.length] - self.upto[max(found, view.done)]
            if found > view.done and rest < self.goal:
                break
        return view.length if found <= view.done or found >= view.length - 1 else found

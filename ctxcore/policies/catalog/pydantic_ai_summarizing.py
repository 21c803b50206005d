"""pydantic-ai-harness: a summary stands for all but the newest messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.running import RunningHistory
from ctxcore.policies.summaries import RATIO, SUMMARY_PARAMETERS
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Older than the messages kept beside the summary"


@dataclass(frozen=True, slots=True)
class PydanticAiSummarizing(PlannedPolicy):
    """The summary is written back and updated by the next one."""

    max_messages: int | None = None
    keep_messages: int = 20
    preserve_first_user_message: bool = True
    summary: str = "recorded"
    ratio: float = RATIO

    name: ClassVar[str] = "pydantic-ai-summarizing"
    title: ClassVar[str] = "Pydantic AI harness: summarizing"
    about: ClassVar[str] = (
        "Once a request is over the budget, all but the newest messages become a summary, a request of its own behind the first request of a user, "
        "which stays. The cut moves back where it would part a call from its results. All that stands between two replies is one message, as in "
        "Pydantic AI; system texts are instructions and stay. Upstream has no default for the trigger."
    )
    source: ClassVar[str] = "pydantic-ai-harness 0.62.0, SummarizingCompaction by number of messages, without receipts and kept user turns."
    rejects: ClassVar[str] = "Nothing as a rule; a result that comes more than 5 messages after its call may lose it."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_messages", type="int", default=None, help="Messages over which it acts as well; none if left out."),
        Parameter(name="keep_messages", type="int", default=20, help="Newest messages that stay; at least 1."),
        Parameter(name="preserve_first_user_message", type="bool", default=True, help="Keep the first request of a user."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = RunningHistory(history, keep_first=self.preserve_first_user_message)
        first = run.positions(run.user) if run.user >= 0 else []
        system = np.flatnonzero(history.role == SYSTEM).tolist()
        made = Summarised(history, Stand(self.summary, self.ratio), rule=RULE, kept=sorted({*system, *first}))
        for column in range(run.never):
            many = self.max_messages is not None and run.left(column) + bool(made) > self.max_messages
            if (many or run.size(column) + made.size > budget) and (cut := run.safe_cut(column, self.keep_messages)) > run.cut:
                run.drop(column, cut)
                made.write(column, int(run.said.items[0]), run.positions(cut - 1)[-1] + 1)
        behind = first[-1] + 1 if first else 0
        stops = [firing.stop for firing in made.firings]
        return made.plan(np.asarray([behind if made.firings and behind <= stops[which] else 0 for which in made.which.tolist()], np.int64))

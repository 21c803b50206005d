"""OpenAI's compaction: the server puts one encrypted item in place of what stood before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import SYSTEM, USER, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import RATIO
from ctxcore.policies.summarised import Stand, Summarised

RULE = "Stands before the compaction item"
ASSUMED = (
    "What the encrypted item holds nobody can tell: it has a size alone, and evidence in it counts as gone though it may be there.",
    "Messages of the user are taken to be kept as they are, in front of the item; which items are kept is not documented.",
)


@dataclass(frozen=True, slots=True)
class OpenaiCompaction(PlannedPolicy):
    """Acts within the request that crosses the threshold."""

    compact_threshold: int | None = None
    keep_user_messages: bool = True
    ratio: float = RATIO

    name: ClassVar[str] = "openai-compaction"
    title: ClassVar[str] = "OpenAI: compaction"
    about: ClassVar[str] = (
        "Once a request crosses the threshold (the budget), the server puts one encrypted item in place of the conversation so far; what the user "
        "said and the system text stay. Only the size of the item can be guessed, by a share of what it replaces. The server counts its own tokens."
    )
    source: ClassVar[str] = "OpenAI Responses API, context_management with compact_threshold, and /responses/compact."
    rejects: ClassVar[str] = "Nothing at OpenAI. What the item still tells the model is unknown."
    needs_summary: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="compact_threshold", type="size", default=None, help="Request size over which it acts; left out, the budget."),
        Parameter(name="keep_user_messages", type="bool", default=True, help="Messages of the user stay as they are."),
        Parameter(name="ratio", type="float", default=RATIO, help="Size of the item as a share of what it replaces."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        limit = budget if self.compact_threshold is None else self.compact_threshold
        stays = (history.role == SYSTEM) | (self.keep_user_messages & (history.role == USER))
        made = Summarised(history, Stand("opaque", self.ratio, role="assistant"), rule=RULE, kept=np.flatnonzero(stays).tolist())
        gone = np.concatenate(([0], np.cumsum(np.where(stays, 0, history.size)))).tolist()
        cut = 0
        for column, (length, before) in enumerate(zip(history.length.tolist(), history.before.tolist(), strict=True)):
            if before - gone[cut] + made.size > limit and gone[length] > gone[cut]:
                cut = length
                made.write(column, 0, cut)
        stops = np.asarray([*(firing.stop for firing in made.firings), 0], np.int64)
        return made.plan(stops[made.which], assumed=ASSUMED)

"""AutoGen's head-and-tail context: the first and the last messages by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import ASSISTANT, TOOL, History
from ctxcore.policies.joined import joined
from ctxcore.policies.notices import numbered_notice
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least

RULE = "Between the first and the last messages that are kept"
NOTICE = "Says how many messages lie between head and tail, which may be fewer than are missing"


@dataclass(frozen=True, slots=True)
class AutogenHeadAndTail(PlannedPolicy):
    """The notice counts what lies between head and tail, not the call and the results that are taken off their inner edges."""

    head_size: int = 3
    tail_size: int = 20

    name: ClassVar[str] = "autogen-head-and-tail"
    title: ClassVar[str] = "AutoGen: first and last messages"
    about: ClassVar[str] = (
        "Sends the first and the last messages by number, whatever their size, and between them a user message with the number skipped. A call "
        "at the end of the head and results at the front of the tail go as well, and are not counted in it. All results of one exchange are one "
        "message. The system text always stays. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "autogen-core 0.7.5, HeadAndTailChatCompletionContext."
    rejects: ClassVar[str] = (
        "Nothing where results follow their call; the current task is lost once it lies in the middle, and the notice counts too few."
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="head_size", type="int", default=3, help="First messages kept, at least 1; upstream has no default."),
        Parameter(name="tail_size", type="int", default=20, help="Last messages kept, at least 1; upstream has no default."),
    )

    def __post_init__(self) -> None:
        at_least("head_size", self.head_size, 1)
        at_least("tail_size", self.tail_size, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        entries = joined(history)
        skipped = np.maximum(entries.count - self.head_size - self.tail_size, 0)
        result = np.append(history.role[entries.head] == TOOL, [False])
        calling = (history.role[entries.head] == ASSISTANT) & history.asks[entries.head]
        head = min(self.head_size, len(entries))
        head -= int(head > 0 and bool(calling[head - 1]))
        tail = np.where(skipped > 0, entries.count - self.tail_size, head)
        tail = tail + ((skipped > 0) & result[tail])
        start, stop = entries.first[head], entries.upto(tail)
        place = np.append(entries.items, len(history.role))[stop]
        return Plan(
            layers=(window(history, "drop", RULE, entries.items, start=np.full_like(stop, start), stop=np.where(skipped > 0, stop, start)),),
            inserts=(
                numbered_notice(
                    history,
                    role="user",
                    rule=NOTICE,
                    number=skipped,
                    place=np.minimum(place, history.length),
                    text=lambda number: f"Skipped {number} messages.",
                ),
            ),
        )

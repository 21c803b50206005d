"""AutoGen's buffered context: the last messages by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import TOOL, History
from ctxcore.policies.joined import joined
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least

RULE = "Older than the last messages that the buffer holds"


@dataclass(frozen=True, slots=True)
class AutogenBuffered(PlannedPolicy):
    """Keeps the newest messages by number; the agent's system text stands outside."""

    buffer_size: int = 40

    name: ClassVar[str] = "autogen-buffered"
    title: ClassVar[str] = "AutoGen: last messages"
    about: ClassVar[str] = (
        "Sends the last messages by number, whatever their size; all results of one exchange are one message, and go too where they would stand in "
        "front. The system text is added by the agent and always stays. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "autogen-core 0.7.5, BufferedChatCompletionContext."
    rejects: ClassVar[str] = "Nothing where results follow their call; the task is lost once it is older than the buffer."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="buffer_size", type="int", default=40, help="Messages kept, at least 1; upstream has no default."),
    )

    def __post_init__(self) -> None:
        at_least("buffer_size", self.buffer_size, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        entries = joined(history)
        front = np.append(history.role[entries.head] == TOOL, [False])
        cut = np.maximum(entries.count - self.buffer_size, 0)
        cut = np.minimum(cut + front[cut], entries.count)
        return Plan(layers=(window(history, "drop", RULE, entries.items, stop=entries.upto(cut)),))

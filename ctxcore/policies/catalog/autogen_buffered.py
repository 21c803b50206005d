"""AutoGen's buffered context: the last messages by number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Older than the last messages that the buffer holds"


@dataclass(frozen=True, slots=True)
class AutogenBuffered(PlannedPolicy):
    """Keeps the newest messages by number; the agent's system text stands outside."""

    buffer_size: int = 40

    name: ClassVar[str] = "autogen-buffered"
    title: ClassVar[str] = "AutoGen: last messages"
    about: ClassVar[str] = (
        "Sends the last messages by number, whatever their size; a tool result at the very front goes too. The system text is added by the agent and "
        "always stays. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "autogen-core 0.7.5, BufferedChatCompletionContext."
    rejects: ClassVar[str] = (
        "The results of a call that was cut off where several results stand at the front; the task once it is older than the buffer."
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="buffer_size", type="int", default=40, help="Messages kept; upstream has no default."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        items = np.flatnonzero(history.role != SYSTEM).astype(np.int64)
        stop = np.maximum(history.begun(items) - self.buffer_size, 0)
        front = history.answers[items[np.minimum(stop, len(items) - 1)]] if len(items) else stop > 0
        stop = np.where((stop > 0) & front, np.minimum(stop + 1, history.begun(items)), stop)
        return Plan(layers=(window(history, "drop", RULE, items, stop=stop),))

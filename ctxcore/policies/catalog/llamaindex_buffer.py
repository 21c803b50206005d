"""LlamaIndex's ``ChatMemoryBuffer``: the newest messages that fit, beginning with a user message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import ASSISTANT, TOOL, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.talk import talk

RULE = "Older than the newest messages that fit and begin with no reply or result"


@dataclass(frozen=True, slots=True)
class LlamaindexBuffer(PlannedPolicy):
    """Looks at the whole history anew at each call."""

    name: ClassVar[str] = "llamaindex-buffer"
    title: ClassVar[str] = "LlamaIndex: chat memory buffer"
    about: ClassVar[str] = (
        "Drops messages from the front until the rest fits the budget and begins with no reply and no result; the newest message always stays. The "
        "system text stands outside and its size is taken off the limit. Upstream's limit is 3,000 tokens or three quarters of the model's window, "
        "and it counts the text of messages alone, no tool calls."
    )
    source: ClassVar[str] = "llama-index-core 0.14.25, ChatMemoryBuffer.get."
    rejects: ClassVar[str] = "A lone result without its call where the current turn is larger than the budget."

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        said = talk(history)
        first = said.fitting(budget - said.outside)
        begins = np.append(np.flatnonzero((said.role != TOOL) & (said.role != ASSISTANT)), len(said))
        moved = begins[np.searchsorted(begins, np.minimum(first, len(said)))]
        stop = np.where(first > 0, np.minimum(moved, np.maximum(said.begun - 1, 0)), 0).astype(np.int64)
        return Plan(layers=(window(history, "drop", RULE, said.items, stop=stop),))

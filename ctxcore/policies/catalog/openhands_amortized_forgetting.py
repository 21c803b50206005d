"""OpenHands' amortised forgetting condenser: too many events, and all but half of them are forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.errors import InputError
from ctxcore.policies.catalog.openhands_recent_events import EVENTS
from ctxcore.policies.edits import Plan, lasting, lasts
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.rolling import forgotten

RULE = "Forgotten when the history had too many events"


@dataclass(frozen=True, slots=True)
class OpenhandsAmortizedForgetting(PlannedPolicy):
    """What is forgotten stays forgotten."""

    max_size: int = 100
    keep_first: int = 1

    name: ClassVar[str] = "openhands-amortized-forgetting"
    title: ClassVar[str] = "OpenHands: amortised forgetting"
    about: ClassVar[str] = (
        "Once the history has more events than the limit, all between the first ones and the newest are forgotten for good, so that half the "
        "limit is left. Events count, not sizes, and nothing keeps a call and its result together. The budget only tells which requests are "
        "refused."
    )
    source: ClassVar[str] = "OpenHands at 156d0686, openhands/memory/condenser/impl/amortized_forgetting_condenser.py."
    rejects: ClassVar[str] = "Results at the cut whose call was forgotten; the task, unless it is among the first events kept."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_size", type="int", default=100, help="Events over which it forgets."),
        Parameter(name="keep_first", type="int", default=1, help="First events that stay, less than half of max_size; 0 if built bare."),
    )

    def __post_init__(self) -> None:
        if self.keep_first >= self.max_size // 2:
            raise InputError(f"keep_first {self.keep_first} is not less than half of max_size {self.max_size}; OpenHands refuses that.")

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        end = forgotten(history.length, longest=self.max_size, left=self.max_size // 2, head=self.keep_first)
        items = np.arange(self.keep_first, len(history.size), dtype=np.int64)
        since = lasts(np.maximum(end - self.keep_first, 0), len(items))
        return Plan(layers=(lasting(history, "drop", RULE, items, since=since),), assumed=(EVENTS,))

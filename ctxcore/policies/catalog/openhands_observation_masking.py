"""OpenHands' observation masking condenser: observations outside a window of events lose their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.catalog.openhands_recent_events import EVENTS
from ctxcore.policies.edits import Plan, replaced, window
from ctxcore.policies.history import History
from ctxcore.policies.observations import observations
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Observation outside the window of attention"

MASK = "<MASKED>"


@dataclass(frozen=True, slots=True)
class OpenhandsObservationMasking(PlannedPolicy):
    """Chosen anew for every call."""

    attention_window: int = 100

    name: ClassVar[str] = "openhands-observation-masking"
    title: ClassVar[str] = "OpenHands: observation masking"
    about: ClassVar[str] = (
        "Observations (tool results, or the environment's answers in the user's role) that are not among the last events become a fixed word;"
        " replies and tasks stay. It acts on every request whatever its size: the budget only tells which are refused."
    )
    source: ClassVar[str] = "OpenHands at 156d0686, openhands/memory/condenser/impl/observation_masking_condenser.py."
    rejects: ClassVar[str] = "Nothing: every call keeps an answer. What an old observation said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="attention_window", type="int", default=100, help="Newest events that stay; 5 where the original is built without settings."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        items = observations(history)
        stop = np.searchsorted(history.pieces.message[items], np.maximum(history.length - self.attention_window, 0)).astype(np.int64)
        layer = window(history, "mask", RULE, items, stop=stop, freed=replaced(history, items, MASK), text=lambda _piece: MASK)
        return Plan(layers=(layer,), assumed=(EVENTS,))

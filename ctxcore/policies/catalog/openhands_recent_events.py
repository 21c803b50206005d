"""OpenHands' recent events condenser: the first events and the last ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Between the first events and the last ones"

EVENTS = "A message counts as one event, a reply with several calls too."
"""What OpenHands counts and other recordings do not hold."""


@dataclass(frozen=True, slots=True)
class OpenhandsRecentEvents(PlannedPolicy):
    """Chosen anew for every call."""

    keep_first: int = 1
    max_events: int = 100

    name: ClassVar[str] = "openhands-recent-events"
    title: ClassVar[str] = "OpenHands: recent events"
    about: ClassVar[str] = (
        "Keeps the first events and fills up with the newest to a number of events, whatever their size and whatever belongs together. If the first "
        "ones alone reach that number nothing is left out at all, as in the original. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "OpenHands at 156d0686, openhands/memory/condenser/impl/recent_events_condenser.py."
    rejects: ClassVar[str] = "Results at the cut whose call was left out; the task, unless it is among the first events kept."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="keep_first", type="int", default=1, help="First events, the system text included, that stay."),
        Parameter(name="max_events", type="int", default=100, help="Events sent at most; 10 where the original is built without settings."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        items = np.arange(self.keep_first, len(history.size), dtype=np.int64)
        tail = self.max_events - np.minimum(self.keep_first, history.length)
        stop = np.where(tail > 0, np.maximum(history.length - tail - self.keep_first, 0), 0)
        return Plan(
            layers=(window(history, "drop", RULE, items, stop=stop),), assumed=(EVENTS, "Where first and last overlap, an event is sent once.")
        )

"""OpenHands' conversation window condenser: when a request is too large, the older half goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.catalog.openhands_recent_events import EVENTS
from ctxcore.policies.edits import Plan, lasting, lasts
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.observations import told
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Older half, left out when a request was too large"


@dataclass(frozen=True, slots=True)
class OpenhandsConversationWindow(PlannedPolicy):
    """What is forgotten stays forgotten."""

    name: ClassVar[str] = "openhands-conversation-window"
    title: ClassVar[str] = "OpenHands: conversation window"
    about: ClassVar[str] = (
        "Nothing happens until a request is over the budget, which stands for the window that a provider refuses. Then the system text, the "
        "first user message, what was recalled for it, and the newest half of the rest stay, without results at the beginning of that half. "
        "If that is not enough the half is halved again. What went stays away."
    )
    source: ClassVar[str] = "OpenHands at 156d0686, openhands/memory/condenser/impl/conversation_window_condenser.py."
    rejects: ClassVar[str] = "A result whose call stands before the cut and which does not stand first; a later task of the user can go."
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        held = _essential(history)
        if held is None:
            return Plan(assumed=("Without a user message nothing is forgotten.",))
        items = np.flatnonzero(~held).astype(np.int64)
        end = _Window(history, held).ends(budget)
        layer = lasting(history, "drop", RULE, items, since=lasts(np.searchsorted(items, end).astype(np.int64), len(items)))
        return Plan(layers=(layer,), assumed=(EVENTS, "What was recalled is the program's message right after the first user message."))


def _essential(history: History) -> BoolArray | None:
    """Marks the first system message, the first user message and what was recalled for it; None without a user message."""
    users = np.flatnonzero(history.person)
    if not len(users):
        return None
    held = np.zeros(len(history.messages), np.bool_)
    held[np.flatnonzero(history.role == SYSTEM)[:1]] = True
    first = int(users[0])
    held[first] = True
    if first + 1 < len(held) and history.messages[first + 1].injected == "meta":
        held[first + 1] = True
    return held


class _Window:
    """The beginning of the newest part that stays, call by call."""

    def __init__(self, history: History, held: BoolArray) -> None:
        loose = ~held
        self.history = history
        self.user = int(np.flatnonzero(history.person)[0])
        self.rest = np.concatenate(([0], np.cumsum(loose))).tolist()
        self.freed = np.concatenate(([0], np.cumsum(np.where(loose, history.size, 0)))).tolist()
        marks = ~(history.answers | told(history))
        following = np.where(marks, np.arange(len(marks)), len(marks))
        self.after_results = np.append(np.minimum.accumulate(following[::-1])[::-1], len(marks)).tolist()

    def ends(self, budget: int) -> IntArray:
        """Per call: position before which all that is not essential is forgotten."""
        end, found = 0, []
        for length, before in zip(self.history.length.tolist(), self.history.before.tolist(), strict=True):
            while length > max(end, self.user) and before - self.freed[end] > budget:
                rest = self.rest[length] - self.rest[end]
                start = length - max(1, rest // 2)
                moved = min(max(start, min(self.after_results[start], length)), length)
                if self.freed[moved] <= self.freed[end]:
                    break
                end = moved
            found.append(min(end, length))
        return np.asarray(found, np.int64)

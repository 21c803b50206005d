"""The Microsoft Agent Framework's sliding window: the newest groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.groups import APART, grouped
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least

RULE = "Older than the newest groups"


@dataclass(frozen=True, slots=True)
class AgentFrameworkSlidingWindow(PlannedPolicy):
    """Counts groups, not messages: a call and its results are one."""

    keep_last_groups: int = 20
    preserve_system: bool = True

    name: ClassVar[str] = "agent-framework-sliding-window"
    title: ClassVar[str] = "Microsoft Agent Framework: sliding window"
    about: ClassVar[str] = (
        "Sends the newest groups by number, whatever their size: a user message, an assistant's text, or a call with its results. System text stays. "
        "The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "agent-framework-core 1.23.0, SlidingWindowStrategy."
    rejects: ClassVar[str] = "Nothing: groups are whole. The task is lost once it is older; a request may begin with an assistant message."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="keep_last_groups", type="int", default=20, help="Newest groups kept, at least 1; upstream has no default."),
        Parameter(name="preserve_system", type="bool", default=True, help="System texts stay outside the window."),
    )

    def __post_init__(self) -> None:
        at_least("keep_last_groups", self.keep_last_groups, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        groups = grouped(history)
        loose, system = np.flatnonzero(groups.kind != APART), np.flatnonzero(groups.kind == APART)
        begun, whole = groups.begun(loose, history.length)
        items, upto = groups.only(loose)
        layers = [window(history, "drop", RULE, items, stop=upto[np.minimum(np.maximum(begun - self.keep_last_groups, 0), whole)])]
        if not self.preserve_system:
            items = groups.only(system)[0]
            layers += [window(history, "drop", RULE, items, stop=history.begun(items))]
        return Plan(layers=tuple(layers))

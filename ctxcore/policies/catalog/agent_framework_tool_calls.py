"""The Microsoft Agent Framework's selective compaction: older calls go with their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.groups import TOOLS, grouped
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter

RULE = "Call and results older than those kept"


@dataclass(frozen=True, slots=True)
class AgentFrameworkToolCalls(PlannedPolicy):
    """Texts of user and assistant all stay."""

    keep_last_tool_call_groups: int = 1

    name: ClassVar[str] = "agent-framework-tool-calls"
    title: ClassVar[str] = "Microsoft Agent Framework: older tool calls go"
    about: ClassVar[str] = (
        "Drops all calls with their results but the newest few, before every request and whatever the size. All other messages stay. The budget only "
        "tells which requests are refused."
    )
    source: ClassVar[str] = "agent-framework-core 1.23.0, SelectiveToolCallCompactionStrategy."
    rejects: ClassVar[str] = "Nothing: a call goes with its results, and so does what it said and thought. The model no longer sees what it has done."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="keep_last_tool_call_groups", type="int", default=1, help="Newest calls that stay with their results."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        groups = grouped(history)
        tools = np.flatnonzero(groups.kind == TOOLS)
        begun, whole = groups.begun(tools, history.length)
        items, upto = groups.only(tools)
        stop = upto[np.minimum(np.maximum(begun - self.keep_last_tool_call_groups, 0), whole)]
        return Plan(layers=(window(history, "drop", RULE, items, stop=stop),))

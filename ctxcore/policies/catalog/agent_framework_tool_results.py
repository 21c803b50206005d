"""The Microsoft Agent Framework's tool result compaction: older calls become one line with their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.edits import Plan, window
from ctxcore.policies.groups import TOOLS, grouped
from ctxcore.policies.history import History
from ctxcore.policies.lines import RULE, lines_of
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter


@dataclass(frozen=True, slots=True)
class AgentFrameworkToolResults(PlannedPolicy):
    """One assistant message in place of a call and its results."""

    keep_last_tool_call_groups: int = 1

    name: ClassVar[str] = "agent-framework-tool-results"
    title: ClassVar[str] = "Microsoft Agent Framework: older tool calls become a line"
    about: ClassVar[str] = (
        "Puts one assistant message with tool names and results, cut at 4,096 characters, in place of every call with its results but the "
        "newest few, before every request and whatever the size. Arguments go. The budget only tells which requests are refused."
    )
    source: ClassVar[str] = "agent-framework-core 1.23.0, ToolResultCompactionStrategy."
    rejects: ClassVar[str] = "Nothing by its form; results now stand as if the assistant had said them, long ones without their end."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="keep_last_tool_call_groups", type="int", default=1, help="Newest calls that stay with their results."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        groups = grouped(history)
        tools = np.flatnonzero(groups.kind == TOOLS)
        begun, whole = groups.begun(tools, history.length)
        items, upto = groups.only(tools)
        stop = np.minimum(np.maximum(begun - self.keep_last_tool_call_groups, 0), whole)
        lines = lines_of(history).layer(tools.tolist(), start=np.zeros_like(stop), stop=stop)
        return Plan(layers=(window(history, "drop", RULE, items, stop=upto[stop]),), insert_layers=(lines,))

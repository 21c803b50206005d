"""The Microsoft Agent Framework's tool result compaction: older calls become one line with their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.shrinking import Shrinking, shrunk


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

        def step(groups: Shrinking) -> None:
            groups.collapse_calls(self.keep_last_tool_call_groups)

        return shrunk(history, step).plan()

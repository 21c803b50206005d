"""The Microsoft Agent Framework's context window strategy: calls become lines at one mark, groups go at a second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import share
from ctxcore.policies.shrinking import Shrinking, shrunk

RULE = "Oldest groups, until the rest is down to the first mark"


@dataclass(frozen=True, slots=True)
class AgentFrameworkContextWindow(PlannedPolicy):
    """Both steps are marked in the history itself and stay."""

    max_output: int | None = None
    tool_eviction_threshold: float = 0.5
    truncation_threshold: float = 0.8
    keep_last_tool_call_groups: int = 4
    preserve_first_user_group: bool = False

    name: ClassVar[str] = "agent-framework-context-window"
    title: ClassVar[str] = "Microsoft Agent Framework: context window"
    about: ClassVar[str] = (
        "The budget is the window; what it leaves beside the output is the room. Once the messages fill more than half of it, every call with its "
        "results but the newest few becomes one line. If they still fill more than four fifths, the oldest groups go until half is filled. Upstream "
        "counts messages alone, 4 characters of its own form to a token; here tool definitions are taken off the window too."
    )
    source: ClassVar[str] = "agent-framework-core 1.23.0, ContextWindowCompactionStrategy."
    rejects: ClassVar[str] = "Nothing by its form; results stand as if the assistant had said them, and the task is lost once it is among the oldest."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="max_output", type="size", default=None, help="Reserve for the output; left out, an eighth of the window (upstream has none)."
        ),
        Parameter(name="tool_eviction_threshold", type="float", default=0.5, help="Share of the room from which on calls become lines."),
        Parameter(name="truncation_threshold", type="float", default=0.8, help="Share of the room from which on groups go."),
        Parameter(name="keep_last_tool_call_groups", type="int", default=4, help="Newest calls that stay with their results."),
        Parameter(name="preserve_first_user_group", type="bool", default=False, help="The first user message never goes."),
    )

    def __post_init__(self) -> None:
        share("tool_eviction_threshold", self.tool_eviction_threshold)
        share("truncation_threshold", self.truncation_threshold)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        room = (budget - (budget // 8 if self.max_output is None else self.max_output) - history.fixed).tolist()

        def step(groups: Shrinking) -> None:
            first, second = (int(room[groups.column] * part) for part in (self.tool_eviction_threshold, self.truncation_threshold))
            if groups.total > first:
                groups.collapse_calls(self.keep_last_tool_call_groups)
            if groups.total > second:
                groups.drop_until(lambda: groups.total <= first, RULE)

        return shrunk(history, step, protect_first_user=self.preserve_first_user_group).plan()

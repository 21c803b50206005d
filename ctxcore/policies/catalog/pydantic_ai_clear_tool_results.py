"""pydantic-ai-harness: results of old tool calls become a placeholder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.harness import Clearing
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.running import RunningHistory


@dataclass(frozen=True, slots=True)
class PydanticAiClearToolResults(PlannedPolicy):
    """What is cleared stays so."""

    max_messages: int | None = None
    keep_pairs: int = 3
    placeholder: str = "[tool result cleared]"
    exclude_tools: tuple[str, ...] = ()
    clear_tool_inputs: bool = False
    min_clear_tokens: int | None = None

    name: ClassVar[str] = "pydantic-ai-clear-tool-results"
    title: ClassVar[str] = "Pydantic AI harness: clear tool results"
    about: ClassVar[str] = (
        "Once a request is over the budget, every answered tool call but the newest few has its result replaced by a placeholder, for good. With "
        "min_clear_tokens nothing is done until that much can be freed, so that the prefix is not changed for a trifle. Messages stay, so a request "
        "may still be over the budget. Upstream has no default for the trigger."
    )
    source: ClassVar[str] = "pydantic-ai-harness 0.62.0, ClearToolResults."
    rejects: ClassVar[str] = "Nothing: every call keeps a result. What a cleared result said is gone."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_messages", type="int", default=None, help="Messages since the last cleared result over which it acts as well."),
        Parameter(name="keep_pairs", type="int", default=3, help="Newest answered calls that stay."),
        Parameter(name="placeholder", type="str", default="[tool result cleared]", help="Stands in place of a result."),
        Parameter(name="exclude_tools", type="names", default=(), help="Tools whose results are never cleared."),
        Parameter(name="clear_tool_inputs", type="bool", default=False, help="Empty the arguments of their calls as well."),
        Parameter(name="min_clear_tokens", type="size", default=None, help="Do nothing unless this much is freed; any gain if left out."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        run = RunningHistory(history)
        old = Clearing(run, keep=self.keep_pairs, placeholder=self.placeholder, exclude=self.exclude_tools, inputs=self.clear_tool_inputs)
        for column in range(run.never):
            many = self.max_messages is not None and old.since_cleared(column) > self.max_messages
            if many or run.size(column) > budget:
                old.apply(column, self.min_clear_tokens)
        return Plan(layers=tuple(old.layers()))

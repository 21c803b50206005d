"""The Microsoft Agent Framework's composed strategy: several steps in turn until a token budget holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least, one_of
from ctxcore.policies.shrinking import Shrinking, shrunk

STEPS = ("tool_results", "tool_calls", "sliding_window")
CALLS = "Call and results older than those kept"
WINDOW = "Older than the newest groups"
FALLBACK = "Oldest groups, as no step was enough"


@dataclass(frozen=True, slots=True)
class AgentFrameworkComposed(PlannedPolicy):
    """The steps and their order are the user's; what they did stays."""

    steps: tuple[str, ...] = ("tool_results", "sliding_window")
    keep_last_tool_call_groups: int = 1
    keep_last_groups: int = 20
    early_stop: bool = True

    name: ClassVar[str] = "agent-framework-composed"
    title: ClassVar[str] = "Microsoft Agent Framework: steps until the budget holds"
    about: ClassVar[str] = (
        "Over the budget, the steps run one after another until the messages fit: older calls become lines, older calls go, all but the "
        "newest groups go. If none was enough, the oldest groups go, then system texts; the newest group always stays. What is out stays out. Tool "
        "definitions and brackets are taken off the budget."
    )
    source: ClassVar[str] = "agent-framework-core 1.23.0, TokenBudgetComposedStrategy."
    rejects: ClassVar[str] = "Nothing by its form; in the end it drops the task and even the system text."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="steps",
            type="names",
            default=("tool_results", "sliding_window"),
            help="In order: tool_results, tool_calls or sliding_window (no default upstream).",
        ),
        Parameter(name="keep_last_tool_call_groups", type="int", default=1, help="Newest calls that the steps on calls leave alone."),
        Parameter(name="keep_last_groups", type="int", default=20, help="Newest groups that the sliding window keeps, at least 1."),
        Parameter(name="early_stop", type="bool", default=True, help="Stop after the first step that is enough."),
    )

    def __post_init__(self) -> None:
        at_least("keep_last_groups", self.keep_last_groups, 1)
        for word in self.steps:
            one_of("Step", word, STEPS)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        room = (budget - history.fixed).tolist()

        def step(groups: Shrinking) -> None:
            def fits() -> bool:
                return bool(groups.total <= room[groups.column])

            if fits():
                return
            for word in self.steps:
                self._run(groups, word)
                if self.early_stop and fits():
                    return
            groups.drop_until(fits, FALLBACK)
            groups.drop_system(fits, FALLBACK)

        return shrunk(history, step).plan()

    def _run(self, groups: Shrinking, word: str) -> None:
        match word:
            case "tool_results":
                groups.collapse_calls(self.keep_last_tool_call_groups)
            case "tool_calls":
                groups.drop_calls(self.keep_last_tool_call_groups, CALLS)
            case _:
                groups.drop_oldest(self.keep_last_groups, WINDOW)

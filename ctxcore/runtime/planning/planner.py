"""Plans a goal, runs its steps, and takes nothing for done that did not pass its gates.

Source: the planner's rules.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ctxcore.errors import InputError
from ctxcore.policies import Policy, make_policy
from ctxcore.policies.strict import check_limit
from ctxcore.runtime.loop import ToolRun
from ctxcore.runtime.memory.memory import Memory
from ctxcore.runtime.models import Model
from ctxcore.runtime.planning.execution import Execution
from ctxcore.runtime.planning.gates import Acceptance, is_unexpected, resolves
from ctxcore.runtime.planning.signals import Triggers
from ctxcore.runtime.planning.values import Limits, PlanResult
from ctxcore.runtime.planning.wording import SYSTEM
from ctxcore.runtime.recorder import Recorder
from ctxcore.runtime.task_state import Hook, record_outcome
from ctxcore.runtime.tools import Tool

OnEvent = Callable[[str, Mapping[str, Any]], None]
"""Gets a stable word and its facts: ``plan``, ``step_started``, ``tool``, ``report``, ``step_ended``, ``checkpoint``, ``revision``, ``run_ended``;
with a memory also ``memory_item`` and ``memory``."""


@dataclass(frozen=True, kw_only=True)
class Planner:
    """A planner with its settings; it keeps nothing of its runs, which may go on at the same time.

    Raises:
        InputError: Two tools of one name, or no such policy.
        ContextBudgetError: ``bad_budget``.
    """

    model: Model
    """Asked for the plan, in the steps and at checkpoints, always within the budget."""
    accept: Acceptance
    """The application's check of a step's result."""
    tools: Sequence[Tool] = ()
    """What steps may call."""
    max_characters: int = 16_000
    """Budget of every request, in characters of canonical JSON."""
    policy: str | Policy | None = None
    """What fits requests to the budget; None is the whole-unit rule."""
    limits: Limits = field(default_factory=Limits)
    """Times and counts."""
    triggers: Triggers = field(default_factory=Triggers)
    """When a checkpoint is made."""
    system: str = SYSTEM
    """System message of all requests."""
    hook: Hook = record_outcome
    """Takes every tool outcome into the task state."""
    unexpected: Callable[[ToolRun], bool] = is_unexpected
    """Whether a tool's outcome calls for a checkpoint."""
    resolves: Callable[[ToolRun, ToolRun], bool] = resolves
    """Whether a later success makes up for a failure."""
    memory: Memory | None = None
    """Keeps every message of the run, and gives each step the core facts and what shares words with its title and criteria."""
    recorder: Recorder | None = None
    """Writes requests, replies, reports and what happens to the plan."""
    on_event: OnEvent | None = None
    """Told what happens, as it happens; its own faults do raise, as do those of ``unexpected`` and ``resolves``."""
    clock: Callable[[], float] = time.time
    """Unix seconds of now, for records; limits go by the event loop's own time."""

    def __post_init__(self) -> None:
        """Check the settings."""
        check_limit(self.max_characters)
        if isinstance(self.policy, str):
            make_policy(self.policy)
        names = [tool.name for tool in self.tools]
        if len(set(names)) < len(names):
            raise InputError(f"Two tools have one name: {', '.join(names)}.")

    async def run(self, goal: str) -> PlanResult:
        """Reach a goal, or say why not.

        No fault of the model, a tool, the acceptance check or the hook raises, nor does cancelling: the result says how it ended.

        Args:
            goal: In the user's words; part of every request, never cut.

        Raises:
            InputError: A blank goal.
            OSError: The recorder cannot write.
        """
        if not goal.strip():
            raise InputError("The goal is blank.")
        return await Execution(self, goal).run()

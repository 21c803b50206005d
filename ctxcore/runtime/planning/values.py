"""What a planned run is made of.

Source: the planner's rules, "Values".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ctxcore.errors import InputError
from ctxcore.runtime.loop import Status, ToolRun
from ctxcore.runtime.models import ChatMessage

if TYPE_CHECKING:
    from ctxcore.fitting import FitReport
    from ctxcore.runtime.task_state import TaskState, ToolOutcome

StepStatus = Literal["pending", "running", "complete", "failed", "timed_out", "limit_reached", "blocked", "skipped", "cancelled"]
"""Of a step. ``blocked``: a step that it depends on did not complete. ``skipped``: a checkpoint replaced it, or the run ended before it began."""

Trigger = Literal["phase", "tool", "uncertain", "half"]
"""Why a checkpoint is made: a phase is finished, a tool failed or gave something unexpected, the model's text signals uncertainty, half is done."""

FindingKind = Literal["state_drift", "bad_checkpoint", "checkpoint_failed"]
"""A tool outcome without an entry in the state; a checkpoint whose answer cannot be used; one that the model did not answer."""

ErrorKind = Literal["", "bad_plan", "over_budget", "model", "steps", "deadline", "call_limit", "attempt_limit", "cancelled"]
"""Why a run did not complete, in a stable word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """What is to be done."""

    id: str
    """Unique in the plan."""
    title: str
    """For people and the model."""
    criteria: str
    """When it counts as complete, in words; the application checks it."""
    depends_on: tuple[str, ...] = ()
    """Ids of steps that must be complete before."""
    tools: tuple[str, ...] | None = None
    """Names of the only tools it may call; None is all."""

    def as_json(self) -> dict[str, Any]:
        """As the model writes it."""
        tools = {} if self.tools is None else {"tools": list(self.tools)}
        return {"id": self.id, "title": self.title, "criteria": self.criteria, "depends_on": list(self.depends_on), **tools}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """What became of a step."""

    step_id: str
    """Of the step."""
    status: StepStatus = "pending"
    """See ``StepStatus``."""
    attempts: int = 0
    """How often it was begun."""
    started: float | None = None
    """Unix seconds of the first attempt."""
    ended: float | None = None
    """Unix seconds at which the newest attempt ended, or the step was given up."""
    evidence: str = ""
    """What the acceptance check saw; empty for a step that is not complete."""
    reason: str = ""
    """Why it is not complete: of the newest attempt, or why it was given up."""
    calls: tuple[int, ...] = ()
    """Model calls that it made: ordinals in the run, from 0."""
    tool_runs: tuple[ToolRun, ...] = ()
    """Tool calls of all attempts, in order."""
    conversations: tuple[tuple[ChatMessage, ...], ...] = ()
    """All messages of each attempt, whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRevision:
    """A checkpoint that replaced pending steps."""

    checkpoint: int
    """Which checkpoint of the run, from 1."""
    after: str
    """Id of the step behind which it was made."""
    triggers: tuple[Trigger, ...]
    """Why it was made."""
    why: str
    """The model's reason."""
    replaced: tuple[PlanStep, ...]
    """Pending steps as they were."""
    added: tuple[PlanStep, ...]
    """Pending steps as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFinding:
    """Something about the run that a person should look at."""

    kind: FindingKind
    """Stable word."""
    step: str
    """Id of the step."""
    note: str
    """One sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanResult:
    """How a planned run ended, and all that it did."""

    status: Status
    """``complete`` only where every step that was not replaced is."""
    reason: str
    """Why it did not complete, one sentence; empty where it did."""
    error: ErrorKind
    """The same as a word."""
    phase: str
    """``planning``, ``phase 2 of 3`` (where it ended), or ``finished``."""
    goal: str
    """As given."""
    steps: tuple[PlanStep, ...]
    """All steps there ever were, in order; a replaced one in its newest form."""
    records: tuple[StepRecord, ...]
    """One per step, same order."""
    attempts: int
    """In all."""
    revisions: tuple[PlanRevision, ...]
    """In order."""
    checkpoints: int
    """In all, those that changed nothing included."""
    calls: int
    """Requests that reached the model: plan, steps and checkpoints."""
    findings: tuple[PlanFinding, ...]
    """In order."""
    state: TaskState
    """What is known about the task at the end; ``decisions_made`` and ``blockers`` are in it."""
    outcomes: tuple[ToolOutcome, ...]
    """Raw data behind the state's entries, whole, in order."""
    reports: tuple[FitReport, ...]
    """One per request that reached the model."""

    @property
    def decisions(self) -> tuple[str, ...]:
        """What was decided, in words."""
        return tuple(entry.text for entry in self.state.decisions_made)

    @property
    def blockers(self) -> tuple[str, ...]:
        """What stands in the way, in words."""
        return tuple(entry.text for entry in self.state.blockers)

    def record(self, step_id: str) -> StepRecord:
        """The record of a step.

        Raises:
            KeyError: No such step.
        """
        for record in self.records:
            if record.step_id == step_id:
                return record
        raise KeyError(step_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may take; counts are over the whole run where nothing else is said.

    Raises:
        InputError: A limit that makes no sense.
    """

    run_s: float | None = None
    """Seconds for everything, or None."""
    step_s: float | None = None
    """Seconds for one attempt at a step, its acceptance check included, or None."""
    tool_s: float | None = None
    """Seconds for one tool call, or None."""
    step_turns: int = 20
    """Requests of one attempt."""
    step_tool_calls: int = 50
    """Tool calls of one attempt."""
    calls: int = 200
    """Requests that reach the model."""
    steps: int = 12
    """Of a plan, and of a revision."""
    attempts_per_step: int = 2
    """At one step."""
    attempts: int = 30
    """At all steps together, whatever plan they are of."""
    revisions: int = 3
    """Of the plan."""

    def __post_init__(self) -> None:
        """Check the limits."""
        least = {"step_turns": 1, "step_tool_calls": 0, "calls": 1, "steps": 1, "attempts_per_step": 1, "attempts": 1, "revisions": 0}
        for name, minimum in least.items():
            if getattr(self, name) < minimum:
                raise InputError(f"The limit {name} is {getattr(self, name)}; it must be at least {minimum}.")
        for name in ("run_s", "step_s", "tool_s"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"The limit {name} is {value}; give more than 0 seconds, or None.")

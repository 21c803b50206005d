"""All that a run has come to: steps, records, task state, findings.

Source: the planner's rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxcore.runtime.planning.access import Access
from ctxcore.runtime.planning.ledger import Ledger
from ctxcore.runtime.planning.values import FindingKind, PlanFinding, PlanRevision, PlanStep, StepRecord
from ctxcore.runtime.task_state import TaskState, ToolOutcome, drifted

if TYPE_CHECKING:
    from ctxcore.runtime.planning.planner import Planner

FAULT_CHARS = 300
"""Of a reason that quotes what others wrote."""


class Progress:
    """The state of one run; nothing of it outlives the run or is shared with another."""

    def __init__(self, planner: Planner, goal: str) -> None:
        self.planner, self.goal, self.limits = planner, goal, planner.limits
        self.ledger = Ledger(planner.clock)
        self.state = TaskState(goal=goal)
        self.tools = {tool.name: tool for tool in planner.tools}
        self.access = Access(planner, goal)
        self.outcomes: list[ToolOutcome] = []
        self.findings: list[PlanFinding] = []
        self.revisions: list[PlanRevision] = []
        self.failures: list[str] = []
        self.attempts = self.checkpoints = 0
        self.phase, self.half_told = "planning", False
        self._drift_told: set[str] = set()

    def find(self, kind: FindingKind, step: str, note: str) -> None:
        """Note a finding."""
        self.findings.append(PlanFinding(kind=kind, step=step, note=note))
        self.access.tell("finding", kind=kind, step=step, note=note)

    def take(self, outcome: ToolOutcome) -> None:
        """The post-processing hook: a tool outcome goes into the state."""
        self.outcomes.append(outcome)
        try:
            self.state = self._hooked(outcome)
        except Exception as error:  # noqa: BLE001 - the application's code may raise anything
            self.find("state_drift", outcome.step, f"The hook failed at {outcome.evidence}: {type(error).__name__}: {error}"[:FAULT_CHARS])
        run = outcome.run
        self.access.tell(
            "tool", step=outcome.step, evidence=outcome.evidence, name=run.name, arguments=run.arguments, ok=run.ok, finished=run.finished
        )

    def _hooked(self, outcome: ToolOutcome) -> TaskState:
        """The state after the hook.

        Raises:
            ValueError: The hook gave no state, or one of another goal.
        """
        state = self.planner.hook(self.state, outcome)
        if not isinstance(state, TaskState) or state.goal != self.goal:
            raise ValueError("it must give the task state of the same goal")
        return state

    def look_for_drift(self, step: PlanStep) -> None:
        """Every tool outcome of the run must have its entry; each one that lacks it is told once."""
        for evidence in drifted(self.state, self.outcomes):
            if evidence not in self._drift_told:
                self._drift_told.add(evidence)
                self.find("state_drift", step.id, f"The tool outcome {evidence} has no entry in the task state.")

    def give_up(self, step: PlanStep, record: StepRecord) -> None:
        """A step that will not complete stands in the way."""
        self.state = self.state.adding("blockers", f"{step.id} {step.title}: {record.status}. {record.reason}", f"{step.id}/{record.attempts}")
        if record.status == "blocked":
            self.access.tell("step_ended", step=step.id, status=record.status, reason=record.reason)

"""The steps and records of a run while it goes on: which step is next, and what a step became.

Source: the planner's rules, 2 to 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ctxcore.runtime.planning.signals import phases
from ctxcore.runtime.planning.values import PlanStep, StepRecord, StepStatus

OPEN: tuple[StepStatus, ...] = ("pending", "running")
"""Of steps that something may still become of."""


@dataclass(slots=True)
class Ledger:
    """Every step there ever was, with its record."""

    clock: Callable[[], float]
    steps: list[PlanStep] = field(default_factory=list)
    records: dict[str, StepRecord] = field(default_factory=dict)

    def add(self, steps: Sequence[PlanStep]) -> None:
        """New pending steps, behind all others; one that was pending under its id goes on with its attempts counted."""
        for step in steps:
            self.steps = [*(one for one in self.steps if one.id != step.id), step]
            known = self.records.get(step.id, StepRecord(step_id=step.id))
            self.records[step.id] = replace(known, status="pending", reason="", ended=None)

    def update(self, step_id: str, **changes: Any) -> StepRecord:
        """Change a record; the new one."""
        self.records[step_id] = replace(self.records[step_id], **changes)
        return self.records[step_id]

    def settle(self, step_id: str, status: StepStatus, reason: str = "", evidence: str = "") -> StepRecord:
        """Say what became of a step; now is when it ended."""
        return self.update(step_id, status=status, reason=reason, evidence=evidence, ended=self.clock())

    def pending(self) -> tuple[PlanStep, ...]:
        """Steps that a checkpoint may replace."""
        return tuple(step for step in self.steps if self.records[step.id].status == "pending")

    def next(self) -> tuple[PlanStep | None, list[PlanStep]]:
        """The first pending step whose dependencies are all complete, and those that became blocked since the last look."""
        blocked: list[PlanStep] = []
        for _ in self.steps:  # a blocked step may block others that stand before it
            found = [step for step in self.pending() if any(self.records[name].status not in ("complete", *OPEN) for name in step.depends_on)]
            for step in found:
                lacking = [name for name in step.depends_on if self.records[name].status not in ("complete", *OPEN)]
                self.settle(step.id, "blocked", f"It depends on {', '.join(lacking)}, which did not complete.")
            blocked += found
        ready = (step for step in self.pending() if all(self.records[name].status == "complete" for name in step.depends_on))
        return next(ready, None), blocked

    def replace_pending(self, steps: Sequence[PlanStep], reason: str) -> tuple[PlanStep, ...]:
        """Put other steps in place of the pending ones; those that went."""
        gone = self.pending()
        for step in gone:
            self.settle(step.id, "skipped", reason)
        self.add(steps)
        return gone

    def close(self, running: StepStatus, waiting: StepStatus, reason: str) -> None:
        """The run ends: nothing stays pending or running."""
        for step_id, record in list(self.records.items()):
            if record.status in OPEN:
                self.settle(step_id, running if record.status == "running" else waiting, reason)

    def planned(self) -> list[PlanStep]:
        """Steps that were not replaced."""
        return [step for step in self.steps if self.records[step.id].status != "skipped"]

    def share_complete(self) -> float:
        """Complete steps as a share of the planned ones."""
        planned = self.planned()
        return sum(self.records[step.id].status == "complete" for step in planned) / len(planned) if planned else 0.0

    def phase(self, step_id: str) -> tuple[int, int, bool]:
        """Of a step: its phase, how many phases there are, and whether nothing of its phase is open any more."""
        planned = self.planned()
        numbers = phases(planned)
        mine = numbers.get(step_id, 1)
        is_open = any(numbers[step.id] == mine and self.records[step.id].status in OPEN for step in planned)
        return mine, max(numbers.values(), default=1), not is_open

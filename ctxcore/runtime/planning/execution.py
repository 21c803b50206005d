"""One run of a planner.

Source: the planner's rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ctxcore.runtime.loop import Status, ToolRun, stop_cancelling
from ctxcore.runtime.planning import wording
from ctxcore.runtime.planning.access import Ended, NoAnswer
from ctxcore.runtime.planning.attempt import Attempt
from ctxcore.runtime.planning.progress import FAULT_CHARS, Progress
from ctxcore.runtime.planning.proposals import BadProposal, Revision, read_plan, read_revision
from ctxcore.runtime.planning.signals import is_uncertain
from ctxcore.runtime.planning.values import PlanResult, PlanRevision, PlanStep, StepStatus, Trigger

if TYPE_CHECKING:
    from ctxcore.runtime.planning.planner import Planner


class Execution:
    """One run, from the plan to its end."""

    def __init__(self, planner: Planner, goal: str) -> None:
        self.progress = Progress(planner, goal)
        self.planner, self.limits = planner, planner.limits
        self.ledger, self.access = self.progress.ledger, self.progress.access

    async def run(self) -> PlanResult:
        """See ``Planner.run``."""
        self.access.tell("run_started", goal=self.progress.goal)
        try:
            async with asyncio.timeout(self.limits.run_s) as self.access.deadline:
                await self.steps()
            end = self.ending()
        except Ended as early:
            end = early
        except TimeoutError:
            end = self.access.late()
        except asyncio.CancelledError:
            stop_cancelling()
            end = self.access.stopped()
        return self.closed(end)

    def ending(self) -> Ended:
        """Nothing is left to do: complete if every planned step is."""
        left = [step for step in self.ledger.planned() if self.ledger.records[step.id].status != "complete"]
        if not left:
            self.progress.phase = "finished"
            return Ended("complete", "", "")
        told = ", ".join(f"{step.id} {self.ledger.records[step.id].status}" for step in left)
        return Ended("failed", "steps", f"{len(left)} of {len(self.ledger.planned())} steps did not complete: {told}.")

    def closed(self, end: Ended) -> PlanResult:
        """The result; whatever was open is closed."""
        running: Mapping[Status, StepStatus] = {"cancelled": "cancelled", "timed_out": "timed_out", "limit_reached": "limit_reached"}
        waiting: StepStatus = "cancelled" if end.status == "cancelled" else "skipped"
        self.ledger.close(running.get(end.status, "failed"), waiting, f"The run ended: {end.reason}")
        self.access.tell(
            "run_ended", status=end.status, error=end.error, reason=end.reason, steps=self.statuses(), state=self.progress.state.as_json()
        )
        return PlanResult(
            status=end.status,
            reason=end.reason,
            error=end.error,
            phase=self.progress.phase,
            goal=self.progress.goal,
            steps=tuple(self.ledger.steps),
            records=tuple(self.ledger.records[step.id] for step in self.ledger.steps),
            attempts=self.progress.attempts,
            revisions=tuple(self.progress.revisions),
            checkpoints=self.progress.checkpoints,
            calls=self.access.calls,
            findings=tuple(self.progress.findings),
            state=self.progress.state,
            outcomes=tuple(self.progress.outcomes),
            reports=tuple(self.access.reports),
        )

    def statuses(self) -> list[dict[str, str]]:
        """Every step with what became of it."""
        return [{"id": step.id, "title": step.title, "status": self.ledger.records[step.id].status} for step in self.ledger.steps]

    # The plan

    async def steps(self) -> None:
        """Plan, then run what can be run.

        Raises:
            Ended: The run ends early.
        """
        await self.plan()
        while (step := self.next()) is not None:
            if self.progress.attempts >= self.limits.attempts:
                raise Ended("limit_reached", "attempt_limit", f"All {self.limits.attempts} attempts of the run were used.")
            texts, runs = await Attempt(self.progress, step).run()
            await self.checkpoint(step, texts, runs)

    async def plan(self) -> None:
        """Ask once for a plan.

        Raises:
            Ended: There is none.
        """
        request = wording.plan_request(self.progress.goal, self.planner.tools, self.limits.steps)
        try:
            text = await self.access.ask("plan", request)
            steps = read_plan(text, most_steps=self.limits.steps, tools=tuple(self.progress.tools))
        except NoAnswer as fault:
            raise Ended("failed", "model", f"The model gave no plan: {fault}"[:FAULT_CHARS]) from fault
        except BadProposal as fault:
            raise Ended("failed", "bad_plan", f"The plan cannot be used: {fault}"[:FAULT_CHARS]) from fault
        self.ledger.add(steps)
        self.progress.state = self.progress.state.adding("decisions_made", f"Plan of {len(steps)}: {', '.join(step.title for step in steps)}", "plan")
        self.access.tell("plan", steps=[step.as_json() for step in steps])

    def next(self) -> PlanStep | None:
        """The next step to run; what can't run any more is told."""
        step, blocked = self.ledger.next()
        for one in blocked:
            self.progress.give_up(one, self.ledger.records[one.id])
        return step

    # A checkpoint

    def due(self, step: PlanStep, texts: Sequence[str], runs: Sequence[ToolRun]) -> tuple[Trigger, ...]:
        """Triggers that are met behind a step; half of the steps is met once in a run."""
        triggers = self.planner.triggers
        half = not self.progress.half_told and self.ledger.share_complete() >= 0.5
        self.progress.half_told = self.progress.half_told or half
        met: Mapping[Trigger, bool] = {
            "phase": self.ledger.phase(step.id)[2],
            "tool": any(self.planner.unexpected(run) for run in runs),
            "uncertain": any(is_uncertain(text, triggers.words) for text in texts),
            "half": half,
        }
        return tuple(trigger for trigger, is_met in met.items() if is_met and triggers.on(trigger))

    async def checkpoint(self, step: PlanStep, texts: Sequence[str], runs: Sequence[ToolRun]) -> None:
        """Let the model replace pending steps, if a trigger is met and there is something to replace.

        Raises:
            Ended: The run is over.
        """
        triggers = self.due(step, texts, runs)
        if not triggers or not self.ledger.pending() or len(self.progress.revisions) >= self.limits.revisions:
            return
        self.progress.checkpoints += 1
        number = self.progress.checkpoints
        request = wording.checkpoint_request(self.progress.goal, triggers, self.ledger.steps, self.ledger.records, self.progress.failures)
        try:
            answer = self.read(await self.access.ask(f"checkpoint/{number}", request))
        except NoAnswer as fault:
            self.progress.find("checkpoint_failed", step.id, f"Checkpoint {number} was not answered: {fault}"[:FAULT_CHARS])
            return
        except BadProposal as fault:
            self.progress.find("bad_checkpoint", step.id, f"The answer to checkpoint {number} cannot be used: {fault}"[:FAULT_CHARS])
            return
        self.access.tell("checkpoint", number=number, step=step.id, triggers=list(triggers), replan=answer.replan, why=answer.why)
        if answer.replan:
            self.revise(step, number, triggers, answer)

    def read(self, text: str) -> Revision:
        """The answer to a checkpoint.

        Raises:
            BadProposal: It cannot be used.
        """
        status = {step_id: record.status for step_id, record in self.ledger.records.items()}
        return read_revision(
            text,
            most_steps=self.limits.steps,
            tools=tuple(self.progress.tools),
            complete=[step_id for step_id, word in status.items() if word == "complete"],
            taken=[step_id for step_id, word in status.items() if word != "pending"],
        )

    def revise(self, step: PlanStep, number: int, triggers: tuple[Trigger, ...], answer: Revision) -> None:
        """Replace the pending steps."""
        replaced = self.ledger.replace_pending(answer.steps, f"Replaced at checkpoint {number}: {answer.why}"[:FAULT_CHARS])
        revision = PlanRevision(checkpoint=number, after=step.id, triggers=triggers, why=answer.why, replaced=replaced, added=answer.steps)
        self.progress.revisions.append(revision)
        self.progress.state = self.progress.state.adding("decisions_made", f"Plan revised: {answer.why}", f"checkpoint/{number}")
        self.access.tell(
            "revision",
            number=number,
            why=answer.why,
            replaced=[one.as_json() for one in replaced],
            added=[one.as_json() for one in answer.steps],
        )

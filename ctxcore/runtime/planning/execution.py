"""One run of a planner.

Source: the planner's rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ctxcore.runtime.loop import RunResult, Status, ToolRun, run_agent, stop_cancelling
from ctxcore.runtime.models import ChatMessage
from ctxcore.runtime.planning import wording
from ctxcore.runtime.planning.access import Access, Ended, NoAnswer
from ctxcore.runtime.planning.gates import checked, unresolved
from ctxcore.runtime.planning.ledger import Ledger
from ctxcore.runtime.planning.proposals import BadProposal, Revision, read_plan, read_revision
from ctxcore.runtime.planning.signals import is_uncertain
from ctxcore.runtime.planning.values import FindingKind, PlanFinding, PlanResult, PlanRevision, PlanStep, StepRecord, StepStatus, Trigger
from ctxcore.runtime.task_state import TaskState, ToolOutcome, drifted

if TYPE_CHECKING:
    from ctxcore.runtime.planning.planner import Planner

FAULT_CHARS = 300
"""Of a reason that quotes what others wrote."""


class Execution:
    """The state of one run."""

    def __init__(self, planner: Planner, goal: str) -> None:
        self.planner, self.goal, self.limits = planner, goal, planner.limits
        self.ledger = Ledger(planner.clock)
        self.state = TaskState(goal=goal)
        self.tools = {tool.name: tool for tool in planner.tools}
        self.access = Access(planner)
        self.outcomes: list[ToolOutcome] = []
        self.findings: list[PlanFinding] = []
        self.revisions: list[PlanRevision] = []
        self.failures: list[str] = []
        self.drift_told: set[str] = set()
        self.attempts = self.checkpoints = 0
        self.phase, self.half_told = "planning", False

    async def run(self) -> PlanResult:
        """See ``Planner.run``."""
        self.access.tell("run_started", goal=self.goal)
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
            self.phase = "finished"
            return Ended("complete", "", "")
        told = ", ".join(f"{step.id} {self.ledger.records[step.id].status}" for step in left)
        return Ended("failed", "steps", f"{len(left)} of {len(self.ledger.planned())} steps did not complete: {told}.")

    def closed(self, end: Ended) -> PlanResult:
        """The result; whatever was open is closed."""
        running: Mapping[Status, StepStatus] = {"cancelled": "cancelled", "timed_out": "timed_out", "limit_reached": "limit_reached"}
        waiting: StepStatus = "cancelled" if end.status == "cancelled" else "skipped"
        self.ledger.close(running.get(end.status, "failed"), waiting, f"The run ended: {end.reason}")
        self.access.tell("run_ended", status=end.status, error=end.error, reason=end.reason, steps=self.statuses(), state=self.state.as_json())
        return PlanResult(
            status=end.status,
            reason=end.reason,
            error=end.error,
            phase=self.phase,
            goal=self.goal,
            steps=tuple(self.ledger.steps),
            records=tuple(self.ledger.records[step.id] for step in self.ledger.steps),
            attempts=self.attempts,
            revisions=tuple(self.revisions),
            checkpoints=self.checkpoints,
            calls=self.access.calls,
            findings=tuple(self.findings),
            state=self.state,
            outcomes=tuple(self.outcomes),
            reports=tuple(self.access.reports),
        )

    def statuses(self) -> list[dict[str, str]]:
        """Every step with what became of it."""
        return [{"id": step.id, "title": step.title, "status": self.ledger.records[step.id].status} for step in self.ledger.steps]

    def find(self, kind: FindingKind, step: str, note: str) -> None:
        """Note a finding."""
        self.findings.append(PlanFinding(kind=kind, step=step, note=note))
        self.access.tell("finding", kind=kind, step=step, note=note)

    # The plan

    async def steps(self) -> None:
        """Plan, then run what can be run.

        Raises:
            Ended: The run ends early.
        """
        await self.plan()
        while (step := self.next()) is not None:
            if self.attempts >= self.limits.attempts:
                raise Ended("limit_reached", "attempt_limit", f"All {self.limits.attempts} attempts of the run were used.")
            texts, runs = await self.attempt(step)
            await self.checkpoint(step, texts, runs)

    async def plan(self) -> None:
        """Ask once for a plan.

        Raises:
            Ended: There is none.
        """
        request = wording.plan_request(self.goal, self.planner.tools, self.limits.steps)
        try:
            text = await self.access.ask("plan", request)
            steps = read_plan(text, most_steps=self.limits.steps, tools=tuple(self.tools))
        except NoAnswer as fault:
            raise Ended("failed", "model", f"The model gave no plan: {fault}"[:FAULT_CHARS]) from fault
        except BadProposal as fault:
            raise Ended("failed", "bad_plan", f"The plan cannot be used: {fault}"[:FAULT_CHARS]) from fault
        self.ledger.add(steps)
        self.state = self.state.adding("decisions_made", f"Plan of {len(steps)}: {', '.join(step.title for step in steps)}", "plan")
        self.access.tell("plan", steps=[step.as_json() for step in steps])

    def next(self) -> PlanStep | None:
        """The next step to run; what can't run any more is told."""
        step, blocked = self.ledger.next()
        for one in blocked:
            self.give_up(one, self.ledger.records[one.id])
        return step

    def give_up(self, step: PlanStep, record: StepRecord) -> None:
        """A step that will not complete stands in the way."""
        self.state = self.state.adding("blockers", f"{step.id} {step.title}: {record.status}. {record.reason}", f"{step.id}/{record.attempts}")
        if record.status == "blocked":
            self.access.tell("step_ended", step=step.id, status=record.status, reason=record.reason)

    # A step

    async def attempt(self, step: PlanStep) -> tuple[list[str], list[ToolRun]]:
        """Run a step once; what the model said and what its tools gave.

        Raises:
            Ended: The run ends with it.
        """
        request = wording.step_request(self.goal, step, self.ledger.steps, self.ledger.records, self.failures)
        record = self.begin(step)
        place, before = f"{step.id}/{record.attempts}", len(self.outcomes)
        began, first_call = asyncio.get_running_loop().time(), self.access.calls
        result = await run_agent(
            self.access.model(place, request),
            self.messages(request),
            [tool for name, tool in self.tools.items() if step.tools is None or name in step.tools],
            max_turns=self.limits.step_turns,
            timeout_s=self.limits.step_s,
            tool_timeout_s=self.limits.tool_s,
            max_tool_calls=self.limits.step_tool_calls,
            on_tool=lambda run: self.take(step, place, before, run),
        )
        self.keep(step, result, range(first_call, self.access.calls))
        self.look_for_drift(step)
        self.access.go_on(result)
        status, reason, evidence = await self.gates(step, result, began)
        self.settle(step, status, reason, evidence)
        return [text for m in result.messages if m["role"] == "assistant" and isinstance(text := m.get("content"), str)], list(result.tool_runs)

    def begin(self, step: PlanStep) -> StepRecord:
        """The step runs."""
        record = self.ledger.records[step.id]
        self.attempts += 1
        record = self.ledger.update(
            step.id,
            status="running",
            attempts=record.attempts + 1,
            started=self.planner.clock() if record.started is None else record.started,
            ended=None,
            reason="",
        )
        number, count, _ = self.ledger.phase(step.id)
        self.phase = f"phase {number} of {count}"
        self.state = self.state.focused(step.title)
        self.access.tell("step_started", step=step.id, title=step.title, attempt=record.attempts, phase=self.phase)
        return record

    def messages(self, request: str) -> list[ChatMessage]:
        """System, what was found so far (a turn of its own, which the budget may drop), and the task."""
        known = self.state.key_findings or self.state.failures or self.state.blockers
        found = [{"role": "user", "content": wording.state_message(self.state)}] if known else []
        return [{"role": "system", "content": self.planner.system}, *found, {"role": "user", "content": request}]

    def take(self, step: PlanStep, place: str, before: int, run: ToolRun) -> None:
        """The post-processing hook: every tool outcome goes into the state."""
        outcome = ToolOutcome(evidence=f"{place}/{len(self.outcomes) - before + 1}", step=step.id, run=run)
        self.outcomes.append(outcome)
        try:
            self.state = self.hooked(outcome)
        except Exception as error:  # noqa: BLE001 - the application's code may raise anything
            self.find("state_drift", step.id, f"The hook failed at {outcome.evidence}: {type(error).__name__}: {error}"[:FAULT_CHARS])
        self.access.tell("tool", step=step.id, evidence=outcome.evidence, name=run.name, ok=run.ok, finished=run.finished)

    def hooked(self, outcome: ToolOutcome) -> TaskState:
        """The state after the hook.

        Raises:
            ValueError: The hook gave no state, or one of another goal.
        """
        state = self.planner.hook(self.state, outcome)
        if not isinstance(state, TaskState) or state.goal != self.goal:
            raise ValueError("it must give the task state of the same goal")
        return state

    def keep(self, step: PlanStep, result: RunResult, calls: range) -> None:
        """The whole attempt goes into the record."""
        record = self.ledger.records[step.id]
        self.ledger.update(
            step.id,
            calls=(*record.calls, *calls),
            tool_runs=(*record.tool_runs, *result.tool_runs),
            conversations=(*record.conversations, result.messages),
        )

    def look_for_drift(self, step: PlanStep) -> None:
        """Every tool outcome of the run must have its entry; each one that lacks it is told once."""
        for evidence in drifted(self.state, self.outcomes):
            if evidence in self.drift_told:
                continue
            self.drift_told.add(evidence)
            self.find("state_drift", step.id, f"The tool outcome {evidence} has no entry in the task state.")

    async def gates(self, step: PlanStep, result: RunResult, began: float) -> tuple[StepStatus, str, str]:
        """Status, reason and evidence: complete only behind all three gates."""
        if result.status != "complete":
            return result.status, result.reason, ""
        left = unresolved(result.tool_runs, self.planner.resolves)
        if left:
            return "failed", f"A tool failure is left unresolved: {left[0].name}: {left[0].content}"[:FAULT_CHARS], ""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(None if self.limits.step_s is None else began + self.limits.step_s) as limit:
                await asyncio.sleep(0)
                verdict = await checked(self.planner.accept, step, result)
        except TimeoutError:
            return "timed_out", f"Not finished within {loop.time() - began:.3g} seconds, its acceptance check included.", ""
        if limit.expired():
            return "timed_out", "Its acceptance check went on after the time of the step.", ""
        self.access.go_on(result)
        return ("complete", "", verdict.evidence) if verdict.accepted else ("failed", verdict.reason[:FAULT_CHARS], "")

    def settle(self, step: PlanStep, status: StepStatus, reason: str, evidence: str) -> None:
        """The attempt is over; a step that failed is pending again while attempts are left."""
        record = self.ledger.settle(step.id, status, reason, evidence)
        place = f"{step.id}/{record.attempts}"
        again = status != "complete" and record.attempts < self.limits.attempts_per_step
        self.access.tell("step_ended", step=step.id, attempt=record.attempts, status=status, reason=reason, evidence=evidence, again=again)
        if status == "complete":
            self.state = self.state.adding("done", f"{step.id} {step.title}: {evidence}", place)
            return
        tried = f"{step.id} {step.title}, attempt {record.attempts}: {status}. {reason}"
        self.failures.append(tried)
        self.state = self.state.adding("failures", tried, place)
        if again:
            self.ledger.update(step.id, status="pending")
        else:
            self.give_up(step, record)

    # A checkpoint

    def due(self, step: PlanStep, texts: Sequence[str], runs: Sequence[ToolRun]) -> tuple[Trigger, ...]:
        """Triggers that are met behind a step; half of the steps is met once in a run."""
        triggers = self.planner.triggers
        half = not self.half_told and self.ledger.share_complete() >= 0.5
        self.half_told = self.half_told or half
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
        if not triggers or not self.ledger.pending() or len(self.revisions) >= self.limits.revisions:
            return
        self.checkpoints += 1
        number = self.checkpoints
        request = wording.checkpoint_request(self.goal, triggers, self.ledger.steps, self.ledger.records, self.failures)
        try:
            answer = self.read(await self.access.ask(f"checkpoint/{number}", request))
        except NoAnswer as fault:
            self.find("checkpoint_failed", step.id, f"Checkpoint {number} was not answered: {fault}"[:FAULT_CHARS])
            return
        except BadProposal as fault:
            self.find("bad_checkpoint", step.id, f"The answer to checkpoint {number} cannot be used: {fault}"[:FAULT_CHARS])
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
            tools=tuple(self.tools),
            complete=[step_id for step_id, word in status.items() if word == "complete"],
            taken=[step_id for step_id, word in status.items() if word != "pending"],
        )

    def revise(self, step: PlanStep, number: int, triggers: tuple[Trigger, ...], answer: Revision) -> None:
        """Replace the pending steps."""
        replaced = self.ledger.replace_pending(answer.steps, f"Replaced at checkpoint {number}: {answer.why}"[:FAULT_CHARS])
        revision = PlanRevision(checkpoint=number, after=step.id, triggers=triggers, why=answer.why, replaced=replaced, added=answer.steps)
        self.revisions.append(revision)
        self.state = self.state.adding("decisions_made", f"Plan revised: {answer.why}", f"checkpoint/{number}")
        self.access.tell(
            "revision",
            number=number,
            why=answer.why,
            replaced=[one.as_json() for one in replaced],
            added=[one.as_json() for one in answer.steps],
        )

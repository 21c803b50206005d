"""One attempt at a step: the tool loop, and the three gates behind it.

Source: the planner's rules, 2, 3, 4, 6 and 8.
"""

from __future__ import annotations

import asyncio

from ctxcore.runtime.loop import RunResult, ToolRun, run_agent
from ctxcore.runtime.models import ChatMessage
from ctxcore.runtime.planning import wording
from ctxcore.runtime.planning.gates import checked, unresolved
from ctxcore.runtime.planning.progress import FAULT_CHARS, Progress
from ctxcore.runtime.planning.values import PlanStep, StepRecord, StepStatus
from ctxcore.runtime.task_state import ToolOutcome


class Attempt:
    """One attempt, made once."""

    def __init__(self, progress: Progress, step: PlanStep) -> None:
        self.progress, self.step = progress, step
        self.number, self.count = self.record.attempts + 1, 0
        self.place = f"{step.id}/{self.number}"
        ledger = progress.ledger
        self.request = wording.step_request(progress.goal, step, ledger.steps, ledger.records, progress.failures)

    @property
    def record(self) -> StepRecord:
        """Of the step, as it is now."""
        return self.progress.ledger.records[self.step.id]

    async def run(self) -> tuple[list[str], list[ToolRun]]:
        """Run the step once; what the model said and what its tools gave.

        Raises:
            Ended: The run ends with it.
        """
        progress, limits = self.progress, self.progress.limits
        began, first_call = asyncio.get_running_loop().time(), progress.access.calls
        self.begin()
        result = await run_agent(
            progress.access.model(self.place, self.request),
            self.messages(),
            [tool for name, tool in progress.tools.items() if self.step.tools is None or name in self.step.tools],
            max_turns=limits.step_turns,
            timeout_s=limits.step_s,
            tool_timeout_s=limits.tool_s,
            max_tool_calls=limits.step_tool_calls,
            on_tool=self.take,
            memory=progress.access.memory(self.place, f"{self.step.title}\n{self.step.criteria}"),
        )
        self.keep(result, range(first_call, progress.access.calls))
        progress.look_for_drift(self.step)
        progress.access.go_on(result)
        self.settle(*await self.gates(result, began))
        return [text for m in result.messages if m["role"] == "assistant" and isinstance(text := m.get("content"), str)], list(result.tool_runs)

    def begin(self) -> None:
        """The step runs."""
        progress, step = self.progress, self.step
        progress.attempts += 1
        started = progress.planner.clock() if self.record.started is None else self.record.started
        progress.ledger.update(step.id, status="running", attempts=self.number, started=started, ended=None, reason="")
        number, count, _ = progress.ledger.phase(step.id)
        progress.phase = f"phase {number} of {count}"
        progress.state = progress.state.focused(step.title)
        progress.access.tell("step_started", step=step.id, title=step.title, attempt=self.number, phase=progress.phase)

    def messages(self) -> list[ChatMessage]:
        """System, what was found so far (a turn of its own, which the budget may drop), and the task."""
        state = self.progress.state
        known = state.key_findings or state.failures or state.blockers
        found = [{"role": "user", "content": wording.state_message(state)}] if known else []
        return [{"role": "system", "content": self.progress.planner.system}, *found, {"role": "user", "content": self.request}]

    def take(self, run: ToolRun) -> None:
        """A tool outcome, with a reference of its own."""
        self.count += 1
        self.progress.take(ToolOutcome(evidence=f"{self.place}/{self.count}", step=self.step.id, run=run))

    def keep(self, result: RunResult, calls: range) -> None:
        """The whole attempt goes into the record."""
        record = self.record
        self.progress.ledger.update(
            self.step.id,
            calls=(*record.calls, *calls),
            tool_runs=(*record.tool_runs, *result.tool_runs),
            conversations=(*record.conversations, result.messages),
        )

    async def gates(self, result: RunResult, began: float) -> tuple[StepStatus, str, str]:
        """Status, reason and evidence: complete only behind all three gates."""
        if result.status != "complete":
            return result.status, result.reason, ""
        left = unresolved(result.tool_runs, self.progress.planner.resolves)
        if left:
            return "failed", f"A tool failure is left unresolved: {left[0].name}: {left[0].content}"[:FAULT_CHARS], ""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(None if self.progress.limits.step_s is None else began + self.progress.limits.step_s) as limit:
                await asyncio.sleep(0)
                verdict = await checked(self.progress.planner.accept, self.step, result)
        except TimeoutError:
            return "timed_out", f"Not finished within {loop.time() - began:.3g} seconds, its acceptance check included.", ""
        if limit.expired():
            return "timed_out", "Its acceptance check went on after the time of the step.", ""
        self.progress.access.go_on(result)
        return ("complete", "", verdict.evidence) if verdict.accepted else ("failed", verdict.reason[:FAULT_CHARS], "")

    def settle(self, status: StepStatus, reason: str, evidence: str) -> None:
        """The attempt is over; a step that failed is pending again while attempts are left."""
        progress, step = self.progress, self.step
        record = progress.ledger.settle(step.id, status, reason, evidence)
        again = status != "complete" and self.number < progress.limits.attempts_per_step
        told = {"attempt": self.number, "status": status, "reason": reason, "evidence": evidence, "again": again}
        progress.access.tell("step_ended", step=step.id, **told)
        if status == "complete":
            progress.state = progress.state.adding("done", f"{step.id} {step.title}: {evidence}", self.place)
            return
        tried = f"{step.id} {step.title}, attempt {self.number}: {status}. {reason}"
        progress.failures.append(tried)
        progress.state = progress.state.adding("failures", tried, self.place)
        if again:
            progress.ledger.update(step.id, status="pending")
        else:
            progress.give_up(step, record)

"""How one run of a planner reaches its model: within budget, call limit and deadline, and recorded.

Source: the planner's rules, 4, 6 and 7.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ctxcore.errors import ContextBudgetError
from ctxcore.fitting import FitReport
from ctxcore.runtime.budgeted import BudgetedModel
from ctxcore.runtime.loop import RunResult, Status, run_agent, stop_cancelling
from ctxcore.runtime.memory.memory import WRITTEN, MemorySession
from ctxcore.runtime.models import ChatMessage, Model, ToolDefinition
from ctxcore.runtime.planning.proposals import BadProposal
from ctxcore.runtime.planning.values import ErrorKind
from ctxcore.runtime.tools import times_cancelled

if TYPE_CHECKING:
    from ctxcore.runtime.planning.planner import Planner


class Ended(Exception):
    """The run ends here, whatever is left to do."""

    def __init__(self, status: Status, error: ErrorKind, reason: str) -> None:
        super().__init__(reason)
        self.status, self.error, self.reason = status, error, reason


class NoAnswer(Exception):
    """The model failed."""


class CallLimit(RuntimeError):
    """The run has made all the requests that it may make."""


class Access:
    """A run's way to its model, and its journal.

    Attributes:
        deadline: Of the run, once it goes on.
        calls: Requests that reached the model.
        reports: What fitting did to each.
    """

    def __init__(self, planner: Planner, goal: str) -> None:
        self._planner, self._goal, self._run = planner, goal, ""
        self._told: set[str] = set()
        self._journal = planner.recorder.run() if planner.recorder else None
        self._cancelled_before = times_cancelled()
        self.deadline: asyncio.Timeout | None = None
        self.calls = 0
        self.reports: list[FitReport] = []

    def tell(self, event: str, **facts: Any) -> None:
        """Write and tell what happens to the plan."""
        if self._journal:
            self._journal.event(event, **facts)
        if self._planner.on_event:
            self._planner.on_event(event, facts)

    def model(self, conversation: str, task: str) -> Model:
        """The model for one conversation; its task can't be cut."""
        inner = self._planner.model
        recorded = self._journal.wrap(inner, conversation) if self._journal else inner
        counted = _Counted(recorded, self)
        budgeted = BudgetedModel(counted, self._planner.max_characters, task, policy=self._planner.policy, on_report=self._report)
        return _Limited(budgeted, self, self._planner.limits.calls)

    def _report(self, report: FitReport) -> None:
        self.reports.append(report)
        self.tell("report", **asdict(report))

    def memory(self, conversation: str, words: str) -> MemorySession | None:
        """The memory of one conversation; None where the planner has none.

        Args:
            conversation: Its place in the run.
            words: What is looked up for it.
        """
        if self._planner.memory is None:
            return None
        self._run = self._run or self._planner.memory.next_name("run")
        return self._planner.memory.session(f"{self._run} {conversation}", words=words, given=WRITTEN, tell=self.tell, told=self._told)

    async def ask(self, conversation: str, request: str) -> str:
        """The text of one reply without tools.

        Raises:
            NoAnswer: The model failed.
            BadProposal: It called a tool.
            Ended: The request does not fit, or the run is over.
        """
        messages = [{"role": "system", "content": self._planner.system}, {"role": "user", "content": request}]
        memory = self.memory(conversation, self._goal)
        result = await run_agent(self.model(conversation, request), messages, max_turns=1, memory=memory)
        self.go_on(result)
        if result.status == "failed":
            raise NoAnswer(result.reason) from result.cause
        if result.status != "complete":
            raise BadProposal("it calls a tool although there is none.")
        return result.text

    def go_on(self, result: RunResult) -> None:
        """Nothing, unless the run is over.

        Raises:
            Ended: Its deadline was met, it was cancelled, its requests are used up, or the first request of a conversation does not fit.
        """
        if self.deadline is not None and self.deadline.expired():
            raise self.late()
        if result.status == "cancelled" or times_cancelled() > self._cancelled_before:
            stop_cancelling()
            raise self.stopped()
        if isinstance(result.cause, CallLimit):
            raise Ended("limit_reached", "call_limit", str(result.cause))
        if isinstance(result.cause, ContextBudgetError) and result.cause.kind == "over_budget" and not result.calls:
            raise Ended("failed", "over_budget", f"The task does not fit the budget whole. {result.cause}")

    def late(self) -> Ended:
        """The deadline was met."""
        return Ended("timed_out", "deadline", f"Not finished within {self._planner.limits.run_s:g} seconds.")

    def stopped(self) -> Ended:
        """Somebody cancelled the run."""
        return Ended("cancelled", "cancelled", "The run was cancelled.")


class _Limited:
    """Lets no request of the run through once all were made; outside the budget, so that a report is always of a request that was sent."""

    def __init__(self, model: BudgetedModel, access: Access, most: int) -> None:
        self._model, self._access, self._most = model, access, most

    def remembering(self, memory: MemorySession) -> _Limited:
        """The same with a memory inside, where the budget counts what it adds."""
        return _Limited(self._model.remembering(memory), self._access, self._most)

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        if self._access.calls >= self._most:
            raise CallLimit(f"All {self._most} requests of the run were made.")
        return await self._model.complete(messages, tools)


class _Counted:
    """Counts requests; inside the budget, so that a refused one does not count."""

    def __init__(self, model: Model, access: Access) -> None:
        self._model, self._access = model, access

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        self._access.calls += 1
        return await self._model.complete(messages, tools)

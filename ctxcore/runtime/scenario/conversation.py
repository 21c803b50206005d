"""A conversation of a scenario while it goes on, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ctxcore.errors import InputError
from ctxcore.fitting import FitReport
from ctxcore.runtime.budgeted import BudgetedModel
from ctxcore.runtime.loop import RunResult, ToolRun, run_agent
from ctxcore.runtime.memory.memory import Memory, MemorySession
from ctxcore.runtime.models import ChatMessage, Model
from ctxcore.runtime.planning.planner import OnEvent
from ctxcore.runtime.recorder import Recorder
from ctxcore.runtime.scenario.form import ConversationScenario, Turn
from ctxcore.runtime.tools import Tool

MOST_TURNS = 50
"""Requests for one user message, where no longer script says so."""

NAME = "conversation"
"""Of the one conversation, in a record and in a memory."""


class Conversation:
    """What was said so far.

    Attributes:
        messages: All of it.
        reports: What a budget did to each request.
        calls: Requests that were answered.
    """

    def __init__(
        self, scenario: ConversationScenario, tools: Sequence[Tool], recorder: Recorder | None, tell: OnEvent, memory: Memory | None
    ) -> None:
        if memory is not None and scenario.form == "messages":
            raise InputError("A memory changes each request: record it with the form requests.")
        self._scenario, self._tools, self._recorder, self._tell, self._memory = scenario, tools, recorder, tell, memory
        self._journal = None if recorder is None or memory is None else recorder.run()
        self._items: set[str] = set()
        self._known = 0
        self.messages: list[ChatMessage] = [{"role": "system", "content": scenario.system}]
        self.reports: list[FitReport] = []
        self.calls = 0

    async def take(self, turn: Turn, model: Model) -> RunResult:
        """A user message, and all that answers it."""
        self.messages.append({"role": "user", "content": turn.user})
        result = await run_agent(
            self._within_budget(self._recorded(model), turn.user),
            self.messages,
            self._tools,
            max_turns=max(MOST_TURNS, len(turn.say)),
            tool_timeout_s=self._scenario.tool_s,
            on_tool=self._note_tool,
            memory=self._remembering(turn.user),
        )
        self.messages, self._known = list(result.messages), len(result.messages)
        self.calls += result.calls
        return result

    def _recorded(self, model: Model) -> Model:
        if self._journal is not None:
            return self._journal.wrap(model, NAME)
        is_logged = self._recorder is not None and self._scenario.form == "requests"
        return self._recorder.wrap(model) if self._recorder is not None and is_logged else model

    def _within_budget(self, model: Model, task: str) -> Model:
        if self._scenario.budget is None:
            return model
        return BudgetedModel(model, self._scenario.budget, task, policy=self._scenario.policy, on_report=self._note_report)

    def _remembering(self, task: str) -> MemorySession | None:
        if self._memory is None:
            return None
        return self._memory.session(NAME, words=task, known=self._known, tell=self._told, told=self._items)

    def _told(self, event: str, **facts: Any) -> None:
        if self._journal is not None:
            self._journal.event(event, **facts)
        self._tell(event, facts)

    def _note_report(self, report: FitReport) -> None:
        self.reports.append(report)
        self._told("report", **asdict(report))

    def _note_tool(self, run: ToolRun) -> None:
        self._told("tool", name=run.name, arguments=run.arguments, ok=run.ok, finished=run.finished)

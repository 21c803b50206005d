"""Plays a scenario: a scripted model (or an endpoint), real tools, and a record of all that was sent."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ctxcore.errors import InputError
from ctxcore.fitting import FitReport
from ctxcore.runtime.budgeted import BudgetedModel
from ctxcore.runtime.endpoint import OpenAICompatibleModel
from ctxcore.runtime.loop import RunResult, ToolRun, run_agent
from ctxcore.runtime.models import ChatMessage, Model, ScriptEnded, ToolDefinition
from ctxcore.runtime.planning.gates import Verdict, is_failure
from ctxcore.runtime.planning.planner import OnEvent, Planner
from ctxcore.runtime.planning.signals import Triggers
from ctxcore.runtime.planning.values import Limits, PlanResult, PlanStep
from ctxcore.runtime.recorder import Recorder
from ctxcore.runtime.scenario.desks import open_desk
from ctxcore.runtime.scenario.form import Accept, ConversationScenario, PlanScenario, Say, Scenario, call_of
from ctxcore.runtime.tools import Tool

MOST_TURNS = 50
"""Requests for one user message, where no longer script says so."""

UNLIMITED_CHARS = 2**62
"""Stands for no budget."""


class ScriptedFault(RuntimeError):
    """The scripted model fails as its scenario says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How a scenario went."""

    status: str
    """As of the run; of a conversation, that of its last turn."""
    reason: str
    """Why it did not complete; empty where it did."""
    calls: int
    """Requests that were answered."""
    reports: tuple[FitReport, ...]
    """What a budget did to each request; none without a budget in a conversation."""
    plan: PlanResult | None = None
    """Of a plan."""
    messages: tuple[ChatMessage, ...] = ()
    """Of a conversation."""


async def play(scenario: Scenario, record: str | Path | None = None, on_event: OnEvent | None = None) -> Played:
    """Run a scenario.

    Args:
        scenario: As read.
        record: File to record into, which must not be there yet; None records nothing.
        on_event: Told what happens, as it happens: events of a planner; in a conversation each ``report`` and ``tool``.

    Raises:
        InputError: No such desk or policy, a call that is none, or a record that is there already.
        OSError: The record cannot be written.
    """
    if record is not None and Path(record).exists():
        raise InputError(f"{record} is there already: give the record another name, or remove it.")
    recorder = None if record is None else Recorder(record, model=scenario.model, clock=_clock(scenario))
    with open_desk(scenario.desk, scenario.tool) as tools:
        if isinstance(scenario, PlanScenario):
            return await _play_plan(scenario, tools, recorder, on_event)
        return await _play_conversation(scenario, tools, recorder, on_event or _nobody)


def _clock(scenario: Scenario) -> Callable[[], float]:
    """A clock that goes on by the same step at each look, where the scenario has a start."""
    if scenario.start is None:
        return time.time
    return count_from(scenario.start.timestamp(), scenario.step_s)


def count_from(start: float, step: float) -> Callable[[], float]:
    """A clock that goes on by the same step at each look."""

    def moments() -> Iterator[float]:
        now = start
        while True:
            yield now
            now += step

    return moments().__next__


class _Script:
    """Says what is written down, with ids that count over the whole scenario."""

    def __init__(self, replies: Sequence[Say], ids: Iterator[int]) -> None:
        self._replies, self._ids = iter(replies), ids

    async def complete(self, _messages: list[ChatMessage], _tools: list[ToolDefinition]) -> ChatMessage:
        said = next(self._replies, None)
        if said is None:
            raise ScriptEnded("The scenario has no reply left.")
        await asyncio.sleep(said.wait_s)
        if said.fault:
            raise ScriptedFault(said.fault)
        message: ChatMessage = {"role": "assistant", "content": said.text or None}
        if said.calls:
            message["tool_calls"] = [_call(line, next(self._ids)) for line in said.calls]
        return message


def _call(line: str, number: int) -> dict[str, Any]:
    name, arguments = call_of(line)
    return {"id": f"call_{number:04d}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _model(scenario: Scenario, replies: Sequence[Say], ids: Iterator[int]) -> Model:
    if scenario.endpoint is None:
        for said in replies:
            for line in said.calls:
                call_of(line)
        return _Script(replies, ids)
    ends = scenario.endpoint
    return OpenAICompatibleModel(scenario.model, base_url=ends.base_url, timeout_s=ends.timeout_s, retries=ends.retries)


def _nobody(_event: str, _facts: Mapping[str, Any]) -> None:
    """Hears what nobody asked for."""


async def _play_conversation(scenario: ConversationScenario, tools: Sequence[Tool], recorder: Recorder | None, tell: OnEvent) -> Played:
    ids = count(1)
    messages: list[ChatMessage] = [{"role": "system", "content": scenario.system}]
    reports: list[FitReport] = []
    calls = 0
    result: RunResult | None = None

    def note(report: FitReport) -> None:
        reports.append(report)
        tell("report", asdict(report))

    def note_tool(run: ToolRun) -> None:
        tell("tool", {"name": run.name, "ok": run.ok, "finished": run.finished})

    for turn in scenario.turn:
        messages.append({"role": "user", "content": turn.user})
        model = _model(scenario, turn.say, ids)
        if recorder is not None and scenario.form == "requests":
            model = recorder.wrap(model)
        if scenario.budget is not None:
            model = BudgetedModel(model, scenario.budget, turn.user, policy=scenario.policy, on_report=note)
        result = await run_agent(model, messages, tools, max_turns=max(MOST_TURNS, len(turn.say)), on_tool=note_tool)
        messages, calls = list(result.messages), calls + result.calls
        if result.status != "complete":
            break
    if recorder is not None and scenario.form == "messages":
        _write_whole(recorder.path, scenario, messages, tools)
    status, reason = ("complete", "") if result is None else (result.status, result.reason)
    return Played(status=status, reason=reason, calls=calls, reports=tuple(reports), messages=tuple(messages))


def _write_whole(path: Path, scenario: ConversationScenario, messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> None:
    """The conversation with its tools as one request: a line per call would repeat the history each time, and the reader rebuilds the same calls."""
    request = {"model": scenario.model, "messages": list(messages), "tools": [tool.definition() for tool in tools]}
    path.write_bytes((json.dumps(request, ensure_ascii=False, indent=1) + "\n").encode())


async def _play_plan(scenario: PlanScenario, tools: Sequence[Tool], recorder: Recorder | None, on_event: OnEvent | None) -> Played:
    limits = Limits(**{key: value for key, value in scenario.limits.model_dump().items() if value is not None})
    planner = Planner(
        model=_model(scenario, scenario.say, count(1)),
        accept=_acceptance(scenario.accept),
        tools=tools,
        max_characters=UNLIMITED_CHARS if scenario.budget is None else scenario.budget,
        policy=scenario.policy,
        limits=limits,
        triggers=Triggers(**scenario.triggers.model_dump()),
        recorder=recorder,
        on_event=on_event,
    )
    result = await planner.run(scenario.goal)
    return Played(status=result.status, reason=result.reason, calls=result.calls, reports=result.reports, plan=result)


def _acceptance(checks: Sequence[Accept]) -> Callable[[PlanStep, RunResult], Awaitable[Verdict]]:
    """A check of what the scenario wants of each step."""

    async def accept(step: PlanStep, result: RunResult) -> Verdict:
        for check in checks:
            if check.step != step.id:
                continue
            if check.text not in result.text:
                return Verdict(accepted=False, reason=f"The answer does not hold {check.text!r}.")
            if check.tool and not any(run.name == check.tool and not is_failure(run) for run in result.tool_runs):
                return Verdict(accepted=False, reason=f"No call of {check.tool} succeeded.")
        return Verdict(accepted=True, evidence=result.text)

    return accept

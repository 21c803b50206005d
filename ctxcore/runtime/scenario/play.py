"""Plays a scenario: a scripted model (or an endpoint), real tools, and a record of all that was sent."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from ctxcore.errors import InputError
from ctxcore.fitting import FitReport
from ctxcore.runtime.endpoint import OpenAICompatibleModel, environment_key, is_own_address
from ctxcore.runtime.loop import RunResult
from ctxcore.runtime.memory.memory import Memory
from ctxcore.runtime.models import ChatMessage, Model
from ctxcore.runtime.planning.gates import Verdict, is_failure
from ctxcore.runtime.planning.planner import OnEvent, Planner
from ctxcore.runtime.planning.signals import Triggers
from ctxcore.runtime.planning.values import Limits, PlanResult, PlanStep
from ctxcore.runtime.recorder import Recorder
from ctxcore.runtime.scenario.conversation import Conversation
from ctxcore.runtime.scenario.desks import open_desk, with_faults
from ctxcore.runtime.scenario.form import Accept, ConversationScenario, PlanScenario, Remembered, Say, Scenario, call_of
from ctxcore.runtime.scenario.script import Script
from ctxcore.runtime.tools import Tool

UNLIMITED_CHARS = 2**62
"""Stands for no budget."""


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


async def play(
    scenario: Scenario, record: str | Path | None = None, on_event: OnEvent | None = None, *, model: Model | None = None, send_key: bool = False
) -> Played:
    """Run a scenario.

    Args:
        scenario: As read.
        record: File to record into, which must not be there yet; None records nothing.
        on_event: Told what happens, as it happens: events of a planner; in a conversation each ``report`` and ``tool``; with a memory
            ``memory_item`` and ``memory``.
        model: Asked instead of the script or the endpoint that the scenario names.
        send_key: Let a key of the environment go to an address that the scenario names.

    Raises:
        InputError: No such desk or policy, a call that is none, or a record that is there already or cannot be written.
        OSError: The record can be written no more.
    """
    if record is not None:
        _check_record(Path(record))
    asked = model if model is not None else _endpoint(scenario, send_key=send_key)
    recorder = None if record is None else Recorder(record, model=scenario.model, clock=_clock(scenario))
    faults = [fault for fault in scenario.fault if fault.when in scenario.switches]
    with open_desk(scenario.desk, scenario.tool) as desk, open_memory(scenario.memory) as memory:
        tools = with_faults(desk, faults)
        if isinstance(scenario, PlanScenario):
            return await _play_plan(scenario, tools, recorder, on_event, memory, asked)
        return await _play_conversation(scenario, tools, recorder, on_event or _nobody, memory, asked)


def _check_record(path: Path) -> None:
    """Try, before anything runs, whether the record can be written; folders above it are made.

    Raises:
        InputError: It is there already, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("xb").close()
        path.unlink()
    except FileExistsError as error:
        if not path.exists() and not path.is_symlink():
            raise InputError(f"{path} cannot be written: {error.filename} is no folder.") from error
        raise InputError(f"{path} is there already: give the record another name, or remove it.") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}.") from error


@contextmanager
def open_memory(form: Remembered | None) -> Iterator[Memory | None]:
    """A memory with what the scenario puts into it; None where it has none."""
    if form is None:
        yield None
        return
    with Memory(limit=form.limit) as memory:
        for core, facts in ((True, form.core), (False, form.extended)):
            for key, value in facts.items():
                memory.semantic.put(key, value, core=core)
        for text in form.episodes:
            memory.episodic.append(text)
        yield memory


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


def _model(scenario: Scenario, script: Sequence[Say], ids: Iterator[int], given: Model | None) -> Model:
    if given is not None:
        return given
    replies = [said for said in script if said.when in (None, *scenario.switches) and said.unless not in scenario.switches]
    for said in replies:
        for line in said.calls:
            call_of(line)
    return Script(replies, ids, scenario.pace_s)


def _endpoint(scenario: Scenario, *, send_key: bool) -> Model | None:
    """The model behind the endpoint that a scenario names."""
    ends = scenario.endpoint
    if ends is None:
        return None
    return OpenAICompatibleModel(scenario.model, base_url=ends.base_url, timeout_s=ends.timeout_s, retries=ends.retries, send_key=send_key)


def key_kept_back(scenario: Scenario, environment: Mapping[str, str]) -> str:
    """One sentence where a key of the environment stays here although the scenario names an endpoint; else empty."""
    ends = scenario.endpoint
    if ends is None or is_own_address(ends.base_url, environment) or not environment_key(environment):
        return ""
    return f"The key of the environment is not sent to {ends.base_url}, which the scenario names; --send-key sends it there."


def _nobody(_event: str, _facts: Mapping[str, Any]) -> None:
    """Hears what nobody asked for."""


async def _play_conversation(
    scenario: ConversationScenario, tools: Sequence[Tool], recorder: Recorder | None, tell: OnEvent, memory: Memory | None, given: Model | None
) -> Played:
    talk = Conversation(scenario, tools, recorder, tell, memory)
    ids = count(1)
    for turn in scenario.turn:
        result = await talk.take(turn, _model(scenario, turn.say, ids, given))
        if result.status != "complete":
            break
    if recorder is not None and scenario.form == "messages":
        _write_whole(recorder.path, scenario, talk.messages, tools)
    return Played(status=result.status, reason=result.reason, calls=talk.calls, reports=tuple(talk.reports), messages=tuple(talk.messages))


def _write_whole(path: Path, scenario: ConversationScenario, messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> None:
    """The conversation with its tools as one request: a line per call would repeat the history each time, and the reader rebuilds the same calls."""
    request = {"model": scenario.model, "messages": list(messages), "tools": [tool.definition() for tool in tools]}
    path.write_bytes((json.dumps(request, ensure_ascii=False, indent=1) + "\n").encode())


async def _play_plan(
    scenario: PlanScenario, tools: Sequence[Tool], recorder: Recorder | None, on_event: OnEvent | None, memory: Memory | None, given: Model | None
) -> Played:
    limits = Limits(**{key: value for key, value in scenario.limits.model_dump().items() if value is not None})
    planner = Planner(
        model=_model(scenario, scenario.say, count(1), given),
        accept=_acceptance(scenario.accept),
        tools=tools,
        max_characters=UNLIMITED_CHARS if scenario.budget is None else scenario.budget,
        policy=scenario.policy,
        limits=limits,
        triggers=Triggers(**scenario.triggers.model_dump()),
        memory=memory,
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

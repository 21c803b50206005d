"""What keeps a step from being complete: how its loop ended, failures that nothing resolved, and the application's own check.

Source: the planner's rules, 3.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ctxcore.model import Json
from ctxcore.runtime.loop import RunResult, ToolRun
from ctxcore.runtime.planning.values import PlanStep
from ctxcore.runtime.tools import being_cancelled, is_async
from ctxcore.tool_uses import says_failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an application's acceptance check says."""

    accepted: bool
    """Only true lets the step be complete."""
    evidence: str = ""
    """What the check saw."""
    reason: str = ""
    """Why not, one sentence."""


Acceptance = Callable[[PlanStep, RunResult], "bool | Verdict | Awaitable[bool | Verdict]"]
"""The application's check of a step's result; a plain function runs in a worker thread, so that the time limit holds."""


def value_of(run: ToolRun) -> Json:
    """What a tool returned; None for a failure."""
    try:
        content = json.loads(run.content)
    except (ValueError, RecursionError):
        return None
    return content.get("result") if isinstance(content, dict) else None


def is_failure(run: ToolRun) -> bool:
    """True for a call that raised, was refused or stopped, and for a result that says itself that it failed."""
    return not run.ok or (isinstance(value := value_of(run), dict) and says_failed(json.dumps(value)))


def is_unexpected(run: ToolRun) -> bool:
    """True for a failure and for a result with nothing in it."""
    return is_failure(run) or value_of(run) in (None, "", [], {})


def resolves(failure: ToolRun, later: ToolRun) -> bool:
    """True if a later success makes up for a failure: the same tool, whatever its arguments (they are often what was wrong)."""
    return later.name == failure.name


def unresolved(runs: Sequence[ToolRun], makes_up: Callable[[ToolRun, ToolRun], bool] = resolves) -> list[ToolRun]:
    """Failures that no later success makes up for, in order."""
    return [
        run
        for number, run in enumerate(runs)
        if is_failure(run) and not any(not is_failure(later) and makes_up(run, later) for later in runs[number + 1 :])
    ]


async def checked(accept: Acceptance, step: PlanStep, result: RunResult) -> Verdict:
    """The application's verdict. Anything but a true one is a refusal, an error of the check as well."""
    check: Callable[..., Any] = accept
    try:
        said = await (check(step, result) if is_async(check) else asyncio.to_thread(_plain, check, step, result))
    except asyncio.CancelledError:
        if being_cancelled():
            raise
        return Verdict(accepted=False, reason="The acceptance check cancelled itself.")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the application's code may raise anything
        return Verdict(accepted=False, reason=f"The acceptance check failed: {type(error).__name__}: {error}")
    if isinstance(said, Verdict):
        return said if said.accepted is True else Verdict(accepted=False, evidence=said.evidence, reason=said.reason or "It was not accepted.")
    return Verdict(accepted=said is True, evidence=result.text, reason="" if said is True else "It was not accepted.")


def _plain(accept: Callable[..., Any], step: PlanStep, result: RunResult) -> object:
    """Called in a thread; a future cannot carry a StopIteration."""
    try:
        return accept(step, result)
    except StopIteration as error:
        raise RuntimeError("StopIteration") from error

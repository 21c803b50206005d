"""Planned runs as tests write them down: one scripted reply per request."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from ctxcore.runtime.models import Request, ScriptedModel
from ctxcore.runtime.planning.planner import Planner
from ctxcore.runtime.planning.signals import Triggers
from ctxcore.runtime.planning.values import PlanResult
from ctxcore.runtime.tools import Tool
from tests.runtime.clock import run_fast

GOAL = "Count the birds. 数鸟，不要漏。"
NEVER = Triggers(phase=False, tool=False, uncertain=False, half=False)


def says(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def uses(*names: str, first: int = 1, text: str | None = None, **arguments: Any) -> dict[str, Any]:
    """A message that calls these tools."""
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}} for n, name in enumerate(names, first)
    ]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def step(id: str, *depends_on: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "title": f"Title of {id}", "criteria": f"Criteria of {id}", "depends_on": list(depends_on), **more}


def plan(*steps: dict[str, Any]) -> dict[str, Any]:
    return says(json.dumps({"steps": list(steps)}))


def keep_plan(why: str = "fine") -> dict[str, Any]:
    return says(json.dumps({"replan": False, "why": why}))


def replan(*steps: dict[str, Any], why: str = "better") -> dict[str, Any]:
    return says(json.dumps({"replan": True, "why": why, "steps": list(steps)}))


def tool(name: str, function: Callable[..., Any]) -> Tool:
    return Tool(name=name, description=f"Does {name}.", parameters={"type": "object"}, function=function)


async def look() -> dict[str, int]:
    return {"birds": 7}


async def breaks() -> None:
    raise OSError("no such tree")


class Flaky:
    """Fails the first times it is called."""

    def __init__(self, failures: int) -> None:
        self.left = failures

    async def __call__(self) -> str:
        self.left -= 1
        if self.left >= 0:
            raise OSError("not yet")
        return "works"


async def yes(_step: Any, _result: Any) -> bool:
    return True


def planner(script: Any, **settings: Any) -> Planner:
    tools = settings.pop("tools", (tool("look", look), tool("breaks", breaks)))
    return Planner(**{"model": script, "accept": yes, "triggers": NEVER, "tools": tools, **settings})


def played(*replies: Any, **settings: Any) -> tuple[PlanResult, Sequence[Request]]:
    """The result, and the requests that reached the model."""
    script = ScriptedModel(replies)
    return run_fast(planner(script, **settings).run(GOAL)), script.requests


def statuses(result: PlanResult) -> dict[str, str]:
    return {record.step_id: record.status for record in result.records}


def last_user(request: Request) -> str:
    """The newest user message."""
    return next(m["content"] for m in reversed(request.messages) if m["role"] == "user")

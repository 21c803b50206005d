"""The two widely known plan tools: a list of todos, and a plan of steps with an explanation."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ctxcore.runtime.demo.schemas import schema
from ctxcore.runtime.tools import Tool

STATUSES = ("pending", "in_progress", "completed")


def todo_write() -> Tool:
    """``TodoWrite``: replaces the whole list each time."""
    status = {"type": "string", "enum": list(STATUSES)}
    todo = schema("content", "status", "activeForm", content={"type": "string"}, status=status, activeForm={"type": "string"})
    return Tool(
        name="TodoWrite",
        description="Replace the todo list. Keep exactly one item in_progress and mark an item completed only when its result was checked.",
        parameters=schema("todos", todos={"type": "array", "items": todo}),
        function=lambda todos: {"items": len(todos), **_tally(todos)},
    )


def update_plan() -> Tool:
    """``update_plan``: replaces the whole plan each time, with a reason."""
    step = schema("step", "status", step={"type": "string"}, status={"type": "string", "enum": list(STATUSES)})
    return Tool(
        name="update_plan",
        description="更新任务计划：每次给出全部步骤及状态，并说明原因。同一时间只有一个步骤处于 in_progress。",
        parameters=schema("plan", explanation={"type": "string"}, plan={"type": "array", "items": step}),
        function=lambda plan, explanation="": {"explanation": explanation, **_tally(plan)},
    )


def _tally(entries: list[dict[str, Any]]) -> dict[str, int]:
    """How many entries have each status."""
    counted = Counter(entry["status"] for entry in entries)
    return {status: counted[status] for status in STATUSES}

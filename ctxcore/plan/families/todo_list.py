"""Whole lists of todos: TodoWrite of Claude Code and tools of the same shape.

Source: recorded sessions of Claude Code (``todos``: content, status, activeForm), LangChain ``write_todos``, opencode ``todowrite``,
Cursor ``todo_write`` (with ``merge``), VS Code ``manage_todo_list`` (``todoList``), Gemini CLI ``write_todos`` (``description``), OpenHands
``task_tracker`` (``task_list``), Kimi ``SetTodoList``, Roo Code's screen log (``updateTodoList`` with ids), ADK tools that keep ``todos``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar

from ctxcore.model import Json
from ctxcore.plan.families.protocol import plan_word, read_items
from ctxcore.plan.values import Write
from ctxcore.tool_uses import ToolUse

NAMES = frozenset(
    {
        "todowrite",
        "writetodos",
        "writetodo",
        "managetodolist",
        "updatetodolist",
        "updatetodos",
        "settodos",
        "todo",
        "todos",
        "todolist",
        "settodolist",
        "tasktracker",
    }
)
"""Tool names in lower case without separators."""

LIST_KEYS = ("todos", "todoList", "todo_list", "task_list", "items")
"""Arguments that hold the list."""


class TodoList:
    """See the module."""

    name: ClassVar[str] = "todo-list"
    tools: ClassVar[str] = (
        "TodoWrite (Claude Code), write_todos (LangChain, Gemini CLI), todo_write, todowrite, manage_todo_list, task_tracker (OpenHands), todo"
    )

    def read(self, use: ToolUse) -> Write | None:
        """See ``Family.read``."""
        if plan_word(use) not in NAMES:
            return None
        arguments = use.arguments
        found = next((arguments[key] for key in LIST_KEYS if key in arguments), None)
        if found is None:
            return None if arguments else _unreadable(use)
        values = _list(found)
        items = None if values is None else read_items(values)
        if items is None:
            return Write(items=(), fault="The list holds entries without a title and without an id.")
        merge = arguments.get("merge") is True or arguments.get("action") in ("merge", "update", "add")
        return Write(items=items, mode="merge" if merge else "whole")


def _unreadable(use: ToolUse) -> Write | None:
    """A call whose arguments are no JSON object is a faulty write, one without arguments only reads the list."""
    return Write(items=(), fault="The arguments are not a JSON object.") if use.tool.arguments.strip() not in ("", "{}") else None


def _list(value: Json) -> list[Json] | None:
    """The list itself, or from a string that holds it, or from an object that has it as its only value."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if isinstance(value, Mapping) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, list) else None

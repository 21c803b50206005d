"""TaskCreate and TaskUpdate of Claude Code: one task a call, known by the id that the result of its creation gives.

Source: recorded sessions of Claude Code 2.1: ``Task #3 created successfully: TITLE``; TaskUpdate has ``taskId``, ``status``, ``subject``.
"""

from __future__ import annotations

import re
from typing import ClassVar

from ctxcore.plan.values import Item, Write
from ctxcore.tool_uses import ToolUse

CREATED = re.compile(r"Task #(\S+) created")
"""Text of the result of a creation."""


class Tasks:
    """See the module."""

    name: ClassVar[str] = "tasks"
    tools: ClassVar[str] = "TaskCreate and TaskUpdate (Claude Code)"

    def read(self, use: ToolUse) -> Write | None:
        """See ``Family.read``."""
        if use.word == "taskcreate":
            return _create(use)
        return _update(use) if use.word == "taskupdate" else None


def _create(use: ToolUse) -> Write | None:
    title = use.arguments.get("subject")
    if not isinstance(title, str) or not title.strip():
        return Write(items=(), mode="create", fault="The task has no subject.")
    found = CREATED.search(use.result.text) if use.result else None
    return Write(items=(Item(title=title, id=found[1] if found else "", word="pending"),), mode="create")


def _update(use: ToolUse) -> Write | None:
    arguments = use.arguments
    identity = arguments.get("taskId", arguments.get("task_id"))
    if not isinstance(identity, (str, int)) or isinstance(identity, bool):
        return Write(items=(), mode="update", fault="The update names no task.")
    title, word = arguments.get("subject"), arguments.get("status")
    item = Item(title=title if isinstance(title, str) else None, id=str(identity), word=word if isinstance(word, str) else None)
    return Write(items=(item,), mode="update")

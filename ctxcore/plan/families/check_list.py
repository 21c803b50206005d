"""A whole plan as Markdown boxes: ``update_todo_list`` of Roo Code.

Source: Roo Code's tool description: ``[ ]`` pending, ``[-]`` in progress, ``[x]`` completed, one step a line.
"""

from __future__ import annotations

import re
from typing import ClassVar

from ctxcore.plan.values import Item, Write
from ctxcore.tool_uses import ToolUse

BOX = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?\[(.)\]\s+(.+?)\s*$")
"""A box with its text, with or without a list mark."""

WORDS = {" ": "pending", "-": "in_progress", "~": "in_progress", "x": "completed", "X": "completed"}
"""What stands in the box; anything else stays as it is and is unknown."""


class CheckList:
    """See the module."""

    name: ClassVar[str] = "check-list"
    tools: ClassVar[str] = "update_todo_list with Markdown boxes (Roo Code)"

    def read(self, use: ToolUse) -> Write | None:
        """See ``Family.read``."""
        text = use.arguments.get("todos")
        if use.word not in ("updatetodolist", "todowrite", "todolist") or not isinstance(text, str):
            return None
        found = [match for match in map(BOX.match, text.splitlines()) if match]
        return Write(items=tuple(Item(title=m[2], word=WORDS.get(m[1], m[1])) for m in found)) if found else None

"""A whole plan as Markdown boxes, in an argument of a tool call.

Source: Roo Code's ``update_todo_list`` (``[ ]`` pending, ``[-]`` in progress, ``[x]`` completed, one step a line); Cline's ``task_progress``, an
argument of any tool; goose's ``todo_write`` (``content``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from ctxcore.plan.families.protocol import plan_word
from ctxcore.plan.values import Item, Write
from ctxcore.tool_uses import ToolUse

BOX = re.compile(r"^[ \t>]{0,40}(?:[-*+] {1,4}|\d{1,4}[.)] {1,4})?\[([^\]\n]{1,12})\][ \t]+(\S[^\n]*)$", re.MULTILINE)
"""A box with its text, with or without a list mark."""

WORDS = {" ": "pending", "-": "in_progress", "~": "in_progress", "/": "in_progress", ">": "in_progress", "x": "completed", "X": "completed"}
"""What stands in the box; anything else stays as it is."""

NAMES = frozenset({"updatetodolist", "todowrite", "todolist", "write", "update"})
"""Tool names in lower case without separators; the last two only from a server of todos."""

TAGGED = re.compile(r"<(?:todos|task_progress)>(.{0,50000}?)</(?:todos|task_progress)>", re.DOTALL)
"""The same argument of tools that are called in tags."""

TODOS = ("todos", "content")
"""Arguments of these that hold the list."""


class CheckList:
    """See the module."""

    name: ClassVar[str] = "check-list"
    tools: ClassVar[str] = "update_todo_list with Markdown boxes (Roo Code), the argument task_progress (Cline), todo_write (goose)"

    def read(self, use: ToolUse) -> Write | None:
        """See ``Family.read``."""
        arguments = use.arguments
        texts: list[object] = [arguments.get("task_progress")]
        if not arguments and (tagged := TAGGED.search(use.tool.arguments)):
            texts.append(tagged[1])
        if plan_word(use) in NAMES and "todo" in use.tool.name.lower():
            texts += [arguments.get(key) for key in TODOS]
        found = next((items for text in texts if isinstance(text, str) and (items := boxes(text))), ())
        return Write(items=found) if found else None


def boxes(text: str, marks: Iterable[str] | None = None) -> tuple[Item, ...]:
    """Steps of a check list, in order; a title that comes again counts with its last box.

    Args:
        text: Markdown.
        marks: What may stand in a box; anything if left out.
    """
    found = {m[2].strip(): m[1] for m in BOX.finditer(text) if marks is None or m[1] in marks}
    return tuple(Item(title=title, word=WORDS.get(mark, mark)) for title, mark in found.items())

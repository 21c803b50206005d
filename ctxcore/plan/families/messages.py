"""Plans in what the model writes: a Markdown check list, or one JSON object with steps.

A check list may show a part of the plan, so it changes what it names and removes nothing. What stands in a code block is an example or a file,
except for JSON: a block of its own is how models give it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import ClassVar

from ctxcore.model import Json
from ctxcore.plan.families.check_list import WORDS, boxes
from ctxcore.plan.families.protocol import read_item
from ctxcore.plan.values import Item, Write

STEP_KEYS = ("steps", "plan", "todos", "todo_list", "tasks", "phases")
"""Keys of a JSON plan that hold its steps."""

FEWEST = 2
"""Steps of a plan in a message; one box or one entry is no plan."""

FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]{0,3}\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
"""A code block."""

LONGEST = 200_000
"""Characters of a text that is looked at: plans are short."""


class CheckListText:
    """A check list in a message of the model."""

    name: ClassVar[str] = "check-list-message"
    tools: ClassVar[str] = "Markdown check lists in replies (two boxes or more, outside code)"

    def read_text(self, text: str) -> Write | None:
        """What a text of a reply says about the plan, or None."""
        if "[" not in text or len(text) > LONGEST:
            return None
        items = boxes(FENCE.sub("", text) if "```" in text or "~~~" in text else text, WORDS)
        return Write(items=items, mode="merge") if len(items) >= FEWEST else None


class JsonPlan:
    """A plan as JSON in a message of the model."""

    name: ClassVar[str] = "json-message"
    tools: ClassVar[str] = "a JSON object with steps, plan, todos or tasks as a reply or as a block of it"

    def read_text(self, text: str) -> Write | None:
        """What a text of a reply says about the plan, or None."""
        if not any(f'"{key}"' in text for key in STEP_KEYS) or len(text) > LONGEST:
            return None
        for candidate in (text.strip(), *(match[2].strip() for match in FENCE.finditer(text))):
            write = _plan(candidate)
            if write is not None:
                return write
        return None


def _plan(text: str) -> Write | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    listed: list[Json] = next((value[key] for key in STEP_KEYS if isinstance(value.get(key), list)), [])
    items = [_item(entry) for entry in listed]
    if len(items) < FEWEST or None in items:
        return None
    goal = value.get("goal", value.get("objective"))
    return Write(items=tuple(item for item in items if item is not None), goal=goal if isinstance(goal, str) else "")


def _item(value: Json) -> Item | None:
    """A step from its object or its bare title."""
    if isinstance(value, str):
        return Item(title=value) if value.strip() else None
    item = read_item(value) if isinstance(value, Mapping) else None
    return item if item is not None and item.title else None

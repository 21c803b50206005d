"""What a family of plan tools is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from ctxcore.model import Json
from ctxcore.plan.values import Item, Write
from ctxcore.tool_uses import ToolUse

TITLE_KEYS = ("content", "title", "step", "subject", "task", "text", "name", "todo", "description")
"""Where a step's title stands, best first."""

STATUS_KEYS = ("status", "state")
"""Where a step's status stands, best first."""

DONE_KEYS = ("done", "completed", "is_completed", "checked")
"""Yes-or-no forms of a status."""


def plan_word(use: ToolUse) -> str:
    """The tool's name for look-ups; a screen log names every tool ``tool`` and says in the arguments which one it was."""
    inner = use.arguments.get("tool") if use.word == "tool" else None
    return "".join(c for c in inner.lower() if c.isalnum()) if isinstance(inner, str) else use.word


class Family(Protocol):
    """Tools that write plans in one way."""

    name: ClassVar[str]
    """Stable."""
    tools: ClassVar[str]
    """For people: names and where they come from."""

    def read(self, use: ToolUse) -> Write | None:
        """What the tool call says about the plan; None where it is no plan write of this family."""
        ...


class TextFamily(Protocol):
    """Plans in the text of a reply."""

    name: ClassVar[str]
    """Stable."""
    tools: ClassVar[str]
    """For people: what is recognised."""

    def read_text(self, text: str) -> Write | None:
        """What the text says about the plan; None where it holds none of this family."""
        ...


def read_item(value: Json) -> Item | None:
    """A step from its object; None without a title and an id."""
    if not isinstance(value, dict):
        return None
    title = _title(value)
    identity = value.get("id")
    id_ = str(identity) if isinstance(identity, (str, int)) and not isinstance(identity, bool) else ""
    if title is None and not id_:
        return None
    return Item(title=title, id=id_, word=_word(value))


def _title(value: Mapping[str, Json]) -> str | None:
    for key in TITLE_KEYS:
        text = value.get(key)
        if isinstance(text, str) and text.strip():
            return text
    return None


def _word(value: Mapping[str, Json]) -> str | None:
    for key in STATUS_KEYS:
        if isinstance(value.get(key), str):
            return str(value[key])
    for key in DONE_KEYS:
        if isinstance(value.get(key), bool):
            return "completed" if value[key] else "pending"
    return None


def read_items(values: Sequence[Json]) -> tuple[Item, ...] | None:
    """Steps from a list of objects; None where an entry is none."""
    found = [read_item(value) for value in values]
    return None if None in found else tuple(item for item in found if item is not None)

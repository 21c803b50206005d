"""Where parts of a message stand in its request form: Chat, Anthropic and Responses, and any other as far as its keys are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ctxcore.model import Json, Message, Text, ToolCall, ToolResult


class Place(NamedTuple):
    """Where a value stands: an object and its key."""

    holder: Any
    """Object or list."""
    key: Any
    """Key or index."""

    @property
    def value(self) -> Json:
        """What stands there."""
        return self.holder[self.key]


def blocks(wire: Sequence[Any]) -> list[Place]:
    """Values that stand for a message's parts one by one: items of a reply of several, content blocks, then tool calls.

    Args:
        wire: Of a message.
    """
    if len(wire) > 1:
        return [Place(wire, index) for index in range(len(wire))]
    first = wire[0] if wire else {}
    if isinstance(first.get("parts"), list):
        return [Place(first["parts"], index) for index in range(len(first["parts"]))]
    content, calls = first.get("content"), first.get("tool_calls")
    found = [Place(content, index) for index in range(len(content))] if isinstance(content, list) else []
    if isinstance(content, str) and content:
        found = [Place(first, "content")]
    return [*found, *(Place(calls, index) for index in range(len(calls) if isinstance(calls, list) else 0))]


def result_place(message: Message, part: int, wire: Sequence[Any]) -> Place | None:
    """Where the content of a tool result stands; None in a form that is not known.

    Args:
        message: That has it.
        part: Index of the result.
        wire: The message's objects, or a copy of them.
    """
    order = sum(isinstance(one, ToolResult) for one in message.parts[:part])
    holders = [item for item in wire if item.get("role") in ("tool", "function") or "output" in item]
    for item in wire:
        if isinstance(item.get("content"), list):
            holders += [block for block in item["content"] if isinstance(block, dict) and block.get("type") == "tool_result"]
        holders += _inside(item, "functionResponse", "function_response")
    keys = [Place(holder, key) for holder in holders for key in ("content", "output", "response") if key in holder][: len(holders)]
    return keys[order] if order < len(keys) else None


def arguments_place(message: Message, part: int, wire: Sequence[Any]) -> Place | None:
    """Where the arguments of a tool call stand, as for ``result_place``."""
    order = sum(isinstance(one, ToolCall) for one in message.parts[:part])
    found: list[Place] = []
    for item in wire:
        inner = [block for block in item.get("content") or () if isinstance(block, dict)] if isinstance(item.get("content"), list) else []
        called = [call.get("function", call) for call in item.get("tool_calls") or () if isinstance(call, dict)]
        called += _inside(item, "functionCall", "function_call")
        found += [Place(one, key) for one in (item, *inner, *called) if isinstance(one, dict) for key in ("input", "arguments", "args") if key in one]
    return found[order] if order < len(found) else None


def _inside(item: Any, *names: str) -> list[Any]:
    """Calls or responses in the parts of a Gemini content."""
    parts = item.get("parts")
    found = [part[name] for part in parts for name in names if isinstance(part, dict) and name in part] if isinstance(parts, list) else []
    return [one for one in found if isinstance(one, dict)]


def text_place(message: Message, part: int, wire: Sequence[Any]) -> Place | None:
    """Where a plain text stands, as for ``result_place``: by its order among the texts of the message that read the same."""
    own = message.parts[part]
    same = [number for number, one in enumerate(message.parts) if isinstance(one, Text) and isinstance(own, Text) and one.text == own.text]
    found: list[Place] = []
    for item in wire:
        content = item.get("content")
        if isinstance(content, str):
            found.append(Place(item, "content"))
        elif isinstance(content, list):
            found += [Place(block, "text") for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)]
            found += [Place(content, index) for index, block in enumerate(content) if isinstance(block, str)]
    equal = [place for place in found if isinstance(own, Text) and place.value == own.text]
    return equal[same.index(part)] if part in same and same.index(part) < len(equal) else None

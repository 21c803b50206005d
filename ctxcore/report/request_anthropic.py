"""Requests in the form of Anthropic's Messages. Source: Anthropic API reference, "Create a Message"."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ctxcore.model import Json, Media, Part, Reasoning, ToolCall, ToolResult
from ctxcore.report.request_parts import Carried, Ids, Notes, Picture, unknown_role

BLOCKS = frozenset(
    {
        "text",
        "image",
        "document",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "web_search_tool_result",
        "search_result",
    }
)
"""Types of content blocks that the API takes."""

ID_LETTERS = string.ascii_letters + string.digits + "_-"
"""Of ids of tool calls."""

SYSTEM = frozenset({"system", "developer"})


def is_anthropic(message: Mapping[str, Json]) -> bool:
    """A recorded message that this API takes as it stands; system text goes in front."""
    content = message.get("content")
    if message.get("role") not in ("system", "user", "assistant") or not {"role", "content"}.issuperset(message):
        return False
    if isinstance(content, list):
        return all(isinstance(block, dict) and block.get("type") in BLOCKS for block in content)
    return isinstance(content, str)


def anthropic_body(verbatim: Sequence[Mapping[str, Json]] | None, messages: Sequence[Carried], notes: Notes) -> dict[str, Json]:
    """``system`` and ``messages`` of a request.

    Args:
        verbatim: Messages that have this form already, or None.
        messages: Else, to be written anew.
        notes: Hears of what is not carried over.
    """
    ids = Ids(notes, allowed=ID_LETTERS)
    written = [dict(message) for message in verbatim] if verbatim is not None else [_written(message, ids, notes) for message in messages]
    fronts = [message for message in written if message["role"] in SYSTEM]
    rest = [message for message in written if message["role"] not in SYSTEM]
    if fronts and written.index(fronts[-1]) >= len(fronts):
        notes.add("System text that stood between messages is moved to the front, where this form has it.")
    system = [block for message in fronts for block in _blocks(message["content"])]
    found: dict[str, Any] = {"system": system} if system else {}
    joined = any(one["role"] == other["role"] for one, other in pairwise(rest))
    if joined and verbatim is not None:
        rest = [{"role": message["role"], "content": _blocks(message["content"])} for message in rest]
        notes.add("Neighbouring messages of one role are joined: all results of a reply must stand in the next message.")
    return {**found, "messages": _merged(rest) if joined or verbatim is None else rest}


def _blocks(content: Json) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def _merged(messages: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Neighbours of one role as one message: all results of a reply must stand in the next message."""
    found: list[dict[str, Any]] = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            found[-1]["content"] = [*found[-1]["content"], *message["content"]]
        else:
            found.append(dict(message))
    for message in found:
        message["content"] = (
            sorted(message["content"], key=lambda block: block["type"] != "tool_result") if message["role"] == "user" else message["content"]
        )
    return [message for message in found if message["content"]]


def _written(message: Carried, ids: Ids, notes: Notes) -> dict[str, Any]:
    blocks = [block for number, part in enumerate(message.parts) for block in _part(message, number, part, ids, notes)]
    return {"role": _role(message.role, notes), "content": blocks}


def _part(message: Carried, number: int, part: Part, ids: Ids, notes: Notes) -> list[dict[str, Any]]:
    """Blocks that a part becomes."""
    match part:
        case ToolCall():
            return [{"type": "tool_use", "id": ids.asked(part.id, part.name), "name": part.name, "input": _arguments(part, notes)}]
        case ToolResult():
            return [_result(part, message.pictures.get(number, ()), ids)]
        case Media():
            pictures = message.pictures.get(number, (None,))
            if None in pictures:
                notes.add("A file that is no image is left out.")
            return [_image(picture) for picture in pictures if picture is not None]
        case Reasoning():
            return _reasoning(message, number, part, notes)
        case _:
            return [{"type": "text", "text": part.text}] if part.text.strip() else []


def _reasoning(message: Carried, number: int, part: Reasoning, notes: Notes) -> list[dict[str, Any]]:
    if number in message.thinking:
        return [dict(message.thinking[number])]
    if part.text or part.opaque:
        notes.add("Reasoning without this API's own signature is not taken by it and is left out.")
    return []


def _role(role: str, notes: Notes) -> str:
    if role in SYSTEM or role in ("user", "assistant"):
        return role
    if role not in ("tool", "function"):
        notes.add(unknown_role(role))
    return "user"


def _arguments(part: ToolCall, notes: Notes) -> Json:
    """Arguments as the object that this form wants."""
    try:
        value = json.loads(part.arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    notes.add("Arguments that are no JSON object stand in a field named text.")
    return {"text": part.arguments}


def _result(part: ToolResult, pictures: Sequence[Picture | None], ids: Ids) -> dict[str, Any]:
    shown = [_image(picture) for picture in pictures if picture is not None]
    content: Json = [{"type": "text", "text": part.text}, *shown] if shown and part.text else shown or part.text
    written = {"type": "tool_result", "tool_use_id": ids.answered(part.call_id, part.name), "content": content}
    return {**written, "is_error": True} if part.is_error else written


def _image(picture: Picture) -> dict[str, Any]:
    data = {"type": "base64", "media_type": picture.media_type, "data": picture.data}
    return {"type": "image", "source": {"type": "url", "url": picture.url} if picture.url else data}

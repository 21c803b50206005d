"""Requests in the form of OpenAI's Chat Completions. Source: OpenAI API reference, "Create chat completion"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ctxcore.model import Json, Media, Other, Part, Reasoning, Text, ToolCall, ToolResult
from ctxcore.report.request_parts import Carried, Ids, Notes, Picture, unknown_role

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})

BLOCKS = frozenset({"text", "image_url", "input_audio", "file", "refusal"})
"""Types of content blocks that the API takes."""

KEYS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "audio"})
"""Keys of a message that the API takes."""


def is_chat(message: Mapping[str, Json]) -> bool:
    """A recorded message that this API takes as it stands."""
    content, calls = message.get("content"), message.get("tool_calls")
    if message.get("role") not in ROLES or not KEYS.issuperset(message):
        return False
    if isinstance(content, list):
        return all(isinstance(block, dict) and block.get("type") in BLOCKS for block in content)
    if message["role"] == "tool" and not message.get("tool_call_id"):
        return False
    return isinstance(content, str) or (message["role"] == "assistant" and content is None and bool(calls))


def openai_body(verbatim: Sequence[Mapping[str, Json]] | None, messages: Sequence[Carried], notes: Notes) -> dict[str, Json]:
    """``messages`` of a request.

    Args:
        verbatim: Messages that have this form already, or None.
        messages: Else, to be written anew.
        notes: Hears of what is not carried over.
    """
    if verbatim is not None:
        return {"messages": [dict(message) for message in verbatim]}
    ids = Ids(notes)
    return {"messages": [written for message in messages for written in _written(message, ids, notes)]}


def _written(message: Carried, ids: Ids, notes: Notes) -> Iterator[dict[str, Json]]:
    """A message as one or several: results and what a person says beside them stand apart here."""
    results = [(n, part) for n, part in enumerate(message.parts) if isinstance(part, ToolResult)]
    said = [(n, part) for n, part in enumerate(message.parts) if not isinstance(part, (ToolResult, ToolCall))]
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    if message.role != "assistant":
        for number, result in results:
            yield _result(result, ids, len(message.pictures.get(number, ())), notes)
        content = _content(message, said, notes)
        if content or not results:
            yield {"role": _role(message.role, notes), "content": content}
        return
    written: dict[str, Any] = {"role": "assistant", "content": _content(message, said, notes) or None}
    if calls:
        written["tool_calls"] = [
            {"id": ids.asked(one.id, one.name), "type": "function", "function": {"name": one.name, "arguments": one.arguments}} for one in calls
        ]
    elif written["content"] is None:
        written["content"] = ""
    yield written
    for number, result in results:
        yield _result(result, ids, len(message.pictures.get(number, ())), notes)


def _role(role: str, notes: Notes) -> str:
    if role in ("system", "developer", "user"):
        return role
    if role not in ("tool", "function"):
        notes.add(unknown_role(role))
    return "user"


def _result(result: ToolResult, ids: Ids, images: int, notes: Notes) -> dict[str, Json]:
    if images:
        notes.add("Images inside tool results have no place in this form and are left out.")
    if result.is_error:
        notes.add("That a tool result is marked as an error has no place in this form: only its text tells.")
    return {"role": "tool", "tool_call_id": ids.answered(result.call_id, result.name), "content": result.text}


def _content(message: Carried, said: Sequence[tuple[int, Part]], notes: Notes) -> Json:
    """One text where all is text, else blocks."""
    blocks: list[dict[str, Any]] = []
    for number, part in said:
        match part:
            case Text(text=text) | Other(text=text):
                if text:
                    blocks.append({"type": "text", "text": text})
            case Reasoning(text=text, opaque=opaque):
                if text or opaque:
                    notes.add("Reasoning has no place in this form and is left out.")
            case Media():
                pictures = message.pictures.get(number, (None,))
                blocks += [_image(picture) for picture in pictures if picture is not None]
                if None in pictures:
                    notes.add("A file that is no image is left out.")
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return "\n".join(texts) if len(texts) == len(blocks) else blocks


def _image(picture: Picture) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": picture.url or f"data:{picture.media_type};base64,{picture.data}"}}

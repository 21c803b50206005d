"""A message of an Inspect log as a ``Message``.

Source: inspect_ai ``model/_chat_message.py``, ``_util/content.py``, ``model/_providers/util``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ctxcore.model import Json, Message, SourceRef
from ctxcore.readers.chat_message import chat_message, normal_form
from ctxcore.readers.values import compact_json, items, mapping, text

ASIDE = frozenset({"id", "source", "model", "metadata", "internal", "signature", "refusal", "cache_prompt"})
"""Keys that the log keeps beside a message, and that differ between its recordings."""


def plain(value: Json) -> Json:
    """The form in which two recordings of a message are equal."""
    kept = {key: entry for key, entry in mapping(value).items() if key not in ASIDE}
    content = kept.get("content")
    if isinstance(content, list):
        kept["content"] = [
            {k: v for k, v in part.items() if k not in ASIDE and v is not None} if isinstance(part, dict) else part for part in content
        ]
    calls = items(kept.get("tool_calls"))
    if calls:
        kept["tool_calls"] = [{key: mapping(call).get(key) for key in ("id", "function", "arguments")} for call in calls]
    return normal_form(kept)


def inspect_message(value: Json, source: SourceRef, *, raw: Json = None) -> Message:
    """A message from its recorded form, attachments in place."""
    message = mapping(value)
    error = mapping(message.get("error"))
    wire: dict[str, Json] = {"role": text(message.get("role")), "content": _content(message.get("content"))}
    if error and message.get("role") == "tool":
        wire["content"] = text(error.get("message")) or wire["content"]
    calls = [_call(mapping(call)) for call in items(message.get("tool_calls"))]
    if calls:
        wire["tool_calls"] = calls
    if message.get("role") == "tool":
        wire["tool_call_id"] = text(message.get("tool_call_id"))
        wire["name"] = text(message.get("function"))
    made = chat_message(wire, source, raw=message if raw is None else raw)
    parts = tuple(replace(part, is_error=True) if error and part.kind == "tool_result" else part for part in made.parts)
    return replace(made, parts=parts, id=text(message.get("id")))


def _content(value: Json) -> Json:
    return [_part(mapping(part)) for part in value] if isinstance(value, list) else text(value)


def _part(part: Mapping[str, Json]) -> Json:
    """A content part as that of a chat message."""
    match part.get("type"):
        case "text":
            return {"type": "text", "text": text(part.get("text"))}
        case "reasoning":
            hidden = part.get("redacted") is True
            return {"type": "reasoning", "text": text(part.get("summary")) if hidden else text(part.get("reasoning"))}
        case "image":
            return {"type": "image_url", "image_url": {"url": text(part.get("image"))}}
        case "audio" | "video" | "document" as kind:
            return {"type": "file", "file": {"file_data": text(part.get(kind))}}
    return part


def _call(call: Mapping[str, Json]) -> Json:
    if isinstance(call.get("function"), dict):
        return call
    asked = call.get("arguments")
    words = asked if isinstance(asked, str) else compact_json({} if asked is None else asked)
    return {"id": text(call.get("id")), "type": "function", "function": {"name": text(call.get("function")), "arguments": words}}

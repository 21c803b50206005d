"""Typed parts of a message under all their names, gathered into one OpenAI Chat message.

Source: format notes, 2.3 (Anthropic), 2.4 (Gemini), 2.6 (OpenTelemetry GenAI), 2.10 (AI SDK).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import orjson

from ctxcore.model import Json
from ctxcore.readers.values import compact_json, items, mapping, text

Form = Mapping[str, Json]
"""One of ``part`` (a Chat content part), ``call``, ``result`` or ``reasoning``."""

CALL_TYPES = frozenset({"tool_call", "tool_use", "tool-call", "server_tool_use", "mcp_tool_use", "server_tool_call"})
RESULT_TYPES = frozenset({"tool_call_response", "tool_result", "tool-result", "server_tool_call_response"})
MEDIA_TYPES = frozenset({"blob", "binary", "image", "file", "uri", "document", "media", "audio", "video"})
TEXT_TYPES = frozenset({"text", "input_text", "output_text"})


SAVED_TWICE = 3
"""How often JSON may stand in a JSON string."""


def decoded(value: Json) -> Json:
    """The value that stands in a string as JSON; anything else as it is."""
    for _ in range(SAVED_TWICE):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            value = _loads(value)
        except (ValueError, RecursionError):
            break
    return value


def _loads(value: str) -> Json:
    """JSON from text, by the fast parser where it takes it: it refuses what is no strict JSON and very deep values."""
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return json.loads(value)


def as_text(value: Json) -> str:
    """A recorded value as the text that stands for it: strings as they are, text parts joined, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    parts = items(value)
    if parts and all(text(mapping(part).get("type")) in TEXT_TYPES for part in parts):
        return "\n".join(text(part.get("text")) or text(part.get("content")) for part in parts)
    return compact_json(value)


def arguments_text(value: Json) -> str:
    """Arguments of a call as the string that a Chat request holds."""
    return value if isinstance(value, str) else "" if value is None else compact_json(value)


def one_part(value: Json) -> Form:  # noqa: PLR0911 - one return per kind
    """One part in the terms of ``Form``."""
    if isinstance(value, str):
        return {"part": {"type": "text", "text": value}}
    part = mapping(value)
    kind = text(part.get("type"))
    if not kind:
        return _gemini_part(part)
    if kind in TEXT_TYPES:
        return {"part": {"type": "text", "text": text(part.get("text")) or text(part.get("content")) or text(part.get("value"))}}
    if kind in ("reasoning", "thinking", "redacted_thinking"):
        return {"reasoning": text(part.get("content")) or text(part.get("thinking")) or text(part.get("text")) or text(part.get("reasoning"))}
    if kind in CALL_TYPES:
        return _call(part)
    if kind in RESULT_TYPES:
        return _result(part)
    return {"part": _media(kind, part) or part}


def _call(part: Mapping[str, Json]) -> Form:
    inner = mapping(part.get("server_tool_call"))
    asked = next((part[key] for key in ("arguments", "input", "args") if key in part), inner.get("arguments", inner or None))
    name = text(part.get("name")) or text(part.get("toolName"))
    function = {"name": name, "arguments": arguments_text(asked)}
    return {"call": {"id": _id(part), "type": "function", "function": function}}


def _id(part: Mapping[str, Json]) -> str:
    return text(part.get("id")) or text(part.get("toolCallId")) or text(part.get("tool_use_id"))


def _result(part: Mapping[str, Json]) -> Form:
    keys = ("response", "result", "content", "output", "server_tool_call_response")
    given = next((part[key] for key in keys if part.get(key) is not None), None)
    wrapped = mapping(given)
    if "value" in wrapped and text(wrapped.get("type")):
        given = wrapped["value"]
    name = text(part.get("name")) or text(part.get("toolName"))
    return {"result": {"tool_call_id": text(part.get("tool_use_id")) or _id(part), "content": _content(given), **({"name": name} if name else {})}}


def _content(value: Json) -> Json:
    """Content of a result: its text, or parts where it holds an image."""
    made = [one_part(part) for part in items(value)] if items(value) and all(text(mapping(part).get("type")) for part in items(value)) else []
    if any(mapping(form.get("part")).get("type") not in (None, "text") for form in made):
        return [form["part"] for form in made if "part" in form]
    return as_text(value)


def _media(kind: str, part: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """An image or file under its other names as a Chat part; None for what is none or is one already."""
    origin = mapping(part.get("source"))
    mime = (
        text(part.get("mime_type"))
        or text(part.get("media_type"))
        or text(part.get("mediaType"))
        or text(part.get("mimeType"))
        or text(origin.get("media_type"))
    )
    data = next((text(v) for v in (part.get("image"), part.get("data"), part.get("content"), origin.get("data")) if text(v)), "")
    address = text(part.get("uri")) or text(part.get("url")) or text(origin.get("url"))
    if (kind in MEDIA_TYPES or kind.endswith("-url")) and (data or address):
        return {"type": "image_url", "image_url": {"url": address or _data_address(mime or "image/png", data)}}
    return None


def _data_address(mime: str, data: str) -> str:
    return data if data.startswith(("data:", "http:", "https:")) else f"data:{mime};base64,{data}"


def _gemini_part(part: Mapping[str, Json]) -> Form:
    """A part of a Gemini content, told by its key."""
    asked = mapping(part.get("functionCall") or part.get("function_call"))
    answer = mapping(part.get("functionResponse") or part.get("function_response"))
    if asked:
        return _call({"id": asked.get("id"), "name": asked.get("name"), "args": asked.get("args")})
    if answer:
        return _result({"id": answer.get("id"), "name": answer.get("name"), "response": answer.get("response")})
    if "text" in part:
        said = text(part.get("text"))
        return {"reasoning": said} if part.get("thought") is True else {"part": {"type": "text", "text": said}}
    data = mapping(part.get("inlineData") or part.get("inline_data") or part.get("fileData") or part.get("file_data"))
    if data:
        address = text(data.get("fileUri")) or text(data.get("file_uri"))
        mime = text(data.get("mimeType")) or text(data.get("mime_type"))
        return {"part": _media("blob", {"mime_type": mime, "data": data.get("data"), "uri": address}) or {"type": "text", "text": ""}}
    return {"part": {"type": "text", "text": compact_json(part)}}


def gathered(role: str, forms: Iterable[Form]) -> dict[str, Json]:
    """A Chat message of a role from its parts; a message whose only part is a result has the role ``tool``."""
    content: list[Mapping[str, Json]] = []
    calls: list[Json] = []
    thoughts: list[str] = []
    result: Mapping[str, Json] | None = None
    for form in forms:
        if "part" in form:
            content.append(form["part"])
        elif "call" in form:
            calls.append(form["call"])
        elif "result" in form:
            result = form["result"]
        elif form.get("reasoning"):
            thoughts.append(form["reasoning"])
    if result is not None and not content and not calls:
        return {"role": "tool", **result}
    if result is not None:
        content.append({"type": "tool_result", "text": as_text(result["content"])})
    plain = all(part.get("type") == "text" for part in content)
    said: Json = "".join(part["text"] for part in content) if plain and len(content) == 1 else content or None
    made: dict[str, Json] = {"role": role, "content": said}
    if thoughts:
        made["reasoning_content"] = "\n".join(thoughts)
    if calls:
        made["tool_calls"] = calls
    return made

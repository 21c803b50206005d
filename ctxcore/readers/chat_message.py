"""One message of an OpenAI Chat request as a ``Message``.

Source: OpenAI Chat Completions reference; dialects as listed in the format notes (old functions, vendor reasoning, ``{type, value}`` parts).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from ctxcore.model import Json, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.chat_record import time_flag
from ctxcore.readers.document import Document, Record
from ctxcore.readers.places import path_to
from ctxcore.readers.values import arguments_flag, compact_json, items, mapping, media_from_address, media_from_base64, moment, text

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

EMPTY: tuple[Json, ...] = (None, "", [])
"""Values that say as much as an absent key."""

PASSING_KEYS = frozenset({"cache_control", "provider_specific_fields"})
"""Keys that move or vanish from one request to the next without changing a message."""

PLAIN_KEYS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id"})
"""Most messages have no other keys: reasoning, refusals and times need not be looked for in them."""

REASONING_KEYS = ("reasoning_content", "reasoning")
"""Where vendors put the model's thinking."""


def chat_message(value: Mapping[str, Json], source: SourceRef, *, raw: Json = None) -> Message:
    """A message from its recorded object.

    Args:
        value: As it stands in the request.
        source: Where.
        raw: The record around it, where there is more than the message.
    """
    role = value.get("role")
    name = role if isinstance(role, str) else ""
    flags: list[str] = [] if name in ROLES else ["unknown_role"]
    rare = not PLAIN_KEYS.issuperset(value)
    parts = reasoning(value) if rare else []
    content = value.get("content") or value.get("content_parts")
    if name in ("tool", "function"):
        parts.append(_result(value, content))
        if name == "tool" and not text(value.get("tool_call_id")):
            flags.append("no_call_id")
    else:
        parts += content_parts(content)
    if rare and text(value.get("refusal")):
        parts.append(Text(text=value["refusal"]))
    if "tool_calls" in value or rare:
        parts += tool_calls(value)
    if calls := [part for part in parts if isinstance(part, ToolCall)]:
        flags += _call_flags(calls)
    time = (value.get("timestamp") or value.get("created_at")) if rare else None
    if rare and (odd := time_flag(time)):
        flags.append(odd)
    if name == "assistant" and not parts:
        flags.append("empty")
    return Message(
        role=name,
        parts=tuple(parts),
        wire=(value,),
        raw=value if raw is None else raw,
        source=source,
        id=text(value.get("id")) if rare else "",
        at=moment(time) if rare else None,
        flags=tuple(flags),
    )


def _call_flags(calls: Sequence[ToolCall]) -> list[str]:
    """What is odd about tool calls, each word once."""
    flags = list(dict.fromkeys([flag for call in calls if (flag := arguments_flag(call.arguments))]))
    return [*flags, "call_without_name"] if "" in [call.name for call in calls] else flags


def reasoning(value: Mapping[str, Json]) -> list[Part]:
    """The model's thinking, from the first key that a vendor put it in."""
    for key in REASONING_KEYS:
        if text(value.get(key)):
            return [Reasoning(text=value[key])]
    details = [mapping(item) for item in items(value.get("reasoning_details")) or items(value.get("thinking_blocks"))]
    return [Reasoning(text=text(d.get("text") or d.get("summary") or d.get("thinking")), opaque="data" in d) for d in details]


def normal_form(value: Json) -> Json:
    """The form in which a message and its later recordings are equal: no empty fields, no cache marks, a single text part as its text."""
    kept = {key: item for key, item in mapping(value).items() if item not in EMPTY and key not in PASSING_KEYS}
    content = kept.get("content")
    if isinstance(content, list):
        parts = [mapping(part) for part in content]
        if len(parts) == 1 and set(parts[0]) - PASSING_KEYS == {"type", "text"}:
            kept["content"] = parts[0]["text"]
        elif any("cache_control" in part for part in parts):
            kept["content"] = [{key: item for key, item in part.items() if key not in PASSING_KEYS} for part in parts]
    return kept


def content_parts(content: Json) -> list[Part]:
    """Parts from a ``content`` value: a string, null, or a list of typed parts."""
    if isinstance(content, str):
        return [Text(text=content)] if content else []
    return [_content_part(item) for item in items(content)]


def _content_part(item: Json) -> Part:
    if isinstance(item, str):
        return Text(text=item)
    part = mapping(item)
    kind = text(part.get("type"))
    match kind:
        case "text" | "input_text" | "output_text" | "refusal":
            return Text(text=text(part.get("text") or part.get("value") or part.get("refusal")))
        case "reasoning":
            return Reasoning(text=text(part.get("value") or part.get("text")))
        case "tool_call":
            return _saved_call(text(part.get("value")))
    media = _media_part(kind, part)
    return media or Other(type=kind or "unknown", text=text(part.get("text") or part.get("value")))


def _media_part(kind: str, part: Mapping[str, Json]) -> Media | None:
    if kind in ("image_url", "input_image"):
        image = part.get("image_url")
        return media_from_address(text(mapping(image).get("url")) or text(image))
    if kind == "input_audio":
        audio = mapping(part.get("input_audio"))
        return media_from_base64(f"audio/{text(audio.get('format')) or 'unknown'}", text(audio.get("data")))
    if kind == "file":
        file = mapping(part.get("file"))
        return media_from_address(text(file.get("file_data")) or text(file.get("file_id")), "file")
    return None


def _saved_call(value: str) -> ToolCall:
    """A call that a data set keeps as the JSON text of its name and arguments."""
    try:
        call = mapping(json.loads(value))
    except (ValueError, RecursionError):
        return ToolCall(id="", name="", arguments=value)
    return ToolCall(id="", name=text(call.get("name")), arguments=_arguments(call.get("arguments")))


def _result(value: Mapping[str, Json], content: Json) -> ToolResult:
    call_id, name = text(value.get("tool_call_id")), text(value.get("name"))
    if isinstance(content, str):
        return ToolResult(call_id=call_id, name=name, text=content)
    parts = content_parts(content)
    texts = [p.text for p in parts if isinstance(p, (Text, Other)) and p.text]
    return ToolResult(call_id=call_id, name=name, text="\n".join(texts), media=tuple([p for p in parts if isinstance(p, Media)]))


def tool_calls(value: Mapping[str, Json]) -> list[ToolCall]:
    """Tool calls of an assistant message, the old single ``function_call`` included."""
    calls = [_tool_call(call) for call in items(value.get("tool_calls"))]
    old = value.get("function_call")
    if not calls and isinstance(old, dict):
        calls.append(ToolCall(id="", name=text(old.get("name")), arguments=_arguments(old.get("arguments"))))
    return calls


def _tool_call(value: Json) -> ToolCall:
    call = mapping(value)
    function = mapping(call.get("function") or call.get("custom"))
    arguments = function.get("arguments", function.get("input"))
    words = arguments if isinstance(arguments, str) else _arguments(arguments)
    return ToolCall(id=text(call.get("id")), name=text(function.get("name")), arguments=words)


def _arguments(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)


def messages_of(document: Document, values: Sequence[Json], record: Record) -> Iterator[Message]:
    """The messages of a recorded list; what is no object is reported and left out.

    Args:
        document: The file.
        values: The list.
        record: Where it stands.
    """
    place = path_to(record.value, values) or ""
    for number, value in enumerate(values):
        if isinstance(value, dict):
            yield chat_message(value, document.source(record, f"{place}[{number}]"))
        else:
            document.report(f"{place}[{number}] is not an object and was left out.", record.line, "not_an_object", repr(value))


def not_recorded(messages: Sequence[Message], *, has_tools: bool) -> tuple[str, ...]:
    """Parts of a request that the messages of a log do not hold.

    Args:
        messages: Of the whole log.
        has_tools: Tool definitions were found.
    """
    missing = [] if any(m.role in ("system", "developer") for m in messages) else ["system prompt"]
    return tuple(missing if has_tools else [*missing, "tool definitions"])

"""One message of an OpenAI Chat request as a ``Message``.

Source: OpenAI Chat Completions reference; dialects as listed in the format notes (old functions, vendor reasoning, ``{type, value}`` parts).
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.values import arguments_flag, compact_json, items, mapping, media_from_address, media_from_base64, seconds, text

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

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
    parts: list[Part] = []
    flags: list[str] = [] if name in ROLES else ["unknown_role"]
    for key in REASONING_KEYS:
        if isinstance(value.get(key), str) and value[key]:
            parts.append(Reasoning(text=value[key]))
            break
    content = content_parts(value.get("content"))
    if name in ("tool", "function"):
        parts.append(_result(value, content))
        if name == "tool" and not text(value.get("tool_call_id")):
            flags.append("no_call_id")
    else:
        parts.extend(content)
    if text(value.get("refusal")):
        parts.append(Text(text=value["refusal"]))
    calls = tool_calls(value)
    for call in calls:
        flag = arguments_flag(call.arguments)
        if flag and flag not in flags:
            flags.append(flag)
    parts.extend(calls)
    if name == "assistant" and not parts:
        flags.append("empty")
    return Message(
        role=name,
        parts=tuple(parts),
        wire=(value,),
        raw=value if raw is None else raw,
        source=source,
        id=text(value.get("id")),
        at=seconds(value.get("timestamp") or value.get("created_at")),
        flags=tuple(flags),
    )


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
        case "image_url" | "input_image":
            image = part.get("image_url")
            return media_from_address(text(mapping(image).get("url")) or text(image))
        case "input_audio":
            audio = mapping(part.get("input_audio"))
            return media_from_base64(f"audio/{text(audio.get('format')) or 'unknown'}", text(audio.get("data")))
        case "file":
            file = mapping(part.get("file"))
            return media_from_address(text(file.get("file_data")) or text(file.get("file_id")), "file")
    return Other(type=kind or "unknown", text=text(part.get("text") or part.get("value")))


def _result(value: Mapping[str, Json], content: list[Part]) -> ToolResult:
    return ToolResult(
        call_id=text(value.get("tool_call_id")),
        name=text(value.get("name")),
        text="\n".join(p.text for p in content if isinstance(p, (Text, Other)) and p.text),
        media=tuple(p for p in content if isinstance(p, Media)),
    )


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
    return ToolCall(id=text(call.get("id")), name=text(function.get("name")), arguments=_arguments(arguments))


def _arguments(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)

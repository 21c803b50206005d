"""One message of an Anthropic Messages request as a ``Message``: its blocks as parts.

Source: Anthropic Messages reference; block types as listed in the format notes, 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ctxcore.model import Injected, Json, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.claude_marks import injected_by_text
from ctxcore.readers.values import arguments_flag, compact_json, items, mapping, media_from_address, media_from_base64, text

ROLES = frozenset({"system", "user", "assistant"})
"""Roles of a Messages request; system may also stand between turns."""

CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
"""Blocks that ask for a tool; the last two are answered inside the same assistant message."""

KNOWN_OTHERS = frozenset({"compaction", "container_upload", "search_result", "tool_reference", "tool_addition", "fallback"})
"""Blocks that are no text, call or result, but are expected."""

READABLE_KEYS = ("title", "url", "text", "stdout", "stderr", "content", "data", "tool_name", "name", "error_code", "lines")
"""Where results of server tools keep what can be read; opaque payloads have other keys."""


def anthropic_message(
    value: Mapping[str, Json],
    source: SourceRef,
    *,
    raw: Json = None,
    id: str = "",
    at: float | None = None,
    injected: Injected = "",
    flags: Sequence[str] = (),
) -> Message:
    """A message from its recorded object.

    Args:
        value: ``{role, content}`` as it stands in the request.
        source: Where.
        raw: The record around it, where there is more than the message.
        id: The log's own id.
        at: Unix seconds.
        injected: Why a user-role message is not a person's, where the log says so; else it is told by its first words.
        flags: Words that the reader adds.
    """
    role = text(value.get("role"))
    parts, odd = content_parts(value.get("content"))
    if role not in ROLES:
        odd.append("unknown_role")
    if role == "assistant" and not parts:
        odd.append("empty")
    return Message(
        role=role,
        parts=parts,
        wire=(value,),
        raw=value if raw is None else raw,
        source=source,
        id=id,
        at=at,
        injected=injected or (injected_by_text(parts) if role == "user" else ""),
        flags=tuple(dict.fromkeys([*flags, *odd])),
    )


def content_parts(content: Json) -> tuple[tuple[Part, ...], list[str]]:
    """Parts of a ``content`` value (a string or a list of blocks), and stable words for what is odd in it."""
    if isinstance(content, str):
        return ((Text(text=content),) if content else ()), []
    flags: list[str] = []
    parts = tuple(_part(block, flags) for block in items(content))
    if _text_before_result(parts):
        flags.append("text_before_results")
    return parts, flags


def _text_before_result(parts: Sequence[Part]) -> bool:
    """True where a person's text stands before a tool result of the same message. Source: results come first, format notes 2.3."""
    texts = 0
    for part in parts:
        if isinstance(part, ToolResult):
            if texts:
                return True
        elif isinstance(part, (ToolCall, Reasoning)):
            return False
        else:
            texts += 1
    return False


def _part(value: Json, flags: list[str]) -> Part:
    if isinstance(value, str):
        return Text(text=value)
    block = mapping(value)
    kind = text(block.get("type"))
    part: Part
    if kind == "text":
        part = Text(text=text(block.get("text")))
    elif kind in CALL_TYPES:
        part = _call(block, flags)
    elif kind == "tool_result":
        part = _result(block)
    elif kind in ("thinking", "redacted_thinking"):
        part = _reasoning(block, kind, flags)
    elif kind in ("image", "document"):
        part = _media_or_text(block)
    elif kind.endswith("_tool_result"):
        part = _server_result(block)
    else:
        part = Other(type=kind or "unknown", text="\n".join(_readable(block)))
        flags.extend([] if kind in KNOWN_OTHERS else ["unknown_block"])
    return part


def _call(block: Mapping[str, Json], flags: list[str]) -> ToolCall:
    asked = block.get("input")
    arguments = asked if isinstance(asked, str) else "" if asked is None else compact_json(asked)
    if not isinstance(asked, dict):
        flag = arguments_flag(arguments)
        flags.extend([flag] if flag else [])
    return ToolCall(id=text(block.get("id")), name=text(block.get("name")), arguments=arguments)


def _reasoning(block: Mapping[str, Json], kind: str, flags: list[str]) -> Reasoning:
    thought = text(block.get("thinking"))
    if kind == "thinking" and not thought and block.get("signature"):
        flags.append("signed_thinking_empty")
    return Reasoning(text=thought, opaque=not thought)


def _result(block: Mapping[str, Json]) -> ToolResult:
    content = block.get("content")
    error = block.get("is_error")
    found = [_inner(item) for item in items(content)]
    texts = [content] if isinstance(content, str) else [p.text for p in found if not isinstance(p, Media)]
    return ToolResult(
        call_id=text(block.get("tool_use_id")),
        text="\n".join(t for t in texts if t),
        is_error=error if isinstance(error, bool) else None,
        media=tuple(p for p in found if isinstance(p, Media)),
    )


def _inner(value: Json) -> Text | Media | Other:
    """A block inside a tool result."""
    block = mapping(value)
    kind = text(block.get("type"))
    if isinstance(value, str) or kind == "text":
        return Text(text=value if isinstance(value, str) else text(block.get("text")))
    if kind in ("image", "document"):
        return _media_or_text(block)
    return Other(type=kind or "unknown", text="\n".join(_readable(block)))


def _server_result(block: Mapping[str, Json]) -> ToolResult:
    content = block.get("content")
    failed = text(mapping(content).get("type")).endswith("_error") or block.get("is_error") is True
    return ToolResult(call_id=text(block.get("tool_use_id")), text="\n".join(_readable(content)), is_error=failed or None)


def _media_or_text(block: Mapping[str, Json]) -> Media | Text:
    origin = mapping(block.get("source"))
    media_type = text(origin.get("media_type")) or text(block.get("type"))
    match text(origin.get("type")):
        case "base64":
            return media_from_base64(media_type, text(origin.get("data")))
        case "text":
            return Text(text=text(origin.get("data")))
        case "content":
            return Text(text="\n".join(_readable(origin.get("content"))))
        case "url":
            return media_from_address(text(origin.get("url")), media_type)
    return media_from_address(text(origin.get("file_id")), media_type)


def _readable(value: Json, depth: int = 6) -> Iterable[str]:
    """Texts inside a block that no other rule knows, in the order of ``READABLE_KEYS``."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        for item in value:
            yield from _readable(item, depth - 1)
    elif isinstance(value, dict) and depth:
        for key in READABLE_KEYS:
            if value.get(key):
                yield from _readable(value[key], depth - 1)

"""Messages and calls of Claude Code lines.

Source: format notes, 2.1: blocks of one message stand on several lines, all lines repeat the usage, the last one counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from sys import intern

from ctxcore.model import Call, Injected, Json, Message, Reasoning, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.claude_attachments import is_prompt
from ctxcore.readers.claude_lines import Line, Node
from ctxcore.readers.claude_marks import LOCAL_COMMAND, LOCAL_OUTPUT
from ctxcore.readers.recorded import RecordedList
from ctxcore.readers.values import items, mapping, seconds, text, usage

CLEARED = "[Old tool result content cleared]"
"""What a cleared tool result reads in later requests."""

PLACEHOLDER_CHARS_PER_TOKEN = 8
"""More characters of reply per counted output token than this cannot be: the count is the one written when the stream began."""

PLACEHOLDER_MIN_CHARS = 64
"""Shorter replies are taken at their word."""


def user_message(line: Line, *, injected: Injected = "") -> Message:
    """The message of a user line."""
    value = line.value
    return anthropic_message(
        line.message, line.source, raw=line.raw, id=text(value.get("uuid")), at=seconds(value.get("timestamp")), injected=injected or _injected(value)
    )


def step_message(node: Node) -> Message:
    """The message of a user node; a slash command that no model answered is not a person's task."""
    local = _starts(node, LOCAL_COMMAND) and any(_starts(child, LOCAL_OUTPUT) for child in node.children)
    return user_message(node.lines[0], injected="meta" if local else "")


def _starts(node: Node, start: str) -> bool:
    content = node.lines[0].message.get("content")
    return isinstance(content, str) and content.startswith(start)


def _injected(value: Mapping[str, Json]) -> Injected:
    if value.get("isCompactSummary"):
        return "summary"
    if value.get("type") == "attachment":
        return "" if is_prompt(mapping(value.get("attachment"))) else "reminder"
    return "meta" if value.get("isMeta") or value.get("isVisibleInTranscriptOnly") else ""


def reply_message(lines: Sequence[Line], *, flags: Sequence[str] = ()) -> Message:
    """One assistant message from all its lines."""
    first = lines[0]
    wire = first.message
    if len(lines) > 1:
        wire = {"role": "assistant", "content": [block for line in lines for block in _blocks(line.message.get("content"))]}
    return anthropic_message(
        wire,
        first.source,
        raw=first.raw if len(lines) == 1 else RecordedList([line.raw for line in lines]),
        id=text(mapping(first.value.get("message")).get("id")),
        at=seconds(first.value.get("timestamp")),
        flags=flags,
    )


def _blocks(content: Json) -> Sequence[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else items(content)


def call_of(node: Node, message: Message, *, index: int, context: tuple[tuple[int, int], ...], reply: int, turn: int, flag: str) -> Call:
    """The call that an assistant message answered."""
    last = mapping(node.lines[-1].value.get("message"))
    counted, flags = recorded_usage(node.lines, message)
    return Call(
        index=index,
        context=context,
        reply=reply,
        known="reconstructed",
        model=intern(text(last.get("model"))),
        usage=counted,
        at=message.at,
        id=message.id,
        turn=turn,
        source=message.source,
        flags=(*([flag] if flag else []), *flags),
    )


def recorded_usage(lines: Sequence[Line], message: Message) -> tuple[Usage | None, tuple[str, ...]]:
    """Usage of the last line that has one; an output count that was only a placeholder becomes unknown."""
    for line in reversed(lines):
        record = mapping(line.value.get("message"))
        counted = usage(record.get("usage"), cache_in_input=False)
        if counted is None:
            continue
        if _is_placeholder(record, counted, message):
            return replace(counted, output_tokens=None), ("output_not_recorded",)
        return counted, ()
    return None, ()


def _is_placeholder(record: Mapping[str, Json], counted: Usage, message: Message) -> bool:
    if record.get("stop_reason", "unknown") is not None or counted.output_tokens is None:
        return False
    size = _reply_chars(message)
    return size > PLACEHOLDER_MIN_CHARS and size > PLACEHOLDER_CHARS_PER_TOKEN * counted.output_tokens


def _reply_chars(message: Message) -> int:
    size = 0
    for part in message.parts:
        if isinstance(part, (Text, Reasoning)):
            size += len(part.text)
        elif isinstance(part, ToolCall):
            size += len(part.name) + len(part.arguments)
    return size


def cleared(message: Message, gone: set[str]) -> Message:
    """The message with the results of these calls replaced by the placeholder."""
    value = message.wire[0]
    content = [
        {**block, "content": CLEARED} if mapping(block).get("type") == "tool_result" and text(block.get("tool_use_id")) in gone else block
        for block in items(value.get("content"))
    ]
    parts = tuple(replace(p, text=CLEARED, media=()) if isinstance(p, ToolResult) and p.call_id in gone else p for p in message.parts)
    return replace(message, parts=parts, wire=({**value, "content": content},), flags=(*message.flags, "cleared"))

"""One entry of a pi session as the message that a request holds.

Source: badlogic/pi-mono ``packages/coding-agent/docs/session.md`` and ``src/core/messages.ts``: commands of the user, summaries and notes of
extensions are sent as user messages, in words of pi's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Injected, Json, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.values import arguments_flag, compact_json, items, mapping, media_from_base64, seconds, text, whole

SUMMARY = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{}\n</summary>"
BRANCH_SUMMARY = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n{}</summary>"
"""Words around a summary, as they are sent."""

SENT_KEYS = ("role", "content", "toolCallId", "toolName", "isError")
"""Keys of a recorded message that reach a request; the rest is bookkeeping."""

ROLES = {"user": "user", "assistant": "assistant", "toolResult": "tool", "custom": "user", "hookMessage": "user"}


def entry_message(entry: Mapping[str, Json], source: SourceRef) -> Message | None:
    """The message of an entry; None for an entry that is never sent."""
    match text(entry.get("type")):
        case "message":
            return _recorded(mapping(entry.get("message")), entry, source)
        case "custom_message":
            return _user(entry.get("content"), entry, source, "meta")
        case "compaction":
            return _user(SUMMARY.format(text(entry.get("summary"))), entry, source, "summary")
        case "branch_summary" if entry.get("summary"):
            return _user(BRANCH_SUMMARY.format(text(entry.get("summary"))), entry, source, "summary")
    return None


def _recorded(value: Mapping[str, Json], entry: Mapping[str, Json], source: SourceRef) -> Message | None:
    recorded = text(value.get("role"))
    if recorded == "bashExecution":
        return None if value.get("excludeFromContext") else _user(_command(value), entry, source, "meta")
    if recorded in ("custom", "hookMessage"):
        return _user(value.get("content"), entry, source, "meta")
    role = ROLES.get(recorded, recorded)
    content = content_parts(value.get("content"))
    if role == "tool":
        content = [_result(value, content)]
    flags = [flag for part in content if isinstance(part, ToolCall) and (flag := arguments_flag(part.arguments))]
    if role == "assistant" and not content:
        flags.append("empty")
    if recorded not in ROLES:
        flags.append("unknown_role")
    return Message(
        role=role,
        parts=tuple(content),
        wire=({key: value[key] for key in SENT_KEYS if key in value},),
        raw=entry,
        source=source,
        id=text(entry.get("id")),
        at=_at(value, entry),
        flags=tuple(dict.fromkeys(flags)),
    )


def _at(value: Mapping[str, Json], entry: Mapping[str, Json]) -> float | None:
    at = seconds(value.get("timestamp"))
    return at if at is not None else seconds(entry.get("timestamp"))


def _user(content: Json, entry: Mapping[str, Json], source: SourceRef, injected: Injected) -> Message:
    wire = {"role": "user", "content": content}
    at, own_id = seconds(entry.get("timestamp")), text(entry.get("id"))
    parts = tuple(content_parts(content))
    return Message(role="user", parts=parts, wire=(wire,), raw=entry, source=source, id=own_id, at=at, injected=injected)


def _command(value: Mapping[str, Json]) -> str:
    """A command of the user and its output, as the model reads them."""
    output = text(value.get("output"))
    words = f"Ran `{text(value.get('command'))}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if value.get("cancelled"):
        words += "\n\n(command cancelled)"
    elif value.get("exitCode"):
        words += f"\n\nCommand exited with code {value['exitCode']}"
    if value.get("truncated") and value.get("fullOutputPath"):
        words += f"\n\n[Output truncated. Full output: {value['fullOutputPath']}]"
    return words


def content_parts(content: Json) -> list[Part]:
    """Parts of a ``content`` value: a string or a list of blocks."""
    if isinstance(content, str):
        return [Text(text=content)] if content else []
    return [_part(block) for block in items(content)]


def _part(value: Json) -> Part:
    block = mapping(value)
    match text(block.get("type")):
        case "text":
            return Text(text=text(block.get("text")))
        case "thinking":
            thought = text(block.get("thinking"))
            return Reasoning(text=thought, opaque=not thought)
        case "toolCall":
            given = block.get("arguments")
            arguments = given if isinstance(given, str) else "" if given is None else compact_json(given)
            return ToolCall(id=text(block.get("id")), name=text(block.get("name")), arguments=arguments)
        case "image":
            return media_from_base64(text(block.get("mimeType")), text(block.get("data")))
        case kind:
            return Text(text=value) if isinstance(value, str) else Other(type=kind or "unknown", text=text(block.get("text")))


def _result(value: Mapping[str, Json], content: list[Part]) -> ToolResult:
    failed = value.get("isError")
    return ToolResult(
        call_id=text(value.get("toolCallId")),
        name=text(value.get("toolName")),
        text="\n".join(part.text for part in content if isinstance(part, (Text, Other)) and part.text),
        is_error=failed if isinstance(failed, bool) else None,
        media=tuple(part for part in content if isinstance(part, Media)),
    )


def pi_usage(value: Json) -> Usage | None:
    """Normalised: recorded input is without the cache; all zeros stand for a count that never came."""
    record = mapping(value)
    fresh, output, read, write = (whole(record.get(key)) for key in ("input", "output", "cacheRead", "cacheWrite"))
    if not any((fresh, output, read, write)):
        return None
    return Usage(input_tokens=(fresh or 0) + (read or 0) + (write or 0), output_tokens=output, cache_read_tokens=read, cache_write_tokens=write)

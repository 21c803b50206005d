"""Parts of opencode messages as messages of a request, and its counts.

Source: format notes 2.6; opencode ``session/message-v2.ts``: how stored messages become those of a request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxcore.model import Injected, Json, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.values import compact_json, items, mapping, media_from_address, seconds, text, whole

CLEARED = "[Old tool result content cleared]"
"""What a pruned tool result reads in later requests."""

COMPACTION_PROMPT = "What did we do so far?"
"""What the part that asks for a compaction reads."""

TextPart = Mapping[str, Json]


def user_message(info: Mapping[str, Json], parts: Sequence[TextPart], source: SourceRef) -> Message:
    """A user message; texts that the program made are its notes."""
    found: list[Part] = []
    content: list[Json] = []
    by_person = False
    for part in parts:
        kind = text(part.get("type"))
        if kind == "text" and not part.get("ignored"):
            found.append(Text(text=text(part.get("text"))))
            content.append({"type": "text", "text": part.get("text")})
            by_person |= not part.get("synthetic")
        elif kind == "file":
            found.append(media_from_address(text(part.get("url")), text(part.get("mime"))))
            content.append({"type": "file", "mime": part.get("mime"), "url": part.get("url")})
            by_person = True
        elif kind == "compaction":
            found.append(Text(text=COMPACTION_PROMPT))
            content.append({"type": "text", "text": COMPACTION_PROMPT})
        elif kind not in ("agent", "patch", "snapshot"):
            found.append(Other(type=kind or "unknown", text=text(part.get("prompt") or part.get("text"))))
            by_person = True
    injected: Injected = "" if by_person or not found else "meta"
    wire = {"role": "user", "content": content}
    return Message(
        role="user", parts=tuple(found), wire=(wire,), raw={"info": info, "parts": list(parts)}, source=source, id=text(info.get("id")),
        at=seconds(mapping(info.get("time")).get("created")), injected=injected,
    )  # fmt: skip


def step_message(parts: Sequence[TextPart], source: SourceRef, at: float | None, id: str) -> Message:
    """The reply of one step."""
    found: list[Part] = []
    wire: dict[str, Json] = {"role": "assistant", "content": []}
    for part in parts:
        kind = text(part.get("type"))
        if kind == "text" and text(part.get("text")):
            found.append(Text(text=text(part.get("text"))))
            wire["content"].append({"type": "text", "text": part.get("text")})
        elif kind == "reasoning":
            words = text(part.get("text"))
            found.append(Reasoning(text=words, opaque=not words))
            wire["content"].append({"type": "reasoning", "text": words})
        elif kind == "tool":
            given = mapping(part.get("state")).get("input")
            arguments = compact_json(given) if given is not None else ""
            found.append(ToolCall(id=text(part.get("callID")), name=text(part.get("tool")), arguments=arguments))
            wire["content"].append({"type": "tool-call", "toolCallId": part.get("callID"), "toolName": part.get("tool"), "input": given})
    flags = () if found else ("empty",)
    return Message(role="assistant", parts=tuple(found), wire=(wire,), raw=list(parts), source=source, id=id, at=at, flags=flags)


def tool_message(part: TextPart, source: SourceRef) -> Message | None:
    """The result of a tool part; None where it has none yet."""
    state = mapping(part.get("state"))
    status = text(state.get("status"))
    if status not in ("completed", "error"):
        return None
    words = text(state.get("output")) if status == "completed" else text(state.get("error"))
    media = tuple(media_from_address(text(mapping(f).get("url")), text(mapping(f).get("mime"))) for f in items(state.get("attachments")))
    return _result(part, words, source, failed=status == "error", media=media)


def cleared_message(part: TextPart, source: SourceRef) -> Message:
    """The result of a tool part once it was pruned."""
    return _result(part, CLEARED, source, failed=False)


def _result(part: TextPart, words: str, source: SourceRef, *, failed: bool, media: tuple[Json, ...] = ()) -> Message:
    call, name = text(part.get("callID")), text(part.get("tool"))
    result = ToolResult(call_id=call, name=name, text=words, is_error=failed, media=media)
    wire = {"role": "tool", "content": [{"type": "tool-result", "toolCallId": call, "toolName": name, "output": words}]}
    at = seconds(mapping(mapping(part.get("state")).get("time")).get("end"))
    return Message(role="tool", parts=(result,), wire=(wire,), raw=part, source=source, id=text(part.get("id")), at=at)


def pruned_at(part: TextPart) -> float | None:
    """When the result of a tool part was pruned; None where it never was."""
    return seconds(mapping(mapping(part.get("state")).get("time")).get("compacted"))


def opencode_usage(tokens: Json) -> Usage | None:
    """Normalised: input is recorded without the cache; reasoning is part of the output or beside it, which the total tells."""
    record = mapping(tokens)
    cache = mapping(record.get("cache"))
    fresh, output, thought = (whole(record.get(key)) for key in ("input", "output", "reasoning"))
    read, write, total = whole(cache.get("read")), whole(cache.get("write")), whole(record.get("total"))
    if not any((fresh, output, read, write)):
        return None
    beside = thought or 0
    if total is not None and beside and total != (fresh or 0) + (output or 0) + beside + (read or 0) + (write or 0):
        beside = 0
    return Usage(
        input_tokens=(fresh or 0) + (read or 0) + (write or 0),
        output_tokens=None if output is None else output + beside,
        cache_read_tokens=read,
        cache_write_tokens=write,
        reasoning_tokens=thought,
    )

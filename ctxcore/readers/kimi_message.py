"""Kimi records as messages of a request, in the form of the Chat API that they are sent in; and their counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ctxcore.model import Injected, Json, Message, SourceRef, ToolResult, Usage
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.values import compact_json, items, mapping, seconds, text, whole

SUBAGENT = "subagent"
"""Name of the origin of the prompt that a sub-agent gets: its task, in the place of a person's."""

INJECTED: Mapping[str, Injected] = {"": "", "user": "", "injection": "reminder", "compaction_summary": "summary"}
"""By the kind of a message's origin; any other is the program's own word."""

MEDIA = {"image_url": "imageUrl", "audio_url": "audioUrl", "video_url": "videoUrl"}
"""Part types and where they keep the address."""


@dataclass(slots=True)
class Step:
    """A call while its records come in."""

    source: SourceRef
    at: float | None
    uuid: str = ""
    model: str = ""
    tools: int | None = None
    asked: bool = False
    """True once its request was recorded."""
    words: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    media: list[Json] = field(default_factory=list)
    calls: list[Mapping[str, Json]] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    later: list[Message] = field(default_factory=list)
    """Came while it was under way."""

    @property
    def is_under_way(self) -> bool:
        """True once its request went out or something came back."""
        return self.asked or bool(self.words or self.thoughts or self.media or self.calls or self.results)

    def take(self, part: Mapping[str, Json]) -> None:
        """A part of the answer."""
        kind = text(part.get("type"))
        if kind == "think":
            self.thoughts.append(text(part.get("think")))
        elif kind == "text":
            self.words.append(text(part.get("text")))
        else:
            self.media.append(_content(part))

    def reply(self, id: str) -> Message | None:
        """The answer; None where nothing came."""
        if not (self.words or self.thoughts or self.media or self.calls):
            return None
        words = "\n".join(self.words)
        content: Json = [{"type": "text", "text": words}, *self.media] if self.media else words
        value: dict[str, Json] = {"role": "assistant", "content": content}
        if self.thoughts:
            value["reasoning_content"] = "\n".join(self.thoughts)
        if self.calls:
            value["tool_calls"] = [_call(call) for call in self.calls]
        return replace(chat_message(value, self.source, raw=list(self.calls) or value), id=id, at=self.at)

    def title(self, call_id: str) -> str:
        """What a tool call says it is for."""
        return next((text(mapping(call.get("args")).get("description")) for call in self.calls if call.get("toolCallId") == call_id), "")


def result_message(event: Mapping[str, Json], source: SourceRef, at: float | None) -> Message:
    """The result of a tool call."""
    result = mapping(event.get("result"))
    value = {"role": "tool", "tool_call_id": text(event.get("toolCallId")), "content": _contents(result.get("output"))}
    message = chat_message(value, source, raw=event)
    failed = True if result.get("isError") is True else None
    parts = tuple(replace(part, is_error=failed) if isinstance(part, ToolResult) else part for part in message.parts)
    return replace(message, parts=parts, at=at)


def history_message(record: Mapping[str, Json], source: SourceRef) -> Message:
    """A message that was put into the history; its origin tells whether a person wrote it."""
    told = mapping(record.get("message"))
    value: dict[str, Json] = {"role": text(told.get("role")), "content": _contents(told.get("content"))}
    if items(told.get("toolCalls")):
        value["tool_calls"] = [_call(mapping(call)) for call in told["toolCalls"]]
    if value["role"] == "tool":
        value["tool_call_id"] = text(told.get("toolCallId"))
    origin = mapping(told.get("origin"))
    injected: Injected = INJECTED.get(text(origin.get("kind")), "" if origin.get("name") == SUBAGENT else "meta")
    message = replace(chat_message(value, source, raw=record), at=seconds(record.get("time")))
    return replace(message, injected=injected) if message.role == "user" else message


def summary_message(record: Mapping[str, Json], source: SourceRef) -> Message:
    """What takes the place of a compacted history."""
    words = text(record.get("contextSummary")) or text(record.get("summary"))
    message = chat_message({"role": "user", "content": words}, source, raw=record)
    return replace(message, at=seconds(record.get("time")), injected="summary")


def kimi_usage(value: Json) -> Usage | None:
    """Normalised: the three kinds of input are recorded apart."""
    record = mapping(value)
    other, read, write = (whole(record.get(key)) for key in ("inputOther", "inputCacheRead", "inputCacheCreation"))
    output = whole(record.get("output"))
    if not any((other, read, write, output)):
        return None
    total = (other or 0) + (read or 0) + (write or 0)
    return Usage(input_tokens=total, output_tokens=output, cache_read_tokens=read, cache_write_tokens=write)


def _contents(value: Json) -> Json:
    return [_content(mapping(part)) for part in value] if isinstance(value, list) else text(value)


def _content(part: Mapping[str, Json]) -> Mapping[str, Json]:
    """A content part as a request holds it."""
    kind = text(part.get("type"))
    if kind not in MEDIA:
        return {"type": "reasoning", "text": text(part.get("think"))} if kind == "think" else part
    address = text((mapping(part.get(MEDIA[kind])) or mapping(part.get(kind))).get("url"))
    return {"type": kind, kind: {"url": address}} if kind == "image_url" else {"type": "file", "file": {"file_data": address}}


def _call(event: Mapping[str, Json]) -> Mapping[str, Json]:
    """A tool call as a request holds it; its arguments are an object in the records of steps, a string in messages."""
    given = event.get("args", event.get("arguments"))
    arguments = given if isinstance(given, str) else compact_json({} if given is None else given)
    called = text(event.get("toolCallId")) or text(event.get("id"))
    return {"id": called, "type": "function", "function": {"name": text(event.get("name")), "arguments": arguments}}


def kept_messages(messages: Sequence[Message], history: Sequence[int], count: int, head: int) -> list[int]:
    """Of a person's messages in a history, those that a compaction keeps: the first ``head`` of them, and the last.

    Args:
        messages: Of the thread.
        history: Indexes of messages.
        count: How many stay.
        head: How many of these stand at the beginning.
    """
    asked = [index for index in history if messages[index].is_real_user]
    tail = max(0, min(count - head, len(asked)))
    first = asked[: max(0, min(head, len(asked) - tail))]
    return first + (asked[-tail:] if tail else [])

"""goose sessions as JSON lines: a head with totals, then messages.

Source: format notes 2.8; block/goose ``conversation/message.rs``: a request holds the messages that the agent may see; there are totals, no count
of a call. Newer versions keep sessions in SQLite, which is not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Event, Json, Level, Media, Message, Other, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import compact_json, items, mapping, media_from_base64, seconds, text, whole

HEAD_KEYS = frozenset({"working_dir", "description", "message_count", "total_tokens", "tools", "session_id"})

UNSEEN = frozenset({"toolConfirmationRequest", "systemNotification", "actionRequired"})
"""Contents for the screen."""


class Goose:
    """See the module."""

    name: ClassVar[str] = "goose"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "messages with role, created in seconds and a content list of goose's types, after a head without a role"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json":
            record = mapping(head[0] if head else None)
            return "working_dir" in record and majority(items(record.get("messages") or record.get("conversation"))[:20], _is_message)
        rest = head[1:] if head and _is_head(head[0]) else head
        return bool(head) and (majority(rest, _is_message) or (not rest and "message_count" in mapping(head[0])))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _is_head(value: Json) -> bool:
    record = mapping(value)
    return "role" not in record and not HEAD_KEYS.isdisjoint(record)


def _is_message(value: Json) -> bool:
    record = mapping(value)
    return record.get("role") in ("user", "assistant") and isinstance(record.get("created"), int) and isinstance(record.get("content"), list)


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level=Goose.level, documents=(document,), not_recorded=("system prompt", "usage of each call", "model"))
    told = Conversation(ThreadDraft(id="main"))
    head: Mapping[str, Json] = {}
    for record in document.records():
        value = mapping(record.value)
        if document.shape == "json":
            draft.used += 1
            head = value
            for number, message in enumerate(items(value.get("messages") or value.get("conversation"))):
                _take(told, mapping(message), SourceRef(file=document.name, path=f"messages[{number}]"))
        elif _is_head(record.value) and not head:
            head = value
            draft.used += 1
        elif _is_message(record.value):
            draft.used += 1
            _take(told, value, document.source(record))
        else:
            draft.skipped["not a message"] += 1
    draft.threads = [told.thread]
    _say(draft, head, told.thread)
    return draft


def _say(draft: SessionDraft, head: Mapping[str, Json], thread: ThreadDraft) -> None:
    draft.id = text(head.get("session_id")) or text(head.get("id"))
    thread.title = text(head.get("description"))
    tools = head.get("tools")
    if isinstance(tools, list) and tools:
        draft.tool_sets = (tuple(tools),)
        thread.calls = [replace(call, tools=0) for call in thread.calls]
    else:
        draft.not_recorded = ("system prompt", "tool definitions", "usage of each call", "model")
    total, read, wrote = (whole(head.get(key)) for key in ("accumulated_total_tokens", "accumulated_input_tokens", "accumulated_output_tokens"))
    if total or read or wrote:
        draft.notes.append(f"The whole session took {read or 0:,} input and {wrote or 0:,} output tokens; no call has its own count.")


def _take(told: Conversation, value: Mapping[str, Json], source: SourceRef) -> None:
    """One message; one that the agent may not see is kept out of the requests."""
    message = _message(value, source)
    seen = mapping(value.get("metadata")).get("agentVisible") is not False
    if any(mapping(block).get("type") == "conversationCompacted" for block in items(value.get("content"))):
        calls = told.thread.calls
        told.thread.events.append(Event(kind="compaction", call=len(calls), at=message.at, source=source, note="The conversation was compacted."))
        return
    if value.get("role") == "assistant":
        told.reply(message, stays=seen)
    elif seen:
        told.add(message)
    else:
        told.thread.add(message)


def _message(value: Mapping[str, Json], source: SourceRef) -> Message:
    parts = [part for block in items(value.get("content")) if (part := _part(mapping(block))) is not None]
    wire = {"role": value.get("role"), "content": value.get("content")}
    return Message(
        role=text(value.get("role")),
        parts=tuple(parts),
        wire=(wire,),
        raw=value,
        source=source,
        id=text(value.get("id")),
        at=seconds(value.get("created")),
        flags=("empty",) if value.get("role") == "assistant" and not parts else (),
    )


def _part(block: Mapping[str, Json]) -> Part | None:
    kind = text(block.get("type"))
    match kind:
        case "text":
            return Text(text=text(block.get("text")))
        case "thinking" | "reasoning" | "redactedThinking":
            return Reasoning(text=text(block.get("thinking") or block.get("text")), opaque=kind == "redactedThinking")
        case "image":
            return media_from_base64(text(block.get("mimeType")), text(block.get("data")))
        case "toolRequest" | "frontendToolRequest":
            return _call(block)
        case "toolResponse":
            return _result(block)
    return None if kind in UNSEEN else Other(type=kind or "unknown", text=text(block.get("text") or block.get("msg")))


def _call(block: Mapping[str, Json]) -> ToolCall:
    """A request for a tool; a broken one has an error in place of the call."""
    told = mapping(block.get("toolCall"))
    call = mapping(told.get("value"))
    given = call.get("arguments")
    arguments = compact_json(given) if given is not None else text(told.get("error"))
    return ToolCall(id=text(block.get("id")), name=text(call.get("name")), arguments=arguments)


def _result(block: Mapping[str, Json]) -> ToolResult:
    told = mapping(block.get("toolResult"))
    value = told.get("value")
    found = [_part(mapping(item)) for item in items(mapping(value).get("content") if isinstance(value, dict) else value)]
    words = [part.text for part in found if isinstance(part, (Text, Other)) and part.text]
    failed = told.get("status") == "error" or mapping(value).get("isError") is True
    media = tuple(part for part in found if isinstance(part, Media))
    return ToolResult(call_id=text(block.get("id")), text="\n".join(words) or text(told.get("error")), is_error=failed, media=media)

"""A session file of the Cline SDK: one JSON with the system prompt and messages with usage.

Source: format notes 2.5: after an "agentic" compaction the first message is the summary, after a "basic" one replies are left out and several user
messages follow each other. Input counts hold the cached tokens.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Event, Json, Message, SourceRef, Text, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.cline_text import task_message
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text, whole

COMPACTED = "compaction_summary"


def is_session(value: Json) -> bool:
    """True for the session object."""
    record = mapping(value)
    return isinstance(record.get("messages"), list) and {"version", "updated_at", "sessionId"} <= record.keys()


def read_session_file(document: Document) -> SessionDraft:
    """The session of a file."""
    record = mapping(document.value)
    draft = SessionDraft(id=text(record.get("sessionId")), level="message list only", documents=(document,))
    draft.used = sum(1 for _ in document.records())
    told = Conversation(ThreadDraft(id="main"))
    prompt = text(record.get("system_prompt"))
    if prompt:
        wire = {"role": "system", "content": prompt}
        told.add(
            Message(role="system", parts=(Text(text=prompt),), wire=(wire,), raw=wire, source=SourceRef(file=document.name, path="system_prompt"))
        )
    draft.not_recorded = ("tool definitions",) if prompt else ("system prompt", "tool definitions")
    before = ""
    for number, value in enumerate(items(record.get("messages"))):
        message = mapping(value)
        source = SourceRef(file=document.name, path=f"messages[{number}]")
        if not isinstance(message.get("role"), str):
            document.report(f"messages[{number}] is not a message and was left out.", 0, "not_an_object", repr(value))
            continue
        if message["role"] == before == "user" and not _is_cut(told):
            note = "Several prompts follow each other: the replies between them were left out."
            told.thread.events.append(Event(kind="compaction", call=len(told.thread.calls), source=source, note=note, inferred=True))
        _take(told, message, source)
        before = "" if _is_summary(message) else message["role"]
    draft.threads = [told.thread]
    return draft


def _is_summary(message: Mapping[str, Json]) -> bool:
    return mapping(message.get("metadata")).get("kind") == COMPACTED


def _is_cut(told: Conversation) -> bool:
    """True if the newest event tells of the cut already."""
    events = told.thread.events
    return bool(events) and events[-1].call == len(told.thread.calls)


def _take(told: Conversation, value: Mapping[str, Json], source: SourceRef) -> None:
    metadata, summary = mapping(value.get("metadata")), _is_summary(value)
    at = seconds(value.get("ts")) or seconds(metadata.get("generatedAt"))
    message = task_message(value, source, at=at, id=text(value.get("id")), injected="summary" if summary else "")
    if value["role"] == "assistant":
        told.reply(message, model=text(mapping(value.get("modelInfo")).get("id")), usage=_usage(mapping(value.get("metrics"))), id=message.id)
        return
    index = told.add(message)
    if summary:
        before = whole(metadata.get("tokensBefore"))
        told.thread.events.append(Event(kind="compaction", call=len(told.thread.calls), before_tokens=before, summary=index, at=at, source=source))


def _usage(metrics: Mapping[str, Json]) -> Usage | None:
    fresh, output, read, write = (whole(metrics.get(key)) for key in ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"))
    if not any((fresh, output, read, write)):
        return None
    return Usage(input_tokens=fresh, output_tokens=output, cache_read_tokens=read, cache_write_tokens=write)

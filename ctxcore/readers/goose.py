"""goose sessions: JSON lines (a head with totals, then messages), an export, or the database of newer versions.

Source: format notes 2.8; block/goose ``conversation/message.rs``. The lines have totals, no count of a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.goose_history import tell
from ctxcore.readers.goose_store import is_store, read_store
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.sqlite_file import is_sqlite
from ctxcore.readers.values import items, mapping, text, tool_list, whole

HEAD_KEYS = frozenset({"working_dir", "description", "message_count", "total_tokens", "tools", "session_id"})


class Goose:
    """See the module."""

    name: ClassVar[str] = "goose"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = (
        "an SQLite file with goose's tables sessions and messages; or messages with role, created in seconds and a content list of goose's types, "
        "after a head without a role"
    )

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if not head:
            return is_store(document)
        if document.shape == "json":
            record = mapping(head[0] if head else None)
            return "working_dir" in record and majority(items(record.get("messages") or record.get("conversation"))[:20], _is_message)
        rest = head[1:] if head and _is_head(head[0]) else head
        return bool(head) and (majority(rest, _is_message) or (not rest and "message_count" in mapping(head[0])))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [draft for document in documents for draft in (read_store(document) if is_sqlite(document.data) else [_read(document)])]


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
    messages: list[tuple[Mapping[str, Json], SourceRef]] = []
    for record in document.records():
        value = mapping(record.value)
        if document.shape == "json":
            draft.used += 1
            head = value
            listed = items(value.get("messages") or value.get("conversation"))
            messages += [(mapping(message), SourceRef(file=document.name, path=f"messages[{number}]")) for number, message in enumerate(listed)]
        elif _is_head(record.value) and not head:
            head = value
            draft.used += 1
        elif _is_message(record.value):
            draft.used += 1
            messages.append((value, document.source(record)))
        else:
            draft.skipped["not a message"] += 1
    tell(told, messages)
    draft.threads = [told.thread]
    _say(draft, head, told.thread)
    return draft


def _say(draft: SessionDraft, head: Mapping[str, Json], thread: ThreadDraft) -> None:
    draft.id = text(head.get("session_id")) or text(head.get("id"))
    thread.title = text(head.get("description"))
    tools = tool_list(head.get("tools"))
    if tools:
        draft.tool_sets = (tuple(tools),)
        thread.calls = [replace(call, tools=0) for call in thread.calls]
    else:
        draft.not_recorded = ("system prompt", "tool definitions", "usage of each call", "model")
    total, read, wrote = (whole(head.get(key)) for key in ("accumulated_total_tokens", "accumulated_input_tokens", "accumulated_output_tokens"))
    if total or read or wrote:
        draft.notes.append(f"The whole session took {read or 0:,} input and {wrote or 0:,} output tokens; no call has its own count.")

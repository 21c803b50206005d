"""OpenAI Agents SDK, saved sessions (SQLite): the items of a conversation, without instructions and tools.

Source: openai-agents ``SQLiteSession``; format notes, 2.10.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.responses_item import is_item, is_reply, items_message, split_items
from ctxcore.readers.sqlite_file import has_lost_log, is_sqlite, rows, tables
from ctxcore.readers.values import mapping, seconds, text

MARKS = {"agent_sessions": {"session_id"}, "agent_messages": {"id", "session_id", "message_data"}}
"""Tables and the columns that are read."""

QUERY = "SELECT id, session_id, message_data, {} FROM agent_messages ORDER BY id"

Row = tuple[Any, str, str, Any]
"""Number, session, item as JSON text, time."""


class AgentsSession:
    """See the module."""

    name: ClassVar[str] = "openai-agents-session"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "an SQLite file with the tables agent_sessions and agent_messages"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if head or not is_sqlite(document.data):
            return False
        known = tables(document.data)
        return all(columns <= set(known.get(table, ())) for table, columns in MARKS.items())

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: one session for each session of the database."""
        return [draft for document in documents for draft in _read(document)]


def _read(document: Document) -> list[SessionDraft]:
    list(document.records())
    created = "created_at" if "created_at" in tables(document.data).get("agent_messages", ()) else "NULL"
    found, fault = rows(document.data, QUERY.format(created))
    document.record_count = len(found)
    if fault:
        document.report(f"The database is damaged ({fault}); {len(found)} rows before that were read.", 0, "broken_file")
    by_session: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        by_session[str(row[1])].append(row)
    drafts = [_session(document, name, values) for name, values in by_session.items()]
    if has_lost_log(document.data):
        for draft in drafts:
            draft.notes.append("The newest rows may be missing: the program keeps them in a -wal file beside the database until it closes.")
    return drafts


def _session(document: Document, name: str, values: Sequence[Row]) -> SessionDraft:
    draft = SessionDraft(id=name, level="message list only", documents=(document,))
    draft.not_recorded = ("system prompt", "tool definitions", "usage")
    thread = ThreadDraft(id="main")
    good = [(row, item) for row in values if is_item(item := _item(row[2]))]
    draft.used = len(good)
    draft.skipped.update({"not an item": len(values) - len(good)} if len(good) < len(values) else {})
    for _, owned in groupby(good, key=lambda pair: _response(pair[1])):
        pairs = list(owned)
        place = 0
        for group in split_items(item for _, item in pairs):
            row = pairs[place][0]
            source = SourceRef(file=document.name, path=f"agent_messages id {row[0]}")
            thread.add(items_message(group, source, at=seconds(row[3])))
            place += len(group)
    thread.calls = conversation_calls(thread.messages, asks=False)
    _name_calls(thread)
    draft.threads = [thread]
    return draft


def _item(data: Any) -> Mapping[str, Json]:
    try:
        return mapping(json.loads(data))
    except (ValueError, TypeError, RecursionError):
        return {}


def _response(item: Mapping[str, Json]) -> str:
    """Id of the response that an item of the model came with, which splits replies that follow each other."""
    return text(mapping(item.get("provider_data")).get("response_id")) if is_reply(item) else ""


def _name_calls(thread: ThreadDraft) -> None:
    """Model and id of each call, where the items have them."""
    for number, call in enumerate(thread.calls):
        if call.reply is not None:
            data = mapping(thread.messages[call.reply].wire[0].get("provider_data"))
            thread.calls[number] = replace(call, model=text(data.get("model")), id=text(data.get("response_id")))

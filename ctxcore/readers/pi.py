"""Sessions of pi and of programs built on it (OpenClaw, kimchi): JSON lines, a list (version 1) or a tree of entries.

Source: format notes 2.7; badlogic/pi-mono ``docs/session.md``, ``src/core/session-manager.ts``. A request holds the way from the root to its
entry; the newest compaction on that way stands for all before its first kept entry. That entry may be the compaction itself: nothing was kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ctxcore.counted import count
from ctxcore.model import Event, Json, Level, SourceRef
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document, Record
from ctxcore.readers.pi_links import agent_sessions, is_index, link
from ctxcore.readers.pi_message import ROLES, entry_message, pi_usage
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import mapping, natural, seconds, text, whole
from ctxcore.units import Ranges

NOT_RECORDED = ("system prompt", "tool definitions", "calls that wrote summaries")

PROGRAM = "openclaw"
"""Provider of assistant messages that the program wrote itself: no model calls."""

FAILED = {"aborted": "aborted", "error": "failed"}
"""Stop reason -> word; such a reply is not sent again (by version 1 only if it is empty)."""

ENTRY_TYPES = frozenset({"message", "model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message"})

FIRST_LINES = 20
"""In which the head must stand."""


class Pi:
    """See the module."""

    name: ClassVar[str] = "pi"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "a head of type session with cwd, and entries of pi's types (message with user, assistant, toolResult; model_change; …)"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and head and is_index(head[0]):
            return True
        return any(map(_is_head, head[:FIRST_LINES])) and (len(head) == 1 or any(map(_is_entry, head)))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        indexes = [document for document in documents if document.shape == "json" and is_index(document.value)]
        files = [_File(document) for document in documents if document not in indexes]
        drafts = [file.draft for file in files]
        for draft in drafts:
            draft.documents = tuple(file.document for file in files if file.draft is draft)
        groups = agent_sessions(drafts, [document.value for document in indexes])
        for document in indexes:
            list(document.records())
        for main, agents in groups:
            link(main, agents)
            if indexes and main is groups[0][0]:
                main.documents = (*main.documents, *indexes)
                main.used += len(indexes)
        return [main for main, _ in groups]


def _is_head(value: Json) -> bool:
    record = mapping(value)
    return record.get("type") == "session" and "timestamp" in record and ("cwd" in record or "version" in record) and "id" in record


def _is_entry(value: Json) -> bool:
    record = mapping(value)
    if text(record.get("type")) not in ENTRY_TYPES or "timestamp" not in record:
        return False
    message = record.get("message")
    return record["type"] != "message" or mapping(message).get("role") in (*ROLES, "bashExecution")


@dataclass(slots=True)
class _Node:
    """An entry in its place."""

    parent: _Node | None
    position: int
    """In the file, the head included."""
    message: int | None
    """Thread message, or None."""
    after: Ranges
    """What a request behind it holds."""


class _File:
    """One file while it is read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.thread = ThreadDraft(id="main")
        self.told = Conversation(self.thread)
        self.draft = SessionDraft(id="", level=Pi.level, threads=[self.thread], not_recorded=NOT_RECORDED)
        self.nodes: list[_Node | None] = []
        self.by_id: dict[str, _Node] = {}
        self.newest: _Node | None = None
        self.version = 1
        self.lost = 0
        for record in document.records():
            self._entry(record)
        self._notes()

    def _entry(self, record: Record) -> None:
        value = mapping(record.value)
        kind = text(value.get("type"))
        if kind == "session":
            self._head(value)
            return
        node = self._place(value)
        source = self.document.source(record)
        self.nodes.append(node)
        message = None if kind == "compaction" else entry_message(value, source)
        if kind == "compaction":
            self._compaction(node, value, source)
        elif message is None:
            self.draft.skipped[f"{self._word(value) or 'not an entry'}, never sent"] += 1
        elif message.role == "assistant":
            self._answer(node, value, source)
        else:
            self._resume(node, source, message.at)
            node.message = self.told.add(message)
            node.after = self.told.context
        self.draft.used += message is not None or kind == "compaction"
        if own_id := text(value.get("id")):
            self.by_id.setdefault(own_id, node)
        self.newest = node

    def _word(self, value: Mapping[str, Json]) -> str:
        role = text(mapping(value.get("message")).get("role"))
        return f"{text(value.get('type'))} {text(value.get('customType')) or role}".strip()

    def _head(self, value: Mapping[str, Json]) -> None:
        self.nodes.append(None)
        if self.draft.id:
            self.draft.skipped["head of another session"] += 1
            return
        self.draft.id = text(value.get("id"))
        self.draft.used += 1
        self.version = natural(value.get("version")) or 1
        if value.get("branchedFrom") or value.get("parentSession"):
            self.draft.notes.append("The session goes on from an earlier one; entries copied from it are counted here as well.")

    def _place(self, value: Mapping[str, Json]) -> _Node:
        """Where the entry hangs: below its parent, else (version 1, or a parent that is not in the file) behind the entry before it."""
        parent = self.newest
        if "parentId" in value and self.version > 1:
            told = value["parentId"]
            parent = self.by_id.get(text(told)) if told is not None else None
            if told is not None and parent is None:
                self.lost += 1
                parent = self.newest
        return _Node(parent, len(self.nodes), None, parent.after if parent else ())

    def _resume(self, node: _Node, source: SourceRef, at: float | None) -> None:
        """Go on from the entry's parent; where that is not the newest one, the way there is left."""
        if self.told.context != node.after:
            gone = len(set(self.told.indexes()) - {i for start, stop in node.after for i in range(start, stop)})
            if gone:
                note = f"Goes on from an earlier entry; {count(gone, 'message is', 'messages are')} left."
                self.thread.events.append(Event(kind="rollback", call=len(self.thread.calls), at=at, source=source, note=note))
            self.told.now = list(node.after)

    def _answer(self, node: _Node, entry: Mapping[str, Json], source: SourceRef) -> None:
        value = mapping(entry.get("message"))
        message = entry_message(entry, source)
        if message is None:
            return
        self._resume(node, source, message.at)
        if value.get("provider") == PROGRAM:
            node.message = self.told.add(message)
        else:
            stop = FAILED.get(text(value.get("stopReason")), "")
            stays = bool(message.parts) and (not stop or self.version < 3)
            self.told.reply(
                message if message.parts else None,
                model=text(value.get("model")),
                usage=pi_usage(value.get("usage")),
                id=text(value.get("responseId")) or text(entry.get("id")) or text(entry.get("timestamp")),
                at=message.at,
                source=source,
                flags=(stop,) if stop else (),
                stays=stays,
            )
            node.message = self.thread.calls[-1].reply if stays else None
        node.after = self.told.context

    def _compaction(self, node: _Node, entry: Mapping[str, Json], source: SourceRef) -> None:
        self._resume(node, source, seconds(entry.get("timestamp")))
        kept = [n.message for n in self._kept(node, entry) if n.message is not None]
        self.told.compact(entry_message(entry, source), kept, before_tokens=whole(entry.get("tokensBefore")))
        node.message = None
        node.after = self.told.context

    def _kept(self, node: _Node, entry: Mapping[str, Json]) -> list[_Node]:
        """Entries from the first kept one up to the compaction; none where that is the compaction itself, or not on the way."""
        first = self.by_id.get(text(entry.get("firstKeptEntryId")))
        index = natural(entry.get("firstKeptEntryIndex"))
        if first is None and index is not None and index < len(self.nodes):
            first = self.nodes[index] or next((n for n in self.nodes[index:] if n is not None), None)
        way: list[_Node] = []
        for ancestor in _ancestors(node):
            way.append(ancestor)
            if ancestor is first:
                return way[::-1]
        return []

    def _notes(self) -> None:
        failed = sum(bool({"aborted", "failed"} & set(call.flags)) for call in self.thread.calls)
        if failed:
            self.draft.notes.append(f"{count(failed, 'call was', 'calls were')} aborted or failed: what was written is no answer.")
        if self.lost:
            self.draft.notes.append(f"{self.lost} entries name a parent that is not in the file; the order of the file stands in for it.")


def _ancestors(node: _Node) -> Iterator[_Node]:
    """The entries above one, nearest first."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent

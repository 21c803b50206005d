"""Gemini CLI chats: one JSON a session, or (newer) one line a message with changes and rewinds.

Source: format notes 2.4; google-gemini/gemini-cli ``chatRecordingTypes.ts`` and ``chatRecordingService.ts``: a rewind removes the named message and
all behind it, all messages where the name is unknown; a message that comes again replaces the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Event, Json, Level, Message, Problem, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation, infer_compactions
from ctxcore.readers.copies import COPY
from ctxcore.readers.document import Document
from ctxcore.readers.gemini import read_history
from ctxcore.readers.gemini_content import gemini_message, gemini_tokens
from ctxcore.readers.gemini_history import history_of, injected_start, is_cli_history
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text, whole

NOT_RECORDED = ("system prompt", "tool definitions", "session context", "compressions")

NEVER_SENT = frozenset({"info", "error", "warning"})
"""Message types that the program shows and never sends."""

Entry = tuple[Mapping[str, Json], SourceRef]


class GeminiCLI:
    """See the module."""

    name: ClassVar[str] = "gemini-cli"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = (
        "sessionId and projectHash, and messages of the types user and gemini (or lines that change or rewind them); "
        "or a list of contents that begins with the program's session context"
    )

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and is_cli_history(history_of(head[0])):
            return True
        if not head or not _is_header(head[0]):
            return False
        if document.shape == "json":
            messages = head[0].get("messages")
            return isinstance(messages, list) and (not messages or any(map(_is_message, messages[:20])))
        return any("$set" in mapping(v) or "$rewindTo" in mapping(v) or _is_message(v) for v in head[1:])

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        histories = [document for document in documents if _is_history(document)]
        files = [_File(document) for document in documents if document not in histories]
        newest: dict[str, _File] = {}
        for file in files:
            known = newest.get(file.id)
            if known is None or file.size > known.size:
                newest[file.id] = file
        agents = _agent_links(list(newest.values()))
        drafts = [read_history(document, history_of(document.value)) for document in histories]
        for file in files:
            if newest[file.id] is file and not (file.is_agent and file.id in agents):
                drafts.append(_session(file, [f for f in files if f.id == file.id and f is not file], newest, agents))
        return drafts


def _is_header(value: Json) -> bool:
    record = mapping(value)
    return isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str) and "type" not in record


def _is_history(document: Document) -> bool:
    return document.shape == "json" and bool(history_of(document.value))


def _is_message(value: Json) -> bool:
    record = mapping(value)
    return isinstance(record.get("id"), str) and record.get("type") in (*NEVER_SENT, "user", "gemini")


class _File:
    """One file: its header and its steps in order (a message with its newest text, or a rewind to one)."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.header: dict[str, Json] = {}
        self.entries: dict[str, Entry] = {}
        self.steps: list[tuple[str, str]] = []
        self.lines = 0
        self.odd = 0
        self.never_sent = 0
        self.changes = 0
        for record in document.records():
            if record.line:
                self._line(record.value, document.source(record))
            else:
                self._whole(record.value, document)
        self.id = text(self.header.get("sessionId")) or document.digest
        self.is_agent = self.header.get("kind") == "subagent"

    @property
    def size(self) -> int:
        """How much of the session it holds."""
        return len(self.steps)

    def _whole(self, value: Json, document: Document) -> None:
        record = mapping(value)
        self.header = {key: item for key, item in record.items() if key != "messages"}
        self.lines = 1
        for number, message in enumerate(items(record.get("messages"))):
            place = SourceRef(file=document.name, path=f"messages[{number}]")
            if isinstance(message, dict):
                self._message(message, place, text(message.get("id")) or f"#{number}")
            else:
                document.report(f"messages[{number}] is not an object and was left out.", 0, "not_an_object", repr(message))

    def _line(self, value: Json, source: SourceRef) -> None:
        record = mapping(value)
        if isinstance(record.get("$rewindTo"), str):
            self.steps.append(("rewind", record["$rewindTo"]))
            self.lines += 1
        elif isinstance(record.get("id"), str):
            self.never_sent += text(record.get("type")) in NEVER_SENT
            self.lines += text(record.get("type")) not in NEVER_SENT
            self._message(record, source, record["id"])
        elif isinstance(record.get("$set"), dict):
            self._set(record["$set"], source)
        elif _is_header(record):
            self.header.update(record)
            self.lines += 1
        else:
            self.odd += 1

    def _set(self, change: Mapping[str, Json], source: SourceRef) -> None:
        self.changes += 1
        messages = change.get("messages")
        self.header.update((key, item) for key, item in change.items() if key != "messages")
        if isinstance(messages, list) and messages:
            self.steps.append(("rewind", ""))
            for number, message in enumerate(messages):
                if isinstance(message, dict):
                    self._message(message, source, text(message.get("id")) or f"{source.line}#{number}", again=True)

    def _message(self, message: Mapping[str, Json], source: SourceRef, key: str, *, again: bool = False) -> None:
        if key not in self.entries or again:
            self.steps.append(("message", key))
        self.entries[key] = (message, source)

    def calls(self) -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Every tool call with the message that asks for it."""
        for key, (message, _) in self.entries.items():
            for call in items(message.get("toolCalls")):
                yield key, mapping(call)


def _agent_links(files: Sequence[_File]) -> dict[str, str]:
    """Session id of a sub-agent -> id of the session that started it, for those uploaded together."""
    agents = {file.id for file in files if file.is_agent}
    return {text(call.get("agentId")): file.id for file in files for _, call in file.calls() if text(call.get("agentId")) in agents - {file.id}}


def _session(file: _File, copies: Sequence[_File], newest: Mapping[str, _File], agents: Mapping[str, str]) -> SessionDraft:
    draft = SessionDraft(id=file.id, level=GeminiCLI.level, not_recorded=NOT_RECORDED)
    used = [file]
    _threads(file, draft, newest, agents, used, ThreadDraft(id="main", kind="agent" if file.is_agent else "main"))
    draft.documents = tuple(f.document for f in (*used, *copies))
    draft.used = sum(f.lines for f in used)
    for reason, count in (
        ("message of the program, never sent", sum(f.never_sent for f in used)),
        ("change of the session's head", sum(f.changes for f in used)),
        ("neither a message nor a change", sum(f.odd for f in used)),
        (COPY, sum(f.document.record_count - sum(f.document.unreadable.values()) for f in copies)),
    ):
        draft.skipped[reason] += count
    draft.skipped = +draft.skipped
    _notes(draft)
    return draft


def _notes(draft: SessionDraft) -> None:
    calls = [call for thread in draft.threads for call in thread.calls]
    if calls:
        draft.notes.append("The recorder cuts tool output at 50 KB; the model may have received more.")
    if any(mapping(message.raw).get("thoughts") for thread in draft.threads for message in thread.messages):
        draft.notes.append("Thoughts are recorded as headings and are not sent again; they stand in the raw records and count nothing.")
    found = sum(infer_compactions(thread) for thread in draft.threads)
    if found:
        draft.notes.append(f"{found} drops of the input without a record of what went: contexts after them are longer than what was sent.")


def _threads(
    file: _File, draft: SessionDraft, newest: Mapping[str, _File], agents: Mapping[str, str], used: list[_File], thread: ThreadDraft
) -> None:
    """The file's thread, then those of the sub-agents that it started."""
    draft.threads.append(thread)
    calls = _Told(file, thread, draft).tell()
    for key, call in file.calls():
        started = text(call.get("agentId"))
        if agents.get(started) == file.id and newest[started] not in used:
            used.append(newest[started])
            title = text(mapping(call.get("args")).get("objective")) or text(call.get("displayName")) or text(call.get("name"))
            child = ThreadDraft(id=started, kind="agent", parent=thread.id, parent_call=calls.get(key), title=title[:80])
            _threads(newest[started], draft, newest, agents, used, child)


class _Told:
    """One file told as a thread."""

    def __init__(self, file: _File, thread: ThreadDraft, draft: SessionDraft) -> None:
        self.file, self.draft = file, draft
        self.conversation = Conversation(thread)
        self.before: dict[str, int] = {}
        """Messages in the context in front of an entry."""
        self.bare: tuple[int, list[Mapping[str, Json]]] | None = None
        """The newest call and its records, while nothing follows its text."""

    def tell(self) -> dict[str, int]:
        """Fill the thread; entry -> index of its call."""
        calls: dict[str, int] = {}
        for kind, key in self.file.steps:
            if kind == "rewind":
                self._rewind(key)
                continue
            message, source = self.file.entries[key]
            self.before[key] = self.conversation.length
            if message.get("type") == "gemini":
                calls[key] = self._call(message, source)
            elif message.get("type") == "user":
                self.bare = None
                self.conversation.add(_user(message, source))
            elif text(message.get("type")) not in NEVER_SENT:
                what = f"A message of the type {text(message.get('type'))!r} is not known and was left out."
                self.draft.problems.append(Problem(what=what, kind="unknown_type", source=source))
        return calls

    def _rewind(self, key: str) -> None:
        thread = self.conversation.thread
        self.bare = None
        kept = self.before.get(key, 0)
        held = self.conversation.indexes()
        self.conversation.restart(held[:kept])
        note = f"{len(held) - min(kept, len(held))} messages taken back."
        thread.events.append(Event(kind="rollback", call=len(thread.calls), note=note))

    def _call(self, message: Mapping[str, Json], source: SourceRef) -> int:
        """The call of a record; one that only has tool calls, and no count, goes on with the reply before it."""
        if self.bare is not None and _goes_on(message):
            index, records = self.bare
            self._complete(index, [*records, message])
        else:
            records = [message]
            usage = _tokens(message.get("tokens"))
            index = self.conversation.reply(_reply(records, source), model=text(message.get("model")), usage=usage, id=text(message.get("id")))
        calls = items(message.get("toolCalls"))
        self.bare = None if calls else (index, [message])
        results = [part for call in calls for part in _as_parts(mapping(call).get("result"))]
        if results:
            last = max((t for call in calls if (t := seconds(mapping(call).get("timestamp")))), default=None)
            self.conversation.add(gemini_message([{"role": "user", "parts": results}], source, raw=message, at=last))
        return index

    def _complete(self, index: int, records: Sequence[Mapping[str, Json]]) -> None:
        """The tool calls of a reply whose text was recorded before."""
        thread = self.conversation.thread
        place = thread.calls[index].reply
        if place is not None:
            thread.messages[place] = _reply(records, thread.messages[place].source)


def _goes_on(message: Mapping[str, Json]) -> bool:
    """True for a record that the recorder opened only for the tool calls of a reply (a notice stood between)."""
    empty = not message.get("content") and not message.get("thoughts") and _tokens(message.get("tokens")) is None
    return empty and bool(message.get("toolCalls"))


def _as_parts(value: Json) -> list[Json]:
    """A ``PartListUnion`` as a list of part objects."""
    parts = value if isinstance(value, list) else [value] if value else []
    return [{"text": part} if isinstance(part, str) else part for part in parts if part]


def _user(message: Mapping[str, Json], source: SourceRef) -> Message:
    parts = _as_parts(message.get("content"))
    start = text(mapping(parts[0]).get("text")).lstrip() if parts else ""
    at, own_id = seconds(message.get("timestamp")), text(message.get("id"))
    return gemini_message([{"role": "user", "parts": parts}], source, raw=message, id=own_id, at=at, injected=injected_start(start))


def _reply(records: Sequence[Mapping[str, Json]], source: SourceRef) -> Message:
    """The reply as later requests hold it: its text and its calls; thoughts are not sent again."""
    first = records[0]
    parts = [part for record in records for part in _as_parts(record.get("content"))]
    for value in (call for record in records for call in items(record.get("toolCalls"))):
        call = mapping(value)
        parts.append({"functionCall": {"id": text(call.get("id")), "name": text(call.get("name")), "args": call.get("args") or {}}})
    raw = first if len(records) == 1 else list(records)
    return gemini_message([{"role": "model", "parts": parts}], source, raw=raw, id=text(first.get("id")), at=seconds(first.get("timestamp")))


def _tokens(value: Json) -> Usage | None:
    """Usage of a message; all zeros stand for a count that never came."""
    record = mapping(value)
    counts = [whole(record.get(key)) for key in ("input", "output", "cached", "thoughts", "tool")]
    return gemini_tokens(*counts) if any(counts) else None

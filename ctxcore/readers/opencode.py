"""opencode: the stream of a plug-in's hooks, an exported session, or its storage (a folder of files, or a database).

Source: format notes 2.6. A call is one step (step-start to step-finish). A child session, started by the tool ``task``, is a sub-agent; a system
prompt that no step took belongs to the call that makes the title. After a compaction a request begins with the prompt for it and the summary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Event, Json, Level, Message, SourceRef, Text
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.opencode_log import Entry, OpencodeLog, OpencodeSession, Prompt, families, with_messages
from ctxcore.readers.opencode_message import cleared_message, opencode_usage, pruned_at, step_message, tool_message, user_message
from ctxcore.readers.opencode_store import is_stored, stored
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import mapping, seconds, text

HOOKS = frozenset({"event", "chat.message", "tool.definition", "chat.params", "chat.headers", "experimental.chat.system.transform"})

TITLE_PROMPT = "Generate a title for this conversation:\n"
"""What the call for a title reads in front of the first prompt. Source: opencode ``session/prompt.ts``."""


class Opencode:
    """See the module."""

    name: ClassVar[str] = "opencode"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = (
        "lines that are lists of a hook's name and its input; or info with an id ses_… and messages of info and parts; or the files of its storage "
        "folder (ids ses_…, msg_…, prt_… that name each other), or its database with the tables session, message and part"
    )

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if is_stored(document):
            return True
        if document.shape == "json":
            return bool(head) and (_is_export(head[0]) or _is_hook(head[0]))
        return majority(head, _is_hook) or majority(head, _is_export)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: a session and those it started are one."""
        return [_draft(log, files) for log, files in with_messages(families([*_streams(documents), *stored(documents)]))]


def _streams(documents: Sequence[Document]) -> Iterator[tuple[OpencodeLog, Sequence[Document]]]:
    """What each file of hooks, or each exported session, says."""
    for document in documents:
        if not is_stored(document):
            log = OpencodeLog()
            log.take(document)
            yield log, [document]


def _is_hook(value: Json) -> bool:
    return isinstance(value, list) and len(value) > 1 and text(value[0]) in HOOKS and isinstance(value[1], dict)


def _is_export(value: Json) -> bool:
    record = mapping(value)
    if not text(mapping(record.get("info")).get("id")).startswith("ses_") or not isinstance(record.get("messages"), list):
        return False
    return all("info" in mapping(message) and "parts" in mapping(message) for message in record["messages"][:20])


def _draft(log: OpencodeLog, documents: Sequence[Document]) -> SessionDraft:
    told = [session for session in log.sessions.values() if session.entries or session.side]
    main = next((session for session in told if text(session.info.get("parentID")) not in log.sessions), None)
    draft = SessionDraft(id=main.id if main else "", level=Opencode.level, documents=tuple(documents), used=log.used, skipped=log.skipped)
    draft.not_recorded = () if log.has_prompts else ("system prompt", "tool definitions")
    ordered = [*([main] if main else []), *(session for session in told if session is not main)]
    names = {session.id: "main" if session is main else session.id for session in ordered}
    sets: list[tuple[Json, ...]] = []
    started: dict[str, tuple[str, int]] = {}
    for session in ordered:
        thread = ThreadDraft(id=names[session.id], kind="main" if session is main else "agent", title=text(session.info.get("title")))
        draft.threads.append(thread)
        started |= _Told(session, thread, sets).tell()
    for session, thread in zip(ordered, draft.threads, strict=True):
        if session is not main:
            thread.parent, thread.parent_call = started.get(session.id, (names.get(text(session.info.get("parentID")), "main"), None))
    draft.threads += [side for session in ordered if (side := _title_thread(session, names[session.id])) is not None]
    draft.tool_sets = sets
    if not draft.threads:
        draft.threads = [ThreadDraft(id="main")]
    return draft


def _system(prompt: Prompt) -> Message:
    wire = tuple({"role": "system", "content": words} for words in prompt.texts)
    parts = tuple(Text(text=words) for words in prompt.texts)
    return Message(role="system", parts=parts, wire=wire, raw=list(prompt.texts), source=prompt.source)


def _title_thread(session: OpencodeSession, parent: str) -> ThreadDraft | None:
    """The call that makes the title: the first prompt and its own system prompt."""
    prompt = next((prompt for prompt in session.side if prompt.texts), None)
    first = next((entry for entry in session.entries.values() if entry.info.get("role") == "user"), None)
    if prompt is None:
        return None
    told = Conversation(ThreadDraft(id=f"title-{session.id}", kind="side", parent=parent, title="Makes the title"))
    told.add(_system(prompt))
    if first is not None:
        wire = {"role": "user", "content": TITLE_PROMPT}
        told.add(Message(role="user", parts=(Text(text=TITLE_PROMPT),), wire=(wire,), raw=wire, source=first.source, injected="meta"))
        told.add(user_message(first.info, list(first.parts.values()), first.source))
    title = text(session.info.get("title"))
    wire = {"role": "assistant", "content": title}
    reply = Message(role="assistant", parts=(Text(text=title),), wire=(wire,), raw=session.info, source=prompt.source) if title else None
    told.reply(reply, model=prompt.model, source=prompt.source)
    return told.thread


class _Told:
    """One session told as a thread."""

    def __init__(self, session: OpencodeSession, thread: ThreadDraft, sets: list[tuple[Json, ...]]) -> None:
        self.session, self.sets = session, sets
        self.told = Conversation(thread)
        self.system: int | None = None
        self.pruned: list[tuple[float, int, Message]] = []
        """When, which message, and what it reads from then on."""
        self.started: dict[str, tuple[str, int]] = {}
        """Session of a sub-agent -> thread and call."""

    def tell(self) -> dict[str, tuple[str, int]]:
        """Fill the thread; the sub-agents it started."""
        asked: int | None = None
        for entry in self.session.entries.values():
            if entry.info.get("role") == "user":
                index = self.told.add(user_message(entry.info, list(entry.parts.values()), entry.source))
                if any(part.get("type") == "compaction" for part in entry.parts.values()):
                    asked = index
            else:
                self._answer(entry, asked)
        return self.started

    def _answer(self, entry: Entry, asked: int | None) -> None:
        before = len(self.told.thread.calls)
        for parts in _steps(entry):
            self._step(entry, parts)
        calls = self.told.thread.calls
        if entry.info.get("summary") is True and len(calls) > before and calls[-1].reply is not None:
            self._compacted(asked, calls[-1].reply, entry)

    def _compacted(self, asked: int | None, summary: int, entry: Entry) -> None:
        thread = self.told.thread
        head = [index for index in (self.system, asked) if index is not None]
        self.told.restart([*head, summary])
        before = thread.calls[-1].usage.input_tokens if thread.calls[-1].usage else None
        at = seconds(mapping(entry.info.get("time")).get("created"))
        note = "The summary takes the place of all before it."
        event = Event(kind="compaction", call=len(thread.calls), before_tokens=before, summary=summary, at=at, source=entry.source, note=note)
        thread.events.append(event)

    def _step(self, entry: Entry, parts: Sequence[Mapping[str, Json]]) -> None:
        first, last = parts[0], parts[-1]
        at = seconds(entry.times.get(text(first.get("id")))) or seconds(mapping(entry.info.get("time")).get("created"))
        prompt = entry.prompts.get(text(first.get("id")))
        if prompt is not None:
            self._use(prompt)
        self._prune(at)
        error = text(mapping(entry.info.get("error")).get("name")) if last.get("type") != "step-finish" else ""
        finished = last if last.get("type") == "step-finish" else entry.info
        own_id = text(first.get("id")) or text(entry.info.get("id"))
        call = self.told.reply(
            step_message(parts, entry.source, at, own_id),
            model=text(entry.info.get("modelID")),
            usage=opencode_usage(finished.get("tokens")),
            id=own_id,
            flags=() if not error else ("aborted" if "Abort" in error else "failed",),
            tools=self._tools(prompt),
        )
        for part in parts:
            if part.get("type") == "tool":
                self._result(part, entry.source, call)

    def _use(self, prompt: Prompt) -> None:
        """The system prompt of the next request."""
        message = _system(prompt)
        thread = self.told.thread
        if self.system is not None and thread.messages[self.system].wire == message.wire:
            return
        rest = [index for index in self.told.indexes() if index != self.system]
        self.system = thread.add(message)
        self.told.restart([self.system, *rest])

    def _tools(self, prompt: Prompt | None) -> int | None:
        if prompt is None or not prompt.tools:
            return None
        if prompt.tools not in self.sets:
            self.sets.append(prompt.tools)
        return self.sets.index(prompt.tools)

    def _result(self, part: Mapping[str, Json], source: SourceRef, call: int) -> None:
        child = text(mapping(mapping(part.get("state")).get("metadata")).get("sessionId"))
        if part.get("tool") == "task" and child:
            self.started[child] = (self.told.thread.id, call)
        message = tool_message(part, source)
        if message is None:
            return
        index = self.told.add(message)
        when = pruned_at(part)
        if when is not None:
            self.pruned.append((when, index, cleared_message(part, source)))

    def _prune(self, at: float | None) -> None:
        """Results that were pruned before a request read so in it."""
        if not self.pruned:
            return
        due = {index: message for when, index, message in self.pruned if at is not None and when <= at}
        held = self.told.indexes()
        if not due.keys() & set(held):
            return
        thread = self.told.thread
        note = f"{len(due)} old tool results were cleared."
        thread.events.append(Event(kind="microcompaction", call=len(thread.calls), at=at, note=note))
        self.told.restart([thread.add(due[index]) if index in due else index for index in held])
        self.pruned = [entry for entry in self.pruned if entry[1] not in due]


def _steps(entry: Entry) -> Iterator[list[Mapping[str, Json]]]:
    """Parts of each step; a message without steps that holds something is one."""
    step: list[Mapping[str, Json]] = []
    for part in entry.parts.values():
        if part.get("type") == "step-start" and any(p.get("type") != "step-start" for p in step):
            yield step
            step = []
        step.append(part)
        if part.get("type") == "step-finish":
            yield step
            step = []
    if any(part.get("type") in ("text", "reasoning", "tool") for part in step) or (not entry.parts and entry.info.get("error")):
        yield step or [entry.info]

"""A task of Cline or Roo Code: what was sent (``api_conversation_history.json``), what the screen showed (``ui_messages.json``), or both.

Source: format notes 2.5; RooCodeInc/Roo-Code ``core/condense/index.ts``: a request holds what follows the last summary, without messages whose
condensing or truncation has happened. Calls before an old condensing are only on the screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ctxcore.model import Event, Injected, JournalEntry, Json, Message, Part, Reasoning, SourceRef, Text, ToolCall, ToolResult, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.cline_screen import Condensation, ScreenCall, is_screen, screen_calls
from ctxcore.readers.cline_text import is_summary, model_in, task_message
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text, whole
from ctxcore.units import merge_ranges

NOT_RECORDED = ("system prompt", "tool definitions")


def is_metadata(value: Json) -> bool:
    """True for the sidecar that lists the files of a task."""
    record = mapping(value)
    files = record.get("files_in_context")
    return isinstance(files, list) and set(record) <= {"files_in_context", "model_usage", "environment_history"}


@dataclass(slots=True)
class Task:
    """The files of one task."""

    folder: str
    api: Document | None = None
    screen: Document | None = None
    others: list[Document] = field(default_factory=list)

    @property
    def documents(self) -> tuple[Document, ...]:
        """All files, the history first."""
        return tuple(document for document in (self.api, self.screen, *self.others) if document is not None)


def tasks_of(documents: Sequence[Document]) -> list[Task]:
    """Tasks by folder; files of several tasks that lie in one are told apart by their first prompt."""
    tasks: list[Task] = []
    screens = [document for document in documents if is_screen(document.value)]
    metadata = [document for document in documents if is_metadata(document.value)]
    for document in documents:
        if document not in screens and document not in metadata:
            tasks.append(Task(_folder(document), api=document))
    for document in screens:
        home = next((task for task in tasks if task.screen is None and _belongs(document, task)), None)
        if home is None:
            tasks.append(Task(_folder(document), screen=document))
        else:
            home.screen = document
    for document in metadata:
        home = next((task for task in tasks if task.folder == _folder(document)), None)
        if home is not None:
            home.others.append(document)
    return tasks


def _folder(document: Document) -> str:
    return str(PurePosixPath(document.name.replace("\\", "/")).parent)


def _belongs(screen: Document, task: Task) -> bool:
    if task.api is None or task.folder != _folder(screen):
        return False
    prompt = next((text(mapping(entry).get("text")) for entry in items(screen.value) if mapping(entry).get("say") == "text"), "").strip()
    return not prompt or prompt in str(_texts(mapping(next(iter(items(task.api.value)), None)))) or _first_time(task.api) is not None


def _texts(message: Mapping[str, Json]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else "\n".join(text(mapping(block).get("text")) for block in items(content))


def _first_time(api: Document) -> float | None:
    return next((at for message in items(api.value) if (at := seconds(mapping(message).get("ts"))) is not None), None)


class TaskReader:
    """One task while it is read."""

    def __init__(self, task: Task, draft: SessionDraft) -> None:
        """Start.

        Args:
            task: Its files.
            draft: To fill.
        """
        self.task, self.draft = task, draft
        self.told = Conversation(ThreadDraft(id="main"))
        self.history: list[tuple[int, Mapping[str, Json]]] = []
        """Position and record of each message that was sent."""
        self.index: dict[int, int] = {}
        """Position -> thread message."""
        self.tagged = False
        """Messages say what condensed or truncated them."""
        self.calls: list[ScreenCall] = []
        self.condensed: list[Condensation] = []
        self.cut = 0
        """Calls that are only on the screen, because the history before an old condensing is gone."""
        self.model = ""

    def read(self) -> SessionDraft:
        """The session."""
        draft = self.draft
        draft.documents, draft.threads, draft.not_recorded = self.task.documents, [self.told.thread], NOT_RECORDED
        for document in self.task.documents:
            draft.used += sum(1 for _ in document.records())
        if self.task.api is not None:
            self._take_history(self.task.api)
        if self.task.screen is not None:
            self.calls, self.condensed = screen_calls(self.task.screen.value)
        self.tagged = any(value.get("condenseId") or value.get("truncationId") for _, value in self.history)
        replies = self._replies()
        self.cut = self._lost_calls()
        if self.history:
            self._tell_lost(replies)
            self._tell(replies)
        else:
            self._tell_screen(self.calls, {})
        self._notes(replies)
        return draft

    def _take_history(self, document: Document) -> None:
        for number, value in enumerate(items(document.value)):
            if isinstance(value, dict) and isinstance(value.get("role"), str):
                self.history.append((number, value))
            else:
                document.report(f"[{number}] is not a message and was left out.", 0, "not_an_object", repr(value))

    def _is_reply(self, value: Mapping[str, Json]) -> bool:
        return value.get("role") == "assistant" and not is_summary(value) and not value.get("isTruncationMarker")

    def _replies(self) -> dict[int, ScreenCall]:
        """Position of each reply -> its call on the screen: by the index of the history, else the newest one before it."""
        by_index = {call.history_index + 2: call for call in self.calls if call.history_index is not None}
        found: dict[int, ScreenCall] = {}
        positions = [number for number, value in self.history if self._is_reply(value)]
        if len(by_index) == len(self.calls) and by_index and set(positions) <= set(by_index):
            return {number: by_index[number] for number in positions}
        waiting = 0
        for number, value in self.history:
            if not self._is_reply(value):
                continue
            at = seconds(value.get("ts"))
            newest = self._newest(waiting, at)
            if newest >= waiting:
                found[number] = self.calls[newest]
                waiting = newest + 1
        return found

    def _newest(self, first: int, at: float | None) -> int:
        """The newest call, of those from ``first`` on, that had begun at a time; the very next one where times are missing."""
        last = first - 1
        while last + 1 < len(self.calls):
            begun = self.calls[last + 1].at
            if at is not None and begun is not None and begun > at:
                break
            last += 1
            if at is None or begun is None:
                break
        return last

    def _lost_calls(self) -> int:
        """Calls before the last condensing that took its messages out of the history."""
        destructive = any(is_summary(value) and not value.get("condenseId") for _, value in self.history)
        return self.condensed[-1].call if destructive and self.condensed else 0

    def _message(self, position: int, value: Mapping[str, Json], asked: Sequence[ToolCall]) -> Message:
        source = SourceRef(file=self.task.api.name if self.task.api else "", path=f"[{position}]")
        injected: Injected = "summary" if is_summary(value) else "meta" if value.get("isTruncationMarker") else ""
        message = task_message(value, source, asked=asked, at=seconds(value.get("ts")), raw=value, injected=injected)
        self.model = model_in(message) or self.model
        return message

    def _tell_lost(self, replies: Mapping[int, ScreenCall]) -> None:
        """Calls of which only the screen tells, and the condensing that ended them."""
        if not self.cut:
            return
        kept = {id(call): number for number, call in replies.items()}
        self._tell_screen(self.calls[: self.cut], kept)
        last = self.condensed[-1]
        source = SourceRef(file=self.task.screen.name if self.task.screen else "")
        self.told.compact(None, (), before_tokens=last.before_tokens, after_tokens=last.after_tokens, at=last.at, source=source)

    def _tell(self, replies: Mapping[int, ScreenCall]) -> None:
        """Calls whose history is recorded."""
        lost = {id(call) for call in self.calls[: self.cut]}
        waiting = self.calls[self.cut :]
        asked: Sequence[ToolCall] = ()
        summaries = 0
        for position, value in self.history:
            message = self._message(position, value, asked)
            asked = message.calls if message.role == "assistant" else asked
            call = replies.get(position)
            if not self._is_reply(value) or (call is not None and id(call) in lost):
                self.index[position] = self.told.thread.add(message)
                summaries += self._note_cut(position, value)
                continue
            while call is not None and waiting and waiting[0] is not call:
                self._failed(waiting.pop(0), position)
            waiting = waiting[1:] if call is not None else waiting
            self._call(position, value, message, call)
        for call in waiting:
            self._failed(call, len(self.history))

    def _note_cut(self, position: int, value: Mapping[str, Json]) -> int:
        """An event for a summary or a truncation that stands in the history."""
        events, calls = self.told.thread.events, self.told.thread.calls
        if is_summary(value):
            if self.cut and events and events[-1].summary is None:
                events[-1] = replace(events[-1], summary=self.index[position])
                return 1
            told = next((c for c in self.condensed if value.get("condenseId")), None) if not self.cut else None
            before, after = (told.before_tokens, told.after_tokens) if told else (None, None)
            events.append(
                Event(
                    kind="compaction",
                    call=len(calls),
                    before_tokens=before,
                    after_tokens=after,
                    summary=self.index[position],
                    at=seconds(value.get("ts")),
                )
            )
            return 1
        if value.get("isTruncationMarker"):
            events.append(Event(kind="compaction", call=len(calls), at=seconds(value.get("ts")), note="The oldest messages were left out."))
        return 0

    def _sent(self, position: int, call: ScreenCall | None) -> tuple[tuple[int, int], ...]:
        """What the request before a position of the history held."""
        past = [(number, value) for number, value in self.history if number < position]
        done = {text(value.get(key)) for _, value in past for key in ("condenseId", "truncationId")} - {""}
        tagged = bool(done)
        start = max((place for place, (_, value) in enumerate(past) if tagged and value.get("isSummary")), default=0)
        left = [n for n, value in past[start:] if not {text(value.get("condenseParent")), text(value.get("truncationParent"))} & done]
        deleted = call.deleted if call is not None else None
        if deleted is not None:
            left = [number for number in left if not deleted[0] <= number <= deleted[1]]
        return merge_ranges([self.index[number] for number in left if number in self.index])

    def _context(self, position: int, call: ScreenCall | None) -> tuple[tuple[int, int], ...]:
        """As ``_sent``, quick where nothing was ever taken out."""
        if self.tagged or (call is not None and call.deleted):
            return self._sent(position, call)
        first = next(iter(self.index.values()), None)
        stop = len(self.told.thread.messages)
        return () if first is None else ((first, stop),)

    def _call(self, position: int, value: Mapping[str, Json], message: Message, call: ScreenCall | None) -> None:
        context = self._context(position, call)
        self._note_deleted(call)
        metrics = mapping(mapping(value.get("metrics")).get("tokens"))
        counted = call.usage if call is not None else _metrics(metrics)
        model = text(mapping(value.get("modelInfo")).get("modelId")) or (call.model if call else "") or self.model
        number = self.told.reply(
            message, context=context, model=model, usage=counted, at=call.at if call else message.at, flags=call.flags if call else ()
        )
        place = self.told.thread.calls[number].reply
        if place is not None:
            self.index[position] = place

    def _note_deleted(self, call: ScreenCall | None) -> None:
        """An event where more of the history was left out than before."""
        thread = self.told.thread
        if call is None or call.deleted is None or any(e.note.endswith(f"to {call.deleted[1]}.") for e in thread.events):
            return
        note = f"Messages of the history were left out: {call.deleted[0]} to {call.deleted[1]}."
        thread.events.append(Event(kind="compaction", call=len(thread.calls), at=call.at, note=note))

    def _failed(self, call: ScreenCall, position: int) -> None:
        """A call that left no reply in the history."""
        source = SourceRef(file=self.task.screen.name if self.task.screen else "", path=f"[{call.number}]")
        self.told.reply(
            None,
            context=self._context(position, call),
            model=call.model or self.model,
            usage=call.usage,
            at=call.at,
            source=source,
            flags=call.flags or ("failed",),
        )

    def _tell_screen(self, calls: Sequence[ScreenCall], kept: Mapping[int, int]) -> None:
        """Calls rebuilt from what the screen showed; a reply that the history still has is taken from there."""
        records = dict(self.history)
        asked: Sequence[ToolCall] = ()
        file = self.task.screen.name if self.task.screen else ""
        for number, call in enumerate(calls):
            source = SourceRef(file=file, path=f"[{call.number}]")
            for condensing in (c for c in self.condensed if c.call == number and not self.history):
                self._condense(condensing, source)
            prompt = _nameless(task_message({"role": "user", "content": call.request}, source, asked=asked, at=call.at, raw=call.raw))
            self.model = call.model or model_in(prompt) or self.model
            if call.request:
                self.told.add(prompt)
            position = kept.get(id(call))
            reply = self._message(position, records[position], ()) if position is not None else _shown(call, source)
            asked = reply.calls if reply is not None else ()
            self.told.reply(reply, model=self.model, usage=call.usage, at=call.at, source=source, flags=(*call.flags, "rebuilt_from_screen"))
            self._note_progress(call, source)

    def _note_progress(self, call: ScreenCall, source: SourceRef) -> None:
        """The check lists of a call whose own arguments are not recorded."""
        thread = self.told.thread
        for shown in call.progress:
            thread.journal.append(JournalEntry(event="task_progress", call=len(thread.calls), facts={"text": shown}, at=call.at, source=source))

    def _condense(self, told: Condensation, source: SourceRef) -> None:
        """A condensing of which only the screen tells."""
        wire = {"role": "user", "content": told.summary}
        summary = Message(role="user", parts=(Text(text=told.summary),), wire=(wire,), raw=wire, source=source, at=told.at, injected="summary")
        self.told.compact(summary, (), before_tokens=told.before_tokens, after_tokens=told.after_tokens)

    def _notes(self, replies: Mapping[int, ScreenCall]) -> None:
        notes = self.draft.notes
        if self.cut:
            notes.append(f"{self.cut} calls before the last condensing are rebuilt from what the screen showed; their history is gone.")
        elif self.calls and not self.history:
            notes.append("Only the screen's file is here: contexts are rebuilt from what it showed; add api_conversation_history.json.")
        if self.history and not self.calls:
            notes.append("Usage and failed calls are in ui_messages.json, which is not in the upload.")
        if self.calls and self.history and len(replies) + self.cut < len(self.calls):
            notes.append("Some calls on the screen left no reply in the history; they are shown as failed.")


def _nameless(message: Message) -> Message:
    """The message with results that answer by order: the screen has other names for tools than the model."""
    parts = tuple(replace(part, name="") if isinstance(part, ToolResult) and not part.call_id else part for part in message.parts)
    return replace(message, parts=parts)


def _metrics(tokens: Mapping[str, Json]) -> Usage | None:
    """Counts beside a reply: the prompt without the cache, and the cache."""
    fresh, output, cached = (whole(tokens.get(key)) for key in ("prompt", "completion", "cached"))
    if not any((fresh, output, cached)):
        return None
    return Usage(input_tokens=(fresh or 0) + (cached or 0), output_tokens=output)


def _shown(call: ScreenCall, source: SourceRef) -> Message | None:
    """The reply as the screen showed it; None where it showed nothing."""
    parts: list[Part] = []
    for kind, words in call.shown:
        parts.append(
            Reasoning(text=words) if kind == "reasoning" else ToolCall(id="", name="tool", arguments=words) if kind == "tool" else Text(text=words)
        )
    if not parts:
        return None
    wire = {"role": "assistant", "content": "\n\n".join(words for kind, words in call.shown if kind != "reasoning")}
    return Message(role="assistant", parts=tuple(parts), wire=(wire,), raw=call.raw, source=source, at=call.at)

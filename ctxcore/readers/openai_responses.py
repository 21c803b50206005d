"""OpenAI Responses: requests, responses, pages of items, lines of them, and captured event streams.

Source: OpenAI Responses reference; format notes 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar

from ctxcore.model import Json, Level, Problem, SourceRef
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.chat_record import time_of
from ctxcore.readers.document import Document, Record
from ctxcore.readers.mixed_requests import holds_others, read_mixed
from ctxcore.readers.places import numbers, path_to, step_to
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.responses_item import Item, is_item, items_message, split_items
from ctxcore.readers.responses_log import ResponsesLog, answers_thread, history_notes, input_items, system_groups
from ctxcore.readers.responses_marks import LAST_EVENTS, is_bare_item, is_event, is_item_list, is_page, is_record, request_of, response_of
from ctxcore.readers.values import items, mapping, text, tool_list

MAJORITY = 0.6
"""Part of the first lines that must be of this interface."""


NO_RECORD = "no request, response or event of a stream"


class OpenAIResponses:
    """See the module."""

    name: ClassVar[str] = "openai-responses"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "input as text or typed items beside a model or a key of Responses, an object response with output, or response.* events"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if not head or document.shape == "text":
            return False
        if document.shape == "json":
            return is_record(head[0]) or is_page(head[0]) or is_item_list(head[0])
        good = sum(1 for value in head if is_record(value))
        return good >= MAJORITY * len(head) or is_item_list(list(head))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _read(document: Document) -> SessionDraft:
    first = document.first()
    if document.shape == "json" and first is not None:
        if is_page(first.value) or is_item_list(first.value):
            return _page(document, first)
        request = request_of(first.value)
        if request is not None and response_of(first.value) is None and request.get("previous_response_id") is None:
            return _conversation(document, first, request)
    elif first is not None and is_bare_item(first.value):
        return _item_lines(document)
    draft = _log(document)
    return read_mixed(document) if draft.skipped[NO_RECORD] and holds_others(document, "responses") else draft


def _conversation(document: Document, record: Record, request: Mapping[str, Json]) -> SessionDraft:
    """One request alone: its replies are calls, and it is one itself."""
    draft = SessionDraft(id="", level="requests only", used=1)
    tools = tool_list(request.get("tools"))
    draft.tool_sets = () if tools is None else (tools,)
    thread = ThreadDraft(id="main")
    found, bad = input_items(request)
    place = path_to(record.value, request) or ""
    for group in system_groups(request.get("instructions")):
        thread.add(items_message(group, document.source(record, step_to(place, "instructions"))))
    number_of = numbers(items(request.get("input")))
    for group in split_items(found):
        number = number_of.get(id(group[0]))
        thread.add(items_message(group, document.source(record, step_to(place, "input" if number is None else f"input[{number}]"))))
    _report(draft, document, record, bad)
    thread.calls = conversation_calls(thread.messages, model=text(request.get("model")), tools=0 if draft.tool_sets else None)
    draft.threads = [thread]
    draft.not_recorded = not_recorded([thread], has_tools=bool(draft.tool_sets))
    return draft


def _page(document: Document, record: Record) -> SessionDraft:
    """A stored conversation: items in order, newest first turned round, those of one response together."""
    values = items(mapping(record.value).get("data")) if isinstance(record.value, dict) else items(record.value)
    found = [value for value in values if isinstance(value, dict)]
    draft = SessionDraft(id="", level="message list only", used=1)
    if _newest_first(found):
        found.reverse()
        draft.notes.append("The page lists the newest item first; it is shown in the order of the conversation.")
    thread = ThreadDraft(id="main")
    place, number = path_to(record.value, values) or "", numbers(values)
    for _, owned in groupby(found, key=lambda item: text(item.get("created_by"))):
        for group in split_items(owned):
            thread.add(items_message(group, document.source(record, f"{place}[{number[id(group[0])]}]")))
    _report(draft, document, record, len(values) - len(found))
    if mapping(record.value).get("has_more") is True:
        draft.notes.append("The page says that there are more items than it holds.")
    thread.calls = conversation_calls(thread.messages)
    draft.threads = [thread]
    draft.not_recorded = not_recorded([thread], has_tools=False)
    return draft


def _newest_first(found: Sequence[Item]) -> bool:
    """True if some result stands before its call."""
    seen: set[str] = set()
    for item in found:
        call = text(item.get("call_id"))
        if call and call not in seen and text(item.get("type")).endswith("_output"):
            return True
        seen.add(call)
    return bool(found) and found[0].get("role") == "assistant" and found[-1].get("role") == "user"


def _item_lines(document: Document) -> SessionDraft:
    """One item a line."""
    draft = SessionDraft(id="", level="message list only")
    thread = ThreadDraft(id="main")
    reply: list[tuple[Item, Record]] = []
    for record in document.records():
        if not is_item(record.value):
            draft.skipped["not an item"] += 1
            continue
        draft.used += 1
        reply.append((record.value, record))
    for group in split_items([item for item, _ in reply]):
        record = reply[sum(len(m.wire) for m in thread.messages)][1]
        thread.add(items_message(group, document.source(record)))
    thread.calls = conversation_calls(thread.messages)
    draft.threads = [thread]
    draft.not_recorded = not_recorded([thread], has_tools=False)
    return draft


@dataclass(slots=True)
class _Pairs:
    """Requests with their answers; an answer may stand in the record of its request or in a later one."""

    document: Document
    log: ResponsesLog = field(default_factory=ResponsesLog)
    waiting: tuple[Mapping[str, Json], SourceRef, float | None] | None = None
    """A request whose answer has not come yet."""
    alone: list[tuple[Mapping[str, Json], SourceRef]] = field(default_factory=list)
    """Answers without a request."""
    bad: int = 0
    """Entries of inputs that were no objects."""

    def take(self, record: Record) -> bool:
        """Use one record; False if there is nothing for this reader in it."""
        request, response = request_of(record.value), response_of(record.value)
        source = self.document.source(record)
        if request is not None:
            self.flush()
            self.waiting = (request, source, time_of(record.value, response or {}))
            if response is None and mapping(mapping(record.value).get("response")).get("error"):
                self.flush("failed")
        if response is not None and response.get("status") not in ("queued", "in_progress"):
            self._answer(response, source)
        return request is not None or response is not None or is_event(record.value)

    def _answer(self, response: Mapping[str, Json], source: SourceRef) -> None:
        if self.waiting is None:
            self.alone.append((response, source))
            return
        request, place, at = self.waiting
        self.bad += self.log.add(request, response, place, at)
        self.waiting = None

    def flush(self, *flags: str) -> None:
        """The request that waits got no answer."""
        if self.waiting is not None:
            request, place, at = self.waiting
            self.bad += self.log.add(request, None, place, at, flags=flags)
            self.waiting = None


def _log(document: Document) -> SessionDraft:
    """Requests and answers in file order."""
    draft = SessionDraft(id="", level="requests only")
    pairs = _Pairs(document)
    for record in document.records():
        if not pairs.take(record):
            draft.skipped[NO_RECORD] += 1
        elif is_event(record.value) and record.value["type"] not in LAST_EVENTS:
            draft.skipped["event of a stream, repeated in its last one"] += 1
        else:
            draft.used += 1
    pairs.flush()
    draft.threads = pairs.log.log.threads()
    if pairs.alone:
        draft.threads.append(answers_thread(pairs.alone, pairs.log.log))
        draft.threads[-1].kind = "side" if len(draft.threads) > 1 else "main"
    draft.tool_sets = pairs.log.log.tool_sets
    if pairs.bad:
        draft.problems.append(Problem(what=f"{pairs.bad} input entries are not objects and were left out.", kind="not_an_object"))
    _describe(draft, pairs)
    return draft


def _describe(draft: SessionDraft, pairs: _Pairs) -> None:
    """Level, what is missing, and why."""
    missing = list(not_recorded(draft.threads, has_tools=bool(draft.tool_sets)))
    if pairs.log.answered:
        draft.level = "full requests"
    if pairs.log.at_provider:
        draft.level = "server-side state"
    if pairs.log.lost:
        missing.append("earlier messages")
    draft.notes += history_notes(pairs.log)
    if pairs.alone:
        draft.level = "message list only" if len(draft.threads) == 1 else draft.level
        missing.append("input")
        draft.notes.append(f"{len(pairs.alone)} answers stand without their request; their recorded input tokens are the true size.")
    draft.not_recorded = tuple(missing)


def not_recorded(threads: Sequence[ThreadDraft], *, has_tools: bool) -> tuple[str, ...]:
    """Parts of a request that no message and no tool set shows."""
    has_system = any(m.role in ("system", "developer") for thread in threads for m in thread.messages)
    return tuple(word for word, known in (("system prompt", has_system), ("tool definitions", has_tools)) if not known)


def _report(draft: SessionDraft, document: Document, record: Record, bad: int) -> None:
    if bad:
        sentence = f"{bad} entries are not objects and were left out."
        draft.problems.append(Problem(what=sentence, kind="not_an_object", source=document.source(record)))

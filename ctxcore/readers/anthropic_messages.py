"""Anthropic Messages: one request, lines of requests with or without responses, one response, or a list of messages with its blocks.

Source: format notes, 2.0 and 2.3.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Call, Json, Level, Message, SourceRef
from ctxcore.readers.anthropic_edits import apply_edits, has_server_state
from ctxcore.readers.anthropic_marks import has_anthropic_marks
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.anthropic_request import Request, is_anthropic, normal_form, recorded_messages, request_of, response_of
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.document import Document, Record
from ctxcore.readers.mixed_requests import holds_others, read_mixed
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, seconds, text, tool_list, usage

MAJORITY = 0.6
"""Part of the first lines with a request, a response or a message that must be Anthropic's."""

WINDOW = 16
"""Records held back to put calls that ran side by side into the order of their requests. Source: format notes, 2.0.7."""


class AnthropicMessages:
    """See the module."""

    name: ClassVar[str] = "anthropic-messages"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "a messages list with a top-level system, Anthropic blocks or input_schema tools; or a response of type message"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and head and isinstance(head[0], list):
            head = head[0][:200]
        if head and all(map(_is_bare_message, head)):
            return has_anthropic_marks({"messages": head})
        calls = [value for value in head if request_of(value) is not None or response_of(value)]
        return bool(calls) and sum(map(is_anthropic, calls)) >= MAJORITY * len(calls) and 2 * len(calls) >= len(head)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _is_bare_message(value: Json) -> bool:
    record = mapping(value)
    return isinstance(record.get("role"), str) and "content" in record and record.get("type") != "message"


def _read(document: Document) -> SessionDraft:
    if document.shape == "json":
        return _read_value(document, next(document.records()))
    first = document.first()
    if first is not None and _is_bare_message(first.value):
        return _conversation(document, list(document.records()))
    if document.shape == "lines" and holds_others(document, "anthropic"):
        return read_mixed(document)
    return _requests(document, document.records())


def _read_value(document: Document, record: Record) -> SessionDraft:
    """One JSON value: a list of records or messages, a request (and its response), or a response."""
    value = record.value
    if isinstance(value, list):
        records = [Record(item, 0) for item in value]
        draft = _conversation(document, records) if value and _is_bare_message(value[0]) else _requests(document, iter(records))
        draft.used = 1
        draft.skipped.clear()
        return draft
    request = request_of(value)
    if request is None or "timestamp" in mapping(mapping(value).get("request")):
        return _requests(document, iter([record]))
    draft = _conversation(document, [], request)
    draft.used = 1
    return _with_answer(draft, document, record)


def _with_answer(draft: SessionDraft, document: Document, record: Record) -> SessionDraft:
    """The conversation's last call with the response beside it."""
    answer = response_of(record.value)
    if not answer:
        return draft
    thread = draft.threads[0]
    count = len(thread.messages)
    if thread.calls and "no_reply" in thread.calls[-1].flags:
        thread.calls.pop()
    call = _call(record.value, {}, answer, document.source(record))
    message = anthropic_message(_reply(answer), call.source, raw=answer, id=call.id)
    tools = 0 if draft.tool_sets else None
    thread.calls.append(replace(call, index=len(thread.calls), context=((0, count),) if count else (), reply=thread.add(message), tools=tools))
    draft.level = "full requests"
    if apply_edits(thread, {call.id: answer}):
        draft.level = "server-side state"
    return draft


def _conversation(document: Document, records: Iterable[Record], request: Request | None = None) -> SessionDraft:
    """One request, or a list of messages: every assistant message is a reply."""
    draft = SessionDraft(id="", level="message list only" if request is None else "requests only")
    thread = ThreadDraft(id="main")
    for place, record in _placed(records, request):
        if isinstance(record.value, dict):
            thread.add(_message(record.value, document.source(record, place)))
            draft.used += 1
        else:
            where = place or f"Line {record.line}"
            document.report(f"{where} is not an object and was left out.", record.line, "not_an_object", repr(record.value))
            if record.line:
                draft.skipped["not a message"] += 1
    tools = tool_list(mapping(request).get("tools"))
    draft.tool_sets = () if tools is None else (tuple(tools),)
    thread.calls = conversation_calls(thread.messages, model=text(mapping(request).get("model")), tools=0 if draft.tool_sets else None)
    draft.threads = [thread]
    draft.not_recorded = _not_recorded(draft.threads, has_tools=bool(draft.tool_sets))
    apply_edits(thread, {})
    return draft


def _placed(records: Iterable[Record], request: Request | None) -> Iterator[tuple[str, Record]]:
    """Each entry of a conversation with its place: lines, entries of a list, or the system prompt and messages of a request."""
    if request is None:
        yield from (("" if record.line else f"messages[{number}]", record) for number, record in enumerate(records))
        return
    if request.get("system"):
        yield "system", Record({"role": "system", "content": request["system"]}, 0)
    yield from ((f"messages[{number}]", Record(value, 0)) for number, value in enumerate(items(request.get("messages"))))


def _requests(document: Document, records: Iterator[Record]) -> SessionDraft:
    """One request a record, each a recorded call."""
    draft = SessionDraft(id="", level="requests only")
    log = RequestLog(lambda value, call: _message(value, call.source), normal_form)
    answers: dict[str, Mapping[str, Json]] = {}
    requests = 0
    for record in _by_start(records):
        request, answer = request_of(record.value), response_of(record.value)
        if request is None and not answer:
            draft.skipped["not a request"] += 1
            continue
        draft.used += 1
        requests += request is not None
        call = _call(record.value, request or {}, answer, document.source(record))
        if request is None:
            call = replace(call, known="reconstructed", flags=("input_not_recorded",))
        tools = tool_list(mapping(request).get("tools"))
        if has_server_state(answer):
            answers[call.id] = answer
        log.add(
            recorded_messages(request or {}),
            _reply(answer) if answer else None,
            replace(call, tools=log.tools(tools)),
        )
    draft.threads, draft.tool_sets = log.threads() or [ThreadDraft(id="main")], log.tool_sets
    draft.level = _level(draft.threads, requests)
    draft.not_recorded = _not_recorded(draft.threads, has_tools=bool(log.tool_sets)) if requests else ("request",)
    edited = [apply_edits(thread, answers) for thread in draft.threads]
    if any(edited):
        draft.level = "server-side state"
    return draft


def _level(threads: Sequence[ThreadDraft], requests: int) -> Level:
    if not requests:
        return "message list only"
    answered = any(call.reply is not None for thread in threads for call in thread.calls)
    return "full requests" if answered else "requests only"


def _call(value: Json, request: Request, answer: Mapping[str, Json], source: SourceRef) -> Call:
    """All of a call but its context."""
    return Call(
        index=0,
        context=(),
        known="recorded",
        model=text(answer.get("model")) or text(request.get("model")),
        usage=usage(answer.get("usage"), cache_in_input=False),
        at=_start(value),
        id=text(answer.get("id")),
        source=source,
    )


def _reply(answer: Mapping[str, Json]) -> Mapping[str, Json]:
    return {"role": "assistant", "content": answer["content"]}


def _message(value: Mapping[str, Json], source: SourceRef) -> Message:
    """A message by its own marks: a log that changed its provider holds both kinds."""
    if value.get("tool_calls") or value.get("role") in ("tool", "function", "developer"):
        return chat_message(value, source)
    return anthropic_message(value, source)


def _not_recorded(threads: Sequence[ThreadDraft], *, has_tools: bool) -> tuple[str, ...]:
    has_system = any(m.role == "system" for thread in threads for m in thread.messages)
    return (*(() if has_system else ("system prompt",)), *(() if has_tools else ("tool definitions",)))


def _start(value: Json) -> float | None:
    """When the request started."""
    record = mapping(value)
    for candidate in (mapping(record.get("request")).get("timestamp"), record.get("timestamp"), record.get("ts"), record.get("created_at")):
        stamp = seconds(candidate)
        if stamp is not None:
            return stamp
    return None


def _by_start(records: Iterator[Record]) -> Iterator[Record]:
    """Records in the order of their start within a window; those without a time keep their place."""
    waiting: list[tuple[float, int, Record]] = []
    newest = 0.0
    for number, record in enumerate(records):
        newest = _start(record.value) or newest
        heapq.heappush(waiting, (newest, number, record))
        if len(waiting) > WINDOW:
            yield heapq.heappop(waiting)[2]
    while waiting:
        yield heapq.heappop(waiting)[2]

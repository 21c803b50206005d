"""OpenAI Chat: one request, a list of messages, or lines of requests with or without responses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Call, Json, Level, Message
from ctxcore.readers.anthropic_messages import AnthropicMessages
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.chat_examples import are_examples, examples
from ctxcore.readers.chat_marks import LOOK_MESSAGES, is_chat_list, is_chat_message, is_chat_request
from ctxcore.readers.chat_message import chat_message, messages_of, normal_form, not_recorded
from ctxcore.readers.chat_record import error_of, is_foreign, reply_of, request_of, response_of, time_of, tools_of
from ctxcore.readers.document import HEAD_LINES, Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.mixed_requests import are_mixed, holds_others, read_mixed
from ctxcore.readers.openai_responses import OpenAIResponses
from ctxcore.readers.places import path_to
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, seconds, text, usage

NOT_CHAT = "not an OpenAI Chat request"


class OpenAIChat:
    """See the module."""

    name: ClassVar[str] = "openai-chat"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "a messages list whose entries have a chat role and content, and no mark of Anthropic Messages"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json":
            return is_chat_request(head[0]) or is_chat_list(head[0]) or _is_request_list(head[0])
        return majority(head, is_chat_request) or majority(head, is_chat_message) or (are_mixed(head) and not _is_mostly_others(document, head))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        logs = [document for document in documents if is_call_log(document)] if len(documents) > 1 else []
        if len(logs) < 2:
            return [_read(document) for document in documents]
        joined = set(map(id, logs))
        return [call_logs(logs), *(_read(document) for document in documents if id(document) not in joined)]


def _is_mostly_others(document: Document, head: Sequence[Json]) -> bool:
    """A log of several interfaces goes by the name of the one that has the most."""
    return any(reader.matches(document, head) for reader in (OpenAIResponses(), AnthropicMessages()))


def is_call_log(document: Document) -> bool:
    """True for a file that an agent's client wrote for one call of a run. Source: OpenHands SDK, completion logs."""
    value = mapping(document.value) if document.shape == "json" else {}
    return is_chat_request(value) and bool(response_of(value)) and "latency_sec" in value and "timestamp" in value


def call_logs(documents: Sequence[Document]) -> SessionDraft:
    """One run: a file for each call, in order of time."""
    ordered = sorted(documents, key=lambda document: seconds(document.value["timestamp"]) or 0.0)
    records = [(document, record) for document in ordered for record in document.records()]
    later = [record.value for _, record in records[1:]]
    draft = _requests((document, _with_calls(record, after)) for (document, record), after in zip(records, [*later, {}], strict=True))
    draft.documents = tuple(ordered)
    return draft


def _with_calls(record: Record, after: Json) -> Record:
    """The record with the reply as the next request repeats it, where the writer lost the tool calls and left empty objects in their place."""
    response = response_of(record.value)
    reply = mapping(reply_of(response))
    sent, repeated = items(mapping(request_of(record.value)).get("messages")), items(mapping(request_of(after)).get("messages"))
    if {} not in items(reply.get("tool_calls")) or len(repeated) <= len(sent) or mapping(repeated[len(sent)]).get("role") != "assistant":
        return record
    whole = {**response, "choices": [{"message": repeated[len(sent)]}]}
    return Record({**record.value, "response": whole}, record.line)


def _is_request_list(value: Json) -> bool:
    return majority(_listed(value)[:LOOK_MESSAGES], is_chat_request)


def _listed(value: Json) -> Sequence[Json]:
    """Entries of a list, or of a page of stored completions."""
    return value if isinstance(value, list) else items(mapping(value).get("data")) if mapping(value).get("object") == "list" else ()


def _read(document: Document) -> SessionDraft:
    head = document.head()
    if document.shape == "lines" and are_mixed(head):
        return read_mixed(document)
    draft = _read_chat(document, head)
    return read_mixed(document) if document.shape == "lines" and draft.skipped[NOT_CHAT] and holds_others(document, "chat") else draft


def _read_chat(document: Document, head: Sequence[Json]) -> SessionDraft:
    listed = document.shape == "json" and _is_request_list(head[0])
    if listed or (document.shape == "lines" and majority(head, is_chat_request)):
        values = _listed(head[0])[:HEAD_LINES] if listed else head
        records = (Record(value, record.line) for record in document.records() for value in (_listed(record.value) if listed else (record.value,)))
        draft = examples(document, records) if are_examples(values) else _requests((document, record) for record in records)
        document.record_count = len(_listed(head[0])) if listed else document.record_count
    elif document.shape == "json":
        draft = _conversation(document)
    else:
        draft = _message_lines(document)
    draft.documents = (document,)
    return draft


def _conversation(document: Document) -> SessionDraft:
    """One request, with or without its response, or one list of messages."""
    draft = SessionDraft(id="", level="message list only")
    thread = ThreadDraft(id="main")
    for record in document.records():
        request = request_of(record.value)
        values = items(record.value) if request is None else items(request["messages"])
        thread.messages = _timed(messages_of(document, values, record))
        tools = None if request is None else tools_of(request, record.value)
        draft.tool_sets = () if tools is None else (tools,)
        model = text(mapping(request).get("model"))
        thread.calls = conversation_calls(thread.messages, model=model, tools=None if tools is None else 0)
        if request is not None:
            draft.id = text(mapping(record.value).get("id"))
            draft.level = "requests only"
            _answer(document, record, thread, draft)
        draft.used += 1
    draft.threads = [thread]
    draft.not_recorded = not_recorded(thread.messages, has_tools=bool(draft.tool_sets))
    return draft


def _answer(document: Document, record: Record, thread: ThreadDraft, draft: SessionDraft) -> None:
    """The recorded call of a stored request and its response: all its messages, then the reply."""
    response = response_of(record.value)
    if not response:
        return
    reply = reply_of(response)
    source = document.source(record, path_to(record.value, response if reply is None else reply) or "")
    count = len(thread.messages)
    if thread.calls and thread.calls[-1].reply is None:
        thread.calls.pop()
    call = _call(
        record.value, Call(index=0, context=((0, count),) if count else (), known="recorded", tools=0 if draft.tool_sets else None, source=source)
    )
    if reply is not None:
        call = replace(call, reply=thread.add(replace(chat_message(reply, source), at=call.at)))
        draft.level = "full requests"
    thread.calls.append(replace(call, flags=_flags(response, reply)))


def _call(value: Json, call: Call) -> Call:
    """The call with what the record says about it."""
    request, response = request_of(value) or {}, response_of(value)
    return replace(
        call,
        model=text(response.get("model")) or text(request.get("model")),
        usage=usage(response.get("usage"), cache_in_input=True),
        at=time_of(value, response),
        id=text(response.get("id")),
    )


def _flags(response: Mapping[str, Json], reply: Json | None) -> tuple[str, ...]:
    if error_of(response):
        return ("failed",)
    return () if reply is not None else ("no_reply",)


def _timed(messages: Iterable[Message]) -> list[Message]:
    """The messages; where some have a time, those without one are flagged."""
    made = list(messages)
    if any(message.at is not None for message in made):
        made = [_without_time(message) if message.at is None else message for message in made]
    return made


def _without_time(message: Message) -> Message:
    return message if "time_unreadable" in message.flags else replace(message, flags=(*message.flags, "time_missing"))


def _message_lines(document: Document) -> SessionDraft:
    """One message a line."""
    draft = SessionDraft(id="", level="message list only")
    thread = ThreadDraft(id="main")
    for record in document.records():
        if isinstance(mapping(record.value).get("role"), str):
            thread.add(chat_message(record.value, document.source(record)))
            draft.used += 1
        else:
            draft.skipped["not a message"] += 1
            document.report(f"Line {record.line} is not a message and was left out.", record.line, "not_a_message", repr(record.value))
    thread.messages = _timed(thread.messages)
    thread.calls = conversation_calls(thread.messages)
    draft.threads = [thread]
    draft.not_recorded = not_recorded(thread.messages, has_tools=False)
    return draft


def _requests(records: Iterable[tuple[Document, Record]]) -> SessionDraft:
    """Requests one after the other, each a recorded call."""
    draft = SessionDraft(id="", level="requests only")
    log = RequestLog(lambda value, call: chat_message(value, call.source), normal_form)
    for document, record in records:
        request = request_of(record.value)
        if request is None or is_foreign(record.value):
            draft.skipped[NOT_CHAT] += 1
            continue
        draft.used += 1
        response = response_of(record.value)
        reply = reply_of(response)
        if reply is not None:
            draft.level = "full requests"
        flags = ("failed",) if error_of(response) else ()
        call = Call(
            index=0, context=(), known="recorded", tools=log.tools(tools_of(request, record.value)), source=document.source(record), flags=flags
        )
        log.add(_objects(document, record, request["messages"]), reply, _call(record.value, call))
    draft.threads, draft.tool_sets = log.threads(), log.tool_sets
    every = [m for thread in draft.threads for m in thread.messages]
    draft.not_recorded = not_recorded(every, has_tools=bool(log.tool_sets))
    return draft


def _objects(document: Document, record: Record, values: Sequence[Json]) -> Sequence[Json]:
    """The messages that are objects; others are reported."""
    if set(map(type, values)) <= {dict}:
        return values
    for number, value in enumerate(values):
        if not isinstance(value, dict):
            document.report(f"messages[{number}] is not an object and was left out.", record.line, "not_an_object", repr(value))
    return [value for value in values if isinstance(value, dict)]

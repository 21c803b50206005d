"""OpenAI Chat: one request, a list of messages, or lines of requests with or without responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Call, Json, Level, Message, SourceRef
from ctxcore.readers.anthropic_marks import has_anthropic_marks
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.chat_message import ROLES, chat_message
from ctxcore.readers.document import Document, Record
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, seconds, text, usage

MAJORITY = 0.6
"""Part of the first lines that must be requests for a file to be a request log."""


def request_of(value: Json) -> Mapping[str, Json] | None:
    """The object that holds ``messages``: the value itself, its ``request``, or its ``body``; None without one."""
    record = mapping(value)
    for holder in (record, mapping(record.get("request")), mapping(record.get("body")), mapping(mapping(record.get("request")).get("body"))):
        if isinstance(holder.get("messages"), list):
            return holder
    return None


def is_chat_message(value: Json) -> bool:
    """True for an object with a chat role and something to say."""
    record = mapping(value)
    return isinstance(record.get("role"), str) and any(key in record for key in ("content", "tool_calls", "function_call", "parts"))


class OpenAIChat:
    """See the module."""

    name: ClassVar[str] = "openai-chat"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "requests only"
    detects: ClassVar[str] = "a messages list whose entries have a chat role and content, and no mark of Anthropic Messages"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json":
            return _is_chat(head[0]) if head else False
        good = sum(1 for value in head if _is_chat(value) or is_chat_message(value))
        return bool(head) and good >= MAJORITY * len(head)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def _is_chat(value: Json) -> bool:
    request = request_of(value)
    if request is None:
        return isinstance(value, list) and (not value or any(map(is_chat_message, value[:20]))) and not has_anthropic_marks({"messages": value})
    messages = request["messages"]
    return (not messages or any(map(is_chat_message, messages[:20]))) and not has_anthropic_marks(request)


def _read(document: Document) -> SessionDraft:
    if document.shape == "json":
        return _conversation(document, next(document.records()))
    records = document.records()
    first = next(records, None)
    if first is not None and request_of(first.value) is None:
        return _message_lines(document)
    return _requests(document)


def _messages(document: Document, values: Sequence[Json], record: Record, path: str, draft: SessionDraft, thread: ThreadDraft) -> None:
    for number, value in enumerate(values):
        if isinstance(value, dict):
            thread.add(chat_message(value, document.source(record, f"{path}[{number}]")))
        else:
            document.report(f"{path}[{number}] is not an object and was left out.", record.line, "not_an_object", repr(value))


def _conversation(document: Document, record: Record) -> SessionDraft:
    """One request or one list of messages."""
    request = request_of(record.value)
    values = items(record.value) if request is None else items(request["messages"])
    tools = None if request is None else request.get("tools", request.get("functions"))
    draft = SessionDraft(id="", level="message list only" if request is None else "requests only", used=1)
    thread = ThreadDraft(id="main")
    _messages(document, values, record, "messages", draft, thread)
    draft.tool_sets = (items(tools),) if isinstance(tools, list) else ()
    model = text(mapping(request).get("model"))
    thread.calls = conversation_calls(thread.messages, model=model, tools=0 if draft.tool_sets else None)
    draft.threads = [thread]
    draft.not_recorded = _not_recorded(thread.messages, has_tools=bool(draft.tool_sets))
    return draft


def _not_recorded(messages: Sequence[Message], *, has_tools: bool) -> tuple[str, ...]:
    missing = [] if any(m.role in ("system", "developer") for m in messages) else ["system prompt"]
    return tuple(missing if has_tools else [*missing, "tool definitions"])


def _message_lines(document: Document) -> SessionDraft:
    """One message a line."""
    draft = SessionDraft(id="", level="message list only")
    thread = ThreadDraft(id="main")
    for record in document.records():
        if isinstance(record.value, dict) and isinstance(record.value.get("role"), str):
            thread.add(chat_message(record.value, document.source(record)))
            draft.used += 1
        else:
            draft.skipped["not a message"] += 1
    thread.calls = conversation_calls(thread.messages)
    draft.threads = [thread]
    draft.not_recorded = _not_recorded(thread.messages, has_tools=False)
    return draft


def _requests(document: Document) -> SessionDraft:
    """One request a line, each a recorded call."""
    draft = SessionDraft(id="", level="requests only")
    log = RequestLog(lambda value, call: chat_message(value, call.source))
    answered = 0
    for record in document.records():
        request = request_of(record.value)
        if request is None:
            draft.skipped["not a request"] += 1
            continue
        draft.used += 1
        source = document.source(record)
        messages = [m for m in request["messages"] if isinstance(m, dict)]
        response = response_of(record.value)
        reply = reply_of(response)
        answered += reply is not None
        tools = request.get("tools", request.get("functions"))
        log.add(
            messages,
            reply,
            Call(
                index=0,
                context=(),
                known="recorded",
                tools=log.tools(tools if isinstance(tools, list) else None),
                model=text(response.get("model")) or text(request.get("model")),
                usage=usage(response.get("usage"), cache_in_input=True),
                at=_time(record.value, response),
                id=text(response.get("id")),
                source=source,
            ),
        )
    draft.threads, draft.tool_sets = log.threads(), log.tool_sets
    if answered:
        draft.level = "full requests"
    every = [m for thread in draft.threads for m in thread.messages]
    draft.not_recorded = _not_recorded(every, has_tools=bool(log.tool_sets))
    return draft


def response_of(value: Json) -> Mapping[str, Json]:
    """The response object beside a request; empty without one."""
    record = mapping(value)
    for holder in (mapping(record.get("response")), mapping(mapping(record.get("response")).get("body")), record):
        if isinstance(holder.get("choices"), list):
            return holder
    return {}


def reply_of(response: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The first choice's message, without its null fields; None where there is none."""
    for choice in items(response.get("choices")):
        message = mapping(mapping(choice).get("message"))
        if message:
            return {key: item for key, item in message.items() if item is not None or key == "content"}
    return None


def _time(value: Json, response: Mapping[str, Json]) -> float | None:
    record = mapping(value)
    for candidate in (record.get("ts"), record.get("timestamp"), mapping(record.get("request")).get("timestamp"), response.get("created")):
        stamp = seconds(candidate)
        if stamp is not None:
            return stamp
    return None


__all__ = ["ROLES", "OpenAIChat", "SourceRef"]

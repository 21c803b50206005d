"""pydantic-ai message histories: requests and responses with typed parts, each response one call.

The instructions of the newest request are what is sent as system text; a request may hold several parts, each a message of its own.
Source: format notes, 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ctxcore.model import Call, Json, Level, Message, SourceRef, ToolResult
from ctxcore.readers.build import NO_ID, ThreadDraft, without_made_ids
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.pydantic_form import RETURNS, comparable, form_of, usage_of
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.values import items, mapping, seconds, text


def is_model_message(value: Json) -> bool:
    """True for a request or response all of whose parts name their kind."""
    record = mapping(value)
    parts = items(record.get("parts"))
    return record.get("kind") in ("request", "response") and bool(parts) and all("part_kind" in mapping(part) for part in parts)


class PydanticAI:
    """See the module."""

    name: ClassVar[str] = "pydantic-ai"
    family: ClassVar[str] = "traces"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "messages of kind request or response whose parts have part_kind"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "json" and isinstance(head[0], list):
            head = head[0][:200]
        return majority(head, is_model_message)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_History(document).read() for document in documents]


class _History:
    """One file while it is being read."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._draft = SessionDraft(id="", level="message list only", documents=(document,))
        self._log = RequestLog(self._message, comparable)
        self._sent: list[Json] = []
        """Parts sent and received so far, each one message; they live as long as the log, so their identity is a key."""
        self._front: list[Json] = []
        self._places: dict[int, SourceRef] = {}
        self._last = ""

    def read(self) -> SessionDraft:
        """The session."""
        draft, count = self._draft, 0
        for value, source in self._entries():
            count += 1
            if value.get("kind") not in ("request", "response"):
                draft.skipped["not a message"] += 1
                continue
            draft.used += 1
            draft.id = draft.id or text(value.get("conversation_id")) or text(value.get("run_id"))
            if value["kind"] == "request":
                self._request(value, source)
            else:
                self._response(value, source, count)
        draft.threads = self._log.threads() or [self._unanswered()]
        for thread in draft.threads:
            thread.calls = without_made_ids(thread.calls)
        self._document.record_count = count + self._document.unreadable.total()
        has_system = any(m.role == "system" for thread in draft.threads for m in thread.messages)
        draft.not_recorded = ("tool definitions",) if has_system else ("system prompt", "tool definitions")
        return draft

    def _entries(self) -> Iterator[tuple[Mapping[str, Json], SourceRef]]:
        for record in self._document.records():
            listed = isinstance(record.value, list)
            for number, value in enumerate(record.value if listed else [record.value]):
                yield mapping(value), self._document.source(record, f"[{number}]" if listed else "")

    def _request(self, value: Mapping[str, Json], source: SourceRef) -> None:
        said = text(value.get("instructions"))
        self._front = [{"part_kind": "instructions", "content": said}] if said else []
        self._keep(self._front, source)
        parts = [part for part in items(value.get("parts")) if isinstance(part, dict)]
        self._keep(parts, source)
        self._sent += parts

    def _response(self, value: Mapping[str, Json], source: SourceRef, number: int) -> None:
        """A reply is one call; what the provider's own tools gave back stands in it and becomes a message behind it."""
        parts = items(value.get("parts"))
        results = [part for part in parts if text(mapping(part).get("part_kind")) in RETURNS]
        reply = {**value, "parts": [part for part in parts if text(mapping(part).get("part_kind")) not in RETURNS]} if results else value
        self._keep([reply, *results], source)
        call = Call(
            index=0,
            context=(),
            known="reconstructed",
            model=text(value.get("model_name")),
            usage=usage_of(value),
            at=seconds(value.get("timestamp")),
            id=text(value.get("provider_response_id")) or text(value.get("vendor_id")) or f"{NO_ID}{number}",
            source=source,
        )
        self._log.add([*self._front, *self._sent], reply, call, after=self._last)
        self._last = call.id
        self._sent += [reply, *results]

    def _keep(self, values: Sequence[Json], source: SourceRef) -> None:
        self._places.update({id(value): source for value in values})

    def _message(self, value: Json, call: Call) -> Message:
        source = self._places.get(id(value), call.source)
        message = replace(chat_message(form_of(value), source, raw=value), at=seconds(mapping(value).get("timestamp")))
        outcome = mapping(value).get("outcome")
        if mapping(value).get("part_kind") == "retry-prompt" or outcome in ("failed", "denied"):
            message = replace(message, parts=tuple(replace(p, is_error=True) if isinstance(p, ToolResult) else p for p in message.parts))
        return message

    def _unanswered(self) -> ThreadDraft:
        """Requests without any response: one call without a reply."""
        thread = ThreadDraft(id="main")
        call = Call(index=0, context=(), known="recorded", flags=("no_reply",))
        thread.messages = [self._message(value, call) for value in (*self._front, *self._sent)]
        thread.calls = [replace(call, context=((0, len(thread.messages)),))] if thread.messages else []
        return thread

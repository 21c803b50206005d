"""HTTP pairs, one a line: request and answer of every call that a proxy saw (claude-trace and its relatives).

Source: format notes, 2.5. Lines are in the order of their end; calls that are no model calls stand between. Headers are never read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level
from ctxcore.readers.bodies import Pair, is_model_call
from ctxcore.readers.body_log import BodyLog, in_order
from ctxcore.readers.document import Document, Record
from ctxcore.readers.http_bodies import Decoded, decode_body
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.sse import assembled
from ctxcore.readers.values import items, mapping, seconds, text


class HttpPairs:
    """See the module."""

    name: ClassVar[str] = "http-pairs"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "a request with url and body beside a response, at least one of them a model call by its body"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        values = items(head[0]) if len(head) == 1 and isinstance(head[0], list) else head
        return majority(values[:200], is_pair) and any(is_model_call(pair_of(document, Record(value, 0))) for value in values if is_pair(value))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def is_pair(value: Json) -> bool:
    """True for a request with an address, and what came back."""
    record = mapping(value)
    request = mapping(record.get("request"))
    return isinstance(request.get("url"), str) and "response" in record and ("method" in request or "body" in request)


def _records(document: Document) -> Iterable[Record]:
    for record in document.records():
        if isinstance(record.value, list):
            document.record_count += len(record.value) - 1
            yield from (Record(value, record.line) for value in record.value)
        else:
            yield record


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="full requests", documents=(document,))
    log = BodyLog()
    for record in in_order(_records(document), _start):
        reason = log.add(pair_of(document, record)) if is_pair(record.value) else "no request with its response"
        if reason:
            draft.skipped[reason] += 1
        else:
            draft.used += 1
    return log.finish(draft)


def _start(record: Record) -> float | None:
    value = mapping(record.value)
    return seconds(mapping(value.get("request")).get("timestamp")) or seconds(value.get("timestamp"))


def pair_of(document: Document, record: Record) -> Pair:
    """The call of a line."""
    value = mapping(record.value)
    request, response = mapping(value.get("request")), mapping(value.get("response"))
    answer = _answer(response)
    status = response.get("status_code", response.get("status"))
    return Pair(
        request=decode_body(request.get("body")).value,
        answer=answer.value,
        source=document.source(record),
        at=_start(record),
        url=text(request.get("url")),
        failed=isinstance(status, int) and status >= 400,
        cut=answer.cut,
    )


def _answer(response: Json) -> Decoded:
    """The whole stream where it was recorded, else the body, which some proxies rewrite in another provider's form."""
    record = mapping(response)
    events = [mapping(event).get("data", event) for event in items(record.get("events"))]
    streamed = assembled(events) if events else None
    if streamed is not None and streamed.complete:
        return Decoded(dict(streamed.answer))
    body = decode_body(record.get("body"))
    if body.value is not None:
        return body
    if streamed is not None and streamed.answer:
        return Decoded(dict(streamed.answer), cut=True)
    return decode_body(record.get("body_raw"))

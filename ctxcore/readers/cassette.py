"""Cassettes of HTTP calls that test libraries replay: vcrpy in its dialects, pydantic-ai's parsed bodies, and Ruby's VCR. Headers are dropped.

A body is text, bytes (maybe packed), base64 text, or an object that was parsed before it was saved.
Source: vcrpy and VCR serialisers; format notes, 2.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.bodies import Pair, is_model_call
from ctxcore.readers.body_log import BodyLog
from ctxcore.readers.cassette_yaml import CASSETTE_KEYS
from ctxcore.readers.document import Document
from ctxcore.readers.http_bodies import Decoded, decode_body, from_base64
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text

Interaction = Mapping[str, Json]


class Cassette:
    """See the module."""

    name: ClassVar[str] = "vcr-cassette"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "interactions whose entries have a request and a response, at least one a model call by its body"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape == "json" and is_cassette(head[0]) and any(map(is_model_call, _pairs(document, head[0])))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def is_cassette(value: Json) -> bool:
    """True for an object with interactions of requests and responses."""
    return any(isinstance(item, dict) and "request" in item and "response" in item for item in _interactions(value)[:20])


def _interactions(value: Json) -> Sequence[Json]:
    record = mapping(value)
    return next((items(record[key]) for key in CASSETTE_KEYS if isinstance(record.get(key), list)), ())


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="full requests", documents=(document,))
    log = BodyLog()
    for record in document.records():
        pairs = list(_pairs(document, record.value))
        document.record_count = len(pairs)
        for pair in pairs:
            reason = log.add(pair)
            draft.skipped.update([reason] if reason else ())
            draft.used += not reason
    return log.finish(draft)


def _pairs(document: Document, value: Json) -> Iterator[Pair]:
    """The calls in the order of the file, which is that of the recording."""
    for number, item in enumerate(map(mapping, _interactions(value))):
        yield _pair(item, SourceRef(file=document.name, path=f"interactions[{number}]"))


def _pair(item: Interaction, source: SourceRef) -> Pair:
    request, response = mapping(item.get("request")), mapping(item.get("response"))
    answer = _body(response)
    status = response.get("status")
    code = mapping(status).get("code", status)
    return Pair(
        request=_body(request).value,
        answer=answer.value,
        source=source,
        at=seconds(item.get("recorded_at")) or _date(mapping(response.get("headers"))),
        url=text(request.get("uri")),
        failed=isinstance(code, int) and code >= 400,
        cut=answer.cut,
    )


def _body(holder: Interaction) -> Decoded:
    """``parsed_body``, or ``body`` in whatever way it was kept."""
    if "parsed_body" in holder:
        return decode_body(holder["parsed_body"])
    body = holder.get("body")
    record = mapping(body)
    if isinstance(record.get("base64_string"), str):
        return decode_body(from_base64(record["base64_string"]))
    return decode_body(record.get("string", body))


def _date(headers: Interaction) -> float | None:
    """The time of the answer, the only one that a cassette has."""
    value = next((v for key, v in headers.items() if key.lower() == "date"), None)
    words = text(value[0] if isinstance(value, list) and value else value)
    try:
        return seconds(parsedate_to_datetime(words).timestamp())
    except (ValueError, TypeError, OverflowError):
        return None

"""HAR 1.2: what a browser or a proxy recorded of its HTTP calls. Headers and cookies are never read.

Source: HAR 1.2 specification; format notes, 2.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.bodies import Pair, is_model_call
from ctxcore.readers.body_log import BodyLog, in_order
from ctxcore.readers.document import Document
from ctxcore.readers.http_bodies import Decoded, decode_body, from_base64
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping, seconds, text

Entry = Mapping[str, Json]

LOST_ANSWER = "{} answers have no content in the capture: the browser did not keep it (usual for event streams and large bodies)."
SOCKETS = "{} web socket connections were left out."


class Har:
    """See the module."""

    name: ClassVar[str] = "har"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "log.version and log.entries, at least one entry a model call by its body"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape == "json" and is_har(head[0]) and any(is_model_call(pair) for pair in _pairs(document, head[0]))

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def is_har(value: Json) -> bool:
    """True for an object with ``log.version`` and ``log.entries``."""
    log = mapping(mapping(value).get("log"))
    return isinstance(log.get("entries"), list) and "version" in log


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="full requests", documents=(document,))
    log = BodyLog()
    unanswered = sockets = 0
    for record in document.records():
        document.record_count = len(items(mapping(mapping(record.value).get("log")).get("entries")))
        for pair in in_order(_pairs(document, record.value), lambda pair: pair.at):
            reason = log.add(pair)
            draft.skipped[reason] += bool(reason)
            draft.used += not reason
            unanswered += not reason and pair.answer is None and not pair.failed
        sockets = sum("_webSocketMessages" in mapping(entry) for entry in items(mapping(mapping(record.value).get("log")).get("entries")))
    draft.skipped = +draft.skipped
    draft.notes += [sentence.format(count) for sentence, count in ((LOST_ANSWER, unanswered), (SOCKETS, sockets)) if count]
    return log.finish(draft)


def _pairs(document: Document, value: Json) -> Iterator[Pair]:
    entries = items(mapping(mapping(value).get("log")).get("entries"))
    for number, entry in enumerate(map(mapping, entries)):
        yield _pair(entry, SourceRef(file=document.name, path=f"log.entries[{number}]"))


def _pair(entry: Entry, source: SourceRef) -> Pair:
    request, response = mapping(entry.get("request")), mapping(entry.get("response"))
    posted = mapping(request.get("postData"))
    answer = _content(mapping(response.get("content")))
    status = response.get("status")
    return Pair(
        request=_content(posted).value,
        answer=answer.value,
        source=source,
        at=seconds(entry.get("startedDateTime")),
        url=text(request.get("url")),
        failed=isinstance(status, int) and (status >= 400 or status == 0),
        cut=answer.cut,
    )


def _content(holder: Entry) -> Decoded:
    """``text`` of a body, which may be base64. Source: HAR 1.2, ``content.encoding``."""
    body = holder.get("text")
    if isinstance(body, str) and text(holder.get("encoding") or holder.get("_encoding")).lower() == "base64":
        return decode_body(from_base64(body))
    return decode_body(body if isinstance(body, str) else None)

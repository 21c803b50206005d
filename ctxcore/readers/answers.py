"""Answers without their requests: chat completions, the chunks of a stream one a line, or a captured stream of events of any provider.

Source: format notes 2.1 to 2.4 and 3, step 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.bodies import Pair, answer_provider
from ctxcore.readers.body_log import BodyLog
from ctxcore.readers.document import Document
from ctxcore.readers.http_bodies import decode_body
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.said import make_message, shared_form
from ctxcore.readers.sse import assembled, is_stream
from ctxcore.readers.values import mapping, text

ALONE = "{} answers stand without their requests: what the model received is not in the file."


class Answers:
    """See the module."""

    name: ClassVar[str] = "answers"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "message list only"
    detects: ClassVar[str] = "object chat.completion or chat.completion.chunk with choices and no request; or a stream of events that makes an answer"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "text":
            return is_stream(_start(document)) and bool(answer_provider(mapping(decode_body(_text(document)).value)))
        return majority(_listed(head[0])[:200] if document.shape == "json" else head, is_completion)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``."""
        return [_read(document) for document in documents]


def is_completion(value: Json) -> bool:
    """True for a completion or a chunk of one."""
    record = mapping(value)
    known = record.get("object") in ("chat.completion", "chat.completion.chunk")
    return known and isinstance(record.get("choices"), list) and "messages" not in record and "request" not in record


def _start(document: Document) -> str:
    return document.data[:64].decode("utf-8", "replace")


def _text(document: Document) -> str:
    return document.data.decode("utf-8", "replace")


def _listed(value: Json) -> Sequence[Json]:
    """Values of a list, of a page of stored completions (``data``), or the value alone."""
    if isinstance(value, list):
        return value
    data = mapping(value).get("data")
    return data if isinstance(data, list) and mapping(value).get("object") == "list" else [value]


def _read(document: Document) -> SessionDraft:
    draft = SessionDraft(id="", level="message list only", documents=(document,))
    log = BodyLog(RequestLog(make_message, shared_form, apart=True))
    pairs = list(_streamed(document, draft) if document.shape == "text" else _completions(document, draft))
    for pair in pairs:
        log.add(pair)
    log.finish(draft)
    draft.not_recorded = ("request",)
    draft.notes.append(ALONE.format(len(pairs)))
    return draft


def _streamed(document: Document, draft: SessionDraft) -> Iterator[Pair]:
    """The whole file is one stream."""
    list(document.records())
    document.record_count = draft.used = 1
    answer = decode_body(_text(document))
    yield Pair(request=None, answer=answer.value, source=SourceRef(file=document.name), cut=answer.cut)


def _completions(document: Document, draft: SessionDraft) -> Iterator[Pair]:
    """One answer for each completion, and for each run of chunks with one id."""
    found: list[tuple[Mapping[str, Json], SourceRef]] = []
    for record in document.records():
        values = _listed(record.value)
        document.record_count += len(values) - 1
        for value in values:
            if is_completion(value):
                found.append((value, document.source(record)))
            else:
                draft.skipped["no completion or chunk of one"] += 1
    draft.used = len(found)
    for (kind, _), group in groupby(found, key=lambda entry: (text(entry[0].get("object")), text(entry[0].get("id")))):
        entries = list(group)
        if kind == "chat.completion":
            yield from (Pair(request=None, answer=value, source=source) for value, source in entries)
            continue
        streamed = assembled(value for value, _ in entries)
        yield Pair(request=None, answer=dict(streamed.answer), source=entries[0][1], cut=not streamed.complete)

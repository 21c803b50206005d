"""Lines of recorded requests to more than one interface: one watched client may use several, and a program several clients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxcore.model import Json, SourceRef
from ctxcore.readers import chat_record, responses_marks
from ctxcore.readers.bodies import Pair, answer_provider, is_model_call, provider_of
from ctxcore.readers.body_log import BodyLog
from ctxcore.readers.document import Document, Record
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.said import Body, Provider
from ctxcore.readers.values import mapping

MIXED: tuple[Provider, ...] = ("anthropic", "chat", "responses")
"""Interfaces whose requests may stand in one log."""


def are_mixed(values: Sequence[Json]) -> bool:
    """True for lines that are mostly requests of models, each with its answer, of more than one interface."""
    if not values or not all(isinstance(value, dict) for value in values):
        return False
    pairs = [_pair(value) for value in values]
    found = {provider_of(pair) for pair in pairs if pair.request and pair.answer}.intersection(MIXED)
    return len(found) > 1 and majority(pairs, is_model_call)


def holds_others(document: Document, own: Provider) -> bool:
    """True where a line with a request has the answer of another interface."""
    others = set(MIXED) - {own}
    return any(
        "request" in record.value and answer_provider(_answer(record.value)) in others
        for record in document.records()
        if isinstance(record.value, dict)
    )


def read_mixed(document: Document) -> SessionDraft:
    """Every line by its own interface, as one session."""
    return _read(document, document.records())


def _read(document: Document, records: Iterable[Record]) -> SessionDraft:
    draft = SessionDraft(id="", level="full requests", documents=(document,))
    log = BodyLog()
    for record in records:
        reason = log.add(_pair(record.value, document, record))
        if reason:
            draft.skipped[reason] += 1
        else:
            draft.used += 1
    return log.finish(draft)


def _pair(value: Json, document: Document | None = None, record: Record | None = None) -> Pair:
    """The bodies of a line, wherever its logger put them."""
    line = mapping(value)
    request = chat_record.request_of(value) or responses_marks.request_of(value)
    answer = _answer(line)
    return Pair(
        request=request,
        answer=answer or None,
        source=SourceRef() if document is None or record is None else document.source(record),
        at=chat_record.time_of(value, answer),
    )


def _answer(line: Body) -> Body:
    response = mapping(line.get("response"))
    return mapping(response.get("body")) or response or (line if "choices" in line or "output" in line else {})

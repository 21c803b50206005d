"""Batch files of OpenAI and Anthropic: requests, results, or both, joined by ``custom_id``.

Results come in any order and no request goes on from another, so that each is a thread of its own.
Source: format notes, 2.1; Anthropic message batches reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.bodies import Pair
from ctxcore.readers.body_log import BodyLog
from ctxcore.readers.document import Document
from ctxcore.readers.marks import majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.request_log import RequestLog
from ctxcore.readers.said import make_message, shared_form
from ctxcore.readers.values import items, mapping, text


class Batch:
    """See the module."""

    name: ClassVar[str] = "batch"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "custom_id beside url and body, params, response or result"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return majority(items(head[0])[:200] if document.shape == "json" and isinstance(head[0], list) else head, is_batch_line)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: files uploaded together are one batch."""
        return [_read(documents)]


def is_batch_line(value: Json) -> bool:
    """True for a request or a result of a batch."""
    record = mapping(value)
    if not isinstance(record.get("custom_id"), str):
        return False
    return ("url" in record and "body" in record) or any(isinstance(record.get(key), dict) for key in ("params", "response", "result", "error"))


@dataclass(slots=True)
class _Row:
    """A request and its result, or either alone."""

    source: SourceRef
    request: Json = None
    url: str = ""
    result: Mapping[str, Json] = field(default_factory=dict)
    records: int = 0

    def add(self, record: Mapping[str, Json]) -> None:
        """One line of either file."""
        self.records += 1
        asked = record.get("body") if "body" in record else record.get("params")
        if isinstance(asked, dict):
            self.request, self.url = asked, text(record.get("url"))
        else:
            self.result = record

    def pair(self, name: str) -> Pair:
        """The call; its own name is the ``custom_id``."""
        response, result = mapping(self.result.get("response")), mapping(self.result.get("result"))
        status = response.get("status_code")
        failed = (
            bool(self.result.get("error")) or (isinstance(status, int) and status >= 400) or result.get("type") in ("errored", "expired", "canceled")
        )
        answer = response.get("body") if response else result.get("message")
        return Pair(request=self.request, answer=answer, source=self.source, url=self.url, failed=failed, id=name)


def _read(documents: Sequence[Document]) -> SessionDraft:
    draft = SessionDraft(id="", level="full requests", documents=documents)
    rows: dict[str, _Row] = {}
    for document in documents:
        for record in document.records():
            values = record.value if isinstance(record.value, list) else [record.value]
            document.record_count += len(values) - 1
            for value in values:
                if is_batch_line(value):
                    rows.setdefault(value["custom_id"], _Row(document.source(record, value["custom_id"]))).add(value)
                else:
                    draft.skipped["not a line of a batch"] += 1
    log = BodyLog(RequestLog(make_message, shared_form, apart=True))
    for name, row in rows.items():
        reason = log.add(row.pair(name))
        draft.skipped.update({reason: row.records} if reason else {})
        draft.used += 0 if reason else row.records
    log.finish(draft)
    for thread in draft.threads:
        thread.title = thread.calls[0].source.path if thread.calls else ""
    _explain(draft, rows)
    return draft


def _explain(draft: SessionDraft, rows: Mapping[str, _Row]) -> None:
    """What is missing where only one of the two files was uploaded."""
    answers = sum(row.request is None for row in rows.values())
    waiting = sum(not row.result for row in rows.values())
    if answers:
        draft.notes.append(f"{answers} results stand without their request; upload the batch's input file with them to see what was sent.")
        draft.not_recorded = ("request",) if answers == len(rows) else (*draft.not_recorded, "some requests")
    if waiting and waiting < len(rows):
        draft.notes.append(f"{waiting} requests have no result in these files.")

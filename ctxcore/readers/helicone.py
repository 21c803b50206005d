"""Helicone: exported rows of its request log, as JSON, JSON lines or CSV.

Source: format notes, 2.11; Helicone ``examples/export/typescript/index.ts``: rows come newest first, bodies only where they were asked for, a CSV has
no answers, and its JSON has its quotes doubled twice.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ctxcore.model import Json, Level, SourceRef
from ctxcore.readers.archive import cap_bytes
from ctxcore.readers.bodies import Pair
from ctxcore.readers.body_log import BodyLog
from ctxcore.readers.document import Document
from ctxcore.readers.http_bodies import decode_body
from ctxcore.readers.marks import entries, majority
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import mapping, natural, rows_of, seconds, text, usage

MARKS = ({"request_created_at", "response_created_at", "response_status"}, {"request_created_at", "request_body", "response_body"})
"""Keys of a row: with or without bodies."""

CSV_MARKS = {"response_id", "request_created_at", "request_body", "request_properties"}
"""Columns of its CSV."""

SESSION = ("Helicone-Session-Id", "helicone-session-id")
"""Property that names the session of a request."""

NO_BODIES = "{} of {} rows have no request: export them again with --include-body to see what was sent."

Row = Mapping[str, Json]


class Helicone:
    """See the module."""

    name: ClassVar[str] = "helicone"
    family: ClassVar[str] = "request logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "rows with request_created_at beside response_created_at and response_status, or beside both bodies; or a CSV of such"

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        if document.shape == "text":
            return set(_columns(document)) >= CSV_MARKS
        if document.shape == "json":
            return majority(entries(rows_of(head[0])), _is_row)
        return majority(head, _is_row)

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``: one session for each session that the rows name, and one for the rows without any."""
        return [draft for document in documents for draft in _read(document)]


def _is_row(value: Json) -> bool:
    record = mapping(value)
    return any(marks <= record.keys() for marks in MARKS)


def _columns(document: Document) -> list[str]:
    first = document.data[: document.data.find(b"\n") + 1][:2000]
    return [column.strip().strip('"') for column in first.decode(errors="replace").split(",")]


def _read(document: Document) -> list[SessionDraft]:
    rows = list(_csv_rows(document) if document.shape == "text" else _rows(document))
    drafts: dict[str, tuple[SessionDraft, BodyLog]] = {}
    lost: dict[str, int] = {}
    for row, source in sorted(rows, key=lambda entry: _start(entry[0]) or 0.0):
        name = _session_of(row)
        draft, log = drafts.setdefault(name, (SessionDraft(id=name, level="full requests", documents=(document,)), BodyLog()))
        pair = _pair(row, source)
        lost[name] = lost.get(name, 0) + (pair.request is None)
        reason = _use(row, pair, log)
        draft.skipped.update([reason] if reason else ())
        draft.used += not reason
    for name, (draft, log) in drafts.items():
        log.finish(draft)
        if lost[name]:
            draft.notes.append(NO_BODIES.format(lost[name], draft.used + draft.skipped.total()))
            draft.not_recorded = tuple(dict.fromkeys((*draft.not_recorded, "messages")))
    return [draft for draft, _ in drafts.values()]


def _rows(document: Document) -> Iterator[tuple[Row, SourceRef]]:
    for record in document.records():
        listed = rows_of(record.value)
        values = listed if isinstance(listed, list) else [listed]
        document.record_count += len(values) - 1
        for number, value in enumerate(values):
            yield mapping(value), document.source(record, f"[{number}]" if isinstance(listed, list) else "")


def _csv_rows(document: Document) -> Iterator[tuple[Row, SourceRef]]:
    """Rows of a CSV; what stands in a broken one behind the fault is lost."""
    list(document.records())
    csv.field_size_limit(max(csv.field_size_limit(), cap_bytes()))
    reader = csv.DictReader(io.StringIO(document.data.decode(errors="replace"), newline=""))
    try:
        line = 2
        for values in reader:
            row = {str(column): _unquoted(value) for column, value in values.items() if isinstance(value, str)}
            document.record_count += 1
            yield row, SourceRef(file=document.name, line=line)
            line = reader.line_num + 1
    except csv.Error as error:
        document.report(f"The CSV is broken ({error}); the rows before that were read.", reader.line_num, "broken_file")


def _unquoted(value: str) -> Json:
    """A cell: JSON whose quotes are still doubled, a number, or text."""
    for words in (value, value.replace('""', '"')) if value[:1] in ("{", "[") else ():
        try:
            return json.loads(words)
        except (ValueError, RecursionError):
            continue
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value


def _session_of(row: Row) -> str:
    properties = mapping(decode_body(row.get("request_properties")).value) or mapping(row.get("properties"))
    return next((text(properties.get(key)) for key in SESSION if properties.get(key)), "")


def _start(row: Row) -> float | None:
    return seconds(row.get("request_created_at"))


def _use(row: Row, pair: Pair, log: BodyLog) -> str:
    """One row; why it was not used, or an empty string."""
    if not _is_row(row) and "request_created_at" not in row:
        return "no row of Helicone"
    if pair.request is None and pair.answer is None:
        log.add_bare(pair)
        return ""
    return log.add(pair)


def _pair(row: Row, source: SourceRef) -> Pair:
    answer = decode_body(row.get("response_body"))
    status = natural(row.get("response_status"))
    return Pair(
        request=mapping(decode_body(row.get("request_body")).value) or None,
        answer=mapping(answer.value) or None,
        source=source,
        at=_start(row),
        failed=status is not None and status >= 400,
        cut=answer.cut,
        id=text(row.get("response_id")) or text(row.get("request_id")),
        usage=usage(row, cache_in_input=True),
        model=text(row.get("model")) or text(row.get("request_model")),
    )

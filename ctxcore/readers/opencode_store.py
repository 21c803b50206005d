"""opencode's own storage: a folder with one JSON file for each session, message and part, or (newer) a database with a row for each.

Source: format notes 2.6 (folders session, message, part; SQLite) and 3 (tables session, message, part); their columns from agentsview
``internal/parser/opencode.go``, which the notes name. A row's ``data`` is the object of the file without the ids. Ids and times grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ctxcore.model import Json, SourceRef
from ctxcore.readers.document import Document
from ctxcore.readers.opencode_log import Entry, OpencodeLog
from ctxcore.readers.sqlite_file import is_sqlite, json_of, rows_of, tables
from ctxcore.readers.values import mapping, seconds, text

MARKS = {"session": {"id", "parent_id"}, "message": {"id", "session_id", "data"}, "part": {"id", "message_id", "session_id", "data"}}
"""Tables and columns that are read."""

SESSION = ("id", "parent_id", "title", "time_created")
MESSAGE = ("id", "session_id", "data", "time_created")
PART = ("id", "message_id", "session_id", "data")

Kind = Literal["session", "message", "part", ""]


def is_stored(document: Document) -> bool:
    """True for a file of the folder, or the database."""
    if document.shape == "json":
        return bool(_kind(document.value))
    if document.shape != "text" or not is_sqlite(document.data):
        return False
    known = tables(document.data)
    return all(columns <= set(known.get(table, ())) for table, columns in MARKS.items())


def _kind(value: Json) -> Kind:
    """What a file of the folder holds, by ids that begin as its own."""
    record = mapping(value)
    own = text(record.get("id"))
    in_session = text(record.get("sessionID")).startswith("ses_")
    if own.startswith("prt_") and text(record.get("messageID")).startswith("msg_") and "type" in record:
        return "part"
    if own.startswith("msg_") and in_session and "role" in record:
        return "message"
    return "session" if own.startswith("ses_") and "time" in record and ("projectID" in record or "version" in record) else ""


def stored(documents: Sequence[Document]) -> Iterator[tuple[OpencodeLog, Sequence[Document]]]:
    """One log for each session of these files, with its files."""
    folder = _Store()
    for document in documents:
        if is_sqlite(document.data):
            store = _Store()
            _take_rows(store, document)
            yield from store.logs()
        elif is_stored(document):
            for record in document.records():
                folder.take(_kind(record.value), mapping(record.value), document.source(record), document)
    yield from folder.logs()


def _take_rows(store: _Store, document: Document) -> None:
    list(document.records())
    counts = 0
    for row in rows_of(document, "session", SESSION, order=("time_created", "id")):
        info = {"id": row["id"], "parentID": row["parent_id"], "title": row["title"], "time": {"created": row["time_created"]}}
        store.take("session", info, SourceRef(file=document.name, path=f"session {row['id']}"), document)
        counts += 1
    for row in rows_of(document, "message", MESSAGE, order=("time_created", "id")):
        told = {"time": {"created": row["time_created"]}, **mapping(json_of(row["data"])), "id": row["id"], "sessionID": row["session_id"]}
        store.take("message", told, SourceRef(file=document.name, path=f"message {row['id']}"), document)
        counts += 1
    for row in rows_of(document, "part", PART, order=("id",)):
        part = {**mapping(json_of(row["data"])), "id": row["id"], "sessionID": row["session_id"], "messageID": row["message_id"]}
        store.take("part", part, SourceRef(file=document.name, path=f"part {row['id']}"), document)
        counts += 1
    document.record_count = counts


@dataclass(slots=True)
class _Held:
    """What is known of one session."""

    info: Mapping[str, Json] = field(default_factory=dict)
    messages: list[tuple[Mapping[str, Json], SourceRef]] = field(default_factory=list)
    parts: list[Mapping[str, Json]] = field(default_factory=list)
    documents: dict[int, Document] = field(default_factory=dict)
    """By identity."""
    records: int = 0


class _Store:
    """Sessions by id."""

    def __init__(self) -> None:
        self.held: dict[str, _Held] = {}

    def take(self, kind: Kind, value: Mapping[str, Any], source: SourceRef, document: Document) -> None:
        """A session, a message or a part."""
        held = self.held.setdefault(text(value.get("id" if kind == "session" else "sessionID")), _Held())
        held.documents[id(document)] = document
        held.records += 1
        if kind == "session":
            held.info = value
        elif kind == "message":
            held.messages.append((value, source))
        else:
            held.parts.append(value)

    def logs(self) -> Iterator[tuple[OpencodeLog, Sequence[Document]]]:
        """Each session as a log, in the order of their beginnings."""
        for name, held in sorted(self.held.items(), key=lambda entry: (_created(entry[1].info), entry[0])):
            yield _log(name, held), list(held.documents.values())


def _log(name: str, held: _Held) -> OpencodeLog:
    log = OpencodeLog(used=held.records)
    session = log.session(name)
    session.info = held.info or {"id": name}
    for told, source in sorted(held.messages, key=lambda entry: (_created(entry[0]), text(entry[0].get("id")))):
        session.entries[text(told.get("id"))] = Entry(told, source)
    for part in sorted(held.parts, key=lambda part: text(part.get("id"))):
        entry = session.entries.get(text(part.get("messageID")))
        if entry is None:
            log.used -= 1
            log.skipped["part of a message that is not there"] += 1
        else:
            entry.parts[text(part.get("id"))] = part
    return log


def _created(value: Mapping[str, Json]) -> float:
    return seconds(mapping(value.get("time")).get("created")) or 0.0

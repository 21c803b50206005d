"""From a file to sessions: unpack, detect, read, count."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ctxcore.errors import FormatNotRecognized, UnreadableFile
from ctxcore.model import Ledger, Problem, Session, Usage
from ctxcore.readers import READERS
from ctxcore.readers.document import Document, make_document
from ctxcore.readers.protocol import Reader, SessionDraft


def read_sessions(path_or_bytes: str | Path | bytes, name: str | None = None) -> tuple[Session, ...]:
    """Every session of a file.

    Args:
        path_or_bytes: A path, or the bytes of an upload.
        name: The file's name, where bytes are given.

    Raises:
        ReadError: The file gives no session; the sentence says what is wrong, where and what to do.
    """
    if isinstance(path_or_bytes, (str, Path)):
        path = Path(path_or_bytes)
        if path.is_dir():
            raise UnreadableFile(str(path), "this is a directory", advice="Name a file in it, or zip it")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UnreadableFile(str(path), f"cannot be opened ({error.strerror})", advice="Check the path") from error
        name = name or path.name
    else:
        data, name = path_or_bytes, name or "upload"
    digest = hashlib.sha256(data).hexdigest()
    document = make_document(name, data)
    del data
    reader = _reader(document)
    drafts = reader.read([document])
    return tuple(_session(draft, number, reader, document, digest) for number, draft in enumerate(drafts))


def read_session(path_or_bytes: str | Path | bytes, name: str | None = None) -> Session:
    """The session of a file; the first one, with a note, where it holds several.

    Args:
        path_or_bytes: A path, or the bytes of an upload.
        name: The file's name, where bytes are given.

    Raises:
        ReadError: The file gives no session; the sentence says what is wrong, where and what to do.
    """
    return read_sessions(path_or_bytes, name)[0]


def _reader(document: Document) -> Reader:
    head = document.head() if document.shape != "text" else []
    for reader in READERS:
        if reader.matches(document, head):
            return reader
    seen = _seen(document, head)
    raise FormatNotRecognized(document.name, seen=seen, looked_for=[f"{r.name} ({r.detects})" for r in READERS])


def _seen(document: Document, head: Sequence[object]) -> str:
    if not head:
        return "no JSON value"
    first = head[0]
    kind = "one JSON value" if document.shape == "json" else "JSON lines"
    if isinstance(first, dict):
        return f"{kind} with the keys {', '.join(map(repr, list(first)[:8])) or 'none'}"
    return f"{kind}, a {type(first).__name__}"


def _session(draft: SessionDraft, number: int, reader: Reader, document: Document, digest: str) -> Session:
    threads = tuple(thread.build(draft.tool_sets) for thread in draft.threads)
    problems: tuple[Problem, ...] = (*document.problems, *draft.problems)
    unreadable = Counter(p.kind for p in document.problems if p.kind in ("unreadable_line", "incomplete_line", "too_deep"))
    skipped = draft.skipped + Counter({f"not readable ({kind})": count for kind, count in unreadable.items()})
    return Session(
        id=draft.id or digest[:12],
        name=document.name,
        format=reader.name,
        level=draft.level,
        threads=threads,
        not_recorded=draft.not_recorded,
        problems=problems,
        ledger=Ledger(records=document.record_count, read=draft.used, skipped=tuple(sorted(skipped.items()))),
        notes=tuple(draft.notes),
        digest=f"{digest[:24]}-{number}",
        seen_calls=draft.seen_calls or {call.id: call.usage or Usage() for thread in threads for call in thread.calls if call.id},
    )

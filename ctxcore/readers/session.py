"""From a reader's drafts to finished sessions: threads built, records accounted for, findings said."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from ctxcore.model import Ledger, Problem, Session, Thread, Usage
from ctxcore.readers.document import Document
from ctxcore.readers.findings import findings
from ctxcore.readers.protocol import Reader, SessionDraft


def finish(reader: Reader, drafts: Sequence[SessionDraft], documents: Sequence[Document], skipped: Sequence[tuple[str, str]]) -> list[Session]:
    """Sessions of one reader.

    Args:
        reader: Who read them.
        drafts: What it found.
        documents: All files it got.
        skipped: Files of the upload that no reader got: name and why.
    """
    return [_session(reader, number, drafts, draft.documents or documents, skipped) for number, draft in enumerate(drafts)]


def _session(
    reader: Reader, number: int, drafts: Sequence[SessionDraft], documents: Sequence[Document], skipped: Sequence[tuple[str, str]]
) -> Session:
    draft = drafts[number]
    threads = tuple(thread.build(draft.tool_sets) for thread in draft.threads)
    digest = hashlib.sha256("".join(document.digest for document in documents).encode()).hexdigest()
    read_here = [other for other in drafts if not other.documents or any(d is e for d in other.documents for e in documents)]
    place = next(n for n, other in enumerate(read_here) if other is draft)
    reported = tuple(problem for document in documents for problem in document.reported())
    return Session(
        id=draft.id or digest[:12],
        name=documents[0].name,
        format=reader.name,
        level=draft.level,
        threads=threads,
        not_recorded=draft.not_recorded,
        problems=(*_skipped_problems(skipped), *reported, *draft.problems, *findings(threads)),
        ledger=_ledger(draft, documents, skipped, shared=len(read_here) > 1),
        notes=tuple(draft.notes),
        digest=f"{digest[:24]}-{place}",
        seen_calls=draft.seen_calls or seen_calls(threads),
    )


def _ledger(draft: SessionDraft, documents: Sequence[Document], skipped: Sequence[tuple[str, str]], *, shared: bool) -> Ledger:
    """Every record of the session's files, and every skipped file of its upload as one record."""
    why = Counter(draft.skipped)
    for document in documents:
        why.update({f"not readable ({kind})": count for kind, count in document.unreadable.items()})
    why.update(f"file {name}: {reason}" for name, reason in skipped)
    records = sum(document.record_count for document in documents) + len(skipped)
    rest = records - draft.used - why.total()
    if shared and rest > 0:
        why["belongs to another session of the upload"] += rest
    return Ledger(records=records, read=draft.used, skipped=tuple(sorted(why.items())))


def _skipped_problems(skipped: Sequence[tuple[str, str]]) -> list[Problem]:
    return [Problem(what=f"{name} was skipped: {why.rstrip('.')}.", kind="skipped_file") for name, why in skipped]


def seen_calls(threads: Sequence[Thread]) -> dict[str, Usage]:
    """Usage of every call that has an id of its own; empty usage where none is recorded."""
    return {call.id: call.usage or Usage() for thread in threads for call in thread.calls if call.id}

"""From a reader's drafts to finished sessions: threads built, records accounted for, findings said."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ctxcore.model import Ledger, Problem, Session, Thread, Usage
from ctxcore.readers.conversation import infer_compactions
from ctxcore.readers.document import Document
from ctxcore.readers.findings import findings
from ctxcore.readers.protocol import Reader, SessionDraft

FELL = 0.8
"""A rebuilt context is doubtful where the recorded input falls below this part of the one before although the log only grew."""


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
    for thread in draft.threads:
        if any(call.known == "reconstructed" for call in thread.calls):
            infer_compactions(thread, FELL)
    threads = tuple(thread.build(draft.tool_sets) for thread in draft.threads)
    digest = hashlib.sha256("".join(document.digest for document in documents).encode()).hexdigest()
    read_here = [other for other in drafts if not other.documents or any(d is e for d in other.documents for e in documents)]
    place = next(n for n, other in enumerate(read_here) if other is draft)
    reported = tuple(problem for document in documents for problem in document.reported())
    return Session(
        id=draft.id or digest[:12],
        name=_name(threads, documents),
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


def _name(threads: Sequence[Thread], documents: Sequence[Document]) -> str:
    """The file that the session's first message stands in: of several files, the one a person would call by its name."""
    first = next((message.source.file for thread in threads for message in thread.messages if message.source.file), "")
    return first if any(document.name == first for document in documents) else documents[0].name


def with_repeats_named(sessions: Sequence[Session]) -> tuple[Session, ...]:
    """The sessions, each with a note where an earlier one of them holds some of its calls: a resumed or forked log repeats its past.

    Args:
        sessions: Read together, upload order.
    """
    named: list[Session] = []
    for session in sessions:
        earlier = ((other, len(session.seen_calls.keys() & other.seen_calls.keys())) for other in named)
        other, count = max(earlier, key=lambda found: found[1], default=(session, 0))
        if count:
            note = f"Continues {other.name} ({other.id}): {count:,} of its {len(session.seen_calls):,} calls are recorded there too and count once."
            session = replace(session, notes=(*session.notes, note))  # noqa: PLW2901 - the noted one is kept
        named.append(session)
    return tuple(named)


def distinct_usage(sessions: Iterable[Session]) -> Usage:
    """Recorded tokens of several sessions together, a call that more than one of them holds counted once; None stays unknown.

    Args:
        sessions: In any order.
    """
    calls = {call: usage for session in sessions for call, usage in session.seen_calls.items()}.values()
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    known = {name: [value for usage in calls if (value := getattr(usage, name)) is not None] for name in names}
    return Usage(**{name: sum(values) if values else None for name, values in known.items()})


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

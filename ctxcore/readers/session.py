"""From a reader's drafts to finished sessions: threads built, records accounted for, findings said."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ctxcore.model import Ledger, Problem, Session, Thread
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.conversation import infer_compactions
from ctxcore.readers.copies import TASK_IDS, without_earlier_copies
from ctxcore.readers.document import Document
from ctxcore.readers.findings import findings
from ctxcore.readers.protocol import Reader, SessionDraft
from ctxcore.readers.repeats import SeenCalls
from ctxcore.readers.stopping import reached

FELL = 0.8
"""A rebuilt context is doubtful where the recorded input falls below this part of the one before although the log only grew."""

NOTHING = "No message and no call is recorded in it: there is nothing to count or to trim."
"""Note of an empty session."""

WITHOUT_MESSAGE = "no message and no call is recorded in it"
"""Why a file beside others gives no session."""


def finish(reader: Reader, drafts: Sequence[SessionDraft], documents: Sequence[Document], skipped: Sequence[tuple[str, str]]) -> list[Session]:
    """Sessions of one reader.

    Args:
        reader: Who read them.
        drafts: What it found.
        documents: All files it got.
        skipped: Files of the upload that no reader got: name and why.
    """
    drafts, without = _with_something(drafts)
    if reader.name not in TASK_IDS:
        drafts = without_earlier_copies(drafts)
    upload = _Upload.of(drafts, documents, [*skipped, *without])
    return [_session(reader, number, draft, upload) for number, draft in enumerate(drafts)]


def _with_something(drafts: Sequence[SessionDraft]) -> tuple[list[SessionDraft], list[tuple[str, str]]]:
    """The drafts of which a record was used, and the files that have none beside them: name and why.

    A draft of the same files as a used one leaves that one its findings; where no draft is used, all are kept.
    """
    kept = [draft for draft in drafts if draft.used or any(thread.messages or thread.calls for thread in draft.threads)]
    if not kept:
        return list(drafts), []
    homes = {tuple(map(id, draft.documents)): draft for draft in reversed(kept)}
    known = set(map(id, kept))
    homeless = [draft for draft in drafts if id(draft) not in known and not _moved_in(draft, homes.get(tuple(map(id, draft.documents))))]
    read = {id(document) for draft in kept for document in draft.documents}
    without = {document.name: (document.name, WITHOUT_MESSAGE) for draft in homeless for document in draft.documents if id(document) not in read}
    return kept, list(without.values())


def _moved_in(draft: SessionDraft, home: SessionDraft | None) -> bool:
    if home is None:
        return False
    home.skipped.update(draft.skipped)
    home.problems += draft.problems
    return True


@dataclass(frozen=True, slots=True)
class _Files:
    """What a session says of its files."""

    first: str
    """Name of the first."""
    names: frozenset[str]
    digests: frozenset[str]
    digest: str
    """Of all their bytes."""
    reported: tuple[Problem, ...]
    records: int
    unreadable: Mapping[str, int]
    """Words of the ledger → records."""

    @classmethod
    def of(cls, documents: Sequence[Document]) -> _Files:
        digests = [document.digest for document in documents]
        unreadable: Counter[str] = Counter()
        for document in documents:
            unreadable.update({f"not readable ({kind})": count for kind, count in document.unreadable.items()})
        return cls(
            first=documents[0].name,
            names=frozenset(document.name for document in documents),
            digests=frozenset(digests),
            digest=hashlib.sha256("".join(digests).encode()).hexdigest(),
            reported=tuple(problem for document in documents for problem in document.reported()),
            records=sum(document.record_count for document in documents),
            unreadable=unreadable,
        )


@dataclass(frozen=True)
class _Upload:
    """What all sessions of a reader share, made once for all of them."""

    documents: Sequence[Document]
    skipped_problems: tuple[Problem, ...]
    skipped_why: tuple[str, ...]
    """Words of the ledger, one for each skipped file."""
    of_document: Mapping[int, Sequence[int]]
    """Per document: numbers of the drafts that name it."""
    of_all: Sequence[int]
    """Numbers of the drafts that name none and so are of all."""

    @cached_property
    def whole(self) -> _Files:
        """All files, looked at once however many sessions are of all."""
        return _Files.of(self.documents)

    def files(self, draft: SessionDraft) -> _Files:
        """Those that a draft is of."""
        return _Files.of(draft.documents) if draft.documents else self.whole

    @classmethod
    def of(cls, drafts: Sequence[SessionDraft], documents: Sequence[Document], skipped: Sequence[tuple[str, str]]) -> _Upload:
        of_document: dict[int, list[int]] = {}
        for number, draft in enumerate(drafts):
            for document in {id(document) for document in draft.documents}:
                of_document.setdefault(document, []).append(number)
        return cls(
            documents=documents,
            skipped_problems=tuple(_skipped_problems(skipped)),
            skipped_why=tuple(f"file {name}: {reason}" for name, reason in skipped),
            of_document=of_document,
            of_all=[number for number, draft in enumerate(drafts) if not draft.documents],
        )

    def place(self, number: int, draft: SessionDraft) -> tuple[int, bool]:
        """Which one of the sessions of its files a draft is, and whether there are others."""
        if not draft.documents:
            return number, len(self.of_all) + len({n for numbers in self.of_document.values() for n in numbers}) > 1
        lists = [self.of_document[id(document)] for document in draft.documents]
        named = lists[0] if len(lists) == 1 else sorted({n for numbers in lists for n in numbers})
        return bisect_left(named, number) + bisect_left(self.of_all, number), len(named) + len(self.of_all) > 1


def _session(reader: Reader, number: int, draft: SessionDraft, upload: _Upload) -> Session:
    reached(1.0)
    files = upload.files(draft)
    _name_apart(draft.threads)
    for thread in draft.threads:
        if any(call.known == "reconstructed" for call in thread.calls):
            infer_compactions(thread, FELL)
    threads = tuple(thread.build(draft.tool_sets) for thread in draft.threads)
    place, shared = upload.place(number, draft)
    session = Session(
        id=draft.id or files.digest[:12],
        name=_name(threads, files),
        format=reader.name,
        level=draft.level,
        threads=threads,
        not_recorded=draft.not_recorded,
        problems=(*upload.skipped_problems, *files.reported, *draft.problems, *findings(threads)),
        ledger=_ledger(draft, files, upload.skipped_why, shared=shared),
        notes=tuple(draft.notes),
        digest=f"{hashlib.sha256(f'{reader.name} {files.digest}'.encode()).hexdigest()[:24]}-{place}",
        seen_calls=SeenCalls(threads, _log_id(reader, draft, files)),
    )
    return replace(session, notes=(*session.notes, NOTHING)) if is_empty(session) else session


def _log_id(reader: Reader, draft: SessionDraft, files: _Files) -> str:
    """What tells the log apart from others that begin alike: its own id, or its bytes where that names a task; empty where it has none."""
    if reader.name in TASK_IDS:
        return f"{files.digest} {draft.id}"
    return "" if draft.id in files.digests else draft.id


def is_empty(session: Session) -> bool:
    """True for a log in which no message and no call is recorded."""
    return not any(thread.messages or thread.calls for thread in session.threads)


def _name_apart(threads: Sequence[ThreadDraft]) -> None:
    """Give a thread whose id an earlier one has (two agents of one name) a number behind it: what names a thread names one."""
    taken: set[str] = set()
    for thread in threads:
        number, name = 2, thread.id
        while thread.id in taken:
            thread.id, number = f"{name}-{number}", number + 1
        taken.add(thread.id)


def _name(threads: Sequence[Thread], files: _Files) -> str:
    """The file that the session's first message stands in: of several files, the one a person would call by its name."""
    first = next((message.source.file for thread in threads for message in thread.messages if message.source.file), "")
    return first if first in files.names else files.first


def _ledger(draft: SessionDraft, files: _Files, skipped: Sequence[str], *, shared: bool) -> Ledger:
    """Every record of the session's files, and every skipped file of its upload as one record."""
    why = Counter(draft.skipped)
    why.update(files.unreadable)
    why.update(skipped)
    records = files.records + len(skipped)
    rest = records - draft.used - why.total()
    if shared and rest > 0:
        why["belongs to another session of the upload"] += rest
    return Ledger(records=records, read=draft.used, skipped=tuple(sorted(why.items())))


def _skipped_problems(skipped: Sequence[tuple[str, str]]) -> list[Problem]:
    return [Problem(what=f"{name} was skipped: {why.rstrip('.')}.", kind="skipped_file") for name, why in skipped]

"""From any upload to sessions: unpack, find the reader, read, finish."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ctxcore.errors import NotThisFormat, ReadError, UnreadableFile
from ctxcore.model import Session
from ctxcore.readers.archive import Member, Unpacked, load, unpack
from ctxcore.readers.document import Document
from ctxcore.readers.folder import is_folder, unpack_folder
from ctxcore.readers.jsontext import MAX_DEPTH
from ctxcore.readers.noted import noting
from ctxcore.readers.oddities import tell
from ctxcore.readers.plugins import has_marks, reading
from ctxcore.readers.protocol import Reader, SessionDraft
from ctxcore.readers.repeats import with_repeats_named
from ctxcore.readers.session import finish, is_empty
from ctxcore.readers.shape import make_document
from ctxcore.readers.stopping import reached
from ctxcore.readers.verdict import find_reader, named_reader, owners_of, seen, why_left_out

Upload = tuple[str, str | Path | bytes]
"""A name, and a path (of a file or a folder) or the bytes."""

LISTED_SESSIONS = 8
"""Ids that a note names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What came of several uploads."""

    sessions: tuple[Session, ...]
    """Of all files, upload order."""
    failures: tuple[ReadError, ...]
    """One for each upload that gave no session."""


@dataclass(slots=True)
class _Opened:
    """A file that a reader knows."""

    document: Document
    reader: Reader
    skipped: list[tuple[str, str]]
    """Of its upload."""
    archive: str = ""
    """Digest of the archive, where that is one recording as a whole."""
    forced: bool = False
    """The reader was asked for, although no file of the upload has its marks."""


@dataclass(slots=True)
class _AllOpened:
    """Files of several uploads."""

    files: list[_Opened] = field(default_factory=list)
    by_digest: dict[str, _Opened] = field(default_factory=dict)
    """The first file with these bytes."""
    archives: set[str] = field(default_factory=set)

    def add(self, files: Sequence[_Opened]) -> None:
        """Add an upload's files; the same bytes again are listed as skipped, but never a part of another recording."""
        for file in files:
            same = self.by_digest.setdefault(file.document.digest, file)
            if same is file or (file.archive and file.archive not in self.archives):
                self.files.append(file)
            else:
                same.skipped.append((file.document.name, f"the same bytes as {same.document.name}"))
        self.archives.update(file.archive for file in files if file.archive)


def read_session(path_or_bytes: str | Path | bytes, name: str | None = None, *, format: str = "") -> Session:
    """The session of a file or folder; the first one, with a note that names the others, where it holds several.

    Args:
        path_or_bytes: A path, or the bytes of an upload.
        name: The file's name, where bytes are given.
        format: Name of the format to read it as, whatever its marks are; empty finds it.

    Raises:
        ReadError: The file gives no session; the sentence says what is wrong, where and what to do.
        InputError: No such format.
    """
    first, *others = read_sessions(path_or_bytes, name, format=format)
    if not others:
        return first
    listed = ", ".join(session.id for session in others[:LISTED_SESSIONS]) + (" …" if len(others) > LISTED_SESSIONS else "")
    return replace(first, notes=(*first.notes, f"The file holds {len(others):,} more session{'s' if len(others) > 1 else ''}: {listed}."))


def read_sessions(path_or_bytes: str | Path | bytes, name: str | None = None, *, format: str = "") -> tuple[Session, ...]:
    """Every session of a file, an archive or a folder; at least one.

    Args:
        path_or_bytes: A path, or the bytes of an upload.
        name: The file's name, where bytes are given.
        format: Name of the format to read it as, whatever its marks are; empty finds it.

    Raises:
        ReadError: The file gives no session; the sentence says what is wrong, where and what to do.
        InputError: No such format.
    """
    name = name or (Path(path_or_bytes).name if isinstance(path_or_bytes, (str, Path)) else "upload")
    reading = read_uploads([(name, path_or_bytes)], format=format)
    if reading.failures:
        raise reading.failures[0]
    return reading.sessions


def read_uploads(uploads: Iterable[Upload], *, format: str = "") -> Reading:
    """Several files read together: a session may lie in more than one (a main log and those of its sub-agents).

    Args:
        uploads: Name, and path or bytes of each.
        format: Name of the format to read them as, whatever their marks are; empty finds it.

    Raises:
        InputError: No such format.
    """
    named = named_reader(format) if format else None
    opened = _AllOpened()
    failures: list[ReadError] = []
    sessions: list[Session] = []
    with _collector_paused():
        for name, source in uploads:
            reached(0.0)
            try:
                opened.add(_open(name, source, named))
            except ReadError as error:
                failures.append(error)
        for reader in dict.fromkeys(file.reader for file in opened.files):
            reached(0.0)
            try:
                sessions += _read(reader, [file for file in opened.files if file.reader is reader])
            except ReadError as error:
                failures.append(error)
    return Reading(sessions=with_repeats_named(sessions), failures=tuple(failures))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Parsed JSON has no cycles, but the collector would walk all of it over and over: a third of the time of reading a large log."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on and not gc.get_freeze_count():  # what was read counts as old: else the collector's first step would walk all of it
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()


def _read(reader: Reader, files: Sequence[_Opened]) -> list[Session]:
    """The sessions of a reader.

    Raises:
        ReadError: There is none.
    """
    if not any(file.forced for file in files):
        return _finished(reader, files)
    document = files[0].document
    refusal = NotThisFormat(document.name, format=reader.name, looked_for=reader.detects, seen=seen(document))
    try:
        return _finished(reader, files)
    except ReadError as error:  # in the words of the format, which the file is none of
        raise refusal from error


def _finished(reader: Reader, files: Sequence[_Opened]) -> list[Session]:
    documents = [file.document for file in files]
    lists = {id(file.skipped): file.skipped for file in files}  # the files of one upload share theirs
    skipped = list(dict.fromkeys(entry for skipped in lists.values() for entry in skipped))
    with reading(reader, documents[0].name):
        try:
            sessions = finish(reader, _drafts(reader, documents), documents, skipped)
        except RecursionError:
            sessions = _shallow(reader, documents, skipped)
    empty = all(is_empty(session) for session in sessions)
    if empty and (any(file.forced for file in files) or not any(session.ledger.read for session in sessions)):
        what = f"this is a file of {reader.name} (known by {reader.detects}), but it holds no message by itself"
        faults = [problem.what for session in sessions for problem in session.problems[:1]]
        advice = "choose the recording, or zip it with the other files of its folder"
        raise UnreadableFile(documents[0].name, f"{what} ({faults[0].rstrip('.')})" if faults else what, advice=advice)
    return sessions


def _shallow(reader: Reader, documents: Sequence[Document], skipped: Sequence[tuple[str, str]]) -> list[Session]:
    """The sessions without the records that are nested too deeply.

    Raises:
        UnreadableFile: Nothing is left.
    """
    for document in documents:
        document.check_depth = True
    left = [document for document in documents if next(iter(document.records()), None) is not None]
    what = f"it is nested deeper than {MAX_DEPTH} levels, and nothing else is in it"
    kept = set(map(id, left))
    without = [(document.name, what) for document in documents if id(document) not in kept]
    try:
        if left:
            return finish(reader, _drafts(reader, left), left, [*skipped, *without])
    except RecursionError:
        pass
    raise UnreadableFile(documents[0].name, what, advice="check that this is a recording")


def _drafts(reader: Reader, documents: Sequence[Document]) -> list[SessionDraft]:
    """What the reader found; of what it met and could not use its files tell."""
    with noting() as heard:
        drafts = reader.read(documents)
    tell(heard, documents)
    return drafts


def _open(name: str, source: str | Path | bytes, named: Reader | None) -> list[_Opened]:
    """The files of an upload that a reader knows.

    Args:
        name: Of the upload.
        source: Path or bytes.
        named: The reader that a person asked for.

    Raises:
        ReadError: None.
    """
    unpacked = _unpacked(name, source)
    owners = owners_of([*(member.name for member in unpacked.members), *(skipped for skipped, _ in unpacked.skipped)], named)
    opened: list[tuple[Document, Reader | None]] = []
    faults: list[ReadError] = []
    while unpacked.members:
        member = unpacked.members.pop(0)
        reached(0.0)
        try:
            opened.append(_known(member, owners.get(member.name), named))
        except ReadError as error:
            faults.append(error)
    if not opened:
        raise _no_session(name, unpacked, faults, folder=not isinstance(source, bytes) and is_folder(Path(source)))
    forced = named if all(reader is None for _, reader in opened) else None
    files = [(document, found) for document, reader in opened if (found := reader or forced)]
    without = [(document.name, "it has not the marks of the format that was asked for") for document, reader in opened if not (reader or forced)]
    skipped = [*unpacked.skipped, *((fault.name, why_left_out(fault)) for fault in faults), *without]
    archive = _digest_of(document for document, _ in files if document.name in owners) if owners else ""
    return [_Opened(document, reader, skipped, archive if document.name in owners else "", bool(forced)) for document, reader in files]


def _unpacked(name: str, source: str | Path | bytes) -> Unpacked:
    """The files of an upload."""
    if isinstance(source, bytes):
        return unpack(name, source)
    path = Path(source)
    return unpack_folder(name, path) if is_folder(path) else unpack(name, load(path))


def _digest_of(documents: Iterable[Document]) -> str:
    """Of files that are one recording, however they were packed."""
    told = sorted((document.name.partition("/")[2], document.digest) for document in documents)
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()


def _no_session(name: str, unpacked: Unpacked, faults: Sequence[ReadError], *, folder: bool) -> ReadError:
    if len(faults) == 1:
        return faults[0]
    if faults:
        return UnreadableFile(name, f"none of its {len(faults):,} files is a session, the first because: {str(faults[0]).rstrip('.')}")
    if unpacked.skipped:
        first, why = unpacked.skipped[0]
        return UnreadableFile(name, f"none of its {len(unpacked.skipped):,} files can be read, the first ({first}) because: {why.rstrip('.')}")
    if folder:
        return UnreadableFile(name, "the folder is empty, or holds hidden files alone", advice="name the folder of the recordings themselves")
    return UnreadableFile(name, "the archive is empty", advice="zip the recordings themselves")


def _known(member: Member, owner: Reader | None, named: Reader | None) -> tuple[Document, Reader | None]:
    """A file and its reader, which is the owner where the archive has one; None where a reader was named whose marks the file has not.

    Raises:
        ReadError: No session.
    """
    data, member.data = member.data, b""
    try:
        document = make_document(member.name, data)
        del data
        document.kept = [*member.problems, *document.kept]
        if owner or not named:
            return document, owner or find_reader(document)
        return document, named if has_marks(document, named) else None
    except ReadError as error:
        if not member.problems:
            raise
        what = member.problems[0].what.rstrip(".")
        raise UnreadableFile(member.name, f"{what[0].lower()}{what[1:]} and hold no session", advice="copy it again from its source") from error

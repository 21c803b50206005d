"""Inspect logs: ``.eval`` archives (deflate or zstd; samples whole or in chunks) and ``.json`` logs; each sample is a session.

Source: inspect_ai ``log/_condense.py``, ``log/_pool.py``, ``log/_log.py``; format notes 2.15.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ctxcore.errors import UnreadableFile
from ctxcore.model import Json, Level
from ctxcore.readers.document import Document, Record
from ctxcore.readers.inspect_parts import Parts
from ctxcore.readers.inspect_sample import read_sample
from ctxcore.readers.protocol import SessionDraft
from ctxcore.readers.values import items, mapping

MARKS = ("header.json", "_journal/start.json")
"""One of which every archive has."""

CHUNKED = frozenset({"messages", "events", "calls", "attachments"})
"""Folders of a sample that is written in chunks, each named by the number of its first entry."""


class Inspect:
    """See the module."""

    name: ClassVar[str] = "inspect"
    family: ClassVar[str] = "agent logs"
    level: ClassVar[Level] = "full requests"
    detects: ClassVar[str] = "an archive with samples/ and header.json or _journal/start.json; or one object with version, status and eval"

    def roots(self, names: Sequence[str]) -> Sequence[str]:
        """See ``ArchiveReader.roots``."""
        found = {name.removesuffix(mark) for name in names for mark in MARKS if name.endswith(f"/{mark}")}
        return [root for root in sorted(found) if any(name.startswith((f"{root}samples/", f"{root}_journal/")) for name in names)]

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """See ``Reader.matches``."""
        return document.shape == "json" and _is_log(head[0])

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """See ``Reader.read``.

        Raises:
            UnreadableFile: A log without samples.
        """
        drafts: list[SessionDraft] = []
        archives: dict[str, list[Document]] = defaultdict(list)
        roots = self.roots([document.name for document in documents])
        for document in documents:
            root = next((root for root in reversed(roots) if document.name.startswith(root)), None)
            if root is None:
                drafts += _json_log(document)
            else:
                archives[root].append(document)
        for root, members in archives.items():
            drafts += _archive(root, members)
        if not drafts:
            raise UnreadableFile(documents[0].name, "the Inspect log holds no samples", advice="run it with log_samples, or choose another log")
        return drafts


def _is_log(value: Json) -> bool:
    log = mapping(value)
    return isinstance(log.get("eval"), dict) and "status" in log and isinstance(log.get("version"), int)


def _json_log(document: Document) -> Iterator[SessionDraft]:
    """The samples of a ``.json`` log, each a record, with the rest of the log as one more."""
    for record in document.records():
        log = mapping(record.value)
        samples = items(log.get("samples"))
        for number, sample in enumerate(samples):
            parts = Parts(document, record, f"samples[{number}].", mapping(sample), mapping(log.get("eval")))
            draft = read_sample(parts)
            draft.documents, draft.used = (document,), 2
            yield draft
        document.record_count = len(samples) + 1


@dataclass(slots=True)
class _Member:
    """A file of an archive by its place in it."""

    document: Document
    record: Record
    folder: str
    """Of a chunk: its kind; else empty."""
    start: int
    """Of a chunk: number of its first entry."""


@dataclass(slots=True)
class _Sample:
    """The files of one sample."""

    main: Document | None = None
    members: list[_Member] = field(default_factory=list)
    others: list[Document] = field(default_factory=list)
    """Files that only help to find one's way."""

    def documents(self) -> list[Document]:
        """All of them, the sample itself first."""
        return [*([self.main] if self.main else []), *(member.document for member in self.members), *self.others]


def _archive(root: str, documents: Sequence[Document]) -> Iterator[SessionDraft]:
    """One session for each sample of an archive."""
    samples: dict[str, _Sample] = defaultdict(_Sample)
    shared: list[Document] = []
    head: Mapping[str, Json] = {}
    for document in documents:
        place = document.name.removeprefix(root).split("/")
        if place[0] == "samples" and len(place) > 1:
            _add(samples[place[1].removesuffix(".json")], document, place[2:])
            continue
        shared.append(document)
        for record in document.records():
            if place[-1] == "header.json" or (place[-1] == "start.json" and not head):
                head = mapping(record.value)
    shared.sort(key=lambda document: not document.name.endswith(MARKS))
    for name in sorted(samples, key=_natural):
        sample = samples[name]
        if sample.main is None and not sample.members:
            continue
        draft = read_sample(_parts(sample, mapping(head.get("eval"))))
        draft.documents = [*sample.documents(), *shared]
        draft.used = bool(sample.main) + len(sample.members) + bool(head)
        rest = sum(_count(document) for document in draft.documents) - draft.used
        draft.skipped.update({"summaries and indexes, which repeat the samples": rest} if rest > 0 else {})
        if not any(document.name.endswith("/header.json") for document in shared):
            draft.notes.append("The log has no header: the run was still going on, or was broken off.")
        yield draft


def _count(document: Document) -> int:
    """Readable records of a file."""
    return sum(1 for _ in document.records())


def _natural(name: str) -> tuple[int, int | str, str]:
    head = name.split("_", maxsplit=1)[0]
    return (0, int(head), name) if head.isdecimal() else (1, head, name)


def _add(sample: _Sample, document: Document, place: Sequence[str]) -> None:
    """Put a file of a sample where it belongs: the sample, a chunk, or neither."""
    if not place or place == ["sample.json"]:
        sample.main = document
        return
    number = place[-1].removesuffix(".json")
    records = list(document.records())
    if len(place) == 2 and place[0] in CHUNKED and number.isdecimal() and len(records) == 1:
        sample.members.append(_Member(document, records[0], place[0], int(number)))
    else:
        sample.others.append(document)


def _parts(sample: _Sample, evaluation: Mapping[str, Json]) -> Parts:
    """Everything of a sample in one place."""
    main = next(iter(sample.main.records()), None) if sample.main else None
    document, record = (sample.main, main) if sample.main and main else (sample.members[0].document, sample.members[0].record)
    parts = Parts(document, record, "", mapping(main.value) if main else {}, evaluation)
    for member in sorted(sample.members, key=lambda m: (m.folder, m.start)):
        parts.add_chunk(member.folder, member.start, member.document, member.record)
    return parts

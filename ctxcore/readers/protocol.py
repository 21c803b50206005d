"""What a reader is: one recorded format, known by two marks, turned into sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

from ctxcore.model import Json, Level, Problem
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.document import Document


@dataclass(slots=True)
class SessionDraft:
    """A session while it is being read."""

    id: str
    """The log's own id, or empty."""
    level: Level
    """What it can show at best."""
    threads: list[ThreadDraft] = field(default_factory=list)
    """Main thread first."""
    tool_sets: Sequence[Sequence[Json]] = ()
    """Distinct lists of tool definitions."""
    not_recorded: tuple[str, ...] = ()
    """Parts of a request that the log does not hold."""
    notes: list[str] = field(default_factory=list)
    """Sentences that a user should read."""
    problems: list[Problem] = field(default_factory=list)
    """What the reader could not use; unreadable lines are the document's affair."""
    used: int = 0
    """Records used."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Records not used: reason and count."""
    documents: Sequence[Document] = ()
    """Files it was read from; empty stands for all that the reader got."""


def with_messages(drafts: Sequence[SessionDraft]) -> list[SessionDraft]:
    """The drafts that hold a message or a call, or the first one where none does; the records of the others are counted in the first of these.

    Args:
        drafts: Of one file.
    """
    kept = [draft for draft in drafts if any(thread.messages or thread.calls for thread in draft.threads)] or list(drafts[:1])
    for draft in drafts:
        if not any(draft is one for one in kept):
            kept[0].used += draft.used
            kept[0].skipped.update(draft.skipped)
    return kept


class Reader(Protocol):
    """One format."""

    name: ClassVar[str]
    """Stable, as in ``Session.format`` and on the command line."""
    family: ClassVar[str]
    """``agent logs``, ``request logs``, ``traces`` or ``data sets``."""
    level: ClassVar[Level]
    """What a file of it can show at best."""
    detects: ClassVar[str]
    """The two marks, in words."""

    def matches(self, document: Document, head: Sequence[Json]) -> bool:
        """True if both marks are there.

        Args:
            document: The file.
            head: Its first values (one for a JSON file); empty for a text file.
        """
        ...

    def read(self, documents: Sequence[Document]) -> list[SessionDraft]:
        """Sessions of these files, all matched by this reader and uploaded together. Never raises on a bad record: it reports it."""
        ...


@runtime_checkable
class ArchiveReader(Reader, Protocol):
    """A format of which one recording is an archive, or a folder in one."""

    def roots(self, names: Sequence[str]) -> Sequence[str]:
        """The beginnings of member names that are each one recording of this format; everything under one is handed to ``read`` together.

        Args:
            names: Of all members of an upload, the upload's own name first in each; those that could not be unpacked included.
        """
        ...

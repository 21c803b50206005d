"""Where a value stands in the upload, and what of the upload could not be read."""

from __future__ import annotations

from dataclasses import dataclass

from ctxcore.frozen import quick_init


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRef:
    """Where in the upload a value stands."""

    file: str = ""
    """Name of the file, or of the member of an archive."""
    line: int = 0
    """Physical line, from 1; 0 where the file is one JSON value."""
    path: str = ""
    """Place inside the line's JSON value, for example ``messages[3]``."""

    def __str__(self) -> str:
        """The place as people write it: ``file:line path``."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place} {self.path}".strip()


NOWHERE = SourceRef()
"""Where the place of a value is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something in the upload that could not be read as it stands."""

    what: str
    """One sentence: what is wrong and what was done about it."""
    source: SourceRef = NOWHERE
    """Where."""
    kind: str = "unreadable"
    """Stable word for its kind, for example ``unreadable_line``, ``orphan_result``, ``not_a_number``."""
    excerpt: str = ""
    """The first characters of what stood there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What became of every record of the upload."""

    records: int = 0
    """Values met and places where none could be read: lines as a rule, 1 for a file that is one JSON value; and each skipped file of an archive."""
    read: int = 0
    """Records used."""
    skipped: tuple[tuple[str, int], ...] = ()
    """Records not used: reason and count. ``records`` is ``read`` and all of these."""


NO_RECORDS = Ledger()
"""Of an upload in which none was met."""

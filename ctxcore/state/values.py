"""What a change chain is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ctxcore.model import SourceRef

ChainKind = Literal["file", "value"]
"""A file that tools touched, or a value that a tool call set by name."""

Action = Literal["read", "edit", "write", "delete", "set"]
"""What a tool call did to it."""

CHANGES: frozenset[Action] = frozenset({"edit", "write", "delete", "set"})
"""Actions after which an earlier read is older than the thing itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """What an extractor finds in one tool call."""

    kind: ChainKind
    """Of the chain."""
    name: str
    """Path of the file, or name of the value, as recorded."""
    action: Action
    """What was done."""
    scope: str = ""
    """What the value belongs to, for example ``set_phase`` or ``reservation_id=7``; empty for files."""
    value: str = ""
    """The value set; a short hash where the whole content of a file was recorded; else empty."""
    detail: str = ""
    """Which lines, how many lines: facts of the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One link of a chain."""

    call: int
    """Model call whose reply asked for it."""
    turn: int
    """Ordinal of the turn."""
    action: Action
    """What was done."""
    again: bool
    """A read of what had been read before and has not changed since."""
    failed: bool
    """The tool said that it failed: nothing changed, nothing was seen."""
    version: int
    """Of the thing after the step: 0 is as it was found, each change adds 1."""
    old: str
    """Value before; empty where it is not recorded."""
    new: str
    """Value after; empty where it is not recorded."""
    detail: str
    """As in ``Touch``."""
    tool: str
    """As recorded."""
    message: int
    """Thread message that holds the tool call."""
    carrier: int | None
    """Thread message through which the model can know the value: the call for a change, the result for a read; None without a result."""
    source: SourceRef
    """Where the tool call stands."""
    stale_from: int | None = None
    """For a read: the call whose reply changed the thing afterwards; None while the read is current."""

    @property
    def stale(self) -> bool:
        """A read that is older than the last change."""
        return self.stale_from is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Everything that happened to one file or value, oldest first."""

    kind: ChainKind
    """File or value."""
    name: str
    """Path or name, as recorded."""
    scope: str
    """What a value belongs to; empty for files."""
    steps: tuple[Step, ...]
    """At least one."""

    @property
    def changes(self) -> int:
        """Steps that changed it."""
        return sum(step.action in CHANGES and not step.failed for step in self.steps)

    @property
    def reads(self) -> int:
        """Steps that read it."""
        return sum(step.action == "read" and not step.failed for step in self.steps)

    @property
    def stale_reads(self) -> int:
        """Reads that are older than the last change."""
        return sum(step.stale for step in self.steps)

    @property
    def value(self) -> str:
        """The newest value; empty where it is not recorded."""
        return next((step.new for step in reversed(self.steps) if not step.failed and step.action in CHANGES), "")

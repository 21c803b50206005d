"""What happened between the calls of a thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ctxcore.model.places import NOWHERE, SourceRef
from ctxcore.model.words import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something the log says happened to the context between calls."""

    kind: Literal["compaction", "microcompaction", "history_changed", "rollback", "model_changed"]
    """What."""
    call: int
    """Index of the first call after it (the number of calls where none follows)."""
    trigger: str = ""
    """``auto``, ``manual`` or empty where the log does not say."""
    before_tokens: int | None = None
    """As recorded."""
    after_tokens: int | None = None
    """As recorded."""
    summary: int | None = None
    """The thread message that replaced the history, or None."""
    at: float | None = None
    """Unix seconds."""
    source: SourceRef = NOWHERE
    """Where it stands."""
    note: str = ""
    """One sentence."""
    inferred: bool = False
    """True where no record says so and only a drop in size tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """Something that the program which ran the agent wrote down between calls: what became of its plan, what a budget did to a request."""

    event: str
    """Stable word, for example ``step_ended``."""
    call: int
    """Index of the first call after it (the number of calls where none follows)."""
    facts: Mapping[str, Json]
    """As recorded."""
    at: float | None = None
    """Unix seconds."""
    source: SourceRef = NOWHERE
    """Where it stands."""

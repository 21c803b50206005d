"""What a compaction is made of: passages in, spans with their kind, items out, each with the exact place that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

Kind = Literal["anchor", "trace", "transient", "relation"]
"""State anchor (a decided value), process trace (how something came about), transient instruction (for one round), relation network (what depends
on what)."""

KINDS: tuple[Kind, ...] = ("anchor", "trace", "transient", "relation")
"""In the order of a compacted text."""

Voice = Literal["person", "agent", "result", "call", "reasoning", "program"]
"""Who speaks: the user, the model, a tool, the model to a tool, the model to itself, or the program (instructions, reminders, earlier summaries)."""

How = Literal["exact", "distilled", "dropped", "original"]
"""What became of a span: its value stands there to the letter, a part of it or a summary stands for it, it is left out and listed, or it stays as
it was."""


class Place(NamedTuple):
    """Where something stands: slicing the message's source text by it gives the words."""

    message: int
    """Index of the message."""
    start: int
    """First code point in the message's source text."""
    end: int
    """Code point after the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One part of one message, in one voice."""

    message: int
    """Index of its message."""
    start: int
    """Where it begins in the message's source text, in code points."""
    text: str
    """Its words."""
    voice: Voice
    """Who speaks."""
    round: int = 0
    """Ordinal of its turn, from 1; 0 before the first user message."""

    def place(self, start: int, end: int) -> Place:
        """A stretch of its text, as a place in the message."""
        return Place(self.message, self.start + start, self.start + end)


class Answers(NamedTuple):
    """Three questions about a span; the kind follows from the answers."""

    changes_next_action: bool
    """Does it change the next action?"""
    is_key_and_value: bool
    """Can it be a key and a value?"""
    would_be_missed: bool
    """Would anyone notice if it were gone?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a passage and the one kind that it is of."""

    place: Place
    """Where."""
    text: str
    """Its words, a slice of the source."""
    kind: Kind
    """The one kind."""
    answers: Answers
    """Why, in three answers."""
    reason: str
    """Why, in words: the rule that decided."""
    voice: Voice
    """Who speaks."""
    round: int
    """Ordinal of its turn."""
    key: str = ""
    """Of an anchor: what its value is of; of a relation: its type."""
    value: Place | None = None
    """Of an anchor: the exact value inside the span."""
    ends: tuple[str, str] = ("", "")
    """Of a relation: from what to what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of a compaction, or one thing that it left out."""

    kind: Kind
    """Of the span."""
    how: How
    """What became of it."""
    key: str
    """Of an anchor; else empty."""
    text: str
    """What stands in the compacted text; for ``dropped`` what does not."""
    sources: tuple[Place, ...]
    """Exact places of the original, at least one."""
    why: str
    """One sentence: the rule, the limit, or what made a summary fall back to the original."""
    value: str = ""
    """Of a given anchor: its exact value where the words say it otherwise (2000 for 两千); else empty."""
    fixed: bool = False
    """It does not go for want of room: no summary of it passed."""
    given: bool = False
    """It comes from the state editor or the session's records and decides which value of its key holds."""

    @property
    def stands(self) -> bool:
        """True where it is in the compacted text."""
        return self.how != "dropped"


Level = Literal["fault", "note"]
"""Something is lost or wrong, or something is worth knowing."""

NOTES = frozenset(
    {
        "AFTER_NOT_RECORDED",
        "CORE_FIELD_NOT_FOUND",
        "NESTED_SUMMARY",
        "NO_ORIGINAL",
        "NO_USER_MESSAGE_KEPT",
        "OPAQUE",
        "OVER_COMPRESSED",
        "SUMMARY_NOT_RECORDED",
        "UNDER_COMPRESSED",
    }
)
"""Codes that are no fault by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What a check found."""

    code: str
    """Stable, in capitals."""
    text: str
    """One sentence with the values."""

    @property
    def level(self) -> Level:
        """How much it weighs."""
        return "note" if self.code in NOTES else "fault"


class AnchorLike(Protocol):
    """A decided value from elsewhere, such as an accepted entry of a change chain."""

    @property
    def key(self) -> str:
        """What the value is of."""
        ...

    @property
    def place(self) -> Place:
        """The words that say it; as long as nothing (start and end equal) where the record of this message says it and no words do."""
        ...

    @property
    def value(self) -> str:
        """As the editor has it."""
        ...

    @property
    def holds(self) -> bool:
        """False for an earlier value, which is listed as replaced."""
        ...

    @property
    def why(self) -> str:
        """One sentence."""
        ...

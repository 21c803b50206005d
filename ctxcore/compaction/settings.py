"""How to compact, and what is remembered of passages from one compaction to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ctxcore.compaction.checks import LEAST_JUDGED, LIMITS, Limits
from ctxcore.compaction.classify import passage_spans
from ctxcore.compaction.terms import NO_TERMS, Terms
from ctxcore.compaction.values import Item, Kind, Passage, Place, Span

EVERY_KIND: frozenset[Kind] = frozenset({"anchor", "trace", "transient", "relation"})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to compact."""

    parts: frozenset[Kind] = EVERY_KIND
    """Kinds that are processed; spans of the others stay as they were said."""
    terms: Terms = NO_TERMS
    """Of the domain."""
    limits: Limits = LIMITS
    """Of a trace's summary."""
    lifetime: int = 1
    """Rounds that a transient instruction holds; 1 is its own round, which is over when it is compacted."""
    written: Mapping[str, str] = field(default_factory=dict)
    """Digest of a trace (``trace_key``) → a model's summary of it; used where it passes the checks, else the trace stays as it is."""
    required: tuple[tuple[str, str], ...] = ()
    """Fields beside the core fields, with the values that must stand in the result."""
    target: int | None = None
    """Most percent of the original that the compacted text may take, where the original is large enough to judge."""
    longest: int | None = None
    """Most that the compacted text may take, in what ``count`` counts; notes without a value of their own go first, then the oldest."""

    def within(self, before: int) -> Settings:
        """The same with ``longest`` as this size of the original allows it."""
        if self.target is None or before < LEAST_JUDGED:
            return self
        most = before * self.target // 100
        return replace(self, longest=most if self.longest is None else min(most, self.longest))


DEFAULT = Settings()
"""Every part, as published."""


@dataclass(frozen=True)
class Known:
    """What was found out about passages, so that a longer compaction of the same messages only looks at the new ones; for equal settings."""

    spans: dict[tuple[int, int], tuple[Span, ...]] = field(default_factory=dict)
    """Message and start of a passage → its spans."""
    items: dict[tuple[Place, bool, bool], tuple[Item, ...]] = field(default_factory=dict)
    """Place of a span, whether it still holds and whether its round asks why → its items."""
    sizes: dict[tuple[int, int], int] = field(default_factory=dict)
    """Message and start of a passage → its size."""

    def spans_of(self, passage: Passage) -> tuple[Span, ...]:
        """The spans of a passage."""
        key = (passage.message, passage.start)
        found = self.spans.get(key)
        if found is None or any(span.round != passage.round for span in found[:1]):
            found = self.spans[key] = tuple(passage_spans(passage)) if found is None else tuple(replace(span, round=passage.round) for span in found)
        return found

    def size_of(self, passage: Passage, count: Callable[[str], int]) -> int:
        """The size of a passage."""
        key = (passage.message, passage.start)
        if key not in self.sizes:
            self.sizes[key] = count(passage.text)
        return self.sizes[key]

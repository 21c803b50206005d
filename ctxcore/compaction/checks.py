"""Checks of a summary against what it stands for, and of a whole compaction: codes, ratio, core fields.

Source: the notes on compaction, process traces and checks after every compaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ctxcore.compaction.sentences import LONGEST, is_chinese, length, unit_of
from ctxcore.compaction.terms import NO_TERMS, Terms, not_in
from ctxcore.compaction.values import Fault
from ctxcore.compaction.wording import HEDGE

LIMIT_CHARACTERS, LIMIT_WORDS = 30, 20
"""Of a trace's summary: Chinese, and any other language. Source: the notes on compaction."""

TERMINOLOGY_LOST = "TERMINOLOGY_LOST"
NEW_ASSUMPTION = "NEW_ASSUMPTION"
HEDGE_ADDED = "HEDGE_ADDED"
TOO_LONG = "TOO_LONG"
EMPTY = "EMPTY"
OVER_COMPRESSED = "OVER_COMPRESSED"
UNDER_COMPRESSED = "UNDER_COMPRESSED"
CRITICAL = "CRITICAL_COMPRESSION_FAILURE"

LEAST_JUDGED = 200
"""Tokens from which a ratio is judged: of less, the heads of a compacted text and one or two sentences are 30 %."""

TARGET = 25
"""Percent of the original that a compacted text may take at most to be on target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a summary of a trace may be."""

    characters: int = LIMIT_CHARACTERS
    """Of a Chinese trace."""
    words: int = LIMIT_WORDS
    """Of any other."""

    def of(self, text: str) -> int:
        """The limit for a summary of this text, in its ``unit_of``."""
        return self.characters if is_chinese(text) else self.words


LIMITS = Limits()
"""As published."""


def summary_faults(summary: str, original: str, *, terms: Terms = NO_TERMS, limits: Limits = LIMITS, longest: int | None = None) -> tuple[Fault, ...]:
    """What is wrong with a summary of one trace; empty if it passes.

    Args:
        summary: To be judged.
        original: What it stands for.
        terms: Of the domain.
        limits: Of its length.
        longest: A limit of its own, in place of these.
    """
    if not summary.strip():
        return (Fault(code=EMPTY, text="The summary is empty."),)
    faults = [_too_long(summary, limits.of(summary) if longest is None else longest), _terminology(summary, original, terms)]
    return tuple(fault for fault in (*faults, _hedged(summary, original), _assumed(summary, original)) if fault is not None)


def _too_long(summary: str, limit: int) -> Fault | None:
    size = length(summary)
    if len(summary) > LONGEST:
        return Fault(code=TOO_LONG, text=f"{len(summary):,} characters, more than any sentence.")
    return Fault(code=TOO_LONG, text=f"{size:,} {unit_of(summary)}, limit {limit:,}.") if size > limit else None


def _terminology(summary: str, original: str, terms: Terms) -> Fault | None:
    if terms.any_kept(summary, original):
        return None
    wanted = terms.of(original)
    if not wanted:
        return None
    return Fault(code=TERMINOLOGY_LOST, text=f"None of the {len(wanted):,} terms of the original is left: {', '.join(wanted[:6])}.")


def _hedged(summary: str, original: str) -> Fault | None:
    said = dict.fromkeys(match[0].lower() for match in HEDGE.finditer(summary))
    before = {match[0].lower() for match in HEDGE.finditer(original)} if said else set()
    added = [word for word in said if word not in before]
    return Fault(code=HEDGE_ADDED, text=f"The original does not say {', '.join(added)}.") if added else None


def _assumed(summary: str, original: str) -> Fault | None:
    new = not_in(summary, original)
    return Fault(code=NEW_ASSUMPTION, text=f"Not in the original: {', '.join(new[:6])}.") if new else None


RatioWord = Literal["on target", "off target", "over", "under", "unknown"]


def ratio_word(before: int, after: int) -> RatioWord:
    """How a whole compaction's ratio stands to the target; both sizes in the target model's tokens."""
    if before <= 0:
        return "unknown"
    if after * 100 < before * 10:
        return "over"
    if after * 100 > before * 30:
        return "under"
    return "on target" if before * 15 <= after * 100 <= before * 25 else "off target"


def ratio_faults(before: int, after: int, why: str = "") -> tuple[Fault, ...]:
    """The code of a ratio far from the target; a warning, never a reason to roll back, and none where there was next to nothing to compact.

    Args:
        before: Tokens of the original.
        after: Tokens of the compacted text.
        why: A further sentence, with the space before it.
    """
    if before < LEAST_JUDGED:
        return ()
    word = ratio_word(before, after)
    if word == "over":
        return (Fault(code=OVER_COMPRESSED, text=f"{after:,} of {before:,} tokens are left, less than 10 %.{why}"),)
    if word == "under":
        return (Fault(code=UNDER_COMPRESSED, text=f"{after:,} of {before:,} tokens are left, more than 30 %.{why}"),)
    return ()


def critical(lost: Sequence[tuple[str, str]]) -> tuple[Fault, ...]:
    """The code of core fields that are gone or wrong.

    Args:
        lost: Names and right values.
    """
    if not lost:
        return ()
    told = ", ".join(f"{name} ({value})" for name, value in lost[:6])
    return (Fault(code=CRITICAL, text=f"Core fields without their value: {told}."),)

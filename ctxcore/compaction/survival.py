"""What of a text's facts is left in another text: the survival table of a compaction.

Values are looked for to the letter in any spelling. Sentences count as left where their exact values and, close together, most of their words are:
a summary may still tell one in other words, so that a sentence not found is not proved to be lost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ctxcore.atoms import atoms
from ctxcore.compaction.facts import FACT_KINDS, OF_ATOM, Fact, FactKind, facts
from ctxcore.compaction.sentences import sentence_spans
from ctxcore.compaction.terms import bounded, squeezed
from ctxcore.compaction.word_places import WordPlaces, stems
from ctxcore.compaction.wording import DECISION
from ctxcore.mentions import Mentions, folded

__all__ = ["Kept", "Remains", "facts", "survival", "survival_in"]

LABEL = re.compile(r"\s*(?:(?:phase|step|stage|part|étape|schritt|paso)\s)?[0-9]{1,3}\s?[:.)–-]\s+", re.IGNORECASE)
"""The number of a plan's step, which a summary leaves out."""

MOST_WORDS, DECIDED_WORDS = 0.6, 0.5
"""Share of a sentence's words that must be left, and of a decision's where the other text decides too."""

FEW_WORDS = 0.25
"""Share of a sentence's words of which less, together, is no trace of it."""

RUN = re.compile(r"(?<![0-9.])[0-9]+(?:\.[0-9]+)*")
"""A number with all its digits."""

ENDS = " .。!！?？;；"
"""What may stand at a sentence's ends."""

REACH = 3
"""Sentences or lines in a row over which a summary may tell one sentence in other words; further apart they are words of other matters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One row of the survival table."""

    total: int
    """Distinct facts of the kind."""
    lost: tuple[str, ...]
    """Those that are not left, in order."""

    @property
    def kept(self) -> int:
        """Those that are left."""
        return self.total - len(self.lost)


@dataclass(frozen=True)
class Remains:
    """A text in which facts are looked for; read once."""

    text: str
    """What is left."""
    told: str | None = None
    """The part of it that can tell a sentence in other words, without instructions that stand at any time; None for all."""

    @cached_property
    def plain(self) -> str:
        """Folded."""
        return folded(self.text)

    @cached_property
    def lines(self) -> frozenset[str]:
        """Lines of it, whole and without the key or mark before them: found at once, where looking through the text takes its length."""
        lines = [folded(line.strip(ENDS)) for line in self.text.split("\n")]
        return frozenset(lines).union(line.partition(": ")[2] for line in lines).union(line.removeprefix("- ") for line in lines)

    @cached_property
    def close(self) -> str:
        """Squeezed."""
        return squeezed(self.text)

    @cached_property
    def runs(self) -> frozenset[str]:
        """Numbers without a unit, as long as each goes on."""
        return frozenset(RUN.findall(self.close))

    @cached_property
    def words(self) -> WordPlaces:
        """Words of what is told, by sentence."""
        return WordPlaces.of(frozenset(stems(sentence)) for sentence in self._sentences())

    @cached_property
    def decided(self) -> tuple[frozenset[str], ...]:
        """Stems of each sentence that settles something."""
        return tuple(frozenset(stems(one)) for one in self._sentences() if DECISION.search(one))

    def _sentences(self) -> Iterator[str]:
        text = self.text if self.told is None else self.told
        return (text[start:end] for start, end in sentence_spans(text))

    def lost(self, wanted: Sequence[Fact]) -> tuple[Fact, ...]:
        """Facts that are not left, in order."""
        exact = [fact for fact in wanted if fact.kind in ("path", "error", "id")]
        known = [next((a for a in atoms(fact.value) if a.value == fact.value), None) for fact in exact]
        there = Mentions([atom for atom in known if atom is not None]).found(self.text)
        places = iter(range(len(known)))
        held = {fact.value for fact, atom in zip(exact, known, strict=True) if atom is not None and next(places) in there}
        return tuple(fact for fact in wanted if fact.value not in held and not self._holds(fact))

    def _holds(self, fact: Fact) -> bool:
        match fact.kind:
            case "number":
                return self.has_figure(fact.value)
            case "decision":
                return self.says(fact.value) or self._decides(fact.value)
            case "user_instruction":
                return self.says(fact.value)
            case "plan":
                return self.says(fact.value, reach=1) or self.says(_without_label(fact.value), reach=1)
        return self.has_value(fact.value)

    def has_value(self, value: str) -> bool:
        """True where a value stands there in any spelling of its letters; the sign of a mention (``@src/a.py``) is no part of a path."""
        return folded(value).removeprefix("@").partition("\n")[0] in self.plain

    def has_figure(self, value: str) -> bool:
        """True where a value stands there, whatever its separators and spaces, and no digit goes on at its ends."""
        close = squeezed(value)
        if RUN.fullmatch(close):  # quicker than a look through the text, which says the same
            return close in self.runs
        return bool(value) and bounded(close, self.close)

    def says(self, sentence: str, *, reach: int = REACH) -> bool:
        """True where a sentence stands there, or its exact values do and most of its words stand together.

        Args:
            sentence: Looked for.
            reach: Sentences or lines in a row within which its words must stand.
        """
        words = folded(sentence.strip(ENDS)).partition("\n")[0]
        if words in self.lines or words in self.plain:
            return True
        wanted = frozenset(stems(sentence))
        exact = [atom.value for atom in atoms(sentence) if atom.type in OF_ATOM]
        valued = all(map(self.has_value, exact))
        return bool(wanted) and valued and self.words.together(wanted, math.ceil(MOST_WORDS * len(wanted)), reach)

    def touches(self, sentence: str) -> bool:
        """True where at least a few of a sentence's words stand together, so that it may be told there in other words."""
        wanted = frozenset(stems(sentence))
        return not wanted or self.words.together(wanted, math.ceil(FEW_WORDS * len(wanted)), REACH)

    def _decides(self, sentence: str) -> bool:
        wanted = {stem for stem in stems(sentence) if not stem.isdigit()}
        return bool(wanted) and any(len(wanted & one) >= DECIDED_WORDS * len(wanted) for one in self.decided)


def _without_label(step: str) -> str:
    """A plan's step without its number."""
    label = LABEL.match(step)
    return step[label.end() :] if label else step


def survival(wanted: Sequence[Fact], text: str) -> dict[FactKind, Kept]:
    """The survival table: kinds that the original has, in the order of ``FACT_KINDS``.

    Args:
        wanted: Facts of the original.
        text: What is left.
    """
    return survival_in(wanted, Remains(text))


def survival_in(wanted: Sequence[Fact], remains: Remains) -> dict[FactKind, Kept]:
    """The same in a text that is looked at more than once.

    Args:
        wanted: Facts of the original.
        remains: What is left.
    """
    lost = remains.lost(wanted)
    rows = {kind: [fact for fact in wanted if fact.kind == kind] for kind in FACT_KINDS}
    return {kind: Kept(total=len(rows[kind]), lost=tuple(f.value for f in lost if f.kind == kind)) for kind in FACT_KINDS if rows[kind]}

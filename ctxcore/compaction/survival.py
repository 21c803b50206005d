"""What a text states by kind, and what of it is left in another text: the survival table of a compaction.

Values are looked for to the letter in any spelling. Sentences count as left where their exact values and, close together, most of their words are:
a summary may still tell one in other words, so that a sentence not found is not proved to be lost.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ctxcore.atoms import atoms
from ctxcore.compaction.classify import LONG_PASSAGE, classify, is_passing
from ctxcore.compaction.sentences import CJK, sentence_spans
from ctxcore.compaction.terms import bounded, squeezed
from ctxcore.compaction.values import Passage, Place
from ctxcore.compaction.word_places import WordPlaces
from ctxcore.compaction.wording import CONSTRAINT, DECISION
from ctxcore.mentions import Mentions, folded, readable
from ctxcore.model import Json


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FactKind = Literal["user_instruction", "decision", "path", "command", "number", "error", "id", "plan", "tool_result"]
"""What is looked for."""

FACT_KINDS: tuple[FactKind, ...] = ("user_instruction", "decision", "path", "command", "number", "error", "id", "plan", "tool_result")
"""In the order of the table."""

OF_ATOM: Mapping[str, FactKind] = {
    "path": "path", "loc": "path", "url": "path", "number": "number", "error": "error", "id": "id", "uuid": "id", "hex": "id",
}  # fmt: skip
"""Kind by type of evidence."""

COMMAND_KEYS = ("command", "cmd", "script", "shell_command")
"""Arguments that hold a command line."""

SMALL = 2_000
"""Characters of tool output in which every number counts; in longer output only those with a unit do."""

FACTS_OF_A_PASSAGE = 400
"""Values of one passage that are followed, in order."""

NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[0-9][0-9,]*(?:\.[0-9]+)?(?![A-Za-z0-9_]|\.[0-9])")

WORD = re.compile(r"[^\W\u3400-\u9fff\uf900-\ufaff]+")
"""A word of any script but Chinese."""

LABEL = re.compile(r"\s*(?:(?:phase|step|stage|part|étape|schritt|paso)\s)?[0-9]{1,3}\s?[:.)–-]\s+", re.IGNORECASE)
"""The number of a plan's step, which a summary leaves out."""

MOST_WORDS, DECIDED_WORDS = 0.6, 0.5
"""Share of a sentence's words that must be left, and of a decision's where the other text decides too."""

REACH = 3
"""Sentences or lines in a row over which a summary may tell one sentence in other words; further apart they are words of other matters."""

STOP_WORDS = frozenset(
    _words(
        """
        the a an and or of to in on at for with by from as is are was were be been it its this that these those i you we they he she my your our
        their me us them do does did have has had will would can could should please not no so if then than but about into over what which who why
        how when where there here just only now
        """
    )
)
"""Words that say nothing alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that a text states."""

    kind: FactKind
    """What it is."""
    value: str
    """As it stands, or as evidence is normalised."""
    place: Place
    """Passage or sentence that states it."""


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


def facts(passages: Sequence[Passage]) -> tuple[Fact, ...]:
    """Everything that passages state, each value once, in order of first appearance."""
    found: dict[tuple[str, str], Fact] = {}
    for passage in passages:
        for fact in _stated(passage):
            found.setdefault((fact.kind, fact.value), fact)
    return tuple(found.values())


def _stated(passage: Passage) -> Iterator[Fact]:
    whole = passage.place(0, len(passage.text))
    if passage.voice == "program":
        return
    if passage.voice == "call":
        yield from (Fact(kind="command", value=command, place=whole) for command in commands(passage.text))
    if passage.voice in ("person", "agent"):
        yield from _sentences(passage)
    yield from _values(passage, whole)


def _sentences(passage: Passage) -> Iterator[Fact]:
    for start, end in sentence_spans(passage.text)[:FACTS_OF_A_PASSAGE]:
        text = passage.text[start:end]
        if DECISION.search(text):
            yield Fact(kind="decision", value=text, place=passage.place(start, end))
        elif passage.voice == "person" and not is_passing(text) and (len(passage.text) <= LONG_PASSAGE or CONSTRAINT.search(text)):
            yield Fact(kind="user_instruction", value=text, place=passage.place(start, end))


def _values(passage: Passage, whole: Place) -> Iterator[Fact]:
    _, _, arguments = passage.text.partition(" ")
    text = readable(arguments, keys=False) if passage.voice == "call" else readable(passage.text)
    found = sorted(atom for atom in atoms(text) if atom.type in OF_ATOM)
    for atom in found[:FACTS_OF_A_PASSAGE]:
        yield Fact(kind=OF_ATOM[atom.type], value=atom.value, place=whole)
    if passage.voice != "result" or len(text) <= SMALL:
        known = {re.sub(r"[^0-9.]", "", atom.value) for atom in found if atom.type == "number"}
        plain = [match[0].replace(",", "") for match in NUMBER.finditer(text[: 10 * SMALL])]
        yield from (Fact(kind="number", value=one, place=whole) for one in plain[:FACTS_OF_A_PASSAGE] if one not in known)


def commands(call: str) -> list[str]:
    """Command lines in a tool call of name and arguments; of several lines the first."""
    _, _, arguments = call.partition(" ")
    try:
        value: Json = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    texts = [value.get(key) for key in COMMAND_KEYS] if isinstance(value, dict) else []
    lines = [" ".join(map(str, text)) if isinstance(text, list) else text for text in texts]
    return [line.strip().splitlines()[0][:200] for line in lines if isinstance(line, str) and line.strip()]


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
    def close(self) -> str:
        """Squeezed."""
        return squeezed(self.text)

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
        return folded(fact.value).partition("\n")[0] in self.plain

    def has_figure(self, value: str) -> bool:
        """True where a value stands there, whatever its separators and spaces, and no digit goes on at its ends."""
        return bool(value) and bounded(squeezed(value), self.close)

    def says(self, sentence: str, *, reach: int = REACH) -> bool:
        """True where a sentence stands there, or its exact values do and most of its words stand together.

        Args:
            sentence: Looked for.
            reach: Sentences or lines in a row within which its words must stand.
        """
        if folded(sentence.strip(" .。!！?？;；")).partition("\n")[0] in self.plain:
            return True
        wanted = frozenset(stems(sentence))
        exact = [atom.value for atom in atoms(sentence) if atom.type in OF_ATOM]
        valued = all(folded(value).partition("\n")[0] in self.plain for value in exact)
        return bool(wanted) and valued and self.words.together(wanted, math.ceil(MOST_WORDS * len(wanted)), reach)

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


def stems(text: str) -> Iterator[str]:
    """Words without endings, roughly: five letters of each, of any alphabet; pairs of characters of Chinese."""
    for word in WORD.findall(text.lower()):
        if word not in STOP_WORDS:
            yield word if word.isdigit() else re.sub(r"y$", "i", word[:5])
    for run in re.findall(CJK.pattern + "{2,}", text):
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def instructions(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The user's passages that say more than one round's words."""
    spans = classify([passage for passage in passages if passage.voice == "person"])
    said = {(span.place.message, span.round) for span in spans if span.kind != "transient"}
    return tuple(passage for passage in passages if passage.voice == "person" and (passage.message, passage.round) in said)

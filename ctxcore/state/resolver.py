"""Which thing of a catalogue a vague mention means (the small white box with a camera): a protocol, and an embedded answer by words alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz import fuzz, process

MOST_CONFIDENT = 0.6
"""A resolver's answer is never as sure as a rule's."""

SAME_NAME, ALIKE = 0.55, 0.45
"""Confidence of a mention that holds a whole name, and at most of one that shares words."""

SCORE_LEAST, LEAD_LEAST = 80.0, 8.0
"""Of 100: how alike mention and name must be, and how much more than the next entry's."""

WORDS_LEAST = 2
"""Words of an entry that a mention must hold where it holds no name."""

SHORTEST_NAME = 4
"""Code points; shorter names are found whole or not at all."""

LONGEST_MENTION = 400
"""Code points; what is longer is no mention."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that can be meant."""

    id: str
    """Stable id of the catalogue."""
    names: tuple[str, ...]
    """What it is called."""
    words: tuple[str, ...] = ()
    """What it may be described by: small, white, camera, 摄像头."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a mention means."""

    id: str
    """Of the entry."""
    start: int
    """First code point of the mention."""
    end: int
    """Code point after it."""
    quote: str
    """The mention, unchanged."""
    confidence: float
    """At most `MOST_CONFIDENT`."""
    why: str
    """What it rests on, for a reader."""


class Resolver(Protocol):
    """Finds what a mention means; a model can stand behind it."""

    def resolve(self, mention: str) -> Resolved | None:
        """The one thing that is meant; None where none or several fit."""


class LexicalResolver:
    """Answers by names and words alone, offline; two entries that fit about as well are no answer."""

    def __init__(self, catalogue: Iterable[Entry]) -> None:
        self._entries = tuple(catalogue)
        self._names = [(entry, name.casefold()) for entry in self._entries for name in entry.names if name.strip()]

    def resolve(self, mention: str) -> Resolved | None:
        """The entry whose name or words stand in the mention; None where none or several do."""
        text = mention[:LONGEST_MENTION]
        return self._by_whole_name(text) or self._by_words(text) or self._by_likeness(text)

    def _by_whole_name(self, text: str) -> Resolved | None:
        found = [(entry, span) for entry, name in self._names if (span := _place(text, name))]
        longest = max((span[1] - span[0] for _, span in found), default=0)
        best = [(entry, span) for entry, span in found if span[1] - span[0] == longest]
        if len({entry.id for entry, _ in best}) != 1:
            return None
        entry, span = best[0]
        return _answer(text, entry, span, SAME_NAME, "holds the name; a rule did not see it")

    def _by_words(self, text: str) -> Resolved | None:
        held = {entry.id: _held(text, entry) for entry in self._entries}
        counts = sorted((len(words) for words in held.values()), reverse=True)
        if not counts or counts[0] < WORDS_LEAST or counts[0] in counts[1:2]:
            return None
        entry = next(entry for entry in self._entries if len(held[entry.id]) == counts[0])
        spans = [span for _, span in held[entry.id]]
        span = min(start for start, _ in spans), max(end for _, end in spans)
        words = ", ".join(word for word, _ in held[entry.id])
        return _answer(text, entry, span, ALIKE * (0.5 + counts[0] / len(entry.words) / 2), f"shares the words {words}; no name is said")

    def _by_likeness(self, text: str) -> Resolved | None:
        folded = _folded(text)
        names = [name for _, name in self._names]
        found = process.extract(folded, names, scorer=fuzz.partial_ratio, limit=len(names), score_cutoff=SCORE_LEAST)
        if not found:
            return None
        _, score, place = found[0]
        entry, name = self._names[place]
        rivals = [other for _, other, at in found[1:] if self._names[at][0].id != entry.id]
        if len(name) < SHORTEST_NAME or len(text.strip()) < len(name) / 2 or any(score - other < LEAD_LEAST for other in rivals):
            return None
        near = fuzz.partial_ratio_alignment(name, folded)
        span = (near.dest_start, near.dest_end) if near else (0, len(text))
        return _answer(text, entry, span, ALIKE * score / 100, f"is spelt {score:.0f} % like the name {name}")


def _folded(text: str) -> str:
    """In small letters, where that keeps every place."""
    folded = text.casefold()
    return folded if len(folded) == len(text) else text


def _place(text: str, name: str) -> tuple[int, int] | None:
    edge = r"(?<![A-Za-z0-9])" if name[0].isascii() else ""
    end = r"(?![A-Za-z0-9])" if name[-1].isascii() else ""
    match = re.search(edge + re.escape(name) + end, text, re.IGNORECASE)
    return match.span() if match else None


def _held(text: str, entry: Entry) -> list[tuple[str, tuple[int, int]]]:
    return [(word, span) for word in dict.fromkeys(entry.words) if word.strip() and (span := _place(text, word))]


def _answer(text: str, entry: Entry, span: tuple[int, int], confidence: float, why: str) -> Resolved:
    start, end = span
    return Resolved(id=entry.id, start=start, end=end, quote=text[start:end], confidence=min(MOST_CONFIDENT, confidence), why=why)

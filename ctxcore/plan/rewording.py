"""Whether two titles in the same place are one title reworded.

Likeness is that of difflib, whose time grows with the square of the titles, and a rewritten plan asks for it once a pair. So a pair is first
judged by what costs little, the steps of a long gap are compared in their places only, and a thread has one allowance of letters compared;
beyond it the words that two titles share decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from ctxcore.plan.values import Item, Status, read_status

SIMILAR = 0.6
"""From this ratio of difflib on, two titles in the same place are one title reworded."""

LONGEST_COMPARED = 400
"""Characters of a title that are compared."""

MOST_PAIRS = 2_500
"""Pairs of one gap that are all compared; in a longer one each step is compared with those near its place."""

NEAR = 3
"""Places to each side that are near."""

ALLOWANCE = 20_000_000
"""Pairs of equal letters that difflib may look at in one thread; about a second."""


class Known(NamedTuple):
    """A step of the plan before."""

    title: str
    """Its newest title."""
    id: str
    """Its newest id, or empty."""
    status: Status
    """Before the write."""


class Title(NamedTuple):
    """A title as it is compared."""

    whole: str
    """As recorded."""
    text: str
    """What difflib sees."""
    letters: Counter[str]
    """Of the text."""
    numberless: str
    """Whole, each number as one sign."""


def as_compared(title: str) -> Title:
    """A title made ready to be compared many times."""
    text = title[:LONGEST_COMPARED]
    return Title(title, text, Counter(text), re.sub(r"\d+", "#", title))


@dataclass(slots=True)
class Rewording:
    """Compares titles of one thread while its allowance lasts."""

    left: int = ALLOWANCE
    """Of the allowance."""
    _second: str = ""
    _matcher: SequenceMatcher[str] = field(default_factory=lambda: SequenceMatcher(None, autojunk=False))

    def pairs(self, olds: Sequence[Known], news: Sequence[Item]) -> list[tuple[int, int]]:
        """Reworded steps of one gap, each the most alike that is left: places of old and new."""
        before, after = [as_compared(old.title) for old in olds], [as_compared(new.title or "") for new in news]
        done = [old.status == "completed" for old in olds]
        reopening = [new.word is not None and read_status(new.word) != "completed" for new in news]
        left = dict.fromkeys(range(len(olds)))
        found: list[tuple[int, int]] = []
        for place, title in enumerate(after):
            near = left if len(olds) * len(news) <= MOST_PAIRS else _around(place * len(olds) // len(news), left)
            best, most = -1, 0.0
            for old in near:
                if (done[old] and reopening[place]) or _is_numbered(before[old], title):
                    continue
                likeness = self._likeness(before[old], title, max(most, SIMILAR))
                if likeness >= SIMILAR and likeness > most:
                    best, most = old, likeness
            if best >= 0:
                found.append((best, place))
                del left[best]
        return found

    def _likeness(self, old: Title, new: Title, least: float) -> float:
        """Ratio of difflib; 0 where it cannot reach the least that matters."""
        letters = len(old.text) + len(new.text)
        if not letters or 2 * min(len(old.text), len(new.text)) < least * letters:
            return 0.0 if letters else 1.0
        if 2 * (old.letters & new.letters).total() < least * letters:
            return 0.0
        if self.left <= 0:
            return _shared_words(old.text, new.text)
        self.left -= letters + sum(count * new.letters[letter] for letter, count in old.letters.items())
        if self._second != new.text:
            self._matcher.set_seq2(new.text)
            self._second = new.text
        self._matcher.set_seq1(old.text)
        return self._matcher.ratio()


def may_be_one(old: Known, new: Item) -> bool:
    """False for a completed step that would reopen, and for titles that differ in their numbers alone."""
    reopens = old.status == "completed" and new.word is not None and read_status(new.word) != "completed"
    return not reopens and not _is_numbered(as_compared(old.title), as_compared(new.title or ""))


def _is_numbered(old: Title, new: Title) -> bool:
    return old.numberless == new.numberless and old.whole != new.whole


def _around(place: int, left: dict[int, None]) -> list[int]:
    return [old for old in range(place - NEAR, place + NEAR + 1) if old in left]


def _shared_words(old: str, new: str) -> float:
    one, other = Counter(old.casefold().split()), Counter(new.casefold().split())
    return 2 * (one & other).total() / max(1, one.total() + other.total())

"""Where words stand in a text, sentence by sentence: words that are scattered over a long text say nothing together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from ctxcore.compaction.sentences import CJK

WORD = re.compile(r"[^\W\u3400-\u9fff\uf900-\ufaff]+")
"""A word of any script but Chinese."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


LOOKED = 500
"""Places of the rarest words that are looked at: where they stand everywhere, they tell nothing."""

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


@dataclass(frozen=True, slots=True)
class WordPlaces:
    """Words of a text by sentence."""

    sentences: tuple[frozenset[str], ...]
    """Words of each, in order."""
    places: dict[str, list[int]]
    """Sentences of each word, in order."""

    @classmethod
    def of(cls, sentences: Iterable[frozenset[str]]) -> WordPlaces:
        """Of a text's sentences.

        Args:
            sentences: Words of each.
        """
        told = tuple(sentences)
        places: dict[str, list[int]] = {}
        for number, words in enumerate(told):
            for word in words:
                places.setdefault(word, []).append(number)
        return cls(told, places)

    def together(self, wanted: frozenset[str], least: int, reach: int) -> bool:
        """True where so many of these words stand within so many sentences in a row.

        Args:
            wanted: Words.
            least: Of them that must stand there.
            reach: Sentences in a row.
        """
        there = sorted((word for word in wanted if word in self.places), key=lambda word: (len(self.places[word]), word))
        if len(there) < least:
            return False
        rare = there[: len(there) - least + 1]  # a stretch with enough of them has one of these
        near = dict.fromkeys(islice(chain.from_iterable(self.places[word] for word in rare), LOOKED))
        return any(self._stretch(number, wanted, least, reach) for number in near)

    def _stretch(self, number: int, wanted: frozenset[str], least: int, reach: int) -> bool:
        """A stretch that a sentence is part of."""
        begins = range(max(0, number - reach + 1), number + 1)
        return any(len(wanted & frozenset().union(*self.sentences[begin : begin + reach])) >= least for begin in begins)


def stems(text: str) -> Iterator[str]:
    """Words without endings, roughly: five letters of each, of any alphabet; pairs of characters of Chinese."""
    for word in WORD.findall(text.lower()):
        if word not in STOP_WORDS:
            yield word if word.isdigit() else re.sub(r"y$", "i", word[:5])
    for run in re.findall(CJK.pattern + "{2,}", text):
        yield from (run[at : at + 2] for at in range(len(run) - 1))

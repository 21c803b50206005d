"""Many texts looked for at once, in time that does not grow with their number."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

HEAD = 8
"""Letters by which a place is chosen; the whole texts are looked up there by their lengths."""


@dataclass(frozen=True, slots=True)
class Many:
    """Texts that are looked for."""

    heads: re.Pattern[str]
    """Beginnings of them; none matches where there are no texts."""
    lengths: Mapping[str, tuple[int, ...]]
    """Beginning → how long the texts with it are, the longest first."""
    texts: frozenset[str]
    """All of them."""
    whole: frozenset[str]
    """Those that stand for themselves only where no letter or digit goes on before or behind them."""

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and stop of every text that is found: no two overlap, ascending, the longest where several begin at one place."""
        place = 0
        while (head := self.heads.search(text, place)) is not None:
            start = head.start()
            place = start + 1
            for length in (length for first in _firsts(head[0]) for length in self.lengths.get(first, ())):
                if text[start : start + length] in self.texts and self._stands(text, start, start + length):
                    yield start, start + length
                    place = start + length
                    break

    def _stands(self, text: str, start: int, stop: int) -> bool:
        if text[start:stop] not in self.whole:
            return True
        return not (_goes_on(text[start - 1 : start], text[start]) or _goes_on(text[stop : stop + 1], text[stop - 1]))


def _firsts(head: str) -> Iterator[str]:
    return (head[:size] for size in range(len(head), 0, -1))


def _goes_on(outside: str, inside: str) -> bool:
    return bool(outside) and _wordly(outside) and _wordly(inside)


def _wordly(letter: str) -> bool:
    return letter == "_" or (letter.isascii() and letter.isalnum())


def any_of(texts: Iterable[str], whole: Iterable[str] = ()) -> Many:
    """What finds any of the texts, the longest where several begin at one place.

    Args:
        texts: Not empty ones.
        whole: Those of them that count only as whole words.
    """
    given = frozenset(texts)
    lengths: dict[str, set[int]] = defaultdict(set)
    for text in given:
        lengths[text[:HEAD]].add(len(text))
    heads = re.compile(_branches(sorted(lengths)) if lengths else r"(?!)", re.DOTALL)
    return Many(heads, {head: tuple(sorted(sizes, reverse=True)) for head, sizes in lengths.items()}, given, frozenset(whole))


def _branches(texts: list[str]) -> str:
    """A pattern that branches letter by letter; the longest beginning first."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        groups[text[:1]].append(text[1:])
    ended = groups.pop("", None)
    inside = "|".join(re.escape(letter) + _branches(rest) for letter, rest in groups.items())
    return f"(?:{inside})?" if ended is not None and inside else f"(?:{inside})" if inside else ""

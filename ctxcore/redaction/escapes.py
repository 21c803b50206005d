"""One spelling for a text, however often it was escaped, and where in the text each letter of it comes from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

PAIR = r"\\+u([dD][89abAB][0-9a-fA-F]{2})\\+u([dD][c-fC-F][0-9a-fA-F]{2})"
"""A letter beyond the first plane, as JSON writes it."""

ESCAPED = re.compile(rf"""{PAIR}|\\+(u[0-9a-fA-F]{{4}}|[nrt"'/])|\\+""")
"""A letter as JSON may write it, also inside JSON inside JSON; a backslash however often doubled."""

NO_WIDTH = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+")
"""Marks that are not seen."""

PERCENT = re.compile(rf"""{ESCAPED.pattern}|%([2-7][0-9a-fA-F])|{NO_WIDTH.pattern}""")
"""The same, letters as a link may write them, and marks without width."""

SHORT = {"n": "\n", "r": "\r", "t": "\t"}
"""Short escapes of JSON that have another letter."""


def unescaped(value: str) -> str:
    """A value as it is outside JSON, however often it was written into some."""
    return ESCAPED.sub(_read, value) if "\\" in value else value


def _read(match: re.Match[str]) -> str:
    high, low, mark = match[1], match[2], match[3]
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if mark:
        return chr(int(mark[1:], 16)) if len(mark) == 5 else SHORT.get(mark, mark)
    return "\\" if match[0].startswith("\\") else ""


def _read_all(match: re.Match[str]) -> str:
    return chr(int(match[4], 16)) if match[4] else _read(match)


@dataclass(frozen=True, slots=True)
class Spelled:
    """A text in one spelling."""

    text: str
    """Without escapes."""
    places: tuple[int, ...]
    """Where in ``text`` a piece begins, ascending."""
    origins: tuple[int, ...]
    """Where in the given text the same piece begins."""

    def origin(self, place: int) -> int:
        """Where in the given text the letter at a place begins."""
        piece = bisect_right(self.places, place) - 1
        return self.origins[piece] + place - self.places[piece]


def one_spelling(text: str) -> Spelled:
    """A text without the escapes of JSON and of links, and without marks that have no width; takes linear time."""
    return mapped(text, PERCENT, _read_all)


def mapped(text: str, pattern: re.Pattern[str], read: Callable[[re.Match[str]], str]) -> Spelled:
    """A text in which something is replaced, with the way back.

    Args:
        text: Any.
        pattern: What is replaced; never empty.
        read: By what, at most as many letters as were matched.
    """
    pieces, places, origins, done, length = [], [0], [0], 0, 0
    for match in pattern.finditer(text):
        put = read(match)
        pieces += [text[done : match.start()], put]
        length += match.start() - done
        places += [length, length + len(put)]
        origins += [match.start(), match.end()]
        length, done = length + len(put), match.end()
    return Spelled("".join((*pieces, text[done:])), tuple(places), tuple(origins))

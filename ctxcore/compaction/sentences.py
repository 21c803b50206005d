"""Sentences of a text as slices of it, in Chinese and other languages; linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

END = re.compile(r"[.!?;]\s+|[。！？；]|\n")
"""Where a sentence may end; a line is never longer than one."""

POINT = re.compile(r"\n[0-9]{1,2}\.")
"""The number of a list's point, which ends none."""

PAUSE = re.compile(r"[,，、:：;\s]")
"""Where an endless one may be cut."""

LONGEST = 240
"""Characters of a sentence; a longer one is cut at a pause."""

CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")

LATIN_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_'’-]*")

SENTENCE_MARKS = " \t\r\n.!?;。！？；,，、:：~～…"
"""Around a sentence."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, without spaces around it; nothing but spaces lies between them."""
    found: list[tuple[int, int]] = []
    start = 0
    for match in END.finditer(text):
        if match[0][0] == "." and _numbers_a_point(text, match):
            continue
        found += _inside(text, start, match.start() + 1)
        start = match.end()
    return [*found, *_inside(text, start, len(text))]


def _numbers_a_point(text: str, match: re.Match[str]) -> bool:
    """True for the full stop of a list's number, unless its line ends there."""
    line = text.rfind("\n", max(0, match.start() - 3), match.start())
    return line >= 0 and "\n" not in match[0] and POINT.fullmatch(text, line, match.start() + 1) is not None


def _inside(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Pieces of one sentence that are not too long."""
    piece = text[start:stop].lstrip()
    if len(piece) <= LONGEST:
        if piece:
            yield stop - len(piece), stop - len(piece) + len(piece.rstrip())
        return
    while True:
        while start < stop and text[start].isspace():
            start += 1
        if start >= stop:
            return
        cut = stop if stop - start <= LONGEST else _cut(text, start)
        end = cut
        while text[end - 1].isspace():
            end -= 1
        yield start, end
        start = cut


def _cut(text: str, start: int) -> int:
    """Position after the last pause that keeps a piece short."""
    pauses = [match.end() for match in PAUSE.finditer(text, start + LONGEST // 2, start + LONGEST)]
    return pauses[-1] if pauses else start + LONGEST


@lru_cache(maxsize=4096)
def is_chinese(text: str) -> bool:
    """True where a text is counted in characters: it has at least as many Chinese characters as other words."""
    characters = len(CJK.findall(text[:2_000]))
    return characters > 0 and characters >= len(LATIN_WORD.findall(text[:2_000]))


def length(text: str) -> int:
    """Characters of a Chinese text, words of any other."""
    return len(text.strip()) if is_chinese(text) else len(text.split())


def unit_of(text: str) -> str:
    """What ``length`` counts."""
    return "characters" if is_chinese(text) else "words"


def bare(text: str) -> str:
    """A sentence in small letters without the marks around it."""
    return text.strip(SENTENCE_MARKS).lower()

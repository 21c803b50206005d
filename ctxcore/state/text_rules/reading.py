"""One text while it is read: its clauses, what in it is no value, its numbers, and the drafts that rules make of it."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import islice

from ctxcore.model import Json
from ctxcore.state.found import FoundKind, Shade
from ctxcore.state.text_rules.not_values import code, not_values
from ctxcore.state.text_rules.numerals import ZH_CHARS, Numeral, chinese, digits, english

WINDOW = 48
"""Code points before and after a value in which words about it are looked for; keeps the time linear."""


MOST_NUMBERS = 2_000
"""Numerals of one message that are looked at; what has more is a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One numeral in the text."""

    start: int
    end: int
    value: Decimal
    interpreted: bool
    written: str
    """`digits`, `zh` or `en`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A value as a rule found it, before the words around it are heard."""

    kind: FoundKind
    value: Json
    start: int
    end: int
    extractor: str
    unit: str = ""
    key: str | None = None
    """None: still to be looked for."""
    shades: frozenset[Shade] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of the text."""

    start: int
    end: int


class Stretches:
    """Stretches of a text, in order and apart."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def touch(self, start: int, end: int) -> bool:
        """Whether one of them has a character of this one."""
        place = bisect_right(self._starts, end - 1) - 1
        return place >= 0 and self._ends[place] > start


_SENTENCE_END = re.compile(r"[。！？!?；;\n]++|\.(?=\s|$)|…++")
_CLAUSE_END = re.compile(r"[，、]|,(?!\d)|\s[-–—]\s|——|(?<!thing )(?<!where )\b(?:but|and then)\b|但是?|不过|然后")

_EURO = r"(?=\s?(?:€|EUR\b|euros?\b|zł|PLN\b|CHF\b|kr\b))"
_CONTINENTAL = (
    r"(?P<continental>\d{1,3}(?:[.\u0020\u00a0\u2009\u202f]\d{3}){1,4},\d{1,3}|\d{1,3}(?:[\u00a0\u2009\u202f]\d{3}){1,4}"
    rf"|(?:\d{{1,3}}(?:\u0020\d{{3}}){{1,4}}|\d{{1,6}},\d{{1,2}}){_EURO}|(?<=€)\d{{1,6}},\d{{1,2}})(?![\d_]|[.,]\d)"
)
"""Numbers as most of Europe writes them: 1 299,50 and 1.299,50; a bare 12,50 only beside a currency."""
_ARABIC = rf"(?<![A-Za-z0-9_])(?<!\d[.,])(?:{_CONTINENTAL}|(?P<number>(?:\d{{1,3}}(?:,\d{{3}}){{1,4}}|\d{{1,15}}+)(?:\.\d{{1,8}})?)(?![\d_]|[.,]\d))"
_MINUS = re.compile(r"[负負]$|(?<![\w)）%％\d])(?<=[^\n])[-−]$")
_SCALE = r"(?:\s?(?P<scale>thousand|million|billion|grand|bn|(?<=\d)(?:[kKwW]|(?-i:M)|m(?=\s?(?:dollars?|euros?|pounds|yuan|usd|eur|gbp|cny|rmb|€|£|元|美元|欧元)))|(?<=[$€£¥￥]\d)m|(?<=[$€£¥￥]\d\d)m|(?<=[$€£¥￥]\d\.\d)m)(?![A-Za-z]|/\w)|(?P<zh_scale>[百千万亿萬億]{1,2}(?:(?:\d{1,4}|[一二三四五六七八九两])[百千]?)?))?"
_ZH = rf"(?P<zh>[{ZH_CHARS}]{{1,24}}+(?:[点點][{ZH_CHARS}]{{1,12}}+)?)"
_EN_WORD = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|"
    "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion"
)
_EN = rf"(?P<en>\b(?:{_EN_WORD})(?:(?:[\s-]|\sand\s)(?:{_EN_WORD})){{0,8}}\b)"
_NUMBER = re.compile(rf"{_ARABIC}{_SCALE}|{_ZH}|{_EN}", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """One text with what is known about it."""

    text: str
    said_at: datetime.date | None = None
    default_currency: str = ""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def sentences(self) -> list[Span]:
        """Sentences in order, with their closing marks."""
        return list(_split(_SENTENCE_END, self.text, 0, len(self.text)))

    @cached_property
    def clauses(self) -> list[Span]:
        """Clauses in order, with their closing marks."""
        return [clause for sentence in self.sentences for clause in _split(_CLAUSE_END, self.text, sentence.start, sentence.end)]

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [span.start for span in self.sentences]

    @cached_property
    def _clause_starts(self) -> list[int]:
        return [span.start for span in self.clauses]

    def sentence_at(self, place: int) -> Span:
        """The sentence around a place."""
        return self.sentences[bisect_right(self._sentence_starts, place) - 1]

    def clause_at(self, place: int) -> Span:
        """The clause around a place."""
        return self.clauses[bisect_right(self._clause_starts, place) - 1]

    def before(self, start: int) -> str:
        """The words before a value, back to the start of its clause."""
        return self.text[max(self.clause_at(start).start, start - WINDOW) : start]

    def after(self, start: int, end: int) -> str:
        """The words after a value, on to the end of its clause."""
        return self.text[end : min(self.clause_at(start).end, end + WINDOW)]

    @cached_property
    def _not_values(self) -> Stretches:
        return Stretches(not_values(self.text))

    @cached_property
    def _code(self) -> Stretches:
        return Stretches(code(self.text))

    def is_no_value(self, start: int, end: int) -> bool:
        """Whether the stretch touches an address, code, a clock time, an ordinal, or a phrase that only looks like a number."""
        return self._not_values.touch(start, end)

    def is_code(self, start: int, end: int) -> bool:
        """Whether the stretch touches an address or code."""
        return self._code.touch(start, end)

    @cached_property
    def numbers(self) -> list[Number]:
        """Every numeral outside what is no value, in order."""
        return list(islice(self._numbers(), MOST_NUMBERS))

    def _numbers(self) -> Iterator[Number]:
        for match in _NUMBER.finditer(self.text):
            numeral, written = _value(match)
            if numeral is not None and not self.is_no_value(*match.span()):
                minus = _MINUS.search(self.text, max(0, match.start() - 2), match.start()) is not None
                value = -numeral.value if minus else numeral.value
                yield Number(start=match.start() - minus, end=match.end(), value=value, interpreted=numeral.interpreted, written=written)


def _value(match: re.Match[str]) -> tuple[Numeral | None, str]:
    if words := match["zh"]:
        return chinese(words), "zh"
    if words := match["en"]:
        return english(words), "en"
    number = _digits(match)
    if scale := match["zh_scale"]:
        return chinese(number + scale), "digits"
    return digits(number, match["scale"] or ""), "digits"


def _digits(match: re.Match[str]) -> str:
    if continental := match["continental"]:
        return re.sub(r"[.\s]", "", continental).replace(",", ".")
    return match["number"].replace(",", "")


def _split(ends: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[Span]:
    for match in ends.finditer(text, start, stop):
        if match.end() > start:
            yield Span(start=start, end=match.end())
            start = match.end()
    if start < stop:
        yield Span(start=start, end=stop)

"""Rule for how many people go together: 两大一小, 一家四口, there are five of us, a party of six."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxcore.state.text_rules.numerals import chinese, digits, english
from ctxcore.state.text_rules.reading import Draft, Reading

_ZH = "[一二两三四五六七八九十\\d]{1,2}"
_EN = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|an?)"
_PATTERN = re.compile(
    rf"(?P<both_zh>(?<![\\d十百千])(?P<big>{_ZH})(?:个|位|名)?(?:大人?|成人)[，,、和加带]?(?P<small>{_ZH})(?:个|位|名)?(?:小孩?|儿童|孩子|婴儿)(?![时米号杯份型队]))"
    rf"|(?P<home>(?<=一家)(?P<mouths>{_ZH})口)"
    rf"|(?P<of_us>(?:(?<=there are )|(?<=there will be )|(?<=there're )|(?<=we are )|(?<=we're )|(?<=for )|(?<=for the ))(?P<us>{_EN}) of us\b)"
    rf"|(?P<party>(?:(?<=party of )|(?<=group of )|(?<=family of ))(?P<members>{_EN})\b(?! (?!was\b|is\b|has\b)[a-z]+s\b))",
    re.IGNORECASE,
)


def parties(reading: Reading) -> Iterator[Draft]:
    """Each party as one count of people."""
    for match in _PATTERN.finditer(reading.text):
        numbers = [_number(words) for words in (match[name] for name in ("big", "small", "mouths", "us", "members")) if words]
        if not reading.is_code(*match.span()) and all(numbers):
            unit = "people" if match["both_zh"] is None and match["home"] is None else "人"
            yield Draft(kind="count", value=sum(numbers), unit=unit, start=match.start(), end=match.end(), extractor="count", key="")


def _number(words: str) -> int:
    if words.isdigit():
        return int(digits(words).value)
    if words.lower() in ("a", "an"):
        return 1
    read = english(words) if words.isascii() else chinese(words)
    return int(read.value) if read else 0

"""The value of a written numeral: Chinese (两千两百二十五, 十五点八万, 3万5千), English words (five thousand) and digits (1,200, 5k)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

ZH_DIGITS = {
    **{
        char: value
        for value, chars in enumerate(("零〇", "一壹", "二贰貳两兩", "三叁參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖"))
        for char in chars
    }
}
"""Chinese digits, simplified, traditional and as written on cheques."""

ZH_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
ZH_BIG = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
ZH_CHARS = "".join((*ZH_DIGITS, *ZH_SMALL, *ZH_BIG))
"""Characters that a Chinese numeral is made of, without its decimal point 点."""

EN_ONES = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
EN_TENS = {word: value * 10 for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)}
EN_SCALES = {"hundred": 100, "thousand": 1_000, "grand": 1_000, "million": 10**6, "billion": 10**9, "k": 1_000, "m": 10**6, "w": 10**4, "bn": 10**9}
"""Scales after a number, `w` as typed in Chinese for 万."""


class Numeral(NamedTuple):
    """What a numeral says."""

    value: Decimal
    """Its number."""
    interpreted: bool
    """Whether a rule of thumb was needed: 三万五 is 35,000."""


_PIECES = re.compile(r"\d+(?:\.\d+)?|.", re.DOTALL)
_INF = 10**12


def chinese(words: str) -> Numeral | None:
    """The value of a Chinese or mixed numeral; None where it is none, or could be two (两三万)."""
    if "点" in words or "點" in words:
        return _with_point(words.replace("點", "点"))
    if all(char in ZH_DIGITS for char in words):
        return _digit_by_digit(words)
    return _Sum().read(_PIECES.findall(words))


def _digit_by_digit(words: str) -> Numeral | None:
    digits = "".join(str(ZH_DIGITS[char]) for char in words)
    return Numeral(Decimal(digits), interpreted=False) if len(digits) != 2 else None


def _with_point(words: str) -> Numeral | None:
    whole, _, rest = words.partition("点")
    big = 1
    while rest and rest[-1] in ZH_BIG:
        big *= ZH_BIG[rest[-1]]
        rest = rest[:-1]
    before = chinese(whole) if whole else None
    if before is None or before.interpreted or not rest or any(char not in ZH_DIGITS for char in rest):
        return None
    decimals = "".join(str(ZH_DIGITS[char]) for char in rest)
    return Numeral((before.value + Decimal(f"0.{decimals}")) * big, interpreted=False)


class _Sum:
    """Adds up the pieces of one numeral; units must fall, or it is no numeral."""

    def __init__(self) -> None:
        self.total = self.section = Decimal(0)
        self.digit: Decimal | None = None
        self.zero = False
        self.last = 0
        self.small_limit = self.big_limit = _INF

    def read(self, pieces: list[str]) -> Numeral | None:
        for piece in pieces:
            if not self._add(piece):
                return None
        return self._end()

    def _add(self, piece: str) -> bool:
        if piece in ZH_SMALL:
            return self._small(ZH_SMALL[piece])
        if piece in ZH_BIG:
            return self._big(ZH_BIG[piece])
        if piece in "零〇":
            self.zero = True
            return self.digit is None
        value = Decimal(ZH_DIGITS[piece]) if piece in ZH_DIGITS else Decimal(piece)
        fits, self.digit = self.digit is None, value
        return fits

    def _small(self, unit: int) -> bool:
        if unit >= self.small_limit or (self.digit is None and (unit != 10 or (self.section and not self.zero))):
            return False
        self.section += (Decimal(1) if self.digit is None else self.digit) * unit
        self.digit, self.zero, self.last, self.small_limit = None, False, unit, unit
        return True

    def _big(self, unit: int) -> bool:
        self.section += self.digit or 0
        if unit >= self.big_limit or not self.section:
            return False
        self.total += self.section * unit
        self.section, self.digit, self.zero, self.last = Decimal(0), None, False, unit
        self.small_limit, self.big_limit = _INF, unit
        return True

    def _end(self) -> Numeral:
        if self.digit is None:
            return Numeral(self.total + self.section, interpreted=False)
        short = not self.zero and self.last > 10 and self.digit < 10
        tail: Decimal = self.digit * self.last / 10 if short else self.digit
        return Numeral(self.total + self.section + tail, interpreted=short)


def english(words: str) -> Numeral | None:
    """The value of English number words; None where they do not add up."""
    total = current = Decimal(0)
    for word in re.findall("[a-z]+", words.lower()):
        if word in EN_ONES or word in EN_TENS:
            value = EN_ONES[word] if word in EN_ONES else EN_TENS[word]
            if current % 10 or (value >= 10 and current % 100):
                return None
            current += value
        elif word == "hundred":
            current = (current or Decimal(1)) * 100
        elif word in EN_SCALES:
            total, current = total + (current or Decimal(1)) * EN_SCALES[word], Decimal(0)
    return Numeral(total + current, interpreted=False)


def digits(number: str, scale: str = "") -> Numeral:
    """The value of digits with thousands separators, and of a scale word or letter after them."""
    value = Decimal(number.replace(",", ""))
    return Numeral(value * EN_SCALES.get(scale.lower(), 1), interpreted=scale in ("w", "W"))


def plain(value: Decimal) -> int | float:
    """As JSON: whole numbers as integers."""
    return int(value) if value == value.to_integral_value() else float(value)

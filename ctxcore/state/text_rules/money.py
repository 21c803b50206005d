"""Rule for amounts of money: 五千块, 3万元, 十元三角八分, $1,200, 1200 euros, 预算五千, a budget of 800."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ctxcore.state.found import Shade
from ctxcore.state.text_rules.alternatives import any_of
from ctxcore.state.text_rules.currencies import AFTER, BEFORE, CODES, DOLLARS, MONEY_NOUNS_EN, MONEY_NOUNS_ZH, YEN_SIGN
from ctxcore.state.text_rules.keys import known_noun
from ctxcore.state.text_rules.numerals import ZH_DIGITS, plain
from ctxcore.state.text_rules.reading import Draft, Number, Reading
from ctxcore.state.text_rules.things import counts_a_thing

LONGEST_SIGN = 16
"""Code points of the longest currency word, with a space."""


_CODES = "|".join(CODES)
_BEFORE = re.compile(rf"(?:(?P<code>(?<![A-Za-z])(?:{_CODES}))|(?P<word>{any_of(tuple(BEFORE))}))\s?$")
_AFTER = re.compile(
    rf"(?P<about>[多来余](?=[元块塊美欧]))?\s?(?:(?P<code>(?:{_CODES})(?![A-Za-z]))|(?P<word>{any_of(tuple(AFTER))})(?![A-Za-z])(?!素|旦|宵|月|老|首|件|具|叉|削|地|石|板|头))"
)
_DIMES = re.compile(
    rf"(?P<dimes>[\d{''.join(ZH_DIGITS)}])(?:[角毛](?:(?P<cents>[\d{''.join(ZH_DIGITS)}])分?)?|(?P<bare>)(?![\d{''.join(ZH_DIGITS)}十百千万个元块点.]))"
)
_MINUS = re.compile(r"(?<![\w)）])(?<=[^\n])[-−]\s?$")
_CHANGE = re.compile(r"[角毛](?![色度落形球笔线])")
_NOUN_TAIL = re.compile(rf"\s*(?:的)?(?P<noun>{any_of(MONEY_NOUNS_ZH + MONEY_NOUNS_EN)})(?![A-Za-z])")
_SPENDS = re.compile(r"(?:花|赚|挣|付|赔|亏)了?$")
_NO_MONEY_AFTER = re.compile(
    r"\s?(?:%|％|percent|[个個件人位张張间間晚天台部本只条條双雙套份杯瓶斤克米岁歲次箱盒年月日号號小时分钟平]|(?:people|persons?|nights?|days?|months?|weeks?|years?|hours?|minutes?|items?|pieces?|units?|kg|km|cm|times?|guests?|rooms?)\b)"
)


def money(reading: Reading) -> Iterator[Draft]:
    """Each amount with its currency; without one, where the noun says that it is money."""
    for number in reading.numbers:
        yield from _with_currency(reading, number) or _by_noun(reading, number)


def _with_currency(reading: Reading, number: Number) -> tuple[Draft, ...]:
    text = reading.text
    if after := _AFTER.match(text, number.end, number.end + LONGEST_SIGN):
        about: frozenset[Shade] = frozenset({"approximate"}) if after["about"] else frozenset()
        unit, value, end = after["code"] or AFTER[after["word"]], number.value, after.end()
        if unit == "CNY" and (change := _DIMES.match(text, end, end + 4)):
            value, end = value + _tenths(change), change.end()
        return (_draft(number, unit=unit, start=number.start, end=end, value=value, shades=about),)
    if before := _BEFORE.search(text, max(0, number.start - LONGEST_SIGN), number.start):
        unit, open_sign = _sign(reading, before["code"] or before["word"])
        minus = _MINUS.search(text, max(0, before.start() - 3), before.start())
        value = -number.value if minus else number.value
        return (_draft(number, unit=unit, start=minus.start() if minus else before.start(), end=number.end, shades=open_sign, value=value),)
    if number.value < 10 and _CHANGE.match(text, number.end):
        return (_draft(number, unit="CNY", start=number.start, end=number.end + 1, value=number.value / 10),)
    return ()


_BARE_M = re.compile(r"\s?m(?![\w²³^/])")
"""Behind a number that may count millions, metres or minutes."""


def _by_noun(reading: Reading, number: Number) -> tuple[Draft, ...]:
    if (letter := _BARE_M.match(reading.text, number.end)) is not None:
        key = known_noun(reading.before(number.start))
        shades = frozenset[Shade](("assumed_unit", "ambiguous"))
        value = number.value * 10**6
        end = letter.end()
        return (_draft(number, unit=reading.default_currency, start=number.start, end=end, shades=shades, key=key, value=value),) if key else ()
    if reading.text[number.end : number.end + 1].isalpha() and reading.text[number.end].isascii():
        return ()
    if _NO_MONEY_AFTER.match(reading.text, number.end) or counts_a_thing(reading.text, number.end):
        return ()
    before = reading.before(number.start)
    key = known_noun(before)
    if (
        not key
        and not _SPENDS.search(before)
        and not ((tail := _NOUN_TAIL.match(reading.text, number.end, number.end + LONGEST_SIGN)) and number.value >= 10)
    ):
        return ()
    if not key and not _SPENDS.search(before) and tail:
        key = tail["noun"]
    return (_draft(number, unit=reading.default_currency, start=number.start, end=number.end, shades=frozenset({"assumed_unit"}), key=key),)


def _sign(reading: Reading, sign: str) -> tuple[str, frozenset[Shade]]:
    unit = BEFORE.get(sign, sign)
    others = DOLLARS if sign == "$" else YEN_SIGN if sign == "¥" else ()
    return (reading.default_currency if reading.default_currency in others else unit), frozenset()


def _tenths(change: re.Match[str]) -> Decimal:
    def one(digit: str | None) -> Decimal:
        return Decimal(ZH_DIGITS.get(digit, digit)) if digit else Decimal(0)

    return one(change["dimes"]) / 10 + one(change["cents"]) / 100


def _draft(
    number: Number,
    *,
    unit: str,
    start: int,
    end: int,
    value: Decimal | None = None,
    shades: frozenset[Shade] = frozenset(),
    key: str | None = None,
) -> Draft:
    if number.interpreted:
        shades |= {"interpreted"}
    amount = plain(number.value if value is None else value)
    return Draft(kind="money", value=amount, unit=unit, start=start, end=end, extractor="money", shades=shades, key=key)

"""Rule for numbers that are no money: with a measure word (3件, 400 kg), of a key (gate 3, 数量两千), or bare (make it 4000)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from ctxcore.state.found import Shade
from ctxcore.state.text_rules.alternatives import any_of
from ctxcore.state.text_rules.keys import NUMBERED, SMALL_WORDS, key_before
from ctxcore.state.text_rules.numerals import plain
from ctxcore.state.text_rules.reading import Draft, Number, Reading
from ctxcore.state.text_rules.things import counts_a_thing

MEASURES_ZH = (
    "平方米", "平方公里", "平米", "公里", "公斤", "千克", "厘米", "毫米", "小时", "小時", "分钟", "分鐘", "个月", "個月", "个人", "個人", "人份", "摄氏度", "立方米", "码", "碼", "千米", "毫升", "英寸", "寸",
    "秒", "个", "個", "件", "人", "位", "张", "張", "间", "間", "晚", "天", "台", "臺", "部", "本", "只", "隻", "条", "條", "双", "雙", "套", "份", "杯", "瓶", "斤", "克", "吨", "米", "岁", "歲",
    "次", "箱", "盒", "年", "周", "週", "页", "頁", "字", "度", "层", "层楼", "楼", "辆", "輛", "把", "支", "枝", "袋", "包", "块", "组", "名", "桌", "篇", "句", "封", "株", "朵", "升", "倍", "步", "行", "列", "票", "期", "集", "节", "门", "道", "轮",
)  # fmt: skip
"""Measure words after a Chinese number or after digits."""

MEASURES_EN = (
    "km/h m/s kg kgs grams? kilos? kilograms? tons? tonnes? lbs? oz ounces? km kilometers? kilometres? miles? meters? metres? cm mm inch(?:es)? ft feet litres? liters? ml "
    "seconds? secs? minutes? mins? hours? hrs? days? nights? weeks? months? years? ms gb mb kb tb [kmg]bps mph k?wh kw watts? volts? hz [kmg]hz "
    "people persons? guests? adults? children|child|kids? rooms? tickets? pieces? pcs items? units? copies|copy boxes|box bottles? cups? pairs? sets? seats? tables? chairs? stars? "
    "pages? words? lines? times? degrees? passengers? travell?ers? bags? beds? bedrooms? shirts? shoes books? cars? orders? students? employees? users? files? tests? calls? messages? tokens? "
    "questions? points? steps? layers? floors? servings? portions? packs? packages? parcels? dozen licenses? seats? credits? characters? rows? columns? images? photos? videos? emails? accounts? "
    "servers? cores? threads? requests? retries|retry attempts? errors? hectares? acres?"
).replace(" ", "|")

_ZH = any_of(MEASURES_ZH)
_MEASURE = re.compile(
    rf"(?P<more>多|来|余)?(?P<extra>\s(?:more|extra|additional)(?= [a-z]))?(?:\s?(?P<zh>{_ZH})|[\s-]?(?P<en>(?-i:[gml])|{MEASURES_EN})(?![A-Za-z0-9]|/[a-z])|\s?(?P<sign>%|％|°C|℃|°F|°)|\s(?P<percent>per\s?cent|percent)\b)",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(r"-?[A-Za-z]|/\d|\s?(?:元|块|月|日|号|號|点|點|分)|[-:]\d| \d{3}\b|\w*[(\[{=]")
_YEAR_BEFORE = re.compile(r"\b(?:in|of|since|by|until|before|after|from|during|to|and)\s$|[（(]\s?$", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"[A-Za-z\u4e00-\u9fff][:：]?\s?$")
SHORT_CLAUSE, SHORT_TEXT = 24, 200
"""Code points within which a number may stand without words before it."""
_UNITS = {"％": "%", "个人": "人", "個人": "人"}
"""Measure words that say the same as another."""
_LATIN_BEFORE = re.compile(r"[A-Za-z][A-Za-z'’-]*\s$")
_LENGTH = re.compile(r"high|height|long|length|tall|wide|width|deep|depth|distance|size|by |x |高|长|宽|深|距|面积", re.IGNORECASE)
_HALF = re.compile(r"半(?P<unit>小时|小時|钟头|月|星期|世纪)?(?![天夜年个個月])")
_ONE = frozenset(("一",))
_BUYS = re.compile(r"(?:买|買|要|订|訂|来|加|共|各|限|定|点)$")
_PERCENT_BEFORE = re.compile(r"百分之$")
_CHANGES = re.compile(
    r"(?:改成|改为|改為|改到|换成|换为|换到|变成|更正为?|是|为|到|就|超[过過]|高于|低于|最多|至少|最少|大于|小于|不到|花了?|付了?|用了|只有|还有|加|再|另加|:|：|=|要|来|订|买|共|各|不对)\s*$"
)


def counts(reading: Reading) -> Iterator[Draft]:
    """Each number with its measure word or key."""
    for number in reading.numbers:
        measured = _percent(reading, number) or _measured(reading, number)
        yield from _unmeasured(reading, number) if measured is None else measured


def _percent(reading: Reading, number: Number) -> tuple[Draft, ...]:
    before = _PERCENT_BEFORE.search(reading.text, max(0, number.start - 3), number.start)
    return (_draft(number, unit="%", end=number.end, start=before.start()),) if before else ()


def _measured(reading: Reading, number: Number) -> tuple[Draft, ...] | None:
    measure = _MEASURE.match(reading.text, number.end)
    if measure is None:
        return None
    half = _HALF.match(reading.text, measure.end()) if measure["zh"] else None
    if _is_joined(reading, measure) or (half is None and _is_article(reading, number, measure["en"] or "")):
        return ()
    if half is not None:
        unit = half["unit"] or measure["zh"]
        return (_draft(replace(number, value=number.value + Decimal("0.5")), unit=_UNITS.get(unit, unit), end=half.end()),)
    unit = measure["zh"] or measure["en"] or measure["sign"] or "%"
    shades: frozenset[Shade] = frozenset({"approximate"}) if measure["more"] else frozenset({"relative_change"}) if measure["extra"] else frozenset()
    return (_draft(number, unit=_UNITS.get(unit, unit), end=measure.end(), shades=shades),)


def _is_joined(reading: Reading, measure: re.Match[str]) -> bool:
    """Part of a compound (a 4-year-old child), or metres that may be minutes or millions (10m)."""
    text = reading.text
    if text.startswith("-", measure.end()) and text[measure.end() + 1 : measure.end() + 2].isalpha():
        return True
    near = text[max(0, measure.start() - 40) : measure.end() + 12]
    return measure["en"] == "m" and text[measure.end() - 2].isdigit() and not _LENGTH.search(near)


def _is_article(reading: Reading, number: Number, unit: str) -> bool:
    words = reading.text[number.start : number.end]
    if words.lower() == "one" and unit.endswith("s"):
        return True
    return words in _ONE and not _BUYS.search(reading.text, max(0, number.start - 2), number.start)


def _is_prose(reading: Reading, number: Number, before: str) -> bool:
    """Numbers in lists, dumps and code say nothing; a sentence speaks of its number, and a short message may be all number."""
    if _WORD_BEFORE.search(before):
        return True
    clause = reading.clause_at(number.start)
    return clause.end - clause.start <= SHORT_CLAUSE and len(reading.text) <= SHORT_TEXT


def _is_year(reading: Reading, number: Number) -> bool:
    looks = number.written == "digits" and 1900 <= number.value < 2100 and number.end - number.start == 4
    return looks and bool(_YEAR_BEFORE.search(reading.text, max(0, number.start - 8), number.start))


def _unmeasured(reading: Reading, number: Number) -> tuple[Draft, ...]:
    if _NOT_AFTER.match(reading.text, number.end) or _is_year(reading, number):
        return ()
    before = reading.before(number.start)
    key = "" if reading.text[number.start : number.end].lower() == "one" else key_before(before)
    if number.value < 0 or _is_one_of_things(reading, number, key):
        return ()
    alone = number.written != "en" and not reading.text[: number.start].strip() and not reading.text[number.end :].strip(" .!。！")
    if not _is_prose(reading, number, before):
        return ()
    said = number.written == "digits" or (len(reading.text[number.start : number.end]) > 1 and bool(_CHANGES.search(before)))
    if not (key or alone or (said and number.written != "en")):
        return ()
    return (_draft(number, unit="", end=number.end, key=key),)


def _is_one_of_things(reading: Reading, number: Number, key: str) -> bool:
    """It counts what follows it, closes the mark of a list, or stands behind a word that is no key."""
    if counts_a_thing(reading.text, number.end) and key.rsplit(" ", maxsplit=1)[-1].lower() not in NUMBERED:
        return True
    before = reading.before(number.start)
    if reading.text.startswith(")", number.end) and "(" not in before:
        return True
    word = _LATIN_BEFORE.search(before)
    return not key and word is not None and word[0].strip().lower() not in SMALL_WORDS


def _draft(number: Number, *, unit: str, end: int, start: int | None = None, shades: frozenset[Shade] = frozenset(), key: str | None = None) -> Draft:
    if number.interpreted:
        shades |= {"interpreted"}
    name = "count" if unit else "number"
    return Draft(
        kind="count",
        value=plain(number.value),
        unit=unit,
        start=number.start if start is None else start,
        end=end,
        extractor=name,
        shades=shades,
        key=key,
    )

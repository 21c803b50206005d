"""Rule for dates in Chinese and in figures: 下周三, 上个月, 3月20日, 两周后, 2025-03-20."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator

from ctxcore.state.text_rules.alternatives import any_of
from ctxcore.state.text_rules.calendar_days import (
    AMBIGUOUS,
    INTERPRETED,
    UNDATED,
    Day,
    coming,
    day,
    days_from,
    exact,
    month,
    month_day,
    month_from,
    week_from,
    weekday_in_week,
)
from ctxcore.state.text_rules.numerals import chinese
from ctxcore.state.text_rules.reading import Draft, Reading

_N = "[0-9一二两三四五六七八九十廿]{1,3}"
_OFFSETS = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2, "後年": 2}
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "昨晚": -1,
    "今天": 0,
    "今日": 0,
    "今晚": 0,
    "今早": 0,
    "明天": 1,
    "明日": 1,
    "明晚": 1,
    "明早": 1,
    "后天": 2,
    "後天": 2,
    "大后天": 3,
    "大後天": 3,
}
_WEEKDAYS = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6}
_STEPS = {"天": 1, "日": 1, "周": 7, "週": 7, "个星期": 7, "個星期": 7, "个礼拜": 7, "星期": 7}

_OFFSET = r"(?P<offset>上上|下下|上|下|这|這|本)"
_WEEK = "(?:周|週|星期|礼拜|禮拜)"
_PATTERN = re.compile(
    rf"(?P<figures>(?<![\d.\-/])(?P<y>\d{{4}})(?P<mark>[-/.])(?P<m>\d{{1,2}})(?P=mark)(?P<d>\d{{1,2}})(?![\d\-/]))"
    rf"|(?P<full>(?:(?P<fy>\d{{4}}|[零〇一二三四五六七八九]{{4}})年|(?P<year_word>{'|'.join(_YEARS)})(?:的)?)(?P<fm>{_N})月(?:份|(?P<fd>{_N})[日号號])?)"
    rf"|(?P<month_day>(?<![个個\d])(?P<mm>{_N})月(?:份|(?P<md>{_N})[日号號])?(?![饼球亮季底经]))"
    rf"|(?P<in_month>{_OFFSET}[个個]?月(?:的)?(?:(?P<id>{_N})[日号號])?)"
    rf"|(?P<week>(?<![每])(?:(?P<woffset>上上|下下|上|下|这|這|本)[个個]?{_WEEK}的?)(?:{_WEEK})?(?P<wday>[一二三四五六日天])?(?![末年期]))"
    rf"|(?P<bare_week>(?<![每一两二三四五六几个個\d上下这這本]){_WEEK}(?P<bday>[一二三四五六日天])(?![至到]))"
    rf"|(?P<later>(?P<ln>{_N})(?P<lunit>{'|'.join(_STEPS)}|[个個]月)(?:之|以)?(?P<side>后|後|前))"
    rf"|(?P<rel>{any_of(_DAYS)})"
    rf"|(?P<year>(?:(?P<yn>(?:19|20)\d{{2}})年|(?P<yw>{'|'.join(_YEARS)}))(?![前后後来]))"
    rf"|(?P<day_only>(?<![\d月A-Za-z第])(?P<dn>{_N})[号號](?=[之以]?前|[之以]?后|到|出|入|退|走|来|去|交|开|有|下|上|晚|早|中|的|，|。|$)(?!的?[楼线门房店码]))"
)


def dates_zh(reading: Reading) -> Iterator[Draft]:
    """Each date; without the message's own day, relative ones are kept as words."""
    for match in _PATTERN.finditer(reading.text):
        if reading.is_code(*match.span()):
            continue
        if found := _read(match, reading.said_at):
            yield draft_of(found, match.start(), match.end())
        elif reading.said_at is None and not match["figures"]:
            yield words_of(match)


def draft_of(found: Day, start: int, end: int) -> Draft:
    """The draft of a date."""
    return Draft(kind=found.kind, value=found.value, start=start, end=end, extractor="date", shades=found.shades)


def words_of(match: re.Match[str]) -> Draft:
    """The draft of a date that can't be placed: its words."""
    words = match[0].rstrip("的")
    return Draft(kind="text", value=words, unit="date", start=match.start(), end=match.start() + len(words), extractor="date", shades=UNDATED)


def _int(words: str) -> int:
    if words.isascii() and words.isdigit():
        return int(words)
    read = chinese(words.replace("廿", "二十"))
    return int(read.value) if read else -1


def _figures(match: re.Match[str], _: datetime.date | None) -> Day | None:
    return exact(int(match["y"]), int(match["m"]), int(match["d"]))


def _full(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    if match["fy"]:
        year = _int(match["fy"])
    elif said_at:
        year = said_at.year + _YEARS[match["year_word"]]
    else:
        return None
    return exact(year, _int(match["fm"]), _int(match["fd"])) if match["fd"] else month(year, _int(match["fm"]))


def _month_day(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    if said_at is None:
        return None
    if match["md"]:
        return month_day(said_at, _int(match["mm"]), _int(match["md"]))
    found = month(said_at.year, _int(match["mm"]))
    return found and found._replace(shades=INTERPRETED if found.value >= said_at.isoformat()[:7] else AMBIGUOUS)


def _in_month(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    if said_at is None:
        return None
    found = month_from(said_at, _OFFSETS[match["offset"]])
    return exact(int(found.value[:4]), int(found.value[5:]), _int(match["id"])) if match["id"] else found


def _week(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    if said_at is None:
        return None
    weeks = _OFFSETS[match["woffset"]]
    return weekday_in_week(said_at, weeks, _WEEKDAYS[match["wday"]]) if match["wday"] else week_from(said_at, weeks)


def _bare_week(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return day(coming(said_at, _WEEKDAYS[match["bday"]]), AMBIGUOUS) if said_at else None


def _later(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    number = _int(match["ln"]) * (-1 if match["side"] == "前" else 1)
    if said_at is None or _int(match["ln"]) < 0:
        return None
    return month_from(said_at, number) if match["lunit"] in ("个月", "個月") else days_from(said_at, number * _STEPS[match["lunit"]])


def _rel(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return days_from(said_at, _DAYS[match["rel"]]) if said_at else None


def _year(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    if match["yn"]:
        return Day("period", match["yn"])
    return Day("period", str(said_at.year + _YEARS[match["yw"]])) if said_at else None


def _day_only(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return month_day(said_at, said_at.month, _int(match["dn"])) if said_at else None


_READERS: dict[str, Callable[[re.Match[str], datetime.date | None], Day | None]] = {
    "figures": _figures,
    "full": _full,
    "month_day": _month_day,
    "in_month": _in_month,
    "week": _week,
    "bare_week": _bare_week,
    "later": _later,
    "rel": _rel,
    "year": _year,
    "day_only": _day_only,
}


def _read(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return next(reader(match, said_at) for name, reader in _READERS.items() if match[name])

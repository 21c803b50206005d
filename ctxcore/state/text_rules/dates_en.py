"""Rule for dates in English: tomorrow, next Friday, March 3, 2 April 2025, in ten days, last month."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator

from ctxcore.state.text_rules.calendar_days import (
    AMBIGUOUS,
    INTERPRETED,
    Day,
    coming,
    day,
    days_from,
    exact,
    month,
    month_day,
    month_from,
    past,
    week_from,
    weekday_in_week,
)
from ctxcore.state.text_rules.dates_zh import draft_of, words_of
from ctxcore.state.text_rules.numerals import english
from ctxcore.state.text_rules.reading import Draft, Reading

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DAYS = {"the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "tomorrow": 1, "the day after tomorrow": 2}
_SIDES = {"last": -1, "previous": -1, "this": 0, "next": 1, "coming": 0}
_STEPS = {"day": 1, "week": 7, "fortnight": 14}

_MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|"
    "january|february|april|june|july|august|september|october|november|december)"
)
_WEEKDAY = r"(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)day"
_COUNT = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|thirty)"
_PATTERN = re.compile(
    rf"(?<![A-Za-z0-9])(?:(?P<month_first>(?P<m1>{_MONTH})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y1>(?:19|20)\d{{2}}))?(?![\d:%]|\s?(?:%|[ap]m)))"
    rf"|(?P<day_first>(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH})(?:,? (?P<y2>(?:19|20)\d{{2}}))?)"
    rf"|(?P<rel>(?i:the day (?:before yesterday|after tomorrow)|yesterday|last night|today|tonight|tomorrow))"
    rf"|(?P<weekday>(?:(?P<side>(?i:last|this|next|coming|this coming)) )?(?P<wd>{_WEEKDAY}))"
    rf"|(?P<stretch>(?P<sside>(?i:last|this|next)) (?P<sunit>week|month|year))(?!end|ly|'s? end)"
    rf"|(?P<ahead>(?i:in|within) (?P<an>{_COUNT}) (?P<aunit>day|week|fortnight|month)s?(?:'? time)?)"
    rf"|(?P<away>(?P<wn>{_COUNT}) (?P<wunit>day|week|fortnight|month)s? (?P<wside>(?i:ago|from now|from today|later)))"
    rf"|(?P<month_only>(?:(?<=in )|(?<=for )|(?<=until )|(?<=by )|(?<=since )|(?<=of )|(?<=from ))(?P<m3>{_MONTH})(?: (?P<y3>(?:19|20)\d{{2}}))?(?! \d))"
    rf"|(?P<slashed>(?P<s1>\d{{1,2}})/(?P<s2>\d{{1,2}})/(?P<sy>(?:19|20)\d{{2}})(?!\d)))(?![A-Za-z])"
)
_WITHIN = re.compile(r"within", re.IGNORECASE)


def dates_en(reading: Reading) -> Iterator[Draft]:
    """Each date; without the message's own day, relative ones are kept as words."""
    for match in _PATTERN.finditer(reading.text):
        if reading.is_code(*match.span()) or _recurs(reading, match) or _WITHIN.match(match[0]):
            continue
        if found := _read(match, reading.said_at):
            yield draft_of(found, match.start(), match.end())
        elif reading.said_at is None and not match["slashed"]:
            yield words_of(match)


def _recurs(reading: Reading, match: re.Match[str]) -> bool:
    return reading.text[max(0, match.start() - 6) : match.start()].lower().endswith(("every ", "each "))


def _month_number(word: str) -> int:
    return next(number for number, name in enumerate(_MONTHS, 1) if name.startswith(word.lower()[:3]))


def _int(word: str) -> int:
    if word.isdigit():
        return int(word)
    read = english(word)
    return 1 if word.lower() in ("a", "an") or read is None else int(read.value)


def _dated(said_at: datetime.date | None, year: str | None, number: int, of_month: int) -> Day | None:
    if year:
        return exact(int(year), number, of_month)
    return month_day(said_at, number, of_month) if said_at else None


def _month_first(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return _dated(said_at, match["y1"], _month_number(match["m1"]), int(match["d1"]))


def _day_first(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return _dated(said_at, match["y2"], _month_number(match["m2"]), int(match["d2"]))


def _rel(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return days_from(said_at, _DAYS[match["rel"].lower()]) if said_at else None


def _weekday(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    if said_at is None:
        return None
    weekday, side = _WEEKDAYS.index(match["wd"].lower()), (match["side"] or "").lower()
    nearest = past(said_at, weekday) if side == "last" else coming(said_at, weekday)
    if side in ("next", "last"):
        found = weekday_in_week(said_at, _SIDES[side], weekday)
        return found if found.value == nearest.isoformat() else found._replace(shades=AMBIGUOUS)
    if side == "this":
        return weekday_in_week(said_at, 0, weekday)
    return day(nearest, frozenset() if side else AMBIGUOUS)


def _stretch(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    if said_at is None:
        return None
    step = _SIDES[match["sside"].lower()]
    if match["sunit"] == "week":
        return week_from(said_at, step)
    return month_from(said_at, step) if match["sunit"] == "month" else Day("period", str(said_at.year + step))


def _steps(said_at: datetime.date | None, number: int, unit: str) -> Day | None:
    if said_at is None:
        return None
    return month_from(said_at, number) if unit == "month" else days_from(said_at, number * _STEPS[unit])


def _ahead(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return _steps(said_at, _int(match["an"]), match["aunit"])


def _away(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    back = match["wside"].lower() == "ago"
    return _steps(said_at, -_int(match["wn"]) if back else _int(match["wn"]), match["wunit"])


def _month_only(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    number = _month_number(match["m3"])
    if match["y3"]:
        return month(int(match["y3"]), number)
    if said_at is None:
        return None
    found = month(said_at.year, number)
    return found and found._replace(shades=INTERPRETED if found.value >= said_at.isoformat()[:7] else AMBIGUOUS)


def _slashed(match: re.Match[str], _: datetime.date | None) -> Day | None:
    first, second, year = int(match["s1"]), int(match["s2"]), int(match["sy"])
    if first == second or second > 12:
        return exact(year, first, second)
    return exact(year, second, first) if first > 12 else None


_READERS: dict[str, Callable[[re.Match[str], datetime.date | None], Day | None]] = {
    "month_first": _month_first,
    "day_first": _day_first,
    "rel": _rel,
    "weekday": _weekday,
    "stretch": _stretch,
    "ahead": _ahead,
    "away": _away,
    "month_only": _month_only,
    "slashed": _slashed,
}


def _read(match: re.Match[str], said_at: datetime.date | None) -> Day | None:
    return next(reader(match, said_at) for name, reader in _READERS.items() if match[name])

"""Days, weeks and months counted from the day a message was written; weeks begin on Monday."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from ctxcore.state.found import FoundKind, Shade


class Day(NamedTuple):
    """What a date says."""

    kind: FoundKind
    """`date` for a day, `period` for a month (`2025-02`), a week (`2025-W11`) or a year."""
    value: str
    """ISO 8601."""
    shades: frozenset[Shade] = frozenset()


AMBIGUOUS: frozenset[Shade] = frozenset({"ambiguous"})
UNDATED: frozenset[Shade] = frozenset({"undated"})
INTERPRETED: frozenset[Shade] = frozenset({"interpreted"})


def day(when: datetime.date, shades: frozenset[Shade] = frozenset()) -> Day:
    """A day."""
    return Day("date", when.isoformat(), shades)


def days_from(said_at: datetime.date, days: int) -> Day | None:
    """The day so many days away; None outside the calendar."""
    try:
        return day(said_at + datetime.timedelta(days=days))
    except OverflowError:
        return None


def month_from(said_at: datetime.date, months: int) -> Day:
    """The month so many months away."""
    year, month = divmod(said_at.year * 12 + said_at.month - 1 + months, 12)
    return Day("period", f"{year:04}-{month + 1:02}")


def week_from(said_at: datetime.date, weeks: int) -> Day:
    """The calendar week so many weeks away."""
    year, week, _ = (said_at + datetime.timedelta(weeks=weeks)).isocalendar()
    return Day("period", f"{year:04}-W{week:02}")


def weekday_in_week(said_at: datetime.date, weeks: int, weekday: int) -> Day:
    """Day of the calendar week so many weeks away; 0 is Monday."""
    return day(said_at + datetime.timedelta(days=weeks * 7 + weekday - said_at.weekday()))


def coming(said_at: datetime.date, weekday: int) -> datetime.date:
    """The nearest such day after today."""
    return said_at + datetime.timedelta(days=(weekday - said_at.weekday() - 1) % 7 + 1)


def past(said_at: datetime.date, weekday: int) -> datetime.date:
    """The nearest such day before today."""
    return said_at - datetime.timedelta(days=(said_at.weekday() - weekday - 1) % 7 + 1)


def exact(year: int, month: int, of_month: int) -> Day | None:
    """A full date; None where the calendar has no such day."""
    try:
        return day(datetime.date(year, month, of_month))
    except ValueError:
        return None


def month_day(said_at: datetime.date, month: int, of_month: int) -> Day | None:
    """A date without its year: this year's, open where that is past."""
    found = exact(said_at.year, month, of_month)
    if found is None:
        return None
    return found._replace(shades=INTERPRETED if found.value >= said_at.isoformat() else AMBIGUOUS)


def month(year: int, number: int) -> Day | None:
    """A month of a year."""
    return Day("period", f"{year:04}-{number:02}") if 1 <= number <= 12 else None

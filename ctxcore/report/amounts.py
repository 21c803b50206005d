"""Amounts as a report writes them: sizes with their unit, money with as many digits as it needs, changes in percent."""

from __future__ import annotations

SAME_SHARE = 0.0005
"""Change of a size below which it is told as none: it would be written as 0.0 %."""


def size_words(value: int, unit: str) -> str:
    """A size with its unit in words."""
    return f"{value:,} {unit_words(unit)}"


def unit_words(unit: str) -> str:
    """A unit for people."""
    return "characters" if unit == "chars" else unit


def dollars(value: float) -> str:
    """Money with as many digits as it needs."""
    if value >= 1:
        return f"${value:,.0f}" if value >= 1000 else f"${value:,.2f}"
    return "$0" if value < 0.0000005 else f"${value:,.4f}" if value >= 0.0001 else f"${value:,.6f}"


def look_equal(before: float, after: float) -> bool:
    """Two amounts of money are written the same."""
    return dollars(before) == dollars(after)


def money_change(before: float, after: float) -> str:
    """A change of money in percent; none where both amounts are written the same."""
    return "±0 %" if look_equal(before, after) or not before else signed_percent(after / before - 1)


def signed_percent(share: float) -> str:
    """A change in percent with its sign."""
    percent = 100 * share
    text = f"{percent:+.1f} %" if abs(percent) < 99.95 or percent > 0 else f"{percent:+.2f} %"
    return "±0 %" if abs(percent) < 0.05 else text.replace("-", "−")


def change_words(share: float) -> str:
    """A saving in words; ``share`` is what is saved, negative where it is more."""
    if abs(share) < SAME_SHARE:
        return "no change"
    return f"{abs(100 * share):.1f} % {'less' if share > 0 else 'more'}"

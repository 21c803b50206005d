"""A value that is corrected without its name keeps what it measures: money stays money, days stay days. Each expectation is what a person reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from tests.state.talk import entries, state_of

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "shop-order-zh.jsonl"


def measured(read, field):
    """Value, kind and unit of all entries of a field."""
    return [(entry.value, entry.kind, entry.unit) for entry in entries(read, field)]


def test_a_delivery_time_is_no_budget() -> None:
    """Said in the sample: 预算不超过一千块, 预算可以提高到两千; 四天太久了 is the delivery of the red one."""
    read = edit(read_session(SAMPLE.read_bytes()).threads[0], domain_named("open"))
    assert measured(read, "预算") == [(1000, "money", "CNY"), (2000, "money", "CNY")]
    assert read.value("颜色") == "black"


@pytest.mark.parametrize(
    ("first", "then", "field", "stays"),
    [
        ("预算不超过一千块。", "四天太久了，颜色还是改回黑色。", "预算", (1000, "money", "CNY")),
        ("预算两千元。", "还是改成三天吧。", "预算", (2000, "money", "CNY")),
        ("预算两千元。", "五个人太多了，还是改成三个人。", "预算", (2000, "money", "CNY")),
        ("人数是 4。", "改成五天。", "人数", (4, "count", "")),
        ("The budget is $2,000.", "Actually, make it 3 days.", "budget", (2000, "money", "USD")),
        ("The delivery time is 3 days.", "Actually, make it $40.", "delivery time", (3, "count", "days")),
        ("The delivery time is 3 days.", "4 days is too long, change the colour to black instead.", "delivery time", (3, "count", "days")),
        ("The weight is 5 kg.", "Actually, make it 3 days.", "weight", (5, "count", "kg")),
        ("The number of guests is 4.", "Actually, make it 5 days.", "guests", (4, "count", "")),
        ("The number of guests is 4.", "Actually, make it $50.", "guests", (4, "count", "")),
    ],
)
def test_what_measures_something_else_does_not_correct(first: str, then: str, field: str, stays: tuple[object, ...]) -> None:
    assert measured(state_of("open", f"u: {first}", "a: OK.", f"u: {then}"), field) == [stays]


@pytest.mark.parametrize(
    ("first", "then", "field", "becomes"),
    [
        ("预算两千元。", "还是改成三千吧。", "预算", (3000, "money", "CNY")),
        ("人数是 4。", "改成五个。", "人数", (5, "count", "个")),
        ("The budget is $2,000.", "Actually, make it 2,500.", "budget", (2500, "money", "USD")),
        ("The budget is 2000.", "Actually, make it $2,500.", "budget", (2500, "money", "USD")),
        ("The delivery time is 3 days.", "Actually, make it 5.", "delivery time", (5, "count", "days")),
        ("The number of guests is 4.", "Actually, make it 5 guests.", "guests", (5, "count", "guests")),
    ],
)
def test_a_bare_number_is_of_its_field_s_unit(first: str, then: str, field: str, becomes: tuple[object, ...]) -> None:
    assert measured(state_of("open", f"u: {first}", "a: OK.", f"u: {then}"), field)[-1] == becomes


def test_a_bare_number_twice_still_knows_the_unit() -> None:
    """The second correction has only a bare number before it: that is yuan all the same, and days are not."""
    read = state_of("open", "u: 预算一千块。", "a: 好。", "u: 预算改成两千。", "a: 好。", "u: 还是改成四天。")
    assert measured(read, "预算") == [(1000, "money", "CNY"), (2000, "money", "CNY")]

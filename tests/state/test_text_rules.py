"""What the text rules find in one message, and as much, what they leave."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.state.found import Found
from ctxcore.state.text_rules import LONGEST_TEXT, read_text
from ctxcore.state.text_rules.confidence import BASE
from ctxcore.state.text_rules.numerals import chinese, english
from tests.hostile import SAID as HOSTILE
from tests.hostile import repeated
from tests.state.labelled import OPEN, PARTS, SAID_AT, right, score, sentences
from tests.state.labelled_fields import score as field_score


def read(text: str, **more: object) -> tuple[Found, ...]:
    return read_text(text, said_at=SAID_AT, **more)  # type: ignore[arg-type]


def user_texts(shared: Path, case: str) -> list[str]:
    messages = json.loads((shared / "cases" / f"{case}.json").read_text("utf-8"))["messages"]
    return [message["content"] for message in messages if message["role"] == "user"]


@dataclass(frozen=True)
class Said:
    case: str
    turn: int
    values: tuple[tuple[str, object, str, str], ...]
    """Kind, value, unit and key of everything that is asserted."""
    shaded: tuple[object, ...] = ()
    """Values that may only be there with a shade that keeps them from being asserted."""


CASES = [
    Said("STATE-01", 1, (("money", 18_000_000, "", "预算"),)),
    Said("STATE-01", 2, (("count", 1_680_000, "", ""),)),
    Said("STATE-02", 1, (("money", 2_500_000, "", "总价"), ("money", 150_000, "CNY", "定金"))),
    Said("STATE-02", 2, (("money", 158_000, "CNY", "尾款"), ("money", 10.38, "CNY", "手续费"))),
    Said("STATE-04", 1, (("count", 2225, "", "数量"), ("money", 20_000, "", "单价"))),
    Said("STATE-04", 2, (("money", 120_000, "", "总额"),), (200,)),
    Said("STATE-05", 1, (("count", 505_000, "件", "库存"),)),
    Said("STATE-05", 2, (("count", 505_000, "件", ""),)),
    Said("STATE-07", 1, (("date", "2025-03-19", "", "会议"), ("period", "2025-02", "", ""))),
    Said("STATE-07", 2, (), ("2025-03-19", "2025-03-12")),
    Said("STATE-08", 1, (("choice", "likes", "preference", "spicy soup"),)),
    Said("STATE-08", 2, (("choice", "dislikes", "preference", "spicy soup"),)),
    Said("STATE-09", 1, (("attribute", "green", "color", "locker colour"),)),
    Said("STATE-09", 2, (("attribute", "blue", "color", "locker colour"),)),
    Said("STATE-09", 3, (("attribute", "green", "color", ""),)),
    Said("STATE-11", 1, (("count", 2500, "", ""),)),
    Said("STATE-11", 2, (("count", 4000, "", ""),)),
    Said("STATE-11", 3, (("choice", "cancel", "intent", ""),)),
    Said("STATE-13", 1, (("count", 3, "", "gate"),)),
    Said("STATE-13", 2, (("count", 3, "", "Gate"),)),
    Said("STATE-13", 3, (("count", 3, "", "gate"),)),
    Said("STATE-14", 1, (("count", 400, "kg", "freight lift limit"),)),
    Said("STATE-14", 2, (), (450,)),
    Said("STATE-16", 1, ()),
    Said("STATE-16", 2, ()),
    Said("STATE-18", 1, (("count", 19, "", "heater"),), (21, 18)),
    Said("STATE-18", 2, ()),
]


@pytest.mark.parametrize("said", CASES, ids=lambda said: f"{said.case}-{said.turn}")
def test_the_reported_conversations_say_these_values_and_no_others(shared: Path, said: Said) -> None:
    """What the published expectation of the case allows for this one message."""
    found = read(user_texts(shared, said.case)[said.turn - 1])
    assert tuple((one.kind, one.value, one.unit, one.key) for one in found if not one.shades & OPEN) == said.values
    assert tuple(one.value for one in found if one.shades & OPEN) == said.shaded


def test_one_message_keeps_its_correction_and_its_condition_apart() -> None:
    first, second, third = read("Set the heater to 21, no wait, 19. Well, more than 18 anyway.")
    assert (first.shades, second.shades, third.shades) == ({"corrected"}, frozenset(), {"min", "condition"})


@pytest.mark.parametrize(
    ("words", "value", "interpreted"),
    [
        ("五十万零五千", 505_000, False),
        ("五十万五千", 505_000, False),
        ("两千两百二十五", 2_225, False),
        ("三万五", 35_000, True),
        ("三万零五", 30_005, False),
        ("二百五", 250, True),
        ("十五点八万", 158_000, False),
        ("一千零五十万", 10_500_000, False),
        ("一亿两千万", 120_000_000, False),
        ("壹佰贰拾", 120, False),
        ("3万5千", 35_000, False),
        ("二十五", 25, False),
        ("十", 10, False),
    ],
)
def test_chinese_numerals(words: str, value: int, interpreted: bool) -> None:
    read = chinese(words)
    assert read is not None
    assert (read.value, read.interpreted) == (value, interpreted)


@pytest.mark.parametrize("words", ["两三", "万", "百五", "千百", "五百三千", "二三十"])
def test_what_is_no_single_number_is_left(words: str) -> None:
    assert chinese(words) is None


def test_english_number_words() -> None:
    read = english("two thousand five hundred and ten")
    assert read is not None
    assert read.value == 2_510


@pytest.mark.parametrize("text", ["会议定在下周三。", "明天见。", "See you next Friday.", "in ten days", "3月20日出发"])
def test_without_the_day_of_the_message_a_relative_date_stays_its_words(text: str) -> None:
    found = read_text(text)
    assert [(one.kind, one.unit, one.value == one.quote) for one in found] == [("text", "date", True)]


def test_a_full_date_needs_no_day() -> None:
    assert [(one.kind, one.value) for one in read_text("2025年4月15日或者 2025-05-01")] == [("date", "2025-04-15"), ("date", "2025-05-01")]


@pytest.mark.parametrize(
    ("said_at", "text", "value", "ambiguous"),
    [
        ("2025-03-12", "next Monday", "2025-03-17", False),  # the nearest Monday is the next week's
        ("2025-03-10", "next Friday", "2025-03-21", True),
        ("2025-03-14", "last Wednesday", "2025-03-05", True),
        ("2025-12-31", "明天", "2026-01-01", False),
        ("2025-01-15", "上个月", "2024-12", False),
        ("2025-03-16", "下周一", "2025-03-17", False),
    ],
)
def test_dates_are_counted_from_the_message(said_at: str, text: str, value: str, ambiguous: bool) -> None:
    (found,) = read_text(text, said_at=datetime.date.fromisoformat(said_at))
    assert (found.value, "ambiguous" in found.shades) == (value, ambiguous)


def test_a_question_is_never_sure() -> None:
    (found,) = read("有黑色吗？")
    assert "asked" in found.shades
    assert found.confidence <= 0.6


def test_the_default_currency_is_marked_as_assumed() -> None:
    (found,) = read("预算五千", default_currency="CNY")
    assert (found.value, found.unit, found.shades) == (5000, "CNY", {"assumed_unit", "max"})


def test_a_dollar_sign_is_the_default_currency_where_that_has_one() -> None:
    assert [one.unit for one in read("It costs $40.", default_currency="CAD")] == ["CAD"]
    assert [one.unit for one in read("It costs $40.", default_currency="CNY")] == ["USD"]


def test_users_add_words() -> None:
    """An attribute's name extends the attribute; any other name is a list to choose from."""
    words = {"color": {"薄荷绿": "mint"}, "invoice_type": {"增值税专用发票": "vat_special", "paper invoice": "paper"}}
    found = read("要薄荷绿的，开增值税专用发票。Paper invoice!", words=words)
    assert [(one.kind, one.unit, one.value) for one in found] == [
        ("attribute", "color", "mint"),
        ("choice", "invoice_type", "vat_special"),
        ("choice", "invoice_type", "paper"),
    ]


@given(
    st.text(
        alphabet=st.sampled_from("预算五千块不超过万元点零三十百abc $€¥1234567890,.，。？?吗不要红色下周三月日号 next Friday from to\n"), max_size=120
    )
)
def test_every_value_has_its_words(text: str) -> None:
    values_with_their_words(text)


def values_with_their_words(text: str) -> None:
    """Slicing the message by the span gives the quote; values are in order, apart, with a confidence."""
    found = read_text(text, said_at=SAID_AT)
    assert all(text[one.start : one.end] == one.quote and one.quote for one in found)
    assert all(earlier.end <= later.start for earlier, later in pairwise(found))
    assert all(0 <= one.confidence <= 1 for one in found)


@given(st.text(max_size=200))
def test_no_text_breaks_the_rules(text: str) -> None:
    assert all(text[one.start : one.end] == one.quote for one in read_text(text))


@pytest.mark.parametrize("piece", HOSTILE)
def test_values_of_hostile_text_have_their_words_too(piece: str) -> None:
    values_with_their_words(repeated(piece, 10_000))


def test_a_megabyte_is_read_to_its_limit() -> None:
    text = "x" * LONGEST_TEXT + " 预算五千块"
    assert read_text(text) == ()


@pytest.mark.parametrize("part", PARTS)
def test_the_labelled_sentences_are_read_as_labelled(part: str) -> None:
    """The goals: 98 of 100 found values are right, 85 of 100 labelled ones are found."""
    result = score(part)
    assert result.right.total() >= 0.98 * result.found.total()
    assert result.right.total() >= 0.85 * result.labelled.total()


def test_the_labelled_set_is_as_large_as_it_claims() -> None:
    every = [sentence for part in PARTS for sentence in sentences(part)]
    assert len(every) >= 200
    assert sum(sentence.chinese for sentence in every) * 2 >= len(every)
    assert sum(sentence.asserts_nothing for sentence in every) >= 60


@pytest.mark.parametrize("extractor", sorted(BASE))
def test_no_rule_claims_more_than_its_share_of_right_values(extractor: str) -> None:
    """Over every labelled sentence, what is found with some confidence is right at least that often."""
    found = right_ones = 0
    for sentence in (sentence for part in PARTS for sentence in sentences(part)):
        for one in read(sentence.text):
            if one.extractor == extractor:
                found += 1
                right_ones += any(right(one, label) for label in sentence.labels)
    assert right_ones >= BASE[extractor] * found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2500", 2500),
        ("3", 3),
        ("1,200", 1200),
        ("预算(5000元)", 5000),
        ("$500, please", 500),
        ("预算=800;", 800),
        ("+200元", 200),
        ("Twelve.", None),
    ],
)
def test_an_answer_may_be_a_number_alone(text: str, value: int | None) -> None:
    assert [one.value for one in read(text)] == ([] if value is None else [value])


@pytest.mark.parametrize(
    "text",
    [
        "12\tdef f(x):\n13\t    return x * 40",
        "for i in range(20):\n    total += prices[3];",
        '{\n  "width": 400,\n  "created": "2025-01-02"\n}',
        "| 3 | Phase 3 | Completed |",
        "<returncode>1</returncode>",
        "src/app.py:560: warning",
        "1. first\n2. second",
    ],
)
def test_code_listings_and_tables_say_nothing(text: str) -> None:
    assert read(text) == ()


def test_conversations_end_in_what_they_are_labelled_with() -> None:
    """The goals: 98 of 100 values that are current at the end are right, 85 of 100 labelled ones are there."""
    result = field_score("seen")
    assert result.right >= 0.98 * result.found, "\n".join(result.faults)
    assert result.right >= 0.85 * result.labelled, "\n".join(result.faults)

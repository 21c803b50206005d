"""Values of a domain of one's own: digits become numbers, a refusal says why, and a pattern that takes too long is no silence."""

from __future__ import annotations

import pytest

from ctxcore.state.answering import heard
from ctxcore.state.domain_file import DomainError, parse_domain
from ctxcore.state.domains import shipped_domain
from ctxcore.state.injection import context_for
from ctxcore.state.validation import expected
from tests.state.talk import codes, entries, state_of, tool

SERVICE = r"""
name: service
fields:
  timeout_s:
    type: number
    over: 0
    under: 3600
    read:
      - {by: pattern, pattern: 'timeout of (?P<value>[\d,.]+|\w+)'}
  price:
    type: money
    read:
      - {by: output, of: quote, pattern: 'total (?P<value>[\d,.]+)'}
  ticket:
    type: text
    pattern: '[A-Z]+-\d+'
    read:
      - {by: pattern, pattern: 'ticket (?P<value>\S+)'}
"""


def service():
    return parse_domain(SERVICE.encode(), "service.yaml")


@pytest.mark.parametrize(("words", "value"), [("30", 30), ("2.5", 2.5), ("1,200", 1200)])
def test_digits_that_a_pattern_catches_are_the_number_of_their_field(words: str, value: float) -> None:
    read = state_of(service(), f"u: Use a timeout of {words} seconds", "a: Done")
    assert read.value("timeout_s") == value
    assert isinstance(read.value("timeout_s"), int | float)
    assert codes(read) == []


def test_a_number_said_again_is_the_same_number() -> None:
    read = state_of(service(), "u: a timeout of 30", "a: ok", "u: yes, a timeout of 30", "a: ok", "u: a timeout of 40", "a: ok")
    assert [entry.value for entry in entries(read, "timeout_s")] == [30, 40]


def test_digits_in_what_a_command_prints_are_a_number_too() -> None:
    read = state_of(service(), "u: ask", *tool("shell", "total 1,250.50 EUR", command="quote --all"), "a: ok")
    assert read.value("price") == 1250.5


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("a timeout of soon", "“soon” is not a value that timeout_s can have: it must be a number."),
        ("a timeout of 3600", "“3600” is not a value that timeout_s can have: it must be below 3,600."),
        ("a timeout of 0", "“0” is not a value that timeout_s can have: it must be above 0."),
        ("ticket ab-7", r"“ab-7” is not a value that ticket can have: it must match [A-Z]+-\d+."),
    ],
)
def test_a_refused_value_says_what_it_must_be(said: str, why: str) -> None:
    assert [alert.text for alert in state_of(service(), f"u: {said}", "a: ok").alerts] == [why]


def test_every_type_says_what_it_takes() -> None:
    form = shipped_domain("shop").fields
    assert expected(form["user_intent"], "browse") == "it must be one of inquiry, complaint, order, return"
    assert expected(form["budget_max"], "many") == "it must be an amount"
    assert expected(form["budget_max"], 50) == ""


SLOW = """
name: slow
fields:
  code:
    type: text
    PATTERN
    read:
      - {by: pattern, pattern: 'READ'}
"""


def slow(*, read: str, pattern: str = ""):
    return parse_domain(SLOW.replace("READ", read).replace("PATTERN", pattern).encode(), "slow.yaml")


LONG = "u: code " + "a" * 60 + "!"


def test_a_pattern_that_takes_too_long_is_told_and_given_up_in_the_end() -> None:
    read = state_of(slow(read="(?P<value>(a|a)+$)"), *[line for _ in range(6) for line in (LONG, "a: ok")])
    assert read.value("code") is None
    assert [code for code, _ in codes(read)] == ["PATTERN_TOO_SLOW", "PATTERN_TOO_SLOW"]
    first, last = (alert.text for alert in read.alerts)
    assert first.endswith("what it looks for may be there.")
    assert last.endswith("it is tried no more.")


def test_a_value_that_could_not_be_checked_in_time_says_so() -> None:
    read = state_of(slow(read=r"code (?P<value>\S+)", pattern="pattern: '(a|a)+b'"), LONG, "a: ok")
    (alert,) = read.alerts
    assert alert.code == "VALIDATION_ERROR_CODE_PATTERN_TOO_SLOW"
    assert "could not be held against (a|a)+b within" in alert.text


def test_shipped_domains_have_no_slow_pattern() -> None:
    assert "PATTERN_TOO_SLOW" not in dict(codes(state_of("shop", "u: " + "想买相机，预算三千，" * 400, "a: 好的")))


ENGLISH = """
name: english
fields:
  city: {type: text, purposes: [trip]}
actions:
  book:
    tag: trip
    purpose: trip
    tools: [book]
    required: {city: {QUESTION}}
    show: {city: city}
"""


def test_an_agent_of_one_language_writes_its_questions_in_that_one() -> None:
    domain = parse_domain(ENGLISH.replace("{QUESTION}", "{en: Which city?}").encode(), "english.yaml")
    read = state_of(domain, "u: hello", "a: hi")
    for language in ("en", "zh"):
        assert context_for(domain, read, "book", language=language).questions == ("Which city?",)
    assert heard(domain, "Well. Which city?") == ["city"]
    assert heard(domain, "Good morning.") == []


@pytest.mark.parametrize("question", ["{}", "{en: ' '}", "{heard: [city]}"])
def test_a_question_in_no_language_is_refused_with_its_line(question: str) -> None:
    with pytest.raises(DomainError, match=r"line 10: actions\.book\.required\.city: needs the question in zh, in en or in both"):
        parse_domain(ENGLISH.replace("{QUESTION}", question).encode(), "english.yaml")

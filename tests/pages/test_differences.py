"""The page Differences."""

from __future__ import annotations

import pytest

from tests.pages.conftest import Start, chat, data_of, query_of

TALK = chat(("first", 3), ("second", 3), ("third", 2))
LIST = "ctxscope_differences"


def test_a_call_is_compared_with_the_one_before_it(start: Start) -> None:
    """One exchange more: the reply and its result are new, all that came before is one fold."""
    at = start({"a.json": TALK}, "differences", call="2")
    rows = data_of(at, LIST)["rows"]
    assert [(row["change"], row["count"]) for row in rows] == [("same", 4), ("new", 1), ("new", 1)]
    assert any("From call #1 to call #2, 6 messages: 2 new, 4 unchanged." in text.value for text in at.text)


def test_a_call_is_compared_with_what_the_policy_would_send(start: Start) -> None:
    at = start({"a.json": TALK}, "differences", call="10", against="trimmed", budget="4000")
    rows = data_of(at, LIST)["rows"]
    gone = [row for row in rows if row["change"] == "gone"]
    notice = next(row for row in rows if row["what"] == "put in by the policy")
    assert f"{len(gone)} earlier message" in notice["preview"] or str(len(gone)) in notice["preview"]
    assert at.select_slider


def test_unchanged_messages_unfold(start: Start) -> None:
    at = start({"a.json": TALK}, "differences", call="2")
    at.toggle(key="differences_unfold").set_value(True).run()
    assert [row["role"] for row in data_of(at, LIST)["rows"]] == ["system", "user", "assistant", "tool", "assistant", "tool"]


def test_another_call_is_chosen_and_the_address_says_so(start: Start) -> None:
    at = start({"a.json": TALK}, "differences", call="5")
    at.selectbox(key="differences_with").set_value("Another call").run()
    at.number_input(key="differences_other").set_value(1).run()
    assert query_of(at)["against"] == "1"
    assert any("From call #1 to call #5" in text.value for text in at.text)
    at.toggle(key="differences_form").set_value(True).run()
    assert query_of(at)["against"] == "1t"
    assert any("call #5 after the policy" in text.value for text in at.text)


def test_a_refused_request_is_said(start: Start) -> None:
    at = start({"a.json": TALK}, "differences", call="5", against="trimmed", budget="10")
    assert any("refuses call #5 after the policy" in text.value for text in at.text)


@pytest.mark.parametrize("against", ["999", "999t"])
def test_a_call_that_the_thread_does_not_have_is_its_last(start: Start, against: str) -> None:
    at = start({"a.json": TALK}, "differences", call="2", against=against)
    assert any("From call #10" in text.value for text in at.text)


def test_nonsense_in_the_address_is_said(start: Start) -> None:
    at = start({"a.json": TALK}, "differences", call="2", against="<b>")
    assert any("a comparison" in warning.value for warning in at.warning)


def test_the_first_call_has_none_before_it(start: Start) -> None:
    at = start({"a.json": TALK}, "differences", call="0")
    assert all(row["change"] == "same" for row in data_of(at, LIST)["rows"])
    assert any("none before it" in caption.value for caption in at.caption)

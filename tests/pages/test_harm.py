"""What a policy would have cost a call, on the page Calls, on a talk whose losses are known by hand."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import Start, data_of, query_of

FILLER = "nothing here of any use, only plain words that go on and on. " * 60


def exchange(number: int, text: str, name: str = "look_up") -> list[dict[str, Any]]:
    """A tool call and its result."""
    call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"c{number}", "content": text}]


def talk() -> bytes:
    """Call 0 asks for an order, whose number only its result (message 3, unit 2) tells; call 3 needs it when two large results have come between."""
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Find my order, then tell its number."},
        *exchange(0, "Order ORD-20417 is on its way. " + FILLER),
        *exchange(1, FILLER),
        *exchange(2, FILLER),
        {"role": "assistant", "content": "It is ORD-20417."},
    ]
    return json.dumps({"model": "gpt-5", "messages": messages}).encode()


def opened(start: Start, topic: str = "", **query: str) -> AppTest:
    at = start({"a.json": talk()}, "calls", **{"budget": "9000", "call": "3", **query})
    at.toggle(key="calls_lost").set_value(True).run()
    if topic:
        at.button_group(key="harm_what").set_value(topic).run()
    assert not at.exception, at.exception
    return at


def texts(at: AppTest) -> str:
    return "\n".join(one.value for one in [*at.text, *at.caption])


def test_a_lost_value_tells_where_it_stood_went_and_was_needed(start: Start) -> None:
    """Two fillers fit into 9,000 characters and three do not: the oldest exchange goes at call 3 and not before."""
    at = opened(start)
    assert "“ORD-20417” stood in message 3 (unit 2), which first goes at call #3; the reply of call #3 uses it." in texts(at)


def test_never_drop_from_a_lost_value_takes_effect_at_once(start: Start) -> None:
    at = opened(start)
    at.button(key="harm_keep").click().run()
    assert not at.exception
    assert "2" in query_of(at)["keep"]
    assert "0 of them would be gone" in texts(at)


def test_a_button_leads_to_the_reply_that_needs_the_value(start: Start) -> None:
    at = opened(start)
    at.button(key="harm_needed").click().run()
    assert not at.exception
    listed = data_of(at, "ctxscope_messages")
    assert listed["reveal"][0] == -1
    assert listed["search"] == "ORD-20417"


def test_the_evidence_kept_is_counted_by_type(start: Start) -> None:
    """The order's number is the only value of its kind; it goes with its exchange."""
    at = opened(start, "Evidence kept")
    rows = {row[0]: row[1:4] for row in data_of(at, "ctxscope_rows")["rows"]}
    assert rows["error"] == [1, 0, 1], "it has the form of an error code"


def test_one_result_would_have_to_be_fetched_again(start: Start) -> None:
    at = opened(start, "To fetch again")
    (row,) = data_of(at, "ctxscope_rows")["rows"]
    assert row[:3] == [3, 3, "look_up"]


def test_a_fault_names_its_message_and_unit(start: Start) -> None:
    """LlamaIndex drops from the front until what is left fits and begins with no result, but keeps the newest message: result 7 of unit 4, alone."""
    at = opened(start, "Faults", policy="llamaindex-buffer")
    rows = data_of(at, "ctxscope_rows")["rows"]
    assert ["A tool result whose call is gone", 7, 4] in [row[:3] for row in rows]
    assert "OpenAI, this thread's provider" in rows[0][3]


def test_a_call_without_faults_says_so(start: Start) -> None:
    assert "breaks no rule" in texts(opened(start, "Faults"))

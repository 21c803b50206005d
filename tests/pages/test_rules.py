"""Policies, their settings and what is kept, on the pages."""

from __future__ import annotations

import json

import pytest

from tests.pages.conftest import Start, chat, data_of, messages_of, query_of

TALK = chat(("first", 3), ("second", 3), ("third", 2))


def test_a_setting_changes_what_goes_and_stands_in_the_address(start: Start) -> None:
    """The last call holds 20 messages: system, then 3 turns of 1 + 2 × exchanges (+ answer). A buffer of 6 keeps the system text and the newest 6,
    of which the first is no result.
    """
    at = start({"a.json": TALK}, "calls", policy="autogen-buffered", budget="unlimited")
    assert not [row for row in messages_of(at) if row["status"] == "dropped"]
    next(one for one in at.text_input if one.key == "set_autogen-buffered_buffer_size").set_value("6").run()
    assert not at.exception
    assert query_of(at)["set"] == '{"buffer_size":6}'
    kept = [row for row in messages_of(at) if row["status"] != "dropped"]
    assert [row["role"] for row in kept][:1] == ["system"]
    assert len(kept) in (6, 7)


def test_a_setting_that_does_not_fit_is_said_and_the_last_one_stays(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", policy="autogen-buffered", budget="unlimited", set='{"buffer_size":6}')
    before = messages_of(at)
    next(one for one in at.text_input if one.key == "set_autogen-buffered_buffer_size").set_value("some").run()
    assert "takes a whole number" in at.error[0].value
    assert messages_of(at) == before
    assert query_of(at)["set"] == '{"buffer_size":6}'


def test_another_policy_starts_with_its_own_defaults(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", policy="autogen-buffered", set='{"buffer_size":6}')
    at.selectbox(key="policy_select").set_value("langchain-trim").run()
    assert not at.exception
    assert query_of(at)["policy"] == "langchain-trim"
    assert "set" not in query_of(at)


@pytest.mark.parametrize("text", ['{"buffer_size":"x"}', "[1]", "{", '{"nothing":1}'])
def test_settings_of_an_address_that_make_no_sense_are_told(start: Start, text: str) -> None:
    at = start({"a.json": TALK}, "calls", policy="autogen-buffered", set=text)
    assert any("settings that make no sense" in one.value for one in at.warning)


def test_a_kept_tool_is_never_dropped(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", policy="autogen-buffered", budget="unlimited", set='{"buffer_size":2}')
    assert [row for row in messages_of(at) if row["status"] == "dropped" and "read_file" in row["what"]]
    at.multiselect(key="keep_tools").set_value(["read_file"]).run()
    assert not at.exception
    assert json.loads(query_of(at)["keep"]) == {"tools": ["read_file"]}
    rows = messages_of(at)
    assert {row["status"] for row in rows if "read_file" in row["what"]} == {"pinned"}
    assert [row for row in rows if row["status"] == "dropped"]


def test_a_masked_result_is_marked_edited_with_its_rule(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", policy="langchain-clear-tool-uses", budget="4500")
    rows = [row for row in messages_of(at) if row["status"] == "edited"]
    assert rows
    assert {row["rule"] for row in rows} == {"Tool result older than those kept"}


def story() -> bytes:
    """The last reply names what only the first result said: a buffer of two messages takes it away."""
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "notes.txt"}'}}
    messages = [
        {"role": "user", "content": "Which ticket is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "The ticket is ABC-4711."},
        {"role": "assistant", "content": "I have read it."},
        {"role": "user", "content": "Then name it."},
        {"role": "assistant", "content": "It is ABC-4711."},
    ]
    return json.dumps({"model": "gpt-4o", "messages": messages}).encode()


def test_a_lost_reference_tells_where_it_stood_and_what_removed_it(start: Start) -> None:
    at = start({"a.json": story()}, "calls", policy="autogen-buffered", budget="unlimited", set='{"buffer_size":2}')
    at.toggle(key="calls_lost").set_value(True).run()
    assert not at.exception
    assert any("1 of them would be gone" in one.value for one in at.text)
    rows = data_of(at, "ctxscope_rows")["rows"]
    assert [row[:3] for row in rows] == [["ABC-4711", "error", "yes"]]  # two capitals or more, a hyphen, digits: the form of an error code
    assert rows[0][3] == 2
    assert rows[0][-1] == "Older than the last messages that the buffer holds"


def test_the_life_of_a_unit_and_the_wish_to_keep_it(start: Start) -> None:
    """Unit 1 is the exchange: born at call 1, carried by calls 1 and 2 as recorded; with the buffer of two it is gone from call 2 on."""
    at = start({"a.json": story()}, "dropped", policy="autogen-buffered", budget="unlimited", set='{"buffer_size":2}')
    at.toggle(key="dropped_lives").set_value(True).run()
    at.number_input(key="dropped_life_unit").set_value(1).run()
    assert not at.exception
    facts = {fact["name"]: fact["value"] for fact in data_of(at, "ctxscope_report")["facts"]}
    assert facts["Born"] == "call #1"
    assert facts["First dropped"] == "call #2"
    at.button(key="dropped_keep").click().run()
    assert not at.exception
    assert json.loads(query_of(at)["keep"]) == {"units": [1]}
    facts = {fact["name"]: fact["value"] for fact in data_of(at, "ctxscope_report")["facts"]}
    assert facts["First dropped"] == "never"

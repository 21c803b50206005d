"""Policies, their settings and what is kept, on the pages."""

from __future__ import annotations

import json

import pytest

from tests.pages.conftest import Start, chat, messages_of, query_of

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

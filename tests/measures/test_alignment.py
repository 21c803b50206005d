"""Turns of two threads side by side."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import read_session
from ctxcore.measures.alignment import Turn, align, called, columns_of, turns
from ctxcore.measures.totals import records_input, totals
from ctxcore.model import ToolCall
from ctxcore.readers.detect import read_sessions
from tests.chat import conversation, thread_of, upload


def spoken(*texts: str) -> list[Turn]:
    return [Turn(number=number, message=number, text=text, calls=(number,), uses=()) for number, text in enumerate(texts, 1)]


def lines(first: list[Turn], second: list[Turn]) -> list[tuple[int | None, int | None, str]]:
    return [(p.first and p.first.number, p.second and p.second.number, p.basis) for p in align(first, second).pairs]  # type: ignore[misc]


def test_equal_texts_are_pairs_and_what_stands_between_is_paired_in_order() -> None:
    """By hand: A and D are the only texts that both hold; B stands against X, C has nobody, E comes after all."""
    assert lines(spoken("A", "B", "C", "D"), spoken("A", "X", "D", "E")) == [
        (1, 1, "same text"),
        (2, 2, "order"),
        (3, None, "alone"),
        (4, 3, "same text"),
        (None, 4, "alone"),
    ]


def test_as_many_equal_texts_as_possible_are_paired_without_crossing() -> None:
    """By hand: of ABCBDAB and BDCABA four letters at most can be paired in order."""
    found = lines(spoken(*"ABCBDAB"), spoken(*"BDCABA"))
    assert sum(basis == "same text" for _, _, basis in found) == 4


def test_space_and_capitals_make_no_difference_and_a_task_may_be_wrapped() -> None:
    assert lines(spoken("Fix  the\nbug"), spoken("fix the BUG")) == [(1, 1, "same text")]
    assert lines(spoken("Fix the failing limiter test."), spoken("New task:\nFix the failing limiter test.")) == [(1, 1, "text within")]
    assert lines(spoken("Yes"), spoken("Yes, but not today")) == [(1, 1, "order")]


TEXTS = st.lists(st.sampled_from(["go on", "yes", "A", "B", "Fix the failing limiter test.", ""]), max_size=9)


@given(TEXTS, TEXTS)
def test_every_turn_of_both_sides_appears_once_and_in_order(first: list[str], second: list[str]) -> None:
    found = align(spoken(*first), spoken(*second)).pairs
    assert [pair.first.number for pair in found if pair.first] == list(range(1, len(first) + 1))
    assert [pair.second.number for pair in found if pair.second] == list(range(1, len(second) + 1))
    assert all(pair.first or pair.second for pair in found)


@given(TEXTS, TEXTS)
def test_the_pairs_of_equal_texts_are_a_longest_common_subsequence(first: list[str], second: list[str]) -> None:
    """Against the textbook recursion."""

    @cache
    def longest(a: int, b: int) -> int:
        if a == len(first) or b == len(second):
            return 0
        if first[a] == second[b]:
            return 1 + longest(a + 1, b + 1)
        return max(longest(a + 1, b), longest(a, b + 1))

    pairs = align(spoken(*first), spoken(*second)).pairs
    same = [(pair.first, pair.second) for pair in pairs if pair.basis == "same text"]
    assert len(same) == longest(0, 0)
    assert all(one and other and one.key == other.key for one, other in same)


@given(TEXTS)
def test_a_thread_beside_itself_is_paired_to_the_end(texts: list[str]) -> None:
    found = align(spoken(*texts), spoken(*texts))
    assert [pair.basis for pair in found.pairs] == ["same text"] * len(texts)
    assert found.first is None


@given(TEXTS, TEXTS)
def test_turns_are_laid_on_one_axis_without_overlap(first: list[str], second: list[str]) -> None:
    """Each turn has one call here, so each pair takes one place."""
    pairs = align(spoken(*first), spoken(*second)).pairs
    assert columns_of(pairs) == list(range(len(pairs) + 1))


def test_the_first_tool_call_that_differs_is_named_by_its_place_in_the_turn() -> None:
    """By hand: both read a.py; then one reads b.py, the other tests. The user texts are the same."""
    first = thread_of("Fix it.", ("read", {"path": "a.py"}, "1"), ("read", {"path": "b.py"}, "2"))
    second = thread_of("Fix it.", ("read", {"path": "a.py"}, "1"), ("test", {}, "ok"))
    found = align(turns(first), turns(second))
    assert found.text_parts is None
    assert found.tools_part is not None
    assert (found.tools_part.row, found.tools_part.use) == (0, 1)


def test_a_differing_user_text_comes_before_the_tool_calls_of_its_turn() -> None:
    first = thread_of("Fix it.", ("read", {"path": "a.py"}, "1"), "Now test.", ("test", {"fast": True}, "ok"))
    second = thread_of("Fix it.", ("read", {"path": "a.py"}, "1"), "Ship.", ("test", {"fast": False}, "ok"))
    found = align(turns(first), turns(second))
    assert found.first is not None
    assert (found.first.kind, found.first.row) == ("user text", 1)
    assert found.tools_part is not None
    assert found.tools_part.row == 1


def test_a_turn_with_more_tool_calls_parts_where_the_shorter_one_ends() -> None:
    first = thread_of("Fix it.", ("read", {"path": "a.py"}, "1"))
    second = thread_of("Fix it.", ("read", {"path": "a.py"}, "1"), ("read", {"path": "b.py"}, "1"))
    parted = align(turns(first), turns(second)).tools_part
    assert parted is not None
    assert parted.use == 1


def test_arguments_are_compared_as_values() -> None:
    one = ToolCall(id="1", name="read", arguments='{"a": 1, "b": "é"}')
    assert called(one) == called(ToolCall(id="2", name="read", arguments='{"b":"\\u00e9","a":1}'))
    assert called(one) != called(ToolCall(id="2", name="read", arguments='{"a": 1, "b": "e"}'))
    assert called(ToolCall(id="3", name="raw", arguments="not json")) == ("raw", "not json")


def test_every_call_and_tool_call_is_in_one_turn() -> None:
    thread = thread_of("One.", ("read", {"path": "a"}, "1"), ("read", {"path": "b"}, "2"), "Two.", ("read", {"path": "c"}, "3"))
    found = turns(thread)
    assert [turn.text for turn in found] == ["One.", "Two."]
    assert sorted(call for turn in found for call in turn.calls) == [call.index for call in thread.calls]
    assert [len(turn.uses) for turn in found] == [2, 1]


def test_what_comes_before_the_first_user_message_is_turn_0() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Go."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Hi"},
    ]
    thread = read_session(json.dumps({"model": "m", "messages": [*messages, {"role": "assistant", "content": "Yes."}]}).encode(), "a.json").threads[0]
    assert [(turn.number, turn.text, len(turn.calls)) for turn in turns(thread)] == [(0, "", 1), (1, "Hi", 1)]


def test_totals_are_sums_over_the_thread() -> None:
    """By hand: two user messages, three tool calls of two tools, one result that begins with an error."""
    steps = ("One.", ("read", {"path": "a"}, "1"), ("test", {}, "Error: no such test"), "Two.", ("read", {"path": "c"}, "3"))
    thread = read_session(upload(conversation(*steps)), "chat.json").threads[0]
    found = totals(thread, recorded=False)
    assert (found.turns, found.calls) == (2, len(thread.calls))
    assert dict(found.tools) == {"read": 2, "test": 1}
    assert (found.tool_calls, found.failures, found.compactions) == (3, 1, 0)
    assert found.output_tokens is None
    assert not records_input(thread)
    assert found.input_tokens >= found.peak_tokens > 0


RUN = (
    *("autogen/gen_autogen_team_state.json", "langchain_messages/gen_langchain_messages_to_dict.json", "litellm/gen_litellm_standard_logging.jsonl"),
    *("langgraph_state/gen_langgraph_state_history.json", "langsmith/gen_langsmith_runs.jsonl", "otel_genai/gen_pydantic_ai.otlp.json"),
    *("openai_agents_sdk/gen_openai_agents_trace_spans.jsonl", "openinference_otlp/gen_openinference_chat.otlp.json"),
    *(
        "pydantic_ai/gen_pydantic_ai_all_messages.json",
        "smolagents/gen_smolagents_memory_full_steps.json",
        "vercel_ai_sdk/gen_vercel_ui_messages.json",
    ),
)
"""One run, recorded in several formats."""


@pytest.mark.parametrize("name", RUN)
def test_one_run_in_two_formats_never_parts(shared: Path, name: str) -> None:
    """14 calls and 58 tool calls in each."""
    first, second = (read_session(shared / "corpus" / each).threads[0] for each in ("har_mitmproxy/gen_openai_chat_session.har", name))
    found = align(turns(first), turns(second))
    assert found.first is None
    assert [pair.first and pair.second and (len(pair.first.uses), len(pair.second.uses)) for pair in found.pairs] == [(58, 58)]


def test_two_trials_of_one_task_part(shared: Path) -> None:
    """Task 0 of the airline tasks, trials 0 and 1: another opening; the first tool calls ask for the user and for a flight."""
    sessions = read_sessions(shared / "corpus" / "tau-bench" / "gpt-4o-airline_4.1MB.json")
    first, second = (next(s for s in sessions if s.id == f"task 0 trial {trial}").threads[0] for trial in (0, 1))
    found = align(turns(first), turns(second))
    assert found.text_parts is not None
    assert found.text_parts.row == 0
    assert found.tools_part is not None
    pair = found.pairs[found.tools_part.row]
    assert pair.first is not None
    assert pair.second is not None
    assert [turn.uses[found.tools_part.use].tool.name for turn in (pair.first, pair.second)] == ["get_user_details", "search_direct_flight"]

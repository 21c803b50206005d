"""LangChain's rules, by hand from their descriptions; the differential tests run the real functions on many lists."""

from __future__ import annotations

import json

import pytest

from ctxcore import replay
from ctxcore.errors import InputError
from tests.policies.lists import Chat, calls, result, said, sent, size, system, thread, user

TURNS: list[Chat] = [system(), user("Look."), calls("a", "b"), result("a", "x" * 50), result("b", "y" * 50), said("Seen."), user("Go on.")]
"""One exchange with two results, an answer, a new task."""


def test_the_newest_messages_that_fit_stay_one_by_one() -> None:
    """A budget of exactly the system text and the last three keeps those; one less drops the oldest of them."""
    last = TURNS[-3:]
    assert sent(TURNS, "langchain-trim", size(TURNS[0], *last)) == [TURNS[0], *last]
    assert sent(TURNS, "langchain-trim", size(TURNS[0], *last) - 1) == [TURNS[0], *last[1:]]


def test_results_lose_their_call() -> None:
    """Known fault: the cut falls between a call and its results, which then stand first."""
    orphans = TURNS[3:]
    assert sent(TURNS, "langchain-trim", size(*orphans), include_system=False) == orphans


def test_start_on_human_leaves_the_system_text_alone() -> None:
    """Known fault: the task is no longer among the newest that fit, so no message may begin the list and even those that fit go."""
    turn = [system(), user("Look."), calls("a"), result("a", "x" * 200), calls("b"), result("b", "y" * 200)]
    assert sent(turn, "langchain-trim", size(turn[0], *turn[3:]), start_on=["human"]) == [turn[0]]


def test_start_on_also_acts_where_everything_fits() -> None:
    """Known fault: no human message at all, so nothing is left but the system text."""
    assert sent([system(), said("Hello."), said("Still there?")], "langchain-trim", 10_000, start_on=["human"]) == [system()]


def test_end_on_drops_what_stands_behind_before_anything_is_measured() -> None:
    """The newest user message goes first; then the answer before it fits alone."""
    assert sent(TURNS, "langchain-trim", size(TURNS[0], TURNS[5]), end_on=["ai"]) == [TURNS[0], TURNS[5]]


def test_end_on_may_take_the_system_text_too() -> None:
    """No message is of the type: all go, the first one as well, before the system text is set aside."""
    assert sent([system(), user()], "langchain-trim", 10_000, end_on=["tool"]) == []


def test_system_text_over_the_budget_leaves_no_room() -> None:
    assert sent([system("s" * 500), user()], "langchain-trim", 100) == [system("s" * 500)]


def test_types_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="no message type"):
        replay(thread(TURNS), "langchain-trim", 100, start_on=["user"])


CLEARED = [user(), calls("a"), result("a", "x" * 300), calls("b"), result("b", "y" * 300), calls("c"), result("c", "z" * 300)]


def cleared(name: str) -> Chat:
    return result(name, "[cleared]")


def test_all_but_the_newest_results_become_a_placeholder_once_over_the_trigger() -> None:
    before = size(*CLEARED)
    assert sent(CLEARED, "langchain-clear-tool-uses", before, keep_results=1) == CLEARED
    assert sent(CLEARED, "langchain-clear-tool-uses", before - 1, keep_results=1) == [
        *CLEARED[:2],
        cleared("a"),
        CLEARED[3],
        cleared("b"),
        *CLEARED[5:],
    ]


def test_clear_at_least_is_where_it_stops() -> None:
    """300 characters become 9: 291 are freed by one result, which is enough for 291 and not for 292; 1,000 are never reached, and it clears still."""
    over = size(*CLEARED) - 1
    one = [*CLEARED[:2], cleared("a"), *CLEARED[3:]]
    assert sent(CLEARED, "langchain-clear-tool-uses", over, keep_results=0, clear_at_least=291) == one
    two = sent(CLEARED, "langchain-clear-tool-uses", over, keep_results=0, clear_at_least=292)
    assert [message["content"] for message in two if message["role"] == "tool"] == ["[cleared]", "[cleared]", "z" * 300]
    every = sent(CLEARED, "langchain-clear-tool-uses", over, keep_results=0, clear_at_least=1_000)
    assert [message["content"] for message in every if message["role"] == "tool"] == ["[cleared]"] * 3


def test_only_the_nearest_reply_is_asked_for_the_call() -> None:
    """The late result of an earlier reply is left alone."""
    late = [user(), calls("a"), calls("b"), result("a", "x" * 300), result("b", "y" * 300)]
    assert sent(late, "langchain-clear-tool-uses", 10, keep_results=0) == [*late[:4], cleared("b")]


def test_tool_inputs_go_with_their_results() -> None:
    one = [user(), calls("a", path="src/a.py"), result("a", "x" * 300)]
    assert sent(one, "langchain-clear-tool-uses", 10, keep_results=0, clear_tool_inputs=True) == [one[0], calls("a"), cleared("a")]


def test_excluded_tools_still_count_as_newest() -> None:
    """The newest result stays by number, the oldest by its tool."""
    mixed = [user(), calls("a", tool="grep"), *CLEARED[2:]]
    found = sent(mixed, "langchain-clear-tool-uses", 10, keep_results=1, exclude_tools=["grep"])
    assert [message["content"] for message in found if message["role"] == "tool"] == ["x" * 300, "[cleared]", "z" * 300]


WRITTEN = calls("w", tool="write_file", path="a.py", text="t" * 2_001)


def test_only_long_arguments_of_old_writes_are_clipped() -> None:
    """deepagents: 2,001 characters keep 20; the same of another tool stay, and so do 2,000."""
    read = calls("r", tool="read_file", text="t" * 3_000)
    exact = calls("e", tool="edit_file", text="t" * 2_000)
    run = [user(), WRITTEN, result("w"), read, result("r"), exact, result("e"), said(), user()]
    found = sent(run, "deepagents-clip-arguments", size(*run), keep_messages=1)
    short = {"path": "a.py", "text": "t" * 20 + "...(argument truncated)"}
    assert found[1]["tool_calls"][0]["function"]["arguments"] == json.dumps(short, separators=(",", ":"))
    assert found[:1] + found[2:] == run[:1] + run[2:]


def test_writes_among_the_newest_messages_and_under_the_budget_stay() -> None:
    run = [user(), WRITTEN, result("w"), said(), user()]
    assert sent(run, "deepagents-clip-arguments", size(*run), keep_messages=4) == run
    assert sent(run, "deepagents-clip-arguments", size(*run) + 1, keep_messages=1) == run
    assert sent(run, "deepagents-clip-arguments", size(*run) + 1, keep_messages=1, trigger_messages=5) != run


def test_a_cut_between_results_moves_back_to_their_reply() -> None:
    """Two newest of seven would begin with the second result; the reply that asked for both stays, so four do, and the task goes."""
    run = [system(), user(), said("x" * 200), user("Both."), calls("a", "b"), result("a"), result("b"), user("So?")]
    assert sent(run, "langchain-summarization", size(*run), keep_messages=2, summary="opaque", ratio=0.0) == [run[0], *run[4:]]
    assert sent(run, "langchain-summarization", size(*run) + 1, keep_messages=2, summary="opaque", ratio=0.0) == run


def test_mixed_orphans_stay_in_front() -> None:
    """Known fault: a run of results of two replies is followed back to the nearest of them only, and the first result loses its call."""
    run = [user(), calls("a"), calls("b"), result("a"), result("b"), user("So?")]
    assert sent(run, "langchain-summarization", size(*run), keep_messages=3, summary="opaque", ratio=0.0) == run[2:]


def test_the_running_summary_ends_where_enough_is_counted_and_the_rest_fits() -> None:
    """LangMem: the first text alone is under 400 characters, with the second over it, and what follows fits."""
    run = [system(), user("x" * 300), said("y" * 300), user("Now?")]
    stand_in = {"summary": "opaque", "ratio": 0.0}
    kept = sent(run, "langmem-summary", size(*run) - 1, max_summary_tokens=100, max_tokens_before_summary=400, **stand_in)
    assert kept == [run[0], run[3]]


def test_the_running_summary_may_take_the_newest_message() -> None:
    """Known fault: the newest text fits nowhere beside the room for a summary, so the only cut behind which the rest fits is the end."""
    run = [system(), user("x" * 300), said("y" * 300), user("z" * 900)]
    assert sent(run, "langmem-summary", 900, max_summary_tokens=100, summary="opaque", ratio=0.0) == [run[0]]


def test_the_running_summary_takes_the_results_of_its_last_call() -> None:
    run = [system(), user("x" * 300), calls("a", "b"), result("a"), result("b"), said(), user()]
    found = sent(run, "langmem-summary", size(*run) - 1, max_summary_tokens=50, max_tokens_before_summary=400, summary="opaque", ratio=0.0)
    assert found == [run[0], *run[5:]]

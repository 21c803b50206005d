"""The strategies of pydantic-ai-harness, by hand from their descriptions; the differential tests run the real ones request by request."""

from __future__ import annotations

import pytest

from ctxcore import replay
from ctxcore.errors import InputError
from tests.policies.lists import Chat, calls, result, said, sent, size, system, thread, user

TASK: list[Chat] = [system(), user("Look.")]
STEPS = [message for name in "abcd" for message in (calls(name, path=f"{name}.py"), result(name, name * 100))]
RUN = [*TASK, *STEPS]
"""A task and four steps: nine messages of Pydantic AI's, as the system text is no message of the list."""


def test_the_window_keeps_the_newest_and_the_first_user_message() -> None:
    """Four of nine: the cut falls before the third call."""
    assert sent(RUN, "pydantic-ai-sliding-window", size(*RUN) - 1, keep_messages=4) == [*TASK, *STEPS[4:]]
    assert sent(RUN, "pydantic-ai-sliding-window", size(*RUN), keep_messages=4) == RUN


def test_the_window_moves_back_to_the_call() -> None:
    """Three of nine would begin with a result."""
    assert sent(RUN, "pydantic-ai-sliding-window", size(*RUN) - 1, keep_messages=3) == [*TASK, *STEPS[4:]]


def test_the_window_may_drop_the_first_user_message() -> None:
    found = sent(RUN, "pydantic-ai-sliding-window", size(*RUN) - 1, keep_messages=2, preserve_first_user_message=False)
    assert found == [TASK[0], *STEPS[6:]]


def test_at_least_the_size_asked_for_stays() -> None:
    """The last result is 1 too small for what is asked, so its call stays with it; for exactly its size the cut moves back to the call as well."""
    result_size = size(STEPS[-1]) - size() + 1
    for keep in (result_size, result_size + 1):
        assert sent(RUN, "pydantic-ai-sliding-window", size(*RUN) - 1, keep_tokens=keep) == [*TASK, *STEPS[6:]]


def test_what_the_window_dropped_stays_away() -> None:
    """It fires at the last step only; at the answer behind it the request is small, and the old steps do not come back."""
    longer = [*RUN, said("Seen."), user("Now?")]
    budget = size(*RUN) - 1
    assert sent(longer, "pydantic-ai-sliding-window", budget, keep_messages=2) == [*TASK, *STEPS[6:], *longer[-2:]]


def test_clearing_waits_for_its_gain() -> None:
    """100 characters become 21: two old results free 158."""
    over = size(*RUN) - 1
    assert sent(RUN, "pydantic-ai-clear-tool-results", over, keep_pairs=2, min_clear_tokens=159) == RUN
    found = sent(RUN, "pydantic-ai-clear-tool-results", over, keep_pairs=2, min_clear_tokens=158)
    masked = [result(name, "[tool result cleared]") for name in "ab"]
    assert found == [*TASK, STEPS[0], masked[0], STEPS[2], masked[1], *STEPS[4:]]


def test_a_newer_read_supersedes_the_older() -> None:
    reads = [user(), calls("a", path="x.py"), result("a"), calls("b", path="y.py"), result("b"), calls("c", path="x.py"), result("c")]
    assert sent(reads, "pydantic-ai-deduplicate-reads", 10_000) == [*reads[:2], result("a", "[superseded file read]"), *reads[3:]]
    assert sent(reads, "pydantic-ai-deduplicate-reads", 10_000, 2) == reads[:5]
    assert sent(reads, "pydantic-ai-deduplicate-reads", 10_000, tools=["grep"]) == reads


def test_a_long_reply_keeps_its_ends() -> None:
    """5,000 characters, of which 4 stay; users and tools may say as much as they like."""
    long = [user("u" * 5000), said("a" * 2500 + "b" * 2500), user("Go on.")]
    found = sent(long, "pydantic-ai-clamp", 100_000, max_part_chars=4_999, keep_head_chars=2, keep_tail_chars=2)
    assert found == [long[0], said("aa\n[clamped: removed 4996 of 5000 characters]\nbb"), long[2]]
    assert sent(long, "pydantic-ai-clamp", 100_000, max_part_chars=5_000) == long


def test_tiers_stop_at_the_first_that_makes_it_fit() -> None:
    """Clearing all but one result frees 3 × 79 characters; one more is asked for only with the lower budget, which the window then meets."""
    whole = size(*RUN)
    enough = sent(RUN, "pydantic-ai-tiered", whole - 237, keep_pairs=1, keep_messages=2)
    assert [m["content"] for m in enough if m["role"] == "tool"] == ["[tool result cleared]"] * 3 + ["d" * 100]
    assert sent(RUN, "pydantic-ai-tiered", whole - 238, keep_pairs=1, keep_messages=2) == [*TASK, *STEPS[6:]]


def test_tiers_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="No tier"):
        replay(thread(RUN), "pydantic-ai-tiered", 100, tiers=["summary"])


def test_a_summary_stands_behind_the_first_user_message() -> None:
    """Two of nine stay; the summary of the rest is put before the last call."""
    found = replay(thread(RUN), "pydantic-ai-summarizing", size(*RUN) - 1, keep_messages=2, summary="extractive")
    last = len(found.thread.calls) - 1
    assert sent(RUN, "pydantic-ai-summarizing", size(*RUN) - 1, keep_messages=2, summary="extractive") == [*TASK, *STEPS[6:]]
    assert [(one.kind, one.role, one.place) for one in found.inserts(last)] == [("summary", "user", 2)]

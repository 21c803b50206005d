"""Two requests are compared without losing or counting twice a single message, and their sizes are explained to the last character."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.measures.request_diff import Sent, recorded_request, request_diff, trimmed_request
from ctxcore.model import Thread
from ctxcore.policies import POLICIES
from ctxcore.readers.detect import read_session, read_sessions
from ctxcore.replay import Replay, replay
from tests.pages.conftest import chat

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "coding-agent.jsonl"
TALK = read_session(chat(("first", 3), ("second", 3)), "a.json").threads[0]
EXACT = [policy.name for policy in POLICIES if not policy.needs_summary]


def sent(*messages: int) -> tuple[Sent, ...]:
    return tuple(Sent(message=index, size=10) for index in messages)


def changes(thread: Thread, old: tuple[Sent, ...], new: tuple[Sent, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(line.change, line.before, line.after) for line in request_diff(thread, old, new)]


def test_what_went_stands_where_it_stood() -> None:
    assert changes(TALK, sent(0, 1, 2, 3), sent(0, 3, 8)) == [("same", 0, 0), ("gone", 1, None), ("gone", 2, None), ("same", 3, 1), ("new", None, 2)]


def test_the_fewest_messages_moved() -> None:
    """Of 0 1 2 3 4 → 0 4 1 2 3 only the last one moved, to the second place."""
    assert changes(TALK, sent(0, 1, 2, 3, 4), sent(0, 4, 1, 2, 3)) == [
        ("same", 0, 0),
        ("moved", 4, 1),
        ("same", 1, 2),
        ("same", 2, 3),
        ("same", 3, 4),
    ]


def test_a_message_that_says_less_is_shortened_and_one_that_says_more_grown() -> None:
    old, new = sent(0, 1), (Sent(message=0, size=4), Sent(message=1, size=11))
    assert [(line.change, line.by) for line in request_diff(TALK, old, new)] == [("shortened", -6), ("grown", 1)]


@given(st.lists(st.integers(0, 9), max_size=12), st.lists(st.integers(0, 9), max_size=12))
def test_every_message_of_both_requests_is_told_once(old: list[int], new: list[int]) -> None:
    lines = request_diff(TALK, sent(*old), sent(*new))
    assert sorted(line.before for line in lines if line.before is not None) == list(range(len(old)))
    assert [line.after for line in lines if line.after is not None] == list(range(len(new)))
    assert sum(line.by for line in lines) == 10 * (len(new) - len(old))
    kept = [line.before for line in lines if line.change == "same"]
    assert kept == sorted(kept)
    assert Counter(old) & Counter(new) == Counter(
        line.new.message for line in lines if line.new and line.old and line.new.message == line.old.message
    )


@given(st.lists(st.integers(0, 9), max_size=12))
def test_a_request_differs_from_itself_in_nothing(messages: list[int]) -> None:
    assert all(line.change == "same" for line in request_diff(TALK, sent(*messages), sent(*messages)))


def explained(one: Replay, call: int) -> int:
    """Size after a policy by the lines of the comparison: what they add, and the separators of messages that came or went."""
    old, new = recorded_request(one, call), trimmed_request(one, call)
    by = sum(line.by for line in request_diff(one.thread, old, new))
    return int(one.before[call]) + by + (len(new) - len(old)) * one.sizes.separator


@pytest.mark.parametrize("policy", EXACT)
def test_the_lines_explain_what_a_policy_saves(policy: str) -> None:
    one = replay(read_session(SAMPLE).threads[0], policy, 20_000)
    calls = [call for call in range(0, len(one.before), 7) if not one.refused[call]]
    assert [explained(one, call) for call in calls] == one.after[calls].tolist()


def test_a_refused_call_sends_nothing() -> None:
    one = replay(TALK, "whole-units", 10)
    assert trimmed_request(one, 0) == ()


def test_a_microcompaction_shortens_the_results_that_the_log_lists(shared: Path) -> None:
    """Claude Code lists nine and eighteen cleared results in this log; each is recognised by the call that it answers."""
    thread = read_sessions(shared / "corpus" / "claude-code" / "entire_b0-dc55_2microcompact_1compact.jsonl")[0].threads[0]
    one = replay(thread, "none", 1)
    events = [event.call for event in thread.events if event.kind == "microcompaction"]
    found = [Counter(line.change for line in request_diff(thread, recorded_request(one, call - 1), recorded_request(one, call))) for call in events]
    assert [(count["shortened"], count["gone"], count["moved"]) for count in found] == [(9, 0, 0), (18, 0, 0)]

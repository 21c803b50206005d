"""OpenHands' condensers: cases by hand, and the rules once more, event by event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import InputError, replay
from ctxcore.policies import make_policy
from ctxcore.sending import sent_messages as sent
from ctxcore.sizes.characters import request_chars
from tests.chat import conversation
from tests.policies.conversations import FEW, Request, agree, chat_thread, is_result, requests


def run(steps: int) -> Request:
    """System, task and exchanges: message 2k + 2 asks, 2k + 3 answers."""
    return conversation("Fix it.", *(("bash", {"n": n}, f"result {n}") for n in range(steps)))


def kept(policy: str, messages: Request, call: int = -1, budget: int = 10**9, **settings: Any) -> list[int]:
    """Places in the conversation of what a call would send."""
    result = replay(chat_thread(messages), policy, budget, **settings)
    wanted = sent(result, len(result.thread.calls) - 1 if call < 0 else call)
    return [messages.index(message) for message in wanted]


def test_recent_events_keep_the_head_and_the_newest_without_minding_pairs() -> None:
    """5 exchanges: 12 messages before the last answer. Head 1, so 3 of the tail: 9, 10, 11; 9 is the result of 8, which is gone."""
    assert kept("openhands-recent-events", run(5), max_events=4) == [0, 9, 10, 11]


@pytest.mark.parametrize("keep_first", [4, 5])
def test_a_head_as_long_as_the_limit_keeps_everything(keep_first: int) -> None:
    """The slip: the tail has 0 events, and events[-0:] is all of them. What would be sent twice is sent once here."""
    assert kept("openhands-recent-events", run(5), keep_first=keep_first, max_events=4) == list(range(12))


def test_a_limit_of_nothing_keeps_everything_too() -> None:
    """keep_first 0 and max_events 0: the same slice."""
    assert kept("openhands-recent-events", run(2), keep_first=0, max_events=0) == list(range(6))


def test_observations_outside_the_window_are_masked() -> None:
    """12 messages, the last 4 (8 to 11) stay: results 3, 5 and 7 are masked."""
    result = replay(chat_thread(run(5)), "openhands-observation-masking", 10**9, attention_window=4)
    assert [(edit.message, edit.text) for edit in result.edits(5)] == [(3, "<MASKED>"), (5, "<MASKED>"), (7, "<MASKED>")]


def test_only_the_newest_page_of_a_browser_stays() -> None:
    steps = [
        ("browser", {"code": "goto('https://a.org/x')"}, "a long page"),
        ("bash", {}, "files"),
        ("browser", {"code": "click()"}, "[Current URL: https://b.org/y]\ntree"),
        ("browser", {"code": "click()"}, "nothing"),
        ("browser", {"code": "noop()"}, "the newest"),
    ]
    result = replay(chat_thread(conversation("Look.", *steps)), "openhands-browser-output", 10**9)
    pages = ["https://a.org/x", "https://b.org/y", "(unknown)"]
    assert [edit.text.split("\n")[0] for edit in result.edits(5)] == [f"Visited URL {page}" for page in pages]
    assert all(edit.text.endswith("\nContent omitted") for edit in result.edits(5))


def test_forgetting_halves_the_events_and_is_not_taken_back() -> None:
    """max_size 6, keep_first 1. Calls hold 2, 4, 6, 8, 10, 12 messages.

    8 > 6: head 1 and the last 3 - 1 = 2 (6, 7); then 5 events, 7 > 6: again the head and the last 2.
    """
    found = [kept("openhands-amortized-forgetting", run(5), call, max_size=6) for call in range(6)]
    assert found == [[0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5], [0, 6, 7], [0, 6, 7, 8, 9], [0, 10, 11]]


def test_a_head_of_half_the_limit_is_refused_as_in_the_original() -> None:
    with pytest.raises(InputError):
        make_policy("openhands-amortized-forgetting", max_size=6, keep_first=3)


def test_the_window_keeps_the_beginning_and_the_newer_half_when_a_request_is_too_large() -> None:
    """Call 5 has 12 messages, 10 of them not essential: the newest 5 are 7 to 11; 7 is a result and goes too."""
    messages = run(5)
    size = request_chars(messages[:12], [])
    assert kept("openhands-conversation-window", messages, 5, budget=size - 1) == [0, 1, 8, 9, 10, 11]
    assert kept("openhands-conversation-window", messages, 4, budget=size - 1) == list(range(10))


def test_the_window_forgets_nothing_without_a_user_message() -> None:
    messages = [message for message in run(5) if message["role"] != "user"]
    assert replay(chat_thread(messages), "openhands-conversation-window", 600).refused.any()


def slow_recent(contexts: Sequence[Request], keep_first: int, max_events: int) -> list[Request]:
    made = []
    for context in contexts:
        head = list(range(len(context)))[:keep_first]
        tail = list(range(len(context)))[-max(0, max_events - len(head)) :]
        made.append([context[index] for index in sorted({*head, *tail})])
    return made


@FEW
@given(requests(), st.integers(0, 4), st.integers(0, 8))
def test_recent_events_event_by_event(messages: Request, keep_first: int, max_events: int) -> None:
    agree(
        messages,
        "openhands-recent-events",
        lambda contexts: slow_recent(contexts, keep_first, max_events),
        keep_first=keep_first,
        max_events=max_events,
    )


@FEW
@given(requests(), st.integers(0, 8))
def test_observation_masking_event_by_event(messages: Request, attention: int) -> None:
    def slow(contexts: Sequence[Request]) -> list[Request]:
        return [
            [{**m, "content": "<MASKED>"} if is_result(m) and i < len(context) - attention else m for i, m in enumerate(context)]
            for context in contexts
        ]

    agree(messages, "openhands-observation-masking", slow, attention_window=attention)


def slow_forgetting(contexts: Sequence[Request], max_size: int, keep_first: int) -> list[Request]:
    gone: set[int] = set()
    made = []
    for context in contexts:
        view = [index for index in range(len(context)) if index not in gone]
        if len(view) > max_size:
            head = view[:keep_first]
            left = {*head, *view[-(max_size // 2 - len(head)) :]}
            gone |= set(view) - left
        made.append([message for index, message in enumerate(context) if index not in gone])
    return made


@FEW
@given(requests(most=30), st.integers(2, 12), st.integers(0, 3))
def test_amortized_forgetting_event_by_event(messages: Request, max_size: int, keep_first: int) -> None:
    if keep_first < max_size // 2:
        agree(
            messages,
            "openhands-amortized-forgetting",
            lambda contexts: slow_forgetting(contexts, max_size, keep_first),
            max_size=max_size,
            keep_first=keep_first,
        )


def slow_window(contexts: Sequence[Request], budget: int) -> list[Request]:
    gone: set[int] = set()
    made = []
    for context in contexts:
        while True:
            view = [index for index in range(len(context)) if index not in gone]
            if request_chars([context[index] for index in view], []) <= budget:
                break
            left = one_window(context, view)
            if left is None or left == set(view):
                break
            gone |= set(view) - left
        made.append([context[index] for index in view])
    return made


def one_window(context: Request, view: list[int]) -> set[int] | None:
    """One condensation: what is left of a view."""
    first = next((index for index in view if context[index]["role"] == "user"), None)
    if first is None:
        return None
    essential = {first, *[index for index in view if context[index]["role"] == "system"][:1]}
    recent = view[len(view) - max(1, (len(view) - len(essential)) // 2) :]
    while recent and is_result(context[recent[0]]):
        recent.pop(0)
    return essential | set(recent)


@FEW
@given(requests(most=20), st.integers(100, 3000))
def test_conversation_window_event_by_event(messages: Request, budget: int) -> None:
    agree(messages, "openhands-conversation-window", lambda contexts: slow_window(contexts, budget), budget=budget)

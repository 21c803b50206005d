"""Money rests on tokens, whatever unit the budget is counted in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from ctxcore import read_session, replay
from ctxcore.measures.cost import cost
from ctxcore.measures.in_tokens import in_tokens, remeasured
from ctxcore.model import Thread
from ctxcore.policies import all_policies
from tests.policies.samples import sample_thread


def uneven_log(model: str, calls: int = 12) -> bytes:
    """Requests that grow by prose and by digits in turn, so that a token is now four characters and now one; the input is 1.2 times a fair count."""
    messages: list[dict[str, Any]] = []
    lines = []
    for call in range(calls):
        text = f"Please look at case {call}. " * 200 if call % 2 else " ".join(str(7_919 * n % 10_007) for n in range(600))
        messages = [*messages, {"role": "user", "content": text}]
        size = sum(len(m["content"]) // (4 if "case" in m["content"] else 2) for m in messages)
        usage = {"prompt_tokens": 3_000 + 6 * size // 5, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 1 if call else 0}}
        reply = {"role": "assistant", "content": f"answer {call}"}
        response = {"id": f"r{call}", "object": "chat.completion", "model": model, "choices": [{"index": 0, "message": reply}], "usage": usage}
        lines.append(json.dumps({"request": {"model": model, "messages": messages}, "response": response}))
        messages = [*messages, reply]
    return "\n".join(lines).encode()


class Words:
    """A counter of one's own."""

    unit = "words"

    def size(self, message: Mapping[str, Any]) -> int:
        """Words of its text."""
        return len(str(message.get("content")).split())


def uneven(model: str = "claude-sonnet-4-5") -> Thread:
    """The thread of ``uneven_log``."""
    return read_session(uneven_log(model), "log.jsonl").threads[0]


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gpt-5"])
def test_the_unit_of_the_budget_does_not_change_what_is_paid(model: str) -> None:
    """Nothing is trimmed at nine million of anything, so the same requests are sent."""
    paid = [cost(replay(uneven(model), "none", 9_000_000, unit)) for unit in ("tokens", "chars", Words())]
    assert None not in paid
    first, *others = (one for one in paid if one is not None)
    for other in others:
        assert other.cache.read.tolist() == first.cache.read.tolist()
        assert other.dollars.tolist() == first.dollars.tolist()


def test_a_request_that_nothing_is_taken_from_has_its_recorded_input() -> None:
    thread = uneven()
    found = cost(replay(thread, "none", 9_000_000, "chars"))
    assert found is not None
    assert (found.cache.read + found.cache.written + found.cache.plain).tolist() == [call.usage.input_tokens for call in thread.calls if call.usage]


def test_a_growing_session_reads_the_whole_request_before() -> None:
    """Entries are exact prefixes: each call reads the input of the one before, however the count of a text compares with the provider's."""
    thread = uneven()
    found = cost(replay(thread, "none", 9_000_000, "chars"))
    assert found is not None
    inputs = [call.usage.input_tokens for call in thread.calls if call.usage]
    assert found.cache.read.tolist() == [0, *inputs[:-1]]


@pytest.mark.parametrize("sample", ["coding-agent.jsonl", "parallel", "anthropic-thinking"])
def test_every_policy_is_measured_in_tokens_as_it_measures_itself(sample: str) -> None:
    """A plan made in tokens has, measured once more edit by edit, the size that the policy's own arithmetic gave it."""
    thread = sample_thread(sample)
    for kind in all_policies():
        for budget in (1_062, 3_399):
            own = replay(thread, kind.name, budget, "tokens")
            assert remeasured(own).after.tolist() == own.after.tolist(), (kind.name, budget)


def test_edits_chosen_by_characters_keep_what_they_keep() -> None:
    thread = sample_thread("coding-agent.jsonl")
    by_characters = replay(thread, "autogen-buffered", 10**9, "chars", buffer_size=3)
    by_tokens = replay(thread, "autogen-buffered", 10**9, "tokens", buffer_size=3)
    assert by_characters.dropped_messages.any()
    assert np.array_equal(in_tokens(by_characters).after, by_tokens.after)

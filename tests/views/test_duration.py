"""How long a recording took: a span of nothing is known, no time at all is not."""

from __future__ import annotations

import json

import pytest

from ctxcore import read_session
from ctxcore.views.duration import time_json, time_sentence

NINE = 1_767_258_000.0
"""2026-01-01 09:00:00 UTC in Unix seconds."""

CHAT = {
    "request": {"model": "m", "messages": [{"role": "user", "content": "x"}]},
    "response": {"choices": [{"message": {"role": "assistant", "content": "y"}}]},
}
OUTPUT = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "y"}]}]
RESPONSES = {"request": {"model": "m", "input": "x"}, "response": {"object": "response", "output": OUTPUT}}


@pytest.mark.parametrize("call", [CHAT, RESPONSES])
@pytest.mark.parametrize("calls", [1, 3])
def test_calls_of_one_moment_took_no_time(call: dict[str, object], calls: int) -> None:
    lines = [json.dumps({"ts": "2026-01-01T09:00:00Z", **call})] * calls
    threads = read_session("\n".join(lines).encode(), "log.jsonl").threads
    assert time_sentence(threads) == "0 s, all at 2026-01-01 09:00:00 UTC"
    assert time_json(threads) == {"first": NINE, "last": NINE, "span_s": 0, "active_s": 0, "pauses": []}


def test_without_a_time_nothing_is_known() -> None:
    threads = read_session(json.dumps(CHAT).encode(), "log.jsonl").threads
    assert (time_sentence(threads), time_json(threads)) == ("not recorded", None)

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
    assert time_json(threads) == {"first": NINE, "last": NINE, "span_s": 0, "active_s": 0, "pauses": [], "zone_recorded": True}


def test_without_a_time_nothing_is_known() -> None:
    threads = read_session(json.dumps(CHAT).encode(), "log.jsonl").threads
    assert (time_sentence(threads), time_json(threads)) == ("not recorded", None)


def test_times_without_a_zone_have_a_length_though_nobody_knows_whose_clock_it_was() -> None:
    lines = [{"role": "user", "content": str(second), "timestamp": f"2026-01-01T09:00:{second:02}"} for second in (0, 21)]
    threads = read_session(json.dumps({"messages": lines}).encode(), "log.json").threads
    assert time_sentence(threads) == "21 s from 2026-01-01 09:00:00 to 2026-01-01 09:00:21 (zone not recorded)"
    assert time_json(threads) == {"first": NINE, "last": NINE + 21, "span_s": 21, "active_s": 21, "pauses": [], "zone_recorded": False}

"""Terminal-Bench 1: the record of each episode is one call of the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session
from ctxcore.readers.detect import read_uploads


def record(*words: str, reply: str | None = "ok", minute: int = 0, **more: Any) -> dict[str, Any]:
    messages = [{"role": "assistant" if n % 2 else "user", "content": w} for n, w in enumerate(words)]
    usage = {"prompt_tokens": 10 * len(words), "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 3}}
    body = {"id": f"r{minute}", "model": "m-1", "choices": [{"message": {"role": "assistant", "content": reply}}], "usage": usage}
    value = {"litellm_call_id": "x", "messages": messages, "call_type": "completion", "model": "m", "start_time": f"2026-01-01 10:{minute:02}:00.5"}
    value["additional_args"] = {"complete_input_dict": {"model": "m", "messages": messages}}
    return {**value, "original_response": json.dumps(body) if reply else "Timeout", **more}


def test_the_episodes_of_a_run_are_one_session_in_order_of_time():
    first, second = record("Task"), record("Task", "ok", "terminal: done", minute=1)
    uploads = [("run/episode-1/debug.json", second), ("run/episode-0/debug.json", first), ("other/debug.json", record("Else"))]
    reading = read_uploads([(name, json.dumps(value).encode()) for name, value in uploads])
    session, other = reading.sessions
    (thread,) = session.threads
    assert session.format == other.format == "terminal-bench-v1"
    assert [c.message_count for c in thread.calls] == [1, 3]
    assert [(c.id, c.model, c.usage.input_tokens, c.usage.cache_read_tokens) for c in thread.calls] == [("r0", "m-1", 10, 3), ("r1", "m-1", 30, 3)]
    assert all(c.known == "recorded" for c in thread.calls)
    assert [m.text for m in thread.messages if m.is_real_user] == ["Task"]
    assert session.ledger.records == session.ledger.read == 2


def test_a_response_that_is_no_json_is_a_failed_call():
    (thread,) = read_session(json.dumps(record("Task", reply=None)).encode()).threads
    assert thread.calls[0].flags == ("failed", "no_reply")


@pytest.mark.parametrize("change", [{"messages": [1, None]}, {"additional_args": 3}, {"original_response": "[1]"}, {"start_time": 5}])
def test_odd_records_never_raise(change: dict[str, Any]):
    assert read_session(json.dumps(record("Task", **change)).encode()).format == "terminal-bench-v1"


def test_a_real_record_has_the_usage_of_its_original_response(shared: Path):
    path = shared / "corpus" / "terminal-bench-v1" / "lcbpro-2053d" / "debug.json"
    usage = json.loads(json.loads(path.read_text())["original_response"])["usage"]
    (call,) = read_session(path).threads[0].calls
    assert (call.usage.input_tokens, call.usage.output_tokens) == (usage["prompt_tokens"], usage["completion_tokens"])
    assert call.message_count == 1

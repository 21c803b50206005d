"""mini-swe-agent: a linear list whose last entry was never sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session

Value = dict[str, Any]


def read(*messages: Any, form: str = "mini-swe-agent-1", **info: Any) -> Session:
    value = {"info": {"mini_version": "1", **info}, "messages": list(messages), "trajectory_format": form, "instance_id": "i-1"}
    return read_session(json.dumps(value).encode(), "run.traj.json")


def said(role: str, content: str, **extra: Any) -> Value:
    return {"role": role, "content": content, **({"extra": extra} if extra else {})}


def reply(content: str, prompt: int, **more: Any) -> Value:
    usage = {"prompt_tokens": prompt, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 1}}
    return {**said("assistant", content, response={"id": f"r{prompt}", "model": "m", "created": 1_760_000_000 + prompt, "usage": usage}), **more}


RUN = (said("system", "S"), said("user", "Fix"), reply("ls", 10), said("user", "a.py"), reply("submit", 20), said("user", "diff --git"))


def test_the_submission_is_no_input_and_outputs_of_the_shell_are_no_person():
    session = read(*RUN, exit_status="Submitted", model_stats={"api_calls": 3})
    (thread,) = session.threads
    assert session.format == "mini-swe-agent"
    assert [c.message_count for c in thread.calls] == [2, 4]
    assert [(c.id, c.usage.input_tokens, c.usage.cache_read_tokens) for c in thread.calls] == [("r10", 10, 1), ("r20", 20, 1)]
    assert thread.calls[0].at == 1_760_000_010
    assert [m.text for m in thread.messages if m.is_real_user] == ["Fix"]
    assert "diff --git" not in [m.text for m in thread.messages]
    assert session.not_recorded == ()
    assert any("3 calls are counted, 2" in note for note in session.notes)


def test_a_run_that_has_not_ended_waits_for_a_reply():
    (thread,) = read(*RUN[:4]).threads
    assert [c.flags for c in thread.calls] == [(), ("no_reply",)]
    assert thread.calls[-1].message_count == 4


def test_tool_calls_and_the_exit_of_later_versions():
    call = {"id": "t1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "t1", "content": "a", "extra": {"timestamp": 1_760_000_100.5, "raw_output": "a"}}
    session = read(*RUN[:2], reply("x", 5, tool_calls=[call]), result, reply("y", 9), said("exit", "diff"), form="mini-swe-agent-1.1")
    (thread,) = session.threads
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [c.message_count for c in thread.calls] == [2, 4]
    assert thread.messages[3].at == 1_760_000_100.5
    assert "extra" not in thread.messages[3].wire[0]
    assert session.not_recorded == ("tool definitions",)


def test_items_of_the_responses_interface_are_messages():
    call = {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"}
    answer = {"object": "response", "id": "resp", "model": "m", "output": [call], "usage": {"input_tokens": 7, "output_tokens": 2}}
    (thread,) = read(*RUN[:2], answer, {"type": "function_call_output", "call_id": "c", "output": "a"}, form="mini-swe-agent-1.1").threads
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "tool"]
    assert thread.calls[0].usage.input_tokens == 7
    assert [call.id for call in thread.messages[2].calls] == ["c"]


@pytest.mark.parametrize("bad", [None, 4, {}, {"role": 5}, {"role": "assistant", "extra": {"response": {"usage": "x"}}}])
def test_odd_entries_never_raise(bad: Any):
    session = read(*RUN[:3], bad, *RUN[3:])
    assert session.ledger.records == session.ledger.read == 1


@pytest.mark.parametrize(("name", "calls"), [("mini1_gemini3_sklearn-25102", 43), ("mini1_gemini3_psf-requests-1142_2.1MB", 71)])
def test_every_reply_of_a_real_run_is_a_call_with_its_usage(shared: Path, name: str, calls: int):
    """The number of calls is info.model_stats.api_calls, the usage that of every raw response."""
    path = shared / "corpus" / "mini-swe-agent" / f"{name}.traj.json"
    value = json.loads(path.read_text())
    prompts = [m["extra"]["response"]["usage"]["prompt_tokens"] for m in value["messages"] if m["role"] == "assistant"]
    (thread,) = read_session(path).threads
    assert value["info"]["model_stats"]["api_calls"] == len(thread.calls) == calls
    assert [c.usage.input_tokens for c in thread.calls] == prompts


def test_a_real_run_with_tool_calls(shared: Path):
    """157 replies, 156 results, one exit; 8,719,118 input tokens by summing each raw response."""
    session = read_session(shared / "corpus" / "mini-swe-agent" / "mini11_deepseek_sqlfluff-1733_1.2MB.traj.json")
    (thread,) = session.threads
    assert len(thread.calls) == 157
    assert sum(c.usage.input_tokens for c in thread.calls) == 8_719_118
    assert [c.message_count for c in thread.calls] == list(range(2, 316, 2))

"""Claude Code's stream-json output: calls, usage, sub-agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session

INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Task", "Read"], "model": "m"}


def said(id: str, *blocks: dict[str, Any], agent: str | None = None, **usage: int) -> dict[str, Any]:
    counted = {"input_tokens": 2, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5, "output_tokens": 1, **usage}
    message = {"id": id, "role": "assistant", "model": "m", "content": list(blocks), "stop_reason": None, "usage": counted}
    return {"type": "assistant", "message": message, "parent_tool_use_id": agent, "session_id": "s"}


def gave(*blocks: dict[str, Any] | str, agent: str | None = None) -> dict[str, Any]:
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    return {"type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": agent, "session_id": "s"}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(id: str, name: str = "Read", **given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def result(id: str, words: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": words}


def ended(output: int, **more: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "session_id": "s", "usage": {"output_tokens": output}, **more}


def log(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_lines_of_one_message_are_one_call_and_its_output_is_what_the_total_leaves():
    session = read_session(log(INIT, said("a", text("Look")), said("a", use("t")), gave(result("t")), ended(77)))
    (thread,) = session.threads
    (call,) = thread.calls
    assert session.format == "claude-code-stream"
    assert call.context == ()
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.output_tokens) == (17, 77)
    assert "first prompt" in session.not_recorded
    assert (session.ledger.records, session.ledger.read) == (5, 4)


def test_output_counts_at_the_start_of_the_stream_are_not_believed():
    session = read_session(
        log(INIT, gave("Go"), said("a", use("t")), gave(result("t")), said("b", use("u")), gave(result("u")), said("c", text("Done")), ended(90))
    )
    assert [c.usage.output_tokens if c.usage else 0 for c in session.threads[0].calls] == [None, None, None]
    assert any("90 output tokens" in note for note in session.notes)
    assert "first prompt" not in session.not_recorded


def test_events_of_the_stream_hold_the_count_at_its_end():
    start = {"type": "stream_event", "session_id": "s", "event": {"type": "message_start", "message": {"id": "a"}}}
    end = {"type": "stream_event", "session_id": "s", "event": {"type": "message_delta", "usage": {"input_tokens": 2, "output_tokens": 33}}}
    session = read_session(log(INIT, start, said("a", text("Hi")), end, said("b", text("More")), ended(40)))
    assert [c.usage.output_tokens if c.usage else 0 for c in session.threads[0].calls] == [33, 7]


def test_lines_of_a_sub_agent_are_a_thread_of_the_call_that_started_it():
    session = read_session(
        log(
            INIT,
            said("a", use("t", "Task", description="Count", prompt="Count it")),
            gave("Count it", agent="t"),
            said("x", use("r"), agent="t"),
            gave(result("r"), agent="t"),
            said("y", text("5"), agent="t"),
            gave(result("t", "5")),
            said("b", text("Five")),
        )
    )
    main, agent = session.threads
    assert (agent.kind, agent.parent, agent.parent_call, agent.title) == ("agent", "main", 0, "Count")
    assert [c.messages() for c in agent.calls] == [(0,), (0, 1, 2)]
    assert [c.messages() for c in main.calls] == [(), (0, 1)]


def test_a_compaction_starts_the_context_anew():
    boundary = {"type": "system", "subtype": "compact_boundary", "session_id": "s", "compact_metadata": {"trigger": "auto", "pre_tokens": 900}}
    summary = gave("This session is being continued from a previous conversation. All fine.")
    session = read_session(log(INIT, gave("Go"), said("a", text("Hi")), boundary, summary, said("b", text("On"))))
    (thread,) = session.threads
    assert [c.messages() for c in thread.calls] == [(0,), (2,)]
    assert [(e.kind, e.call, e.trigger, e.before_tokens, e.summary) for e in thread.events] == [("compaction", 1, "auto", 900, 2)]


def test_a_notice_of_a_failed_request_is_no_call():
    notice = said("z", text("API Error")) | {"is_api_error_message": True}
    session = read_session(log(INIT, notice, ended(0, is_error=True), 5))
    assert [len(t.calls) for t in session.threads] == [0]
    assert "api_error" in {p.kind for p in session.problems}


def test_the_lines_as_one_list():
    session = read_session(json.dumps([INIT, said("a", text("Hi")), ended(3)]).encode())
    assert len(session.threads[0].calls) == 1
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped)


@pytest.mark.parametrize(
    ("name", "calls"), [("01-plain-text", 1), ("02-tool-use-read", 2), ("03-multi-turn-tools", 3), ("05-thinking-sonnet", 1), ("06-plain-partial", 1)]
)
def test_calls_and_input_of_real_runs(shared: Path, name: str, calls: int):
    """Calls are the distinct message ids; the input of all sums to the result line's three counts."""
    path = shared / f"corpus/claude-code/stream-json/{name}.jsonl"
    values = [json.loads(line) for line in path.read_text().splitlines()]
    total = next(v["usage"] for v in values if v["type"] == "result")
    (thread,) = read_session(path).threads
    assert len(thread.calls) == calls == len({v["message"]["id"] for v in values if v["type"] == "assistant"})
    usages = [c.usage for c in thread.calls if c.usage]
    assert sum(u.input_tokens or 0 for u in usages) == sum(
        total[k] for k in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    )
    outputs = [u.output_tokens for u in usages]
    assert None in outputs or sum(o or 0 for o in outputs) == total["output_tokens"]

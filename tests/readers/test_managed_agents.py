"""Managed agents: a model request stands between its span events; everything else tells what it held."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxcore import Session, read_session

AGENT = {"system": "Be brief.", "model": {"id": "claude-x"}, "name": "Clerk", "tools": [{"type": "agent_toolset"}]}
CREATE = ["client.beta.sessions.create", {"id": "sesn_1", "agent": AGENT}]


def event(kind: str, id: str = "sevt_1", **more: Any) -> dict[str, Any]:
    return {"id": id, "type": kind, "processed_at": "2026-07-06T17:00:44Z", **more}


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def asked(text: str = "Look") -> dict[str, Any]:
    return event("user.message", content=words(text))


def request(*said: dict[str, Any], **usage: int) -> list[dict[str, Any]]:
    end = event("span.model_request_end", model_usage={"input_tokens": 2, "output_tokens": 5, "cache_read_input_tokens": 10, **usage})
    return [event("span.model_request_start", "sevt_s"), *said, end]


def log(*lines: Any) -> Session:
    return read_session(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def texts(session: Session) -> list[list[str]]:
    (thread,) = session.threads
    return [[thread.messages[i].text for i in call.messages()] for call in thread.calls]


THOUGHT, SAID = event("agent.thinking"), event("agent.message", content=words("I look."))
USED = event("agent.tool_use", "sevt_t", name="bash", input={"a": 1})
FOUND = event("agent.tool_result", tool_use_id="sevt_t", content=words("two"), is_error=False)
TURN = [asked(), *request(THOUGHT, SAID, USED), FOUND, *request(event("agent.message", content=words("Two.")))]


def test_calls_results_and_usage_of_streamed_events():
    stream = [["client.beta.sessions.events.stream", value] for value in TURN]
    session = log(CREATE, ["client.beta.sessions.events.send", ["sesn_1", {"events": [{"type": "user.message"}]}]], *stream)
    (thread,) = session.threads
    assert (session.format, session.id, thread.title) == ("managed-agents", "sesn_1", "Clerk")
    assert texts(session) == [["Be brief.", "Look"], ["Be brief.", "Look", "I look.", "two"]]
    assert [p.kind for p in thread.messages[2].parts] == ["reasoning", "text", "tool_call"]
    assert thread.messages[3].results[0].call_id == thread.messages[2].calls[0].id
    assert [(c.usage.input_tokens, c.usage.cache_read_tokens, c.model) for c in thread.calls] == [(12, 10, "claude-x")] * 2
    assert session.not_recorded == ("prompt of the server's program", "tool definitions")
    assert dict(session.ledger.skipped) == {"client.beta.sessions.events.send, said again by its event": 1}
    assert session.ledger.records == session.ledger.read + 1 == 12


def test_listed_events_without_spans_and_without_the_agent_are_the_same_calls():
    events = [value for value in TURN if not value["type"].startswith("span.")]
    for listed in (events, {"data": events, "next_page": None}):
        session = read_session(json.dumps(listed).encode())
        assert texts(session) == [["Look"], ["Look", "I look.", "two"]]
        assert session.ledger.records == session.ledger.read == 6
    assert session.not_recorded[0] == "system prompt"


def test_what_comes_while_a_request_runs_is_part_of_the_next_one():
    start, *rest = request(event("agent.message", content=words("Hi")))
    session = log(asked("a"), start, asked("b"), *rest, *request(event("agent.message", content=words("Ho"))))
    assert texts(session) == [["a"], ["a", "Hi", "b"]]


def test_a_compaction_on_the_server_is_told():
    session = log(*TURN, event("agent.thread_context_compacted"), asked("More"), *request())
    (compaction,) = session.threads[0].events
    assert (compaction.kind, compaction.call) == ("compaction", 2)
    assert session.threads[0].calls[2].flags == ("failed", "no_reply")


def test_another_thread_is_an_agent_with_a_context_of_its_own():
    child = [{**value, "session_thread_id": "sthr_2"} for value in (event("agent.thread_message_received", content=words("Do it")), *request())]
    session = log(*TURN, *child)
    assert [(t.id, t.kind, len(t.calls)) for t in session.threads] == [("main", "main", 2), ("sthr_2", "agent", 1)]


def test_sent_events_are_read_where_none_was_streamed():
    sent = ["client.beta.sessions.events.send", ["sesn_1", {"events": [{"type": "user.message", "content": words("Look")}]}]]
    session = log(CREATE, sent, 5, ["client.beta.sessions.retrieve", {}])
    assert [m.text for m in session.threads[0].messages] == ["Be brief.", "Look"]
    assert session.ledger.records == session.ledger.read + 2 == 4


def test_the_recorded_session(shared: Path):
    """27 lines. Each of the three requests ends with its usage: 2 + 7,780, 2 + 170 + 7,780 and 2 + 10,117 + 7,950 input tokens; what one request
    wrote to the cache the next one reads, so the history only grew. One tool was refused, one read a page."""
    path = shared / "corpus/claude_managed_agents/anthropic_managed_mcp_tools_reject.jsonl"
    ends = [v for _, v in map(json.loads, path.read_text().splitlines()) if isinstance(v, dict) and v.get("type") == "span.model_request_end"]
    session = read_session(path)
    (thread,) = session.threads
    assert [c.usage.input_tokens for c in thread.calls] == [7_782, 7_952, 18_069]
    assert [c.usage.output_tokens for c in thread.calls] == [end["model_usage"]["output_tokens"] for end in ends]
    assert [len(c.messages()) for c in thread.calls] == [2, 4, 6]
    assert [m.results[0].is_error for m in thread.messages if m.results] == [True, False]
    assert session.ledger.records == 27

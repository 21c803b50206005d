"""LiteLLM's logs: payloads with all that was sent, and spend rows that mostly keep counts only."""

from __future__ import annotations

import json
from pathlib import Path

from ctxcore import read_session, read_sessions

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
RESPONSE = {"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Because."}}]}


def payload(**changes) -> dict:
    value = {
        "id": "chatcmpl-1",
        "litellm_call_id": "u1",
        "call_type": "acompletion",
        "session_id": "",
        "status": "success",
        "startTime": 1_780_000_000.25,
        "model": "gpt-x",
        "messages": MESSAGES,
        "response": RESPONSE,
        "model_parameters": {"tools": [TOOL], "temperature": 0},
        "metadata": {"usage_object": {"prompt_tokens": 40, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 30}}},
        "prompt_tokens": 40,
        "completion_tokens": 2,
    }
    return {**value, **changes}


def lines(*values: dict) -> bytes:
    return "\n".join(map(json.dumps, values)).encode() + b"\n"


def test_tools_stand_in_the_parameters_and_counts_in_the_metadata():
    session = read_session(lines(payload()))
    (call,) = session.threads[0].calls
    assert (session.format, session.level, session.not_recorded) == ("litellm", "full requests", ())
    assert session.threads[0].tool_sets == ((TOOL,),)
    assert (call.usage.input_tokens, call.usage.cache_read_tokens, call.at) == (40, 30, 1_780_000_000.25)


def test_sessions_are_told_by_their_id():
    follow = [*MESSAGES, RESPONSE["choices"][0]["message"], {"role": "user", "content": "And?"}]
    sessions = read_sessions(
        lines(payload(session_id="s1"), payload(session_id="s2"), payload(session_id="s1", messages=follow, startTime=1_780_000_009))
    )
    assert [(s.id, [c.message_count for c in s.threads[0].calls]) for s in sessions] == [("s1", [2, 4]), ("s2", [2])]
    assert all(s.ledger.records == s.ledger.read + sum(n for _, n in s.ledger.skipped) for s in sessions)


def test_failures_and_other_kinds_of_calls():
    failed = payload(status="failure", error_str="RateLimitError", response={}, metadata={}, prompt_tokens=0, completion_tokens=0)
    session = read_session(lines(failed, payload(call_type="aembedding"), payload(messages="Quite another question?", response="Because.")))
    calls = [c for t in session.threads for c in t.calls]
    assert sorted(c.flags for c in calls) == [(), ("failed", "no_reply")]
    assert dict(session.ledger.skipped) == {"no text asked for (aembedding)": 1}


def row(**changes) -> dict:
    value = {
        "request_id": "r1",
        "session_id": "s",
        "call_type": "acompletion",
        "startTime": "2026-01-24 09:20:46.847371",
        "spend": 0.1,
        "model": "gpt-x",
    }
    return {**value, "prompt_tokens": 10, "completion_tokens": 20, "messages": "{}", "response": "{}", "proxy_server_request": "{}", **changes}


def test_a_row_without_stored_prompts_is_a_call_with_counts_only():
    session = read_session(lines(row(), row(request_id="r2", prompt_tokens=30)))
    (thread,) = session.threads
    assert [(c.id, c.usage.input_tokens, c.context, c.known) for c in thread.calls] == [
        ("r1", 10, (), "reconstructed"),
        ("r2", 30, (), "reconstructed"),
    ]
    assert "messages" in session.not_recorded
    assert any("store_prompts_in_spend_logs" in note for note in session.notes)


def test_a_row_with_stored_prompts_shows_what_the_proxy_got():
    """The provider's own request (here Anthropic's) stands in proxy_server_request, all of it as text."""
    sent = {"model": "claude-x", "system": "Be brief.", "messages": [{"role": "user", "content": "Why?"}]}
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "Because."}],
        "usage": {"input_tokens": 7, "output_tokens": 2},
    }
    session = read_session(json.dumps([row(proxy_server_request=json.dumps(sent), response=json.dumps(answer))]).encode())
    (thread,) = session.threads
    assert [m.text for m in thread.messages] == ["Be brief.", "Why?", "Because."]
    assert (thread.calls[0].known, thread.calls[0].usage.input_tokens) == ("recorded", 7)


def test_real_payloads_are_the_fourteen_calls_of_the_session(shared: Path):
    """Context lengths as in the message lists; only the last call has real counts: 52,529 and 9,090."""
    path = shared / "corpus" / "litellm" / "gen_litellm_standard_logging.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    (thread,) = read_session(path).threads
    assert [c.message_count for c in thread.calls] == [len(r["messages"]) for r in rows]
    assert [c.usage and c.usage.input_tokens for c in thread.calls] == [None] * 13 + [52529]
    assert len(thread.tool_sets[0]) == 5


def test_a_real_spend_row(shared: Path):
    (call,) = read_session(shared / "corpus" / "litellm" / "spend_logs_payload.json").threads[0].calls
    assert (call.usage.input_tokens, call.usage.output_tokens, call.model) == (10, 20, "gpt-4o")


def test_rows_without_a_call_are_counted_with_the_session_that_has_some():
    (session,) = read_sessions(lines(payload(session_id="s1"), payload(call_type="aembedding"), payload(session_id="s2", call_type="aembedding")))
    assert session.ledger.records == 3 == session.ledger.read + sum(n for _, n in session.ledger.skipped)

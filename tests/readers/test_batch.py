"""Batch files: requests and results are joined by their own name, whatever their order."""

from __future__ import annotations

import json
from pathlib import Path

from ctxcore import read_session
from ctxcore.readers.detect import read_uploads


def lines(*values: dict) -> bytes:
    return "\n".join(map(json.dumps, values)).encode() + b"\n"


def asked(name: str, question: str) -> dict:
    body = {"model": "gpt-x", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


def answered(name: str, reply: str, tokens: int) -> dict:
    choices = [{"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}]
    usage = {"prompt_tokens": tokens, "completion_tokens": 1}
    body = {"id": f"chatcmpl-{name}", "object": "chat.completion", "created": 1_780_000_000, "model": "gpt-x-1", "choices": choices, "usage": usage}
    return {"id": f"batch_req_{name}", "custom_id": name, "response": {"status_code": 200, "request_id": "r", "body": body}, "error": None}


REQUESTS = lines(asked("a", "One?"), asked("b", "Two?"), asked("c", "Three?"))
FAILED = {"id": "x", "custom_id": "c", "response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}, "error": None}
RESULTS = lines(answered("b", "2", 20), FAILED, answered("a", "1", 10))


def test_requests_and_results_of_two_files_are_joined():
    """Each request is a thread of its own, though all begin with the same system text."""
    (session,) = read_uploads([("in.jsonl", REQUESTS), ("out.jsonl", RESULTS)]).sessions
    assert [t.title for t in session.threads] == ["a", "b", "c"]
    assert [[m.text for m in t.messages] for t in session.threads] == [
        ["Be brief.", "One?", "1"],
        ["Be brief.", "Two?", "2"],
        ["Be brief.", "Three?"],
    ]
    assert [c.usage and c.usage.input_tokens for t in session.threads for c in t.calls] == [10, 20, None]
    assert session.threads[2].calls[0].flags == ("failed", "no_reply")
    assert (session.level, session.ledger.records, session.ledger.read) == ("full requests", 6, 6)


def test_either_file_alone_is_read_and_says_what_is_missing():
    session = read_session(REQUESTS)
    assert session.level == "requests only"
    assert [t.calls[0].flags for t in session.threads] == [("no_reply",)] * 3
    session = read_session(RESULTS)
    assert (session.level, session.not_recorded) == ("message list only", ("request",))
    assert any("input file" in note for note in session.notes)
    assert session.threads[0].calls[0].known == "reconstructed"


def test_a_batch_of_anthropic():
    request = {"custom_id": "a", "params": {"model": "claude-x", "max_tokens": 5, "messages": [{"role": "user", "content": "One?"}]}}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": "1"}],
        "usage": {"input_tokens": 4, "cache_read_input_tokens": 6, "output_tokens": 1},
    }
    results = lines(
        {"custom_id": "a", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "b", "result": {"type": "errored", "error": {"type": "error"}}},
    )
    (session,) = read_uploads([("in.jsonl", lines(request)), ("out.jsonl", results)]).sessions
    (call,) = session.threads[0].calls
    assert (call.usage.input_tokens, call.reply, session.format) == (10, 1, "batch")
    assert dict(session.ledger.skipped) == {"no model call": 1}


def test_a_real_result_file_holds_three_answers_in_its_own_order(shared: Path):
    """The titles are the custom_ids in file order; counts as the usage objects say."""
    path = shared / "corpus" / "openai_batch" / "groq_batch_output.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    session = read_session(path)
    assert [t.title for t in session.threads] == [row["custom_id"] for row in rows]
    assert [t.calls[0].usage.input_tokens for t in session.threads] == [row["response"]["body"]["usage"]["prompt_tokens"] for row in rows]
    assert session.threads[0].calls[0].context == ()

"""HAR captures: the model calls among a browser's requests, whatever way their bodies are kept."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.errors import FormatNotReadYet

QUESTION = {"model": "gpt-x", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]}
COMPLETION = {
    "id": "c1",
    "object": "chat.completion",
    "model": "gpt-x-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Because."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 2},
}


def entry(second: int, request, content: dict, *, status: int = 200) -> dict:
    headers = [{"name": "cookie", "value": "EXAMPLE-cookie"}]
    posted = {} if request is None else {"postData": {"mimeType": "application/json", "text": json.dumps(request)}}
    return {
        "startedDateTime": f"2026-02-03T04:05:{second:02}.500+01:00",
        "time": 5,
        "request": {"method": "POST", "url": "https://api.example.invalid/v1/chat/completions", "headers": headers, **posted},
        "response": {"status": status, "headers": headers, "content": content},
    }


def har(*entries: dict) -> bytes:
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": list(entries)}}).encode()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_base64_content_is_decoded(packed: bool):
    """Also where the recorder kept the packed bytes."""
    body = json.dumps(COMPLETION).encode()
    kept = base64.b64encode(gzip.compress(body) if packed else body).decode()
    (thread,) = read_session(har(entry(1, QUESTION, {"text": kept, "encoding": "base64"}))).threads
    (call,) = thread.calls
    assert (call.usage.input_tokens, call.model, call.at) == (12, "gpt-x-1", 1770087901.5)
    assert [m.text for m in thread.messages] == ["Be brief.", "Why?", "Because."]


def test_an_answer_that_the_browser_did_not_keep_is_said():
    session = read_session(har(entry(1, QUESTION, {"size": 900, "mimeType": "text/event-stream"})))
    assert session.level == "requests only"
    assert session.threads[0].calls[0].flags == ("no_reply",)
    assert any("did not keep" in note for note in session.notes)


def test_entries_are_sorted_by_their_start_and_the_rest_is_counted():
    """An entry without a body, an embedding, a refusal (400) and two calls, one of which began later."""
    follow = {**QUESTION, "messages": [*QUESTION["messages"], {"role": "assistant", "content": "Because."}, {"role": "user", "content": "And?"}]}
    embedding = {"model": "embed", "input": ["Why?"]}
    session = read_session(
        har(
            entry(9, follow, {"text": json.dumps({**COMPLETION, "id": "c2"})}),
            entry(1, None, {"text": "<html>"}),
            entry(2, embedding, {"text": json.dumps({"object": "list", "data": [{"embedding": [0.1]}]})}),
            entry(3, QUESTION, {"text": json.dumps({"error": {"message": "bad key"}})}, status=400),
            entry(4, QUESTION, {"text": json.dumps(COMPLETION)}),
        )
    )
    (thread,) = session.threads
    assert [(c.id, c.flags) for c in thread.calls] == [("", ("failed", "no_reply")), ("c1", ()), ("c2", ())]
    assert (session.ledger.records, session.ledger.read, dict(session.ledger.skipped)) == (5, 3, {"no model call": 2})


def test_nothing_of_headers_and_cookies_stays():
    assert "EXAMPLE-cookie" not in repr(read_session(har(entry(1, QUESTION, {"text": json.dumps(COMPLETION)}))))


def test_a_capture_without_a_model_call_is_refused_by_its_name():
    with pytest.raises(FormatNotReadYet, match="HAR capture without a model call"):
        read_session(har(entry(1, None, {"text": "<html>"})))


def test_a_real_capture_holds_the_growing_requests_that_its_bodies_show(shared: Path):
    """14 entries; each call's context is as long as the message list in its body."""
    path = shared / "corpus" / "har_mitmproxy" / "gen_openai_chat_session.har"
    bodies = [json.loads(e["request"]["postData"]["text"]) for e in json.loads(path.read_text())["log"]["entries"]]
    session = read_session(path)
    (thread,) = session.threads
    assert [c.message_count for c in thread.calls] == [len(body["messages"]) for body in bodies]
    assert (len(thread.calls), len(session.threads[0].tool_sets[0]), session.not_recorded) == (14, len(bodies[0]["tools"]), ())
    assert thread.calls[-1].usage.input_tokens == 52529
    assert thread.calls[0].usage is None, "zeros in place of counts are not counts"

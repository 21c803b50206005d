"""Gemini generateContent: requests, answers, streams and bare contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxcore import read_session
from ctxcore.readers.gemini_content import gemini_usage
from tests.readers.test_gemini_cli import lines

USAGE = {"promptTokenCount": 30, "candidatesTokenCount": 5, "thoughtsTokenCount": 7, "cachedContentTokenCount": 10, "totalTokenCount": 42}


def turn(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": p} if isinstance(p, str) else p for p in parts]}


def answer(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": turn("model", *parts), "finishReason": "STOP"}], "usageMetadata": USAGE, "modelVersion": "gemini-y", **more}


def test_usage_counts_the_cache_in_the_input_and_the_thoughts_in_the_output():
    usage = gemini_usage(USAGE)
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (30, 12, 10, 7)
    assert gemini_usage({"trafficType": "ON_DEMAND"}) is None
    assert gemini_usage({"prompt_token_count": 3, "candidates_token_count": 1}).input_tokens == 3  # type: ignore[union-attr]  # it counts


def test_a_request_and_its_answer_are_a_conversation_with_a_recorded_last_call():
    request = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "ls"}]}],
        "contents": [
            turn("user", "List", {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}),
            turn("model", {"functionCall": {"name": "ls", "args": {"dir": "."}}}),
            turn("user", {"functionResponse": {"name": "ls", "response": {"output": "a b"}}}),
        ],
    }
    session = read_session(json.dumps({"request": request, "response": answer("Two files.")}).encode())
    (thread,) = session.threads
    assert session.format == "gemini"
    assert [(c.known, c.message_count) for c in thread.calls] == [("reconstructed", 2), ("recorded", 4)]
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert [p.kind for p in thread.messages[1].parts] == ["text", "media"]
    assert thread.messages[3].results[0].text == "a b"
    assert thread.calls[1].usage is not None
    assert session.not_recorded == ()
    assert not session.problems


def test_lines_of_requests_are_calls_of_one_thread():
    first, second = [turn("user", "One?")], [turn("user", "One?"), turn("model", "1"), turn("user", "Two?")]
    session = read_session(lines({"contents": first}, answer("1"), {"request": {"contents": second}, "response": answer("2", responseId="r2")}))
    (thread,) = session.threads
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2)]
    assert [c.reply for c in thread.calls] == [1, 3]
    assert session.ledger.read == 3


def test_a_blocked_prompt_is_a_failed_call():
    session = read_session(json.dumps({"contents": [turn("user", "x")], "response": {"promptFeedback": {"blockReason": "OTHER"}}}).encode())
    assert session.threads[0].calls[-1].flags == ("failed", "no_reply")


def test_code_that_the_provider_runs_is_a_call_with_its_result():
    parts = [{"executableCode": {"code": "print(1)"}}, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, {"text": "One."}]
    session = read_session(json.dumps([turn("user", "Run it"), turn("model", *parts)]).encode())
    assert [p.kind for p in session.threads[0].messages[1].parts] == ["tool_call", "tool_result", "text"]
    assert not session.problems


def test_real_streams_are_one_call_with_the_last_usage(shared: Path):
    """15 pieces of one call's arguments; usage of the last of 16 lines: 54 in, 74 + 121 out. The other: 29 in, 15 + 804 out."""
    found = [read_session(path).threads[0] for path in sorted((shared / "corpus" / "gemini").iterdir())]
    assert [(len(t.calls), len(t.messages[0].calls)) for t in found] == [(1, 1), (1, 1)]
    usages = [t.calls[0].usage for t in found]
    assert [(u.input_tokens, u.output_tokens, u.reasoning_tokens) for u in usages if u] == [(54, 195, 121), (29, 819, 804)]

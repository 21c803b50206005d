"""Answers that stand alone: one call each, whose input is said to be missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.errors import FormatNotReadYet
from tests.readers.test_sse import anthropic_stream, sse


def completion(id: str, words: str) -> dict:
    choices = [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}]
    return {"id": id, "object": "chat.completion", "choices": choices, "usage": {"prompt_tokens": 9, "completion_tokens": 1}}


def test_completions_of_a_list_a_page_or_lines():
    values = [completion("c1", "a"), completion("c2", "b")]
    for data in (json.dumps(values), json.dumps({"object": "list", "data": values}), "\n".join(map(json.dumps, values))):
        session = read_session(data.encode())
        assert [(t.calls[0].id, t.calls[0].context, t.calls[0].flags) for t in session.threads] == [
            ("c1", (), ("input_not_recorded",)),
            ("c2", (), ("input_not_recorded",)),
        ]
        assert (session.format, session.level, session.not_recorded) == ("answers", "message list only", ("request",))
        assert session.ledger.records == session.ledger.read == 2


def test_a_captured_stream_is_one_answer_whoever_the_provider():
    (thread,) = read_session(sse(*anthropic_stream()).encode(), "stream.txt").threads
    assert thread.calls[0].usage.input_tokens == 9
    assert thread.messages[0].calls[0].name == "look"


def test_a_stream_of_something_else_is_refused_by_its_name():
    with pytest.raises(FormatNotReadYet, match="event stream"):
        read_session(b"event: ping\ndata: {}\n\n")


def test_real_answers(shared: Path):
    """One stream of 41 chunks with reasoning and a call, and one completion with a call."""
    folder = shared / "corpus" / "openai_chat"
    chunks = [json.loads(line) for line in (folder / "deepseek-tool-call.chunks.txt").read_text().splitlines() if line.strip()]
    (thread,) = read_session(folder / "deepseek-tool-call.chunks.txt").threads
    reply = thread.messages[0]
    thought = "".join(c["choices"][0]["delta"].get("reasoning_content") or "" for c in chunks if c["choices"])
    assert [p.text for p in reply.parts if p.kind == "reasoning"] == [thought]
    assert json.loads(reply.calls[0].arguments)
    assert thread.calls[0].usage.input_tokens == next(c["usage"]["prompt_tokens"] for c in chunks if c.get("usage"))
    (thread,) = read_session(folder / "agentops_openai_chat_tool_calls.json").threads
    assert len(thread.messages[0].calls) == 1

"""Langfuse: what a generation got, whatever framework wrote it, and which generations are calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.errors import UnreadableFile
from ctxcore.model import Usage
from ctxcore.readers.langfuse import usage_of

CORPUS = "corpus/langfuse"


def observation(id: str, kind: str = "GENERATION", *, parent: str | None = None, second: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": id, "traceId": "t", "type": kind, "parentObservationId": parent, "startTime": f"2026-01-01T00:00:{second:02}Z", "name": id, **more}


def download(*observations: dict[str, Any]) -> Session:
    return read_session(json.dumps({"trace": {"id": "t", "sessionId": "chat-1"}, "observations": observations}).encode())


def texts(session: Session, call: int) -> list[str]:
    thread = session.threads[0]
    return [thread.messages[i].text for i in thread.calls[call].messages()]


ASK, ANSWER = {"role": "user", "content": "Two and two?"}, {"role": "assistant", "content": "Four."}
LC_ASK = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "Two and two?"}}

SHAPES = {
    "list": ([ASK], ANSWER),
    "request": ({"model": "m", "messages": [ASK]}, {"choices": [{"message": ANSWER}]}),
    "text twice": (json.dumps(json.dumps([ASK])), "Four."),
    "text": ("Two and two?", "Four."),
    "dumps": ({"messages": [[LC_ASK]]}, {"generations": [[{"text": "Four."}]]}),
    "parts": (
        [{"role": "user", "parts": [{"type": "text", "content": "Two and two?"}]}],
        [{"role": "assistant", "parts": [{"type": "text", "content": "Four."}]}],
    ),
    "gemini": (
        {"contents": [{"role": "user", "parts": [{"text": "Two and two?"}]}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Four."}]}}]},
    ),
    "responses": (
        {"input": [{"role": "user", "content": [{"type": "input_text", "text": "Two and two?"}]}]},
        {"object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Four."}]}]},
    ),
    "anthropic": (
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Two and two?"}]}]},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Four."}]},
    ),
    "prompt": ({"prompt": "Two and two?"}, {"text": "Four.", "toolCalls": []}),
}
"""The same question and answer as frameworks hand them over."""


@pytest.mark.parametrize("shape", SHAPES)
def test_input_and_output_are_told_by_their_shape(shape: str):
    asked, answered = SHAPES[shape]
    session = download(observation("g", input=asked, output=answered))
    assert [(m.role, m.text) for m in session.threads[0].messages] == [("user", "Two and two?"), ("assistant", "Four.")]
    assert session.id == "chat-1"
    assert session.level == "full requests"


def test_the_snake_case_export_is_read_as_the_download_is():
    row = {
        "id": "g",
        "trace_id": "t",
        "type": "GENERATION",
        "parent_observation_id": "",
        "start_time": "2026-01-01 00:00:00.000000",
        "input": json.dumps([ASK]),
    }
    session = read_session(json.dumps({**row, "output": "Four.", "usage_details": {"input": 3, "output": 1, "total": 4}}).encode() + b"\n")
    (call,) = session.threads[0].calls
    assert call.usage == Usage(input_tokens=3, output_tokens=1)
    assert call.at == 1_767_225_600


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"input": 100, "output": 10, "total": 110, "input_cached_tokens": 80}, Usage(input_tokens=100, output_tokens=10, cache_read_tokens=80)),
        ({"input": 20, "output": 10, "total": 110, "input_cached_tokens": 80}, Usage(input_tokens=100, output_tokens=10, cache_read_tokens=80)),
        ({"input": 5, "output": 845, "total": 2023}, Usage(input_tokens=5, output_tokens=2018, reasoning_tokens=1173)),
        ({"input": 0, "output": 0, "total": 0}, None),
        ({"promptTokens": 3, "completionTokens": 2}, Usage(input_tokens=3, output_tokens=2)),
    ],
)
def test_the_total_tells_what_the_counts_leave_out(given: dict[str, int], expected: Usage | None):
    """Cached tokens beside the input, or thinking beside the output, are in the total only."""
    assert usage_of(given) == expected


def test_a_generation_around_generations_is_no_call():
    session = download(
        observation("chat", input="Two and two?", output="Four."),
        observation("stream", parent="chat", second=1, input=[ASK], output="Four."),
        observation("stream.step1", parent="stream", second=2, input=[ASK], output=""),
        observation("stream.step2", parent="stream", second=3, input=[ASK, ANSWER, ASK]),
    )
    (thread,) = session.threads
    assert [c.id for c in thread.calls] == ["stream.step1", "stream.step2"]
    assert thread.messages[thread.calls[1].reply or 0].text == "Four."
    assert dict(session.ledger.skipped) == {"span that repeats the call in it": 2}


def test_a_call_whose_fields_were_left_out_goes_on_from_the_one_before():
    """What the tool gave back stands in its own observation; the call is marked as rebuilt, and how to get the rest is said."""
    tool = observation(
        "look-up", "TOOL", second=2, input='{"q": "x"}', output="found", metadata={"attributes": {"ai.toolCall.id": "c1", "ai.toolCall.name": "find"}}
    )
    session = download(observation("g1", input=[ASK], output="I look."), tool, observation("g2", second=3, output="Four."))
    (thread,) = session.threads
    assert texts(session, 1) == ["Two and two?", "I look.", "found"]
    assert [(c.id, c.name, c.arguments) for c in thread.messages[1].calls] == [("c1", "find", '{"q": "x"}')]
    assert [c.known for c in thread.calls] == ["recorded", "reconstructed"]
    assert any("export of observations" in note for note in session.notes)


def test_tools_among_the_messages_are_tools():
    schema = {"type": "function", "function": {"name": "find", "parameters": {}}}
    session = download(observation("g", input=[ASK, {"role": "tool", "content": schema}], output=ANSWER))
    assert [m.role for m in session.threads[0].messages] == ["user", "assistant"]
    assert session.threads[0].tool_sets == ((schema,),)


def test_a_trace_without_a_generation_is_refused():
    with pytest.raises(UnreadableFile, match="no observation is of type GENERATION"):
        download(observation("a", "SPAN"))


REAL = {
    "agentprism_langfuse-2.json": ([(1124, 79), (46619, 1576)], [3, 5]),
    "agentprism_langfuse-3.json": ([(1115, 44), (17324, 429)], [3, 5]),
    "google-gemini-2025-08-01.trace.json": ([(6, 2055)], [1]),
    "langgraph-python-2025-08-22.trace.json": ([(60, 15), (108, 51)], [2, 4]),
    "openai-agents-2025-09-30.trace.json": ([(55, 15), (85, 29)], [2, 4]),
    "pydantic-ai-tools-2025-12-04.trace.json": ([(265, 73), (417, 53), (502, 14), (131, 69)], [2, 6, 8, 2]),
    "pydantic-ai-with-gemini-2025-12-24.trace.json": ([(40, 159)], [1]),
    "vertex-ai-2025-08-01.trace.json": ([(5, 2018)], [1]),
}
"""Tokens of the innermost generations, read off ``usageDetails`` (vertex: 2,023 in all, less 5), and messages of each input: those in the JSON,
plus the instructions that only the response repeats (openai-agents), plus reply and result of the tool between (agentprism, second call)."""


@pytest.mark.parametrize("name", REAL)
def test_real_traces_have_their_calls(shared: Path, name: str):
    tokens, lengths = REAL[name]
    session = read_session(shared / CORPUS / name)
    calls = [call for thread in session.threads for call in thread.calls]
    assert [(c.usage.input_tokens, c.usage.output_tokens) for c in calls if c.usage] == tokens
    assert [c.message_count for c in calls] == lengths
    assert all(c.reply is not None for c in calls)
    value = json.loads((shared / CORPUS / name).read_text())
    assert session.ledger.records == len(value["observations"]) == session.ledger.read + sum(n for _, n in session.ledger.skipped)


def test_two_agents_of_one_trace_are_two_threads(shared: Path):
    session = read_session(shared / CORPUS / "pydantic-ai-tools-2025-12-04.trace.json")
    assert [(t.kind, t.title, len(t.calls)) for t in session.threads] == [("main", "", 3), ("agent", "evaluator_agent", 1)]
    assert sum("agrees with" in note for note in session.notes) == 3

"""Traces and dumps with one value of the wrong kind: read, or refused by a sentence, whatever the value and wherever it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ctxcore.errors import ReadError
from ctxcore.readers.detect import read_sessions
from tests.readers.otlp import chat, request, said, span

LC_AI = {
    "content": "Four.",
    "tool_calls": [{"name": "add", "args": {"a": 2}, "id": "c1"}],
    "usage_metadata": {"input_tokens": 5, "output_tokens": 2, "input_token_details": {"cache_read": 1}},
    "response_metadata": {"model_name": "m-1", "id": "r1"},
    "id": "run-1",
}

SAMPLES: dict[str, Any] = {
    "otel": request(span("a", chat([said("user", "Hi")], said("assistant", "Ho")), parent="r"), span("r", {"gen_ai.operation.name": "invoke_agent"})),
    "openinference": request(
        span(
            "a",
            {
                "openinference.span.kind": "LLM",
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.contents.0.message_content.text": "Hi",
                "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "add",
                "llm.tools.0.tool.json_schema": "{}",
                "input.value": '{"messages": [{"role": "user", "content": "Hi"}]}',
                "input.mime_type": "application/json",
            },
        )
    ),
    "langfuse": {
        "trace": {"id": "t", "sessionId": "s"},
        "observations": [
            {"id": "a", "traceId": "t", "type": "AGENT", "name": "helper", "startTime": "2026-01-01T00:00:00Z", "metadata": {"attributes": {}}},
            {
                "id": "g",
                "traceId": "t",
                "parentObservationId": "a",
                "type": "GENERATION",
                "input": {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], "tools": [{"name": "add"}]},
                "output": {"choices": [{"message": {"role": "assistant", "content": "Ho"}}]},
                "usageDetails": {"input": 3, "output": 1, "total": 4},
                "metadata": {"attributes": {"gen_ai.response.id": "r1"}},
            },
        ],
    },
    "langsmith": [
        {
            "id": "b",
            "run_type": "llm",
            "trace_id": "t",
            "parent_run_id": "a",
            "dotted_order": "x.y",
            "inputs": {"messages": [[{"lc": 1, "type": "constructor", "id": ["x", "HumanMessage"], "kwargs": {"content": "Hi"}}]]},
            "outputs": {
                "generations": [[{"message": {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": LC_AI}}]],
                "llm_output": {},
            },
            "extra": {"invocation_params": {"tools": [{"name": "add"}]}, "metadata": {"thread_id": "s"}},
            "child_runs": [{"id": "c", "run_type": "tool", "outputs": {"output": {"tool_call_id": "c1"}}}],
        }
    ],
    "langchain": [{"type": "human", "data": {"content": "Hi"}}, {"type": "ai", "data": LC_AI}, {"type": "tool", "data": {"content": ["a", {}]}}],
    "langgraph": [
        {
            "values": {"messages": [{"type": "human", "content": "Hi", "id": "1"}, {"type": "ai", **LC_AI}]},
            "next": [],
            "config": {"configurable": {"thread_id": "t", "checkpoint_ns": ""}},
            "metadata": {"step": 1},
            "created_at": "2026-01-01T00:00:00Z",
        }
    ],
    "pydantic-ai": [
        {
            "kind": "request",
            "instructions": "Be brief.",
            "parts": [
                {
                    "part_kind": "user-prompt",
                    "content": ["Hi", {"kind": "image-url", "url": "x"}, {"kind": "binary", "data": "aGk=", "media_type": "x"}],
                },
                {"part_kind": "tool-return", "content": {"a": 1}, "tool_call_id": "c0", "tool_name": "add"},
            ],
        },
        {
            "kind": "response",
            "usage": {"input_tokens": 3, "details": {}},
            "parts": [
                {"part_kind": "thinking", "content": "hm"},
                {"part_kind": "tool-call", "tool_name": "add", "args": {"a": 1}, "tool_call_id": "c1"},
                {"part_kind": "builtin-tool-return", "content": "x", "tool_call_id": "c2"},
            ],
        },
    ],
    "vercel": [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]},
        {
            "id": "2",
            "role": "assistant",
            "metadata": {"usage": {"inputTokens": 3}},
            "parts": [
                {"type": "step-start"},
                {"type": "reasoning", "text": "hm"},
                {"type": "tool-add", "toolCallId": "c1", "state": "output-available", "input": {"a": 1}, "output": 3},
                {"type": "step-start"},
                {"type": "text", "text": "Three."},
            ],
        },
    ],
    "vercel model": [
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "add", "input": {}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": "3"}}]},
    ],
    "monocle": [
        {
            "name": "x",
            "context": {"trace_id": "t", "span_id": "a"},
            "parent_id": None,
            "attributes": {"span.type": "inference"},
            "events": [{"name": "data.input", "attributes": {"input": ['{"human": "Hi"}', '{"ai": "[]"}']}}],
        }
    ],
}
"""One small file of each format, with a value of every kind that the format has."""

ODD: list[Any] = [None, 7, -1.5, "", "x", [], [None], {}, {"a": 1}, [[]], True, "[{", '["x"]']


def broken(value: Any) -> Iterator[Any]:
    """The value with each part of it in turn replaced by each odd value."""
    yield from ODD
    if isinstance(value, dict):
        for key, item in value.items():
            for other in broken(item):
                yield {**value, key: other}
    elif isinstance(value, list):
        for number, item in enumerate(value):
            for other in broken(item):
                yield [*value[:number], other, *value[number + 1 :]]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_wrong_value_anywhere_never_raises_but_a_sentence(name: str):
    for value in broken(SAMPLES[name]):
        try:
            sessions = read_sessions(json.dumps(value).encode(), "odd.json")
        except ReadError:
            continue
        for session in sessions:
            assert session.ledger.records == session.ledger.read + sum(count for _, count in session.ledger.skipped), value


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_itself_holds_a_call(name: str):
    (session,) = read_sessions(json.dumps(SAMPLES[name]).encode(), "sample.json")
    assert sum(len(thread.calls) for thread in session.threads) > 0

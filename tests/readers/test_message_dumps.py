"""Histories of pydantic-ai and messages of the AI SDK: one call for each reply, rebuilt from all before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.errors import FormatNotReadYet
from ctxcore.model import ToolResult, Usage

# pydantic-ai

STAMP = "2026-01-01T00:00:00Z"


def read(value: Any) -> Session:
    return read_session(json.dumps(value).encode())


def asked(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "request", "parts": list(parts), **more}


def answered(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "response", "parts": list(parts), "model_name": "m-1", "timestamp": STAMP, **more}


def user(text: Any) -> dict[str, Any]:
    return {"part_kind": "user-prompt", "content": text, "timestamp": STAMP}


def tool_call(id: str, arguments: Any) -> dict[str, Any]:
    return {"part_kind": "tool-call", "tool_name": "list", "args": arguments, "tool_call_id": id}


def tool_return(id: str, content: Any, kind: str = "tool-return") -> dict[str, Any]:
    return {"part_kind": kind, "tool_name": "list", "content": content, "tool_call_id": id}


def contexts(session: Session) -> list[list[str]]:
    (thread,) = session.threads
    return [[thread.messages[i].text for i in call.messages()] for call in thread.calls]


def test_each_part_of_a_request_is_a_message_and_each_response_a_call():
    counted = {"input_tokens": 90, "output_tokens": 5, "cache_read_tokens": 80, "cache_write_tokens": 0, "details": {"reasoning_tokens": 2}}
    session = read(
        [
            asked({"part_kind": "system-prompt", "content": "Be brief."}, user("Files?")),
            answered(tool_call("c1", '{"path": "."}'), tool_call("c2", {"path": "/"}), usage=counted, provider_response_id="r1"),
            asked(tool_return("c1", "a.txt"), tool_return("c2", {"n": 1}), tool_return("c2", "Try again.", "retry-prompt")),
            answered({"part_kind": "thinking", "content": "Hm."}, {"part_kind": "text", "content": "Two."}),
        ]
    )
    (thread,) = session.threads
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "tool", "tool", "tool", "assistant"]
    assert [(c.message_count, c.reply, c.known, c.id) for c in thread.calls] == [(2, 2, "reconstructed", "r1"), (6, 6, "reconstructed", "")]
    assert thread.calls[0].usage == Usage(input_tokens=90, output_tokens=5, cache_read_tokens=80, cache_write_tokens=0, reasoning_tokens=2)
    assert [(c.name, c.arguments) for c in thread.messages[2].calls] == [("list", '{"path": "."}'), ("list", '{"path":"/"}')]
    assert [r.text for m in thread.messages for r in m.results] == ["a.txt", '{"n":1}', "Try again."]
    assert [r.is_error for m in thread.messages for r in m.results] == [None, None, True]
    assert thread.calls[0].at == 1_767_225_600


def test_the_newest_instructions_are_the_ones_sent():
    """They are no part: each call got those of the request before it, and not the older ones."""
    session = read(
        [
            asked(user("a"), instructions="Be brief."),
            answered({"part_kind": "text", "content": "A"}),
            asked(user("b"), instructions="Be kind."),
            answered({"part_kind": "text", "content": "B"}),
        ]
    )
    assert contexts(session) == [["Be brief.", "a"], ["Be kind.", "a", "A", "b"]]


def test_what_a_provider_s_own_tool_gave_back_stands_behind_its_reply():
    parts = [
        {**tool_call("c1", {}), "part_kind": "builtin-tool-call"},
        tool_return("c1", "found", "builtin-tool-return"),
        {"part_kind": "text", "content": "So."},
    ]
    session = read([asked(user("a")), answered(*parts), asked(user("b")), answered({"part_kind": "text", "content": "B"})])
    (thread,) = session.threads
    assert contexts(session)[1] == ["a", "So.", "found", "b"]
    assert [p.kind for p in thread.messages[1].parts] == ["text", "tool_call"]


def test_images_of_a_prompt_are_media():
    entries = [
        "See",
        {"kind": "image-url", "url": "https://example.org/a.png"},
        {"kind": "binary", "media_type": "image/png", "data": "iVBORw0KGgo="},
    ]
    (thread,) = read([asked(user(entries)), answered({"part_kind": "text", "content": "A cat."})]).threads
    assert [p.kind for p in thread.messages[0].parts] == ["text", "media", "media"]


def test_messages_printed_as_text_are_refused_with_the_way_out(shared: Path):
    with pytest.raises(FormatNotReadYet, match="all_messages_json"):
        read_session(shared / "corpus/pydantic_ai/rdfmcp_message_history_repr.json")


# AI SDK


def tool_part(id: str, state: str = "output-available", **more: Any) -> dict[str, Any]:
    return {"type": "tool-list", "toolCallId": id, "state": state, "input": {"path": "."}, **more}


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


STEP = {"type": "step-start"}


def test_steps_of_a_message_are_calls_and_each_result_is_a_message():
    """Three model calls: two tools at once, one that failed, the answer; sources of the window are not sent."""
    parts = [
        STEP,
        {"type": "reasoning", "text": "Hm."},
        tool_part("c1", output="a.txt"),
        tool_part("c2", output={"n": 1}),
        STEP,
        {"type": "dynamic-tool", "toolName": "read", "toolCallId": "c3", "state": "output-error", "input": {}, "errorText": "gone"},
        STEP,
        text_part("Two."),
        {"type": "source-url", "url": "https://example.org"},
        {"type": "data-weather", "data": {"t": 1}},
    ]
    session = read([{"id": "1", "role": "user", "parts": [text_part("Files?")]}, {"id": "2", "role": "assistant", "parts": parts}])
    (thread,) = session.threads
    assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]
    assert [(c.message_count, c.reply, c.id) for c in thread.calls] == [(1, 1, "2#1"), (4, 4, "2#2"), (6, 6, "2#3")]
    assert [(r.call_id, r.text, r.is_error) for m in thread.messages for r in m.results] == [
        ("c1", "a.txt", None),
        ("c2", '{"n":1}', None),
        ("c3", "gone", True),
    ]
    assert [p.kind for p in thread.messages[1].parts] == ["reasoning", "tool_call", "tool_call"]
    assert [p.kind for p in thread.messages[6].parts] == ["text"]
    assert (session.ledger.records, session.ledger.read) == (2, 2)


def test_a_tool_that_is_still_asked_has_no_result():
    (thread,) = read([{"id": "1", "role": "assistant", "parts": [tool_part("c1", "input-available")]}]).threads
    assert [m.role for m in thread.messages] == ["assistant"]


def test_the_old_form_keeps_its_calls_beside_the_text():
    calls = [{"state": "result", "toolCallId": "c1", "toolName": "list", "args": {"path": "."}, "result": "a.txt"}]
    old = [{"id": "1", "role": "user", "content": "Files?"}, {"id": "2", "role": "assistant", "content": "One.", "toolInvocations": calls}]
    (thread,) = read([old[1], old[0] | {"parts": [text_part("Files?")]}]).threads
    assert [(m.role, m.text) for m in thread.messages] == [("assistant", "One."), ("tool", "a.txt"), ("user", "Files?")]


@pytest.mark.parametrize(("arguments", "output"), [("input", {"type": "text", "value": "a.txt"}), ("args", None)])
def test_messages_for_a_model_are_read_with_both_names_of_their_fields(arguments: str, output: Any):
    given = {"output": output} if output else {"result": "a.txt"}
    session = read(
        [
            {"role": "user", "content": "Files?"},
            {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "list", arguments: {"path": "."}}]},
            {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "list", **given}]},
            {"role": "assistant", "content": [text_part("One.")]},
        ]
    )
    (thread,) = session.threads
    assert session.format == "vercel-ai"
    assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "assistant"]
    assert [c.arguments for c in thread.messages[1].calls] == ['{"path":"."}']
    assert thread.messages[2].parts == (ToolResult(call_id="c1", name="list", text="a.txt"),)
    assert [c.message_count for c in thread.calls] == [1, 3]


def test_usage_of_a_message_is_that_of_its_only_step():
    said = {"id": "2", "role": "assistant", "metadata": {"model": "m-1", "usage": {"inputTokens": 9, "outputTokens": 2, "cachedInputTokens": 4}}}
    (thread,) = read([{"id": "1", "role": "user", "parts": [text_part("?")]}, {**said, "parts": [text_part("!")]}]).threads
    assert thread.calls[0].usage == Usage(input_tokens=9, output_tokens=2, cache_read_tokens=4)
    assert thread.calls[0].model == "m-1"

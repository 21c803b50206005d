"""Logs whose lines are of several interfaces, and requests that are only a model and a text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.errors import ReadError


def line(request: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    return {"ts": "2026-01-05T09:00:00.000Z", "request": request, "response": response}


def answered(**more: Any) -> dict[str, Any]:
    """A Responses call."""
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Larks."}]}]
    usage = {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
    return line(
        {"model": "m-1", "input": "Which birds?", **more}, {"id": "r", "object": "response", "model": "m-1", "output": output, "usage": usage}
    )


def chat(text: str = "Hello?") -> dict[str, Any]:
    answer = {"id": "c", "object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": "Hi."}}]}
    return line({"model": "m-1", "messages": [{"role": "user", "content": text}]}, answer)


def claude() -> dict[str, Any]:
    request = {"model": "m-2", "system": "Be brief.", "max_tokens": 9, "messages": [{"role": "user", "content": "Hey?"}]}
    return line(request, {"id": "a", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}]})


def read(lines: Sequence[dict[str, Any]]) -> Session:
    return read_session("\n".join(map(json.dumps, lines)).encode(), "log.jsonl")


def said(session: Session) -> list[tuple[str, str]]:
    """Last message and reply of every call."""
    found = [
        (thread.messages[call.messages()[-1]].text, thread.messages[call.reply or 0].text) for thread in session.threads for call in thread.calls
    ]
    return sorted(found)


@pytest.mark.parametrize("more", [{}, {"tools": []}, {"temperature": 0}, {"instructions": "Name birds."}])
def test_a_text_is_a_request_where_a_response_came_back(more: dict[str, Any]) -> None:
    session = read([answered(**more)])
    assert (session.format, session.level, session.problems) == ("openai-responses", "full requests", ())
    assert said(session) == [("Which birds?", "Larks.")]


def test_a_text_that_was_refused_is_a_failed_call() -> None:
    session = read([answered(), line({"model": "m-1", "input": "And now?"}, {"error": {"message": "too many requests"}})])
    assert [(call.flags, len(call.messages())) for thread in session.threads for call in thread.calls] == [((), 1), (("failed", "no_reply"), 1)]


@pytest.mark.parametrize("more", [{"model": "text-embedding-3-small"}, {"encoding_format": "float"}])
def test_a_text_to_be_embedded_is_no_model_call(more: dict[str, Any]) -> None:
    with pytest.raises(ReadError):
        read([line({"model": "m-1", "input": "Larks", **more}, {"error": {"message": "no"}})])


A, C, R = ("Hey?", "Yes."), ("Hello?", "Hi."), ("Which birds?", "Larks.")


@pytest.mark.parametrize(
    ("lines", "format_", "calls"),
    [
        ([chat(), answered()], "openai-chat", [C, R]),
        ([chat(), chat(), chat(), answered()], "openai-chat", [C, C, C, R]),
        ([chat(), answered(), answered(), answered()], "openai-responses", [C, R, R, R]),
        ([claude(), claude(), claude(), chat(), answered()], "anthropic-messages", [C, A, A, A, R]),
        ([claude(), chat(), answered()], None, [C, A, R]),
        ([*[chat()] * 400, answered(), claude()], "openai-chat", [*[C] * 400, A, R]),
        ([*[answered()] * 400, chat()], "openai-responses", [C, *[R] * 400]),
        ([*[claude()] * 400, chat()], "anthropic-messages", [C, *[A] * 400]),
    ],
)
def test_every_line_is_read_by_its_own_interface(lines: list[dict[str, Any]], format_: str | None, calls: list[tuple[str, str]]) -> None:
    session = read(lines)
    assert format_ in (None, session.format)
    assert (session.ledger.read, session.ledger.skipped) == (len(lines), ())
    assert said(session) == calls


def test_what_is_no_call_is_left_out_and_counted() -> None:
    session = read([chat(), answered(), {"note": 1}])
    assert (session.ledger.read, session.ledger.skipped) == (2, (("no model call", 1),))

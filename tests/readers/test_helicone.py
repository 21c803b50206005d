"""Helicone's exports: rows newest first, with or without bodies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import Session, read_session, read_sessions

ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": 'Say ""no" twice'}]
ANSWER = {"role": "assistant", "content": "No, no."}
LATER = [*ASKED, ANSWER, {"role": "user", "content": "And?"}]
COLUMNS = (
    "response_id", "response_created_at", "response_status", "request_created_at", "request_body", "request_properties", "request_user_id", "model",
    "prompt_tokens", "completion_tokens", "latency", "cost",
)  # fmt: skip
"""Of the CSV, in the order of the export tool that format notes 2.11 name."""


def answer(words: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": words}
    counts = {"prompt_tokens": 40, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 30}}
    return {"id": f"chatcmpl-{words}", "object": "chat.completion", "choices": [{"index": 0, "message": message}], "usage": counts}


def row(second: int, request: Any, response: Any, *, session: str = "s1", **more: Any) -> dict[str, Any]:
    return {
        "response_id": f"r{second}",
        "response_created_at": f"2026-01-02 03:04:{second + 1:02}",
        "response_status": 200,
        "request_created_at": f"2026-01-02 03:04:{second:02}",
        "request_body": request,
        "response_body": response,
        "request_properties": {"Helicone-Session-Id": session},
        "model": "gpt-x",
        "prompt_tokens": 40,
        "completion_tokens": 4,
        **more,
    }


FIRST = row(5, {"model": "gpt-x", "messages": ASKED}, answer("No, no."))
SECOND = row(9, {"model": "gpt-x", "messages": LATER}, answer("Yes."))


def contexts(session: Session) -> list[list[str]]:
    return [[t.messages[i].text for i in call.messages()] for t in session.threads for call in t.calls]


RIGHT = [[m["content"] for m in ASKED], [m["content"] for m in LATER]]
LISTED = json.dumps([SECOND, FIRST], indent=2)


@pytest.mark.parametrize(
    "data", [f"{json.dumps(SECOND)}\n{json.dumps(FIRST)}\n", LISTED, LISTED.removesuffix("\n]") + ",\n]\n", json.dumps({"data": [SECOND, FIRST]})]
)
def test_rows_newest_first_are_one_conversation(data: str):
    """As lines, as a list, as a list with the comma that the export tool leaves behind the last row, and as an answer of the API."""
    session = read_session(data.encode())
    (thread,) = session.threads
    assert (session.format, session.id, session.level) == ("helicone", "s1", "full requests")
    assert contexts(session) == RIGHT
    assert [(c.usage.input_tokens, c.usage.cache_read_tokens, c.at) for c in thread.calls] == [(40, 30, 1767323045.0), (40, 30, 1767323049.0)]
    assert session.ledger.records == session.ledger.read == 2


def cell(value: Any) -> str:
    """As the export tool writes it: the quotes of JSON are doubled, then those of every cell."""
    words = json.dumps(value).replace('"', '""') if isinstance(value, (dict, list)) else str(value)
    return '"' + words.replace('"', '""') + '"'


def test_a_csv_has_requests_and_counts_but_no_answers():
    lines = [",".join(COLUMNS), *(",".join(cell(value[c]) if c in value else "" for c in COLUMNS) for value in (SECOND, FIRST))]
    session = read_session(("\n".join(lines) + "\n").encode(), "output.csv")
    assert (session.format, session.level) == ("helicone", "requests only")
    assert contexts(session) == RIGHT
    assert session.threads[0].calls[0].usage.input_tokens == 40
    assert session.ledger.records == session.ledger.read == 2


def test_sessions_are_told_apart_and_rows_without_bodies_are_calls_with_counts_only():
    bare = [{k: v for k, v in row(n, 0, 0, session="").items() if not k.endswith("_body")} for n in (1, 3)]
    first, second = read_sessions("".join(json.dumps(value) + "\n" for value in (*bare, SECOND)).encode())
    assert [(c.context, c.usage.input_tokens, c.id) for c in first.threads[0].calls] == [((), 40, "r1"), ((), 40, "r3")]
    assert any("2 of 2 rows have no request" in note for note in first.notes)
    assert "messages" in first.not_recorded
    assert second.id == "s1"
    for session in (first, second):
        assert session.ledger.records == 3 == session.ledger.read + sum(count for _, count in session.ledger.skipped)


def test_failures_other_requests_and_odd_rows():
    failed = row(1, {"model": "gpt-x", "messages": ASKED}, {"error": {"message": "slow down"}}, response_status=429)
    other = row(2, {"input": ["a"], "model": "embed"}, {"object": "list", "data": []})
    session = read_session("".join(json.dumps(value) + "\n" for value in (failed, other, FIRST, 5)).encode())
    assert [call.flags for t in session.threads for call in t.calls if "failed" in call.flags] == [("failed", "no_reply")]
    assert session.ledger.records == 4 == session.ledger.read + sum(count for _, count in session.ledger.skipped)


def test_a_streamed_answer_is_put_together():
    stream = (
        'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"No"}}]}\n\ndata: [DONE]\n\n'
    )
    session = read_session(json.dumps([row(1, json.dumps({"model": "m", "messages": ASKED}), stream)]).encode())
    (call,) = session.threads[0].calls
    assert session.threads[0].messages[call.reply].text == "No"

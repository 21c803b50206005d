"""Formats are known by marks: too few of them, or words of another kind in their place, and a file is refused with what was seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import read_sessions
from ctxcore.errors import FormatNotReadYet, FormatNotRecognized


@pytest.mark.parametrize("name", ["semconv_db_sql_test_cases.json", "langfuse_nested_json.json", "tooleval_G3_instruction.json"])
def test_json_that_is_no_recording_is_refused_with_what_was_seen(shared: Path, name: str):
    with pytest.raises(FormatNotRecognized) as caught:
        read_sessions(shared / "corpus" / "odd_negative" / name)
    assert "with the keys" in caught.value.seen
    assert any("openai-chat" in entry for entry in caught.value.looked_for)


def test_sixty_percent_of_the_lines_decide():
    """6 of 10 lines are messages: read, the rest counted; 5 of 10: refused."""
    message, other = b'{"role": "user", "content": "x"}\n', b'{"level": "info"}\n'
    (session,) = read_sessions(message * 6 + other * 4)
    assert dict(session.ledger.skipped) == {"not a message": 4}
    with pytest.raises(FormatNotRecognized):
        read_sessions(message * 5 + other * 5)


@pytest.mark.parametrize("odd", [{"a": 1}, [1], None, 7])
def test_marks_that_are_no_text_are_no_marks(odd: object):
    """Every place where a format looks for a word may hold anything; no reader trips over it."""
    words = ("type", "role", "say", "ask", "subtype", "object", "kind")
    value = dict.fromkeys(words, odd) | {"ts": 1, "parts": [], "content": [], "message": {"role": odd}, "payload": {}, "data": {}, "timestamp": ""}
    for data in (value, [value], [odd, value], {**value, "messages": [value], "contents": [value]}):
        for text in (json.dumps(data), f"{json.dumps(data)}\n{json.dumps(data)}\n"):
            with pytest.raises((FormatNotReadYet, FormatNotRecognized)):
                read_sessions(text.encode())


REFUSED = {
    "CrewAI task log": ({"timestamp": "t", "task_name": "n", "task": "t", "agent": "a", "status": "started"}, "record the calls as a trace"),
    "Who&When": ({"history": [], "mistake_agent": "a"}, "AutoGen run itself"),
    "BFCL": ({"id": "1", "question": [[]], "function": []}, "no recording"),
}
"""Known formats that hold no model calls: an entry, and a part of what the refusal says to do."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_model_calls_is_refused_with_what_to_record_instead(name: str):
    entry, advice = REFUSED[name]
    with pytest.raises(FormatNotReadYet) as caught:
        read_sessions(json.dumps(entry).encode())
    assert name in caught.value.known_as
    assert advice in str(caught.value)
    assert "ctxscope formats lists what can be read" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "advice"),
    [(b"PAR1" + bytes(40), "JSON lines"), (b"120:9:websocket;0:~11:client_conn;", "mitmdump"), (b"x" * 257 + b"ustar" + bytes(40), "zip its files")],
)
def test_files_of_other_kinds_are_refused_with_what_to_do(data: bytes, advice: str):
    with pytest.raises(FormatNotReadYet, match=advice):
        read_sessions(data)

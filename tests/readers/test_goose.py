"""goose sessions as JSON lines, and in the database of newer versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session, read_sessions
from ctxcore.errors import ReadError

HEAD = {"working_dir": "/x", "description": "Weather", "message_count": 4, "accumulated_input_tokens": 900, "accumulated_output_tokens": 90}


def message(role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": role, "created": 1_750_000_000, "content": list(content), **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def asked(id: str) -> dict[str, Any]:
    return {"type": "toolRequest", "id": id, "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}}


def answered(id: str, *value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "toolResponse", "id": id, "toolResult": {"status": "success", "value": list(value)}}


def log(*lines: Any) -> Session:
    return read_session(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def test_calls_results_and_the_totals_of_the_session():
    session = log(
        HEAD,
        message("user", text("Look")),
        message("assistant", {"type": "thinking", "thinking": "Hm", "signature": "s"}, asked("t1")),
        message("user", answered("t1", text("a b"))),
        message("assistant", text("Two files.")),
        5,
    )
    (thread,) = session.threads
    assert session.format == "goose"
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2)]
    assert [p.kind for p in thread.messages[1].parts] == ["reasoning", "tool_call"]
    assert thread.messages[2].results[0].text == "a b"
    assert not thread.messages[2].is_real_user
    assert any("900 input" in note for note in session.notes)
    assert (session.ledger.records, session.ledger.read) == (6, 5)


def test_only_what_the_agent_may_see_is_sent():
    hidden = {"userVisible": True, "agentVisible": False}
    session = log(
        HEAD,
        message("user", text("Old"), metadata=hidden),
        message("assistant", text("Old answer"), metadata=hidden),
        message("user", {"type": "conversationCompacted", "msg": "Compacted"}),
        message("user", text("Summary"), metadata={"userVisible": False, "agentVisible": True}),
        message("assistant", text("On")),
    )
    (thread,) = session.threads
    assert [[thread.messages[i].text for i in call.messages()] for call in thread.calls] == [["Old"], ["Summary"]]
    assert [e.kind for e in thread.events] == ["compaction"]


def test_a_failed_tool_and_a_broken_call():
    broken = {"type": "toolRequest", "id": "t", "toolCall": {"status": "error", "error": "no such tool"}}
    failed = {"type": "toolResponse", "id": "t", "toolResult": {"status": "error", "error": "went wrong"}}
    (thread,) = log(HEAD, message("user", text("Go")), message("assistant", broken), message("user", failed)).threads
    assert thread.messages[2].results[0].is_error
    assert thread.messages[2].results[0].text == "went wrong"


def test_the_sample_with_its_tools(shared: Path):
    """Two assistant lines; the head lists one tool."""
    session = read_session(shared / "corpus/goose/teck968_sample_session.jsonl")
    (thread,) = session.threads
    assert [c.tools for c in thread.calls] == [0, 0]
    assert len(thread.tool_sets[0]) == 1
    assert not session.problems


SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, session_type TEXT, working_dir TEXT, created_at TIMESTAMP,
    updated_at TIMESTAMP, provider_name TEXT, model_config_json TEXT, parent_session_id TEXT, accumulated_input_tokens INTEGER,
    accumulated_output_tokens INTEGER, accumulated_total_tokens INTEGER);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
    created_timestamp INTEGER, timestamp TIMESTAMP, tokens INTEGER, metadata_json TEXT);
CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, created_timestamp INTEGER, model TEXT, input_tokens INTEGER,
    output_tokens INTEGER, total_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT,
    is_compaction INTEGER);
"""
"""The tables of format notes 2.8 with the columns that agentsview ``internal/parser/goose.go`` reads."""

SHOWN, HIDDEN, FOR_AGENT = ({"userVisible": user, "agentVisible": agent} for user, agent in ((True, True), (True, False), (False, True)))

Told = tuple[str, str, dict[str, bool], list[dict[str, Any]]]


def database(
    tmp_path: Path, told: Sequence[Told], *, ledger: Sequence[tuple[Any, ...]] = (), sessions: Sequence[tuple[str, str | None]] = ()
) -> bytes:
    """A database of these messages (session, role, metadata, content) and counts (session, input, output, total, read, write, compaction)."""
    path = tmp_path / "sessions.db"
    config = json.dumps({"model_name": "claude-x"})
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        for name, parent in sessions or [("s1", None)]:
            values = (name, f"About {name}", "/x", config, parent, 900, 90)
            connection.execute(
                "INSERT INTO sessions (id, name, working_dir, model_config_json, parent_session_id, accumulated_input_tokens, "
                "accumulated_output_tokens) VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
        for number, (session, role, about, content) in enumerate(told):
            values = (f"m{number}", session, role, json.dumps(content), 1_777_000_000 + number // 2, json.dumps(about))
            connection.execute(
                "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )
        connection.executemany(
            "INSERT INTO usage_ledger (session_id, input_tokens, output_tokens, total_tokens, cache_read_tokens, cache_write_tokens, is_compaction) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            ledger,
        )
    connection.close()
    return path.read_bytes()


LOOKED: list[Told] = [
    ("s1", "user", SHOWN, [text("Look")]),
    ("s1", "assistant", SHOWN, [asked("t1")]),
    ("s1", "user", SHOWN, [answered("t1", text("a b"))]),
    ("s1", "assistant", SHOWN, [text("Two files.")]),
]


def test_a_stored_session_gives_each_call_its_count(tmp_path: Path):
    """Two calls, two counts: in the first the total says that the cache is beside the input (100 + 20 + 30 + 10 = 160), in the second the input of 50
    can hold the 30 that were read."""
    ledger = [("s1", 100, 20, 160, 30, 10, 0), ("s1", 50, 5, 55, 30, 0, 0)]
    (session,) = read_sessions(database(tmp_path, LOOKED, ledger=ledger), "sessions.db")
    (thread,) = session.threads
    assert (session.format, session.id, thread.title) == ("goose", "s1", "About s1")
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2)]
    assert [(c.usage.input_tokens, c.usage.cache_read_tokens, c.model) for c in thread.calls] == [(140, 30, "claude-x"), (50, 30, "claude-x")]
    assert session.not_recorded == ("system prompt", "tool definitions")
    assert (session.ledger.records, session.ledger.read) == (7, 7)


def test_a_compaction_hides_what_was_sent_before(tmp_path: Path):
    """Old messages are hidden only by the compaction, so the call before it received them; the program's words in the assistant's name are no call;
    what was never meant for the model (the last message) is in no request."""
    told: list[Told] = [
        ("s1", "user", HIDDEN, [text("Old")]),
        ("s1", "assistant", HIDDEN, [text("Old answer")]),
        ("s1", "user", FOR_AGENT, [text("Summary")]),
        ("s1", "assistant", FOR_AGENT, [text("I go on.")]),
        ("s1", "user", SHOWN, [text("More")]),
        ("s1", "assistant", SHOWN, [text("Yes")]),
        ("s1", "user", HIDDEN, [text("!ls")]),
    ]
    (session,) = read_sessions(database(tmp_path, told, ledger=[("s1", 10, 1, 11, 0, 0, 0), ("s1", 40, 9, 49, 0, 0, 1)]), "sessions.db")
    (thread,) = session.threads
    assert [[thread.messages[i].text for i in call.messages()] for call in thread.calls] == [["Old"], ["Summary", "I go on.", "More"]]
    (compaction,) = thread.events
    assert (compaction.call, thread.messages[compaction.summary].text) == (1, "Summary")
    assert any("1 compactions took 40 input and 9 output" in note for note in session.notes)
    assert any("1 counts for 2 calls" in note for note in session.notes)
    assert thread.calls[0].usage is None
    assert session.ledger.records == 1 + 7 + 2 == session.ledger.read + dict(session.ledger.skipped)["count of usage, its call is not told"]


def test_started_sessions_are_agents_of_the_one_that_started_them(tmp_path: Path):
    told = [*LOOKED, ("s2", "user", SHOWN, [text("Help")]), ("s2", "assistant", SHOWN, [text("Ok")]), ("s4", "user", SHOWN, [text("Else")])]
    sessions = [("s1", None), ("s2", "s1"), ("s3", None), ("s4", None)]
    first, second = read_sessions(database(tmp_path, told, sessions=sessions), "sessions.db")
    assert [(t.id, t.kind, t.parent, len(t.calls)) for t in first.threads] == [("main", "main", "", 2), ("s2", "agent", "main", 1)]
    assert second.id == "s4"
    assert first.ledger.records == first.ledger.read + sum(count for _, count in first.ledger.skipped) == 11
    assert "usage of each call" in first.not_recorded


def test_odd_rows_are_counted_and_circles_end(tmp_path: Path):
    told: list[Told] = [*LOOKED, ("s1", "wizard", SHOWN, [text("?")]), ("s1", "user", SHOWN, {"no": "list"})]  # type: ignore[list-item]
    sessions: list[tuple[str, str | None]] = [("s1", "s2"), ("s2", "s1"), ("s3", "s3")]
    (session,) = read_sessions(database(tmp_path, told, sessions=sessions), "sessions.db")
    assert session.ledger.records == session.ledger.read + sum(count for _, count in session.ledger.skipped) == 9
    assert dict(session.ledger.skipped)["not a message"] == 2


def test_a_damaged_database_gives_what_can_be_read_or_says_why(tmp_path: Path):
    data = database(tmp_path, LOOKED * 200)
    cut = data[: len(data) // 2]
    for broken in (cut, data[:4096], data[:100], data.replace(b"About", b"\xff\xff\xff\xff\xff")):
        try:
            sessions = read_sessions(broken, "sessions.db")
        except ReadError:
            continue
        assert sessions[0].format == "goose"


def test_a_generated_column_is_no_column(tmp_path: Path):
    """A prepared file could make any amount of text of it."""
    path = tmp_path / "bomb.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE sessions (id TEXT, working_dir TEXT);"
            "CREATE TABLE messages (session_id TEXT, role TEXT, created_timestamp INTEGER, content_json AS (hex(zeroblob(400000000))));"
            "INSERT INTO messages VALUES ('s', 'user', 1);"
        )
    connection.close()
    with pytest.raises(ReadError):
        read_sessions(path.read_bytes(), "bomb.db")

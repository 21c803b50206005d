"""OpenAI Agents SDK: sessions saved in SQLite, and exported traces."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from ctxcore import read_session, read_sessions
from ctxcore.errors import FormatNotReadYet, ReadError


def database(tmp_path: Path, *, wal: bool = False, rows=(), schema: str = "") -> bytes:
    path = tmp_path / "agents.db"
    with sqlite3.connect(path) as connection:
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(
            schema
            or """CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP);
            CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TIMESTAMP);"""
        )
        connection.executemany("INSERT INTO agent_messages (session_id, message_data, created_at) VALUES (?, ?, '2026-01-02 03:04:05')", rows)
    connection.close()
    return path.read_bytes()


def call(id: str, response: str) -> str:
    return json.dumps(
        {"type": "function_call", "call_id": id, "name": "look", "arguments": "{}", "provider_data": {"response_id": response, "model": "m"}}
    )


ITEMS = [
    ("s1", json.dumps({"role": "user", "content": "Where is the key?"})),
    ("s1", call("k1", "r1")),
    ("s1", call("k2", "r1")),
    ("s2", json.dumps({"role": "user", "content": "Another talk"})),
    ("s1", json.dumps({"type": "function_call_output", "call_id": "k1", "output": "no"})),
    ("s1", json.dumps({"type": "function_call_output", "call_id": "k2", "output": "under the mat"})),
    ("s1", json.dumps({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Under the mat."}]})),
    ("s1", "no json"),
]


@pytest.mark.parametrize("wal", [False, True])
def test_a_saved_session_is_told_by_its_id(tmp_path: Path, wal: bool):
    """s1: two calls (2 parallel tool calls, then the answer); the other session and a broken item are counted."""
    first, second = read_sessions(database(tmp_path, rows=ITEMS, wal=wal), "agents.db")
    assert (first.id, first.level, second.id) == ("s1", "message list only", "s2")
    (thread,) = first.threads
    assert [(c.context, c.reply, c.id) for c in thread.calls] == [(((0, 1),), 1, "r1"), (((0, 4),), 4, "")]
    assert [len(m.calls) for m in thread.messages] == [0, 2, 0, 0, 0]
    assert thread.messages[0].at == 1767323045.0
    assert dict(first.ledger.skipped) == {"not an item": 1, "belongs to another session of the upload": 1}
    assert any("-wal" in note for note in first.notes) == wal


def test_a_saved_session_that_ends_with_a_question_has_no_call_for_it(tmp_path: Path):
    (session,) = read_sessions(database(tmp_path, rows=ITEMS[3:4]), "agents.db")
    assert session.threads[0].calls == ()


def test_other_and_damaged_databases_are_refused(tmp_path: Path):
    other = database(tmp_path, schema="CREATE TABLE x (y); CREATE TABLE agent_messages (session_id, message_data, created_at)")
    with pytest.raises(FormatNotReadYet, match="SQLite"):
        read_session(other)
    with pytest.raises(ReadError):
        read_session(b"SQLite format 3\0" + b"\x07" * 5000)


def span(id: str, kind: str, second: int, parent: str | None = None, **data) -> dict:
    times = {"started_at": f"2026-01-02T03:04:{second:02}.5+00:00", "ended_at": f"2026-01-02T03:05:{second:02}+00:00"}
    return {"object": "trace.span", "id": id, "trace_id": "trace_1", "parent_id": parent, **times, "span_data": {"type": kind, **data}, "error": None}


SYSTEM, QUESTION = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is the key?"}
ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "k1", "type": "function", "function": {"name": "search", "arguments": '{"input": "attic"}'}}],
}
FOUND = {"role": "tool", "tool_call_id": "k1", "content": "under the mat"}
USAGE = {"input_tokens": 9, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}


def test_an_agent_used_as_a_tool_is_a_thread_of_its_own_linked_to_its_call():
    """Spans come in the order of their end; function, agent and custom spans only tell what the requests hold."""
    lines = [
        {"object": "trace", "id": "trace_1", "workflow_name": "w"},
        span("g1", "generation", 1, "a1", model="m", input=[SYSTEM, QUESTION], output=[ASKED], usage=USAGE),
        span(
            "g2",
            "generation",
            3,
            "a2",
            model="m2",
            input=[{"role": "system", "content": "Search."}, {"role": "user", "content": "attic"}],
            output=[{"role": "assistant", "content": "under the mat"}],
        ),
        span("a2", "agent", 2, "f1", name="searcher", tools=[]),
        span("f1", "function", 2, "a1", name="search", input="{}", output="under the mat"),
        span(
            "g3",
            "generation",
            5,
            "a1",
            model="m",
            input=[SYSTEM, QUESTION, ASKED, FOUND],
            output=[{"role": "assistant", "content": "There."}],
            usage=USAGE,
        ),
        span("a1", "agent", 0, None, name="main", tools=["search"]),
    ]
    session = read_session("\n".join(map(json.dumps, lines)).encode())
    main, nested = session.threads
    assert (session.id, session.level) == ("trace_1", "full requests")
    assert [c.context for c in main.calls] == [((0, 2),), ((0, 4),)]
    assert (main.calls[0].usage.input_tokens, main.calls[0].usage.cache_read_tokens) == (9, 4)
    assert (nested.kind, nested.parent, nested.parent_call, nested.title) == ("agent", main.id, 0, "searcher")
    assert (session.ledger.records, session.ledger.read) == (7, 4)


def test_a_response_span_without_content_is_a_call_that_stayed_at_the_provider():
    session = read_session(
        json.dumps({"data": [span("s1", "response", 1, response_id="resp_1"), span("s2", "response", 2, response_id="resp_2")]}).encode()
    )
    assert [c.id for t in session.threads for c in t.calls] == ["resp_1", "resp_2"]
    assert "messages" in session.not_recorded
    assert any("stayed at the provider" in note for note in session.notes)


RECORDED = (
    "har_mitmproxy/gen_openai_chat_session.har",
    "litellm/gen_litellm_standard_logging.jsonl",
    "openai_agents_sdk/gen_openai_agents_trace_spans.jsonl",
    "openai_agents_sdk/gen_openai_agents_session.sqlite",
)


@pytest.mark.parametrize("file", RECORDED)
def test_one_session_through_many_recorders_is_one_call_list(shared: Path, file: str):
    """The stored completion is the original: the other files replay its 14 calls. The saved session leaves out the system message."""
    original = read_session(shared / "corpus" / "openai_chat" / "stored_completion_ask_github_gc.json").threads[0]
    (thread,) = read_session(shared / "corpus" / file).threads
    missing = 1 if file.endswith(".sqlite") else 0
    assert [c.message_count + missing for c in thread.calls] == [c.message_count for c in original.calls]
    assert [said(m) for m in original.messages[missing:] if not m.results] == [said(m) for m in thread.messages if not m.results]
    assert answers(original.messages) == answers(thread.messages)


def said(message) -> tuple:
    return message.role, message.text, [(c.id, c.name, json.loads(c.arguments)) for c in message.calls]


def answers(messages) -> dict[str, str]:
    """Results by their call: the recorders put them in the order of the calls, the original has them as they came."""
    return {result.call_id: result.text for message in messages for result in message.results}

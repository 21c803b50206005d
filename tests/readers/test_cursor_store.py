"""Cursor's state database: chats are told by their bubbles."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, Thread, read_sessions
from ctxcore.errors import FormatNotReadYet, ReadError

SCHEMA = """
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
"""
"""Tables of format notes 2.10; keys and fields as in michaeldhood/chatrxiv ``docs/cursor/storage-reference.md``."""

AT = "2026-01-02T03:04:05.000Z"


def database(tmp_path: Path, values: Mapping[str, Any]) -> bytes:
    path = tmp_path / "state.vscdb"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        rows = [(key, value if isinstance(value, (str, bytes)) else json.dumps(value).encode()) for key, value in values.items()]
        connection.executemany("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", rows)
    connection.close()
    return path.read_bytes()


def bubble(kind: int, text: str = "", **more: Any) -> dict[str, Any]:
    return {"_v": 3, "type": kind, "text": text, "createdAt": AT, "tokenCount": {"inputTokens": 0, "outputTokens": 0}, **more}


def tool(id: str, name: str, result: Any, **more: Any) -> dict[str, Any]:
    return bubble(2, toolFormerData={"toolCallId": id, "name": name, "rawArgs": '{"path":"a"}', "status": "completed", "result": result, **more})


def chat(name: str, *bubbles: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Keys of a chat."""
    ids = [f"b{number}" for number in range(len(bubbles))]
    about = {"_v": 10, "composerId": name, "name": f"About {name}", "modelConfig": {"modelName": "claude-x"}, **more}
    about["fullConversationHeadersOnly"] = [{"bubbleId": own, "type": b["type"]} for own, b in zip(ids, bubbles, strict=True)]
    return {f"composerData:{name}": about} | {f"bubbleId:{name}:{own}": {"bubbleId": own, **b} for own, b in zip(ids, bubbles, strict=True)}


LOOKED = chat(
    "c1",
    bubble(1, "Look"),
    bubble(2, thinking={"text": "Hm"}),
    bubble(2, "I read.", tokenCount={"inputTokens": 50, "outputTokens": 7}),
    tool("t1", "read_file", '{"contents":"one"}'),
    tool("t2", "run", None, status="error", error="no such tool"),
    bubble(2, "Done."),
)


def read(tmp_path: Path, values: Mapping[str, Any]) -> tuple[Session, ...]:
    return read_sessions(database(tmp_path, values), "state.vscdb")


def contexts(thread: Thread) -> list[list[str]]:
    return [[thread.messages[i].text for i in call.messages()] for call in thread.calls]


def test_a_tool_with_the_words_before_it_is_a_call(tmp_path: Path):
    (session,) = read(tmp_path, LOOKED)
    (thread,) = session.threads
    assert (session.format, session.id, thread.title, session.level) == ("cursor", "c1", "About c1", "message list only")
    assert contexts(thread) == [["Look"], ["Look", "I read.", '{"contents":"one"}'], ["Look", "I read.", '{"contents":"one"}', "", "no such tool"]]
    assert [p.kind for p in thread.messages[1].parts] == ["reasoning", "text", "tool_call"]
    assert [m.results[0].is_error for m in thread.messages if m.results] == [False, True]
    assert thread.calls[0].usage is not None
    assert (thread.calls[0].usage.input_tokens, thread.calls[0].usage.output_tokens, thread.calls[1].usage) == (50, 7, None)
    assert {call.model for call in thread.calls} == {"claude-x"}
    assert thread.messages[0].at == 1767323045.0
    assert session.ledger.records == session.ledger.read == 7


def test_an_older_chat_holds_its_messages(tmp_path: Path):
    about = {"composerId": "c", "conversation": [bubble(1, "Look"), bubble(2, "Seen.", modelInfo={"modelName": "m"})]}
    (session,) = read(tmp_path, {"composerData:c": about})
    assert contexts(session.threads[0]) == [["Look"]]
    assert session.threads[0].calls[0].model == "m"


def test_a_chat_that_a_tool_started_is_its_agent(tmp_path: Path):
    child = chat("c2", bubble(1, "Count"), bubble(2, "3"))
    main = chat("c1", bubble(1, "Go"), tool("t", "task_v2", '{"agentId":"c2"}'), bubble(2, "Three."))
    first, second = read(tmp_path, {**child, **main, **chat("c3", bubble(1, "Else"), bubble(2, "Yes")), **chat("c4")})
    assert [(t.id, t.kind, t.parent, t.parent_call) for t in first.threads] == [("main", "main", "", None), ("c2", "agent", "main", 0)]
    assert second.id == "c3"
    assert dict(first.ledger.skipped)["chat without messages, or message that no chat shows"] == 1
    for session in (first, second):
        assert session.ledger.records == session.ledger.read + sum(count for _, count in session.ledger.skipped)


def test_chats_that_start_each_other_are_still_read(tmp_path: Path):
    one = chat("c1", bubble(1, "a"), tool("t", "task", '{"agentId":"c2"}'))
    (session,) = read(tmp_path, one | chat("c2", bubble(1, "b"), tool("t", "task", '{"agentId":"c1"}')))
    assert [t.id for t in session.threads] == ["main", "c2"]


def test_what_is_missing_is_said(tmp_path: Path):
    values = {**LOOKED, "bubbleId:c1:b3": "{", "bubbleId:x:y": b"\xff", "composerData:z": "[]"}
    values["composerData:c1"] = {**values["composerData:c1"], "latestConversationSummary": {"summary": {"summary": "s"}}}
    (session,) = read(tmp_path, values)
    assert any("1 message that the chat names is not in the database" in note for note in session.notes)
    assert any("summarised" in note for note in session.notes)
    assert session.ledger.records == 9 == session.ledger.read + sum(count for _, count in session.ledger.skipped)


def test_images_are_media(tmp_path: Path):
    (session,) = read(tmp_path, chat("c", bubble(1, "See", images=[{"uuid": "u", "dimension": {"width": 40, "height": 30}}]), bubble(2, "Ok")))
    part = session.threads[0].messages[0].parts[1]
    assert (part.kind, part.width, part.height) == ("media", 40, 30)


def test_a_state_without_chats_and_a_store_of_the_agent_are_refused_with_what_to_open(tmp_path: Path, shared: Path):
    with pytest.raises(FormatNotReadYet, match=r"globalStorage/state\.vscdb"):
        read(tmp_path, {"other": "x"})
    with pytest.raises(ReadError, match="holds no message by itself"):
        read(tmp_path, chat("c"))
    with pytest.raises(FormatNotReadYet, match="agent-transcripts"):
        read_sessions(shared / "corpus/cursor/jazzy_cursor_store.db")


def test_any_other_database_is_refused_with_its_tables(tmp_path: Path):
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as connection:
        connection.executescript("CREATE TABLE birds (name TEXT); CREATE TABLE trees (name TEXT);")
    connection.close()
    with pytest.raises(FormatNotReadYet, match=r"with the tables birds, trees, of which no session.*; those of goose"):
        read_sessions(path.read_bytes(), "x.db")
    with pytest.raises(FormatNotReadYet, match="no table that can be read"):
        read_sessions(b"SQLite format 3\0" + bytes(84), "x.db")

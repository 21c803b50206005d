"""LangGraph's checkpoints in SQLite: the same states as in JSON, and nothing that a packed value names is run."""

from __future__ import annotations

import importlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from ctxcore import Session, read_session
from ctxcore.errors import FormatNotReadYet, UnreadableFile
from ctxcore.readers.detect import read_sessions

TABLES = """
CREATE TABLE checkpoints (
    thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB
);
CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER, channel TEXT, type TEXT, value BLOB);
"""

Row = tuple[str, str, str, str, Any, dict[str, Any]]
"""Thread, name space, id, type, packed value, metadata."""


def packed(module: str, name: str, data: Any, code: int = 5) -> ormsgpack.Ext:
    return ormsgpack.Ext(code, ormsgpack.packb([module, name, data, "model_validate_json"]))


def message(kind: str, text: str, **more: Any) -> ormsgpack.Ext:
    fields = {
        "type": kind,
        "content": text,
        "id": f"{kind}-{text}",
        "additional_kwargs": {},
        "response_metadata": {"model_name": "m-1"} if kind == "ai" else {},
    }
    return packed(f"langchain_core.messages.{kind}", f"{kind.title()}Message", {**fields, **more})


def checkpoint(*messages: ormsgpack.Ext, second: int = 0) -> bytes:
    values = {"ts": f"2026-01-01T00:00:{second:02}+00:00", "channel_values": {"messages": list(messages), "other": b"\x00\x01"}}
    return ormsgpack.packb(values, option=ormsgpack.OPT_NON_STR_KEYS)


def database(path: Path, *rows: Row) -> bytes:
    with sqlite3.connect(path) as connection:
        connection.executescript(TABLES)
        for thread, space, key, kind, value, metadata in rows:
            connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, NULL, ?, ?, ?)", (thread, space, key, kind, value, json.dumps(metadata)))
    connection.close()
    return path.read_bytes()


def sums_up(session: Session) -> bool:
    return session.ledger.records == session.ledger.read + sum(count for _, count in session.ledger.skipped)


def test_each_new_reply_is_a_call_with_the_list_it_stands_in(tmp_path: Path):
    ask, answer, more, last = message("human", "a"), message("ai", "A"), message("human", "b"), message("ai", "B")
    rows: list[Row] = [
        ("t", "", "1", "msgpack", checkpoint(ask, answer, second=1), {"step": 1}),
        ("t", "", "2", "msgpack", checkpoint(ask, answer, more, last, second=2), {"step": 2}),
    ]
    session = read_session(database(tmp_path / "x.sqlite", *rows), "x.sqlite")
    (thread,) = session.threads
    assert session.format == "langgraph-sqlite"
    assert [m.text for m in thread.messages] == ["a", "A", "b", "B"]
    assert [(c.message_count, c.model, c.at) for c in thread.calls] == [(1, "m-1", 1_767_225_601), (3, "m-1", 1_767_225_602)]
    assert str(thread.calls[1].source) == "x.sqlite checkpoints[2].channel_values.messages[3]"
    assert sums_up(session)


def test_threads_of_one_database_are_sessions(tmp_path: Path):
    rows: list[Row] = [(name, "", name, "msgpack", checkpoint(message("human", "a"), message("ai", "A")), {}) for name in ("t1", "t2")]
    sessions = read_sessions(database(tmp_path / "x.sqlite", *rows), "x.sqlite")
    assert [s.id for s in sessions] == ["t1", "t2"]
    assert all(map(sums_up, sessions))


@pytest.mark.parametrize("code", range(8))
def test_what_a_packed_value_names_is_never_run(tmp_path: Path, code: int):
    """Each code asks for a class or function by name; ``touch`` of a path would leave a file."""
    left = tmp_path / "left"
    evil = packed("os", "mkdir", str(left), code)
    session = read_session(database(tmp_path / "x.sqlite", ("t", "", "1", "msgpack", checkpoint(evil, message("ai", "A")), {})), "x.sqlite")
    assert not left.exists()
    assert [m.text for m in session.threads[0].messages] == ["A"]


def deep(levels: int) -> ormsgpack.Ext:
    value: Any = {"type": "human", "content": "a"}
    for _ in range(levels):
        value = packed("x", "Y", value)
    return value


@pytest.mark.parametrize("value", [b"", b"\xc1", b"\x91" * 5000, ormsgpack.packb(7), "text", None, checkpoint(deep(300))])
def test_a_blob_that_cannot_be_unpacked_is_left_out_and_named(tmp_path: Path, value: Any):
    good: Row = ("t", "", "1", "msgpack", checkpoint(message("human", "a"), message("ai", "A")), {})
    session = read_session(database(tmp_path / "x.sqlite", good, ("t", "", "2", "msgpack", value, {})), "x.sqlite")
    assert len(session.threads[0].calls) == 1
    assert session.ledger.records == 2
    assert sums_up(session)


def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(UnreadableFile, match=r"pip install 'ctxscope\[langgraph\]'"):
        read_session(database(tmp_path / "x.sqlite", ("t", "", "1", "msgpack", b"", {})), "x.sqlite")


def test_another_database_is_refused_as_one(tmp_path: Path):
    with sqlite3.connect(tmp_path / "y.sqlite") as connection:
        connection.execute("CREATE TABLE notes (id INTEGER)")
    connection.close()
    with pytest.raises(FormatNotReadYet, match="an SQLite database"):
        read_session((tmp_path / "y.sqlite").read_bytes(), "y.sqlite")


def test_the_database_holds_the_states_that_the_history_shows(shared: Path):
    """29 checkpoints in the table; the history in JSON shows the newest six of them."""
    path = shared / "corpus/langgraph_state/gen_langgraph_checkpoints.sqlite"
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as connection:
        (count,) = connection.execute("SELECT count(*) FROM checkpoints").fetchone()
    connection.close()
    session = read_session(path)
    history = read_session(shared / "corpus/langgraph_state/gen_langgraph_state_history.json")
    assert session.ledger.records == session.ledger.read == count == 29
    assert [m.text for m in session.threads[0].messages] == [m.text for m in history.threads[0].messages]
    assert all(call.at is not None for call in session.threads[0].calls)

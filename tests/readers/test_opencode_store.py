"""opencode's storage: the folder of files and the database give the same session as the program's own stream."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxcore import Session, read_session, read_sessions

T = 1_776_898_604_000

Store = dict[str, dict[str, dict[str, Any]]]
"""Kind -> id -> object."""


def session(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "projectID": "p", "version": "1", "title": f"About {id}", "time": {"created": T, "updated": T}, **more}


def message(id: str, in_session: str, role: str, at: int, **more: Any) -> dict[str, Any]:
    model = {"modelID": "m"} if role == "assistant" else {}
    return {"id": id, "sessionID": in_session, "role": role, "time": {"created": T + at}, **model, **more}


def part(id: str, of: str, in_session: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "messageID": of, "sessionID": in_session, "type": kind, **more}


def store(*objects: dict[str, Any]) -> Store:
    found: Store = {"session": {}, "message": {}, "part": {}}
    for value in objects:
        kind = {"ses": "session", "msg": "message", "prt": "part"}[value["id"][:3]]
        found[kind][value["id"]] = value
    return found


def folder(held: Store) -> bytes:
    """A zip of the folder, its files in any order."""
    files = [(f"storage/session/p/{own}.json", value) for own, value in held["session"].items()]
    files += [(f"storage/message/{value['sessionID']}/{own}.json", value) for own, value in held["message"].items()]
    files += [(f"storage/part/{value['messageID']}/{own}.json", value) for own, value in held["part"].items()]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, value in files[::2] + files[1::2]:
            archive.writestr(name, json.dumps(value))
    return packed.getvalue()


SCHEMA = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
"""
"""Tables of format notes 3, with the columns that agentsview ``internal/parser/opencode.go`` reads."""


def database(tmp_path: Path, held: Store) -> bytes:
    path = tmp_path / "opencode.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        for value in held["session"].values():
            row = (value["id"], value.get("parentID"), value.get("title"), value["time"]["created"])
            connection.execute("INSERT INTO session (id, parent_id, title, time_created) VALUES (?, ?, ?, ?)", row)
        for value in held["message"].values():
            row = (value["id"], value["sessionID"], value["time"]["created"], data(value))
            connection.execute("INSERT INTO message (id, session_id, time_created, data) VALUES (?, ?, ?, ?)", row)
        for value in held["part"].values():
            row = (value["id"], value["messageID"], value["sessionID"], data(value))
            connection.execute("INSERT INTO part (id, message_id, session_id, data) VALUES (?, ?, ?, ?)", row)
    connection.close()
    return path.read_bytes()


def data(value: Mapping[str, Any]) -> str:
    return json.dumps({key: item for key, item in value.items() if key not in ("id", "sessionID", "messageID")})


def told(read: Session) -> list[Any]:
    """Calls of every thread: what each request held (the system prompt, which a storage has not, aside), model and usage."""
    calls = []
    for thread in read.threads:
        if thread.kind != "side":
            for call in thread.calls:
                sent = [m.text for m in map(thread.messages.__getitem__, call.messages()) if m.role != "system"]
                calls.append((thread.id, thread.kind, thread.parent, thread.parent_call, sent, call.model, call.usage))
    return calls


TASK = {"status": "completed", "input": {}, "output": "3", "metadata": {"sessionId": "ses_2"}}
TOKENS = {"input": 10, "output": 20, "reasoning": 5, "cache": {"read": 70, "write": 30}}
WHOLE = store(
    session("ses_1"),
    session("ses_2", parentID="ses_1"),
    message("msg_1", "ses_1", "user", 0),
    part("prt_1", "msg_1", "ses_1", "text", text="Go"),
    message("msg_2", "ses_1", "assistant", 5),
    part("prt_2", "msg_2", "ses_1", "step-start"),
    part("prt_3", "msg_2", "ses_1", "tool", tool="task", callID="c", state=TASK),
    part("prt_4", "msg_2", "ses_1", "step-finish", tokens=TOKENS),
    message("msg_3", "ses_2", "user", 6),
    part("prt_5", "msg_3", "ses_2", "text", text="Count"),
    message("msg_4", "ses_2", "assistant", 7),
    part("prt_6", "msg_4", "ses_2", "text", text="3"),
    message("msg_5", "ses_1", "assistant", 9),
    part("prt_7", "msg_5", "ses_1", "text", text="Three."),
)


def test_folder_and_database_are_one_session_with_its_agent(tmp_path: Path):
    for upload, name in ((folder(WHOLE), "storage.zip"), (database(tmp_path, WHOLE), "opencode.db")):
        (read,) = read_sessions(upload, name)
        assert (read.format, read.id) == ("opencode", "ses_1")
        assert [(t.id, t.kind, t.parent, t.parent_call) for t in read.threads] == [("main", "main", "", None), ("ses_2", "agent", "main", 0)]
        assert [call[4] for call in told(read)] == [["Go"], ["Go", "", "3"], ["Count"]]
        assert read.threads[0].calls[0].usage.input_tokens == 110
        assert read.threads[0].title == "About ses_1"
        assert read.ledger.records == read.ledger.read == 14
        assert read.not_recorded == ("system prompt", "tool definitions")


def test_sessions_of_one_storage_are_told_apart_and_empty_ones_are_counted(tmp_path: Path):
    other = store(session("ses_3"), message("msg_6", "ses_3", "user", 1), part("prt_8", "msg_6", "ses_3", "text", text="Else"), session("ses_4"))
    both = {kind: {**WHOLE[kind], **other[kind]} for kind in WHOLE}
    for upload, name in ((folder(both), "storage.zip"), (database(tmp_path, both), "opencode.db")):
        reads = read_sessions(upload, name)
        assert [(read.id, len(read.threads)) for read in reads] == [("ses_1", 2), ("ses_3", 1)]
        assert dict(reads[0].ledger.skipped)["session without messages"] == 1
        for read in reads:
            assert read.ledger.records == read.ledger.read + sum(count for _, count in read.ledger.skipped)


def test_a_part_without_its_message_and_an_odd_row_are_no_end(tmp_path: Path):
    odd = {**WHOLE, "part": {**WHOLE["part"], "prt_9": part("prt_9", "msg_9", "ses_1", "text", text="?")}}
    path = tmp_path / "odd.db"
    path.write_bytes(database(tmp_path, odd))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE part SET data = '{' WHERE id = 'prt_5'")
        connection.execute("UPDATE message SET data = x'00ff' WHERE id = 'msg_3'")
    connection.close()
    (read,) = read_sessions(path.read_bytes(), "odd.db")
    assert dict(read.ledger.skipped)["part of a message that is not there"] == 1
    assert read.ledger.records == 15


def stored_of_stream(path: Path) -> Store:
    """What the program has stored at the end of a stream of its hooks: of each session, message and part the newest."""
    newest: list[dict[str, Any]] = []
    for hook, first, *_ in map(json.loads, path.read_text().splitlines()):
        event = first["event"] if hook == "event" else {}
        told = event.get("properties", {})
        if event.get("type") in ("session.created", "session.updated", "message.updated"):
            newest.append(told["info"])
        elif event.get("type") == "message.part.updated":
            newest.append(told["part"])
    return store(*newest)


def test_a_real_stream_stored_in_either_way_gives_the_same_calls(shared: Path, tmp_path: Path):
    """Of 2 real streams: contexts, models, usage and the links of the sub-agents are those of the stream itself."""
    for name in ("langsmith_ses_basic.jsonl", "langsmith_ses_subagents.jsonl"):
        path = shared / "corpus" / "opencode" / name
        held = stored_of_stream(path)
        right = told(read_session(path))
        assert told(read_session(folder(held), "storage.zip")) == right
        assert told(read_session(database(tmp_path, held), "opencode.db")) == right
        (tmp_path / "opencode.db").unlink()
        assert len(right) > 1

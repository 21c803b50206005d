"""Files that belong together are one session, zipped or named one by one, and what lies beside them is counted, not read as something else."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctxcore import Session, read_sessions
from ctxcore.readers.detect import read_uploads
from tests.readers.claude_session import ask, reply, result, text, user

MAIN = "11111111-2222-4333-8444-555555555555"


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def folder(path: Path) -> bytes:
    return zipped({str(file.relative_to(path.parent)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()})


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def adds_up(session: Session) -> bool:
    return session.ledger.records == session.ledger.read + sum(count for _, count in session.ledger.skipped)


def test_a_claude_session_with_its_folder(tmp_path: Path):
    """Agents and outputs lie in a folder of the session's name. An output that looks like a session (the agent showed another log) is none."""
    main = lines(
        user("u1", None, "Count"),
        reply("a1", "u1", "msg_1", ask("t1", "Task", prompt="Count files")),
        result("u2", "a1", "t1", "3", toolUseResult={"agentId": "a9"}),
        reply("a2", "u2", "msg_2", text("Three.")),
    )
    agent = lines(
        user("s1", None, "Count files", isSidechain=True, agentId="a9"), reply("s2", "s1", "msg_3", text("3"), isSidechain=True, agentId="a9")
    )
    other = lines(user("x1", None, "Other", sessionId="other"), reply("x2", "x1", "msg_9", text("No"), sessionId="other"))
    upload = zipped(
        {
            f"p/{MAIN}.jsonl": main,
            f"p/{MAIN}/subagents/agent-a9.jsonl": agent,
            f"p/{MAIN}/tool-results/shown.jsonl": other,
            f"p/{MAIN}/tool-results/long.txt": b"line\n" * 100,
            f"p/{MAIN}/tool-results/chat.json": json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]).encode(),
            f"p/{MAIN}/notes.md": b"# Notes\n",
        }
    )
    (session,) = read_sessions(upload, "project.zip")
    assert [(t.id, t.kind, t.parent, t.parent_call, len(t.calls)) for t in session.threads] == [
        ("main", "main", "", None, 2),
        ("a9", "agent", "main", 0, 1),
    ]
    skipped = dict(session.ledger.skipped)
    assert (skipped["output of a tool, kept beside the session"], skipped["text beside the session"]) == (3, 1)
    assert adds_up(session)


def test_the_reason_for_a_file_left_out_is_short():
    chat = json.dumps([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]).encode()
    crew = json.dumps({"timestamp": "t", "task_name": "n", "agent": "a", "status": "s"}).encode()
    (session,) = read_sessions(zipped({"chat.json": chat, "notes.txt": b"some words", "crew.json": crew}), "all.zip")
    words = [problem.what for problem in session.problems if problem.kind == "skipped_file"]
    assert words[0] == "all.zip/notes.txt was skipped: no known session format; seen: text without a JSON value."
    assert words[1].startswith("all.zip/crew.json was skipped: this is a CrewAI task log")
    assert all(len(sentence) < 300 for sentence in words)
    assert adds_up(session)


GROUPS = {
    "cline/task_1769053680585": ("cline", 1),
    "roo-code/natural-already-condensed": ("roo-code", 1),
    "roo-code/natural-mini-uncondensed": ("roo-code", 1),
    "roo-code/roocode_6a716972": ("roo-code", 1),
    "pi/openclaw_lru_demo": ("pi", 20),
    "openhands/v1_conv_cd945": ("openhands", 1),
}
"""Folders of real sessions: format, and files that are a thread each."""


@pytest.mark.parametrize("name", GROUPS)
def test_a_real_folder_is_one_session_zipped_or_not(shared: Path, name: str):
    """Every file of it is used or counted; zipped and as separate files it is the same calls."""
    path = shared / "corpus" / name
    kind, threads = GROUPS[name]
    (packed,) = read_sessions(folder(path), "folder.zip")
    (loose,) = read_uploads([(str(file.relative_to(path)), file) for file in sorted(path.rglob("*")) if file.is_file()]).sessions
    for session in (packed, loose):
        assert session.format == kind
        assert len(session.threads) == threads
        assert adds_up(session)
    assert [[call.message_count for call in t.calls] for t in packed.threads] == [[call.message_count for call in t.calls] for t in loose.threads]


def test_a_real_claude_project_is_its_sessions(shared: Path):
    """5 files, 4 of one session (main and 3 agents), 1 of another. The agents are those that the files name."""
    path = shared / "corpus/claude-code/llmbuilds"
    ids = {json.loads(file.read_text().splitlines()[0])["agentId"] for file in path.glob("agent-*") if MAIN_OF in file.read_text()}
    first, second = read_sessions(folder(path), "llmbuilds.zip")
    assert {thread.id for thread in first.threads if thread.kind == "agent"} == ids
    assert len(ids) == 3
    assert [len(thread.calls) for thread in second.threads] == [0]
    assert adds_up(first)
    assert adds_up(second)


MAIN_OF = "b17ac696-fc76-4d37-875f-cc67d55b179f"


def test_a_conversation_and_its_telemetry_are_one_session(shared: Path):
    """The folder holds a conversation of OpenHands and the raw requests of the same 3 calls, which say what was sent."""
    path = shared / "corpus/openhands/v1_conv_20260121-223755_with_llm_telemetry"
    (session,) = read_sessions(folder(path), "conversation.zip")
    (thread,) = session.threads
    assert (session.level, [(c.message_count, c.known) for c in thread.calls]) == ("full requests", [(n, "recorded") for n in (2, 5, 8)])
    assert session.ledger.records == session.ledger.read == 15

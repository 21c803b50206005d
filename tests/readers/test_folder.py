"""A folder is read as a zip of it would be; links and hidden files in it are not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ctxcore import read_session, read_sessions
from ctxcore.cli import main
from ctxcore.errors import FileTooBig, TooManyFiles, UnreadableFile
from ctxcore.readers import archive, folder
from tests.conftest import ROOT
from tests.readers.claude_session import ask, reply, result, text, user
from tests.readers.test_together import adds_up, lines, zipped

MAIN = "11111111-2222-4333-8444-555555555555"
CHAT = json.dumps({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}).encode()
CASES = ROOT / "tests" / "data" / "cases"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A session with the folder of its sub-agent, and what must not be read: a hidden folder, and links that lead out and in a circle."""
    files = {
        f"{MAIN}.jsonl": lines(
            user("u1", None, "Count"),
            reply("a1", "u1", "msg_1", ask("t1", "Task", prompt="Count files")),
            result("u2", "a1", "t1", "3", toolUseResult={"agentId": "a9"}),
            reply("a2", "u2", "msg_2", text("Three.")),
        ),
        f"{MAIN}/subagents/agent-a9.jsonl": lines(
            user("s1", None, "Count files", isSidechain=True, agentId="a9"), reply("s2", "s1", "msg_3", text("3"), isSidechain=True, agentId="a9")
        ),
        ".git/chat.json": CHAT,
        ".hidden.json": CHAT,
    }
    project = tmp_path / "p"
    for name, data in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(data)
    (tmp_path / "outside.json").write_bytes(CHAT)
    (project / "linked.json").symlink_to(tmp_path / "outside.json")
    (project / "circle").symlink_to(project, target_is_directory=True)
    return project


def test_a_session_and_its_sub_agent_in_a_folder_are_one_session(project: Path) -> None:
    session = read_session(project)
    assert [(thread.kind, thread.parent_call) for thread in session.threads] == [("main", None), ("agent", 0)]
    assert [len(thread.calls) for thread in session.threads] == [2, 1]
    assert session.name == f"p/{MAIN}.jsonl"
    assert adds_up(session)


def test_links_are_told_and_not_followed_and_hidden_files_are_none(project: Path) -> None:
    session = read_session(project)
    assert dict(session.ledger.skipped) == {f"file p/{name}: a link, which is not followed": 1 for name in ("circle", "linked.json")}


def test_a_folder_and_a_zip_of_it_give_the_same(project: Path) -> None:
    names = [f"{MAIN}.jsonl", f"{MAIN}/subagents/agent-a9.jsonl"]
    packed = read_session(zipped({name: (project / name).read_bytes() for name in names}), "p")
    assert read_session(project).digest == packed.digest


def test_a_file_that_a_recorder_hides_is_read(tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").write_text("\n# aider chat started at 2026-03-01 10:00:00\n\n#### Go  \n\nDone.\n", encoding="utf-8")
    assert read_session(tmp_path).format == "aider"


def test_packed_files_in_a_folder_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "one.json.gz").write_bytes(gzip.compress(CHAT))
    (tmp_path / "two.zip").write_bytes(zipped({"two.json": CHAT.replace(b"Ho", b"Hu")}))
    assert len(read_sessions(tmp_path)) == 2


def test_a_folder_has_the_limits_of_a_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        (tmp_path / f"{number}.json").write_bytes(CHAT + b" " * number)
    assert len(read_sessions(tmp_path)) == 4
    monkeypatch.setenv("CTXSCOPE_MAX_MB", str(3 * len(CHAT) / 2**20))
    with pytest.raises(FileTooBig, match="CTXSCOPE_MAX_MB"):
        read_sessions(tmp_path)
    for module in (archive, folder):
        monkeypatch.setattr(module, "MAX_MEMBERS", 3)
    with pytest.raises(TooManyFiles, match="it holds 4 files or more, and at most 3 are read; name a folder in it"):
        read_sessions(tmp_path)


def test_a_bomb_in_a_folder_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"\n" * 2**26))
    with pytest.raises(FileTooBig):
        read_sessions(tmp_path)


def test_a_folder_without_a_recording_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="the folder is empty, or holds hidden files alone"):
        read_sessions(tmp_path)
    (tmp_path / "notes.txt").write_text("Nothing.", encoding="utf-8")
    with pytest.raises(Exception, match="no known session format"):
        read_sessions(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        ["inspect"],
        ["replay", "--budget", "900"],
        ["plan"],
        ["compare", "--budget", "900"],
        ["compact"],
        ["request", "--call", "0"],
        ["report", "--findings"],
    ],
)
def test_commands_take_a_folder(project: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    assert main([command[0], str(project), *command[1:]]) == 0, capsys.readouterr().err


def test_inspect_and_replay_read_several_files_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Case THREAD-03: a main log and its sub-agent. A file that is none is told and left out."""
    both = [str(CASES / f"THREAD-03.{part}.jsonl") for part in "ab"]
    assert main(["inspect", *both, "--json"]) == 0
    assert [thread["kind"] for thread in json.loads(capsys.readouterr().out)["threads"]] == ["main", "agent"]
    missing = str(tmp_path / "gone.jsonl")
    assert main(["replay", "--budget", "9000", *both, missing, "--json"]) == 2, "an answer without one of the files is no success"
    out, err = capsys.readouterr()
    assert {call["thread"] for call in json.loads(out)["calls"]} == {"main", "agX"}
    assert err.endswith("gone.jsonl: cannot be opened (No such file or directory); check the path. It is left out.\n")
    assert main(["inspect", missing, missing]) == 2

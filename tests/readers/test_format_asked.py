"""A file with the marks of two formats is a question, and the answer, as any format that is named, overrides detection."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from ctxcore import InputError, read_session, read_sessions
from ctxcore.cli import main
from ctxcore.errors import FormatAmbiguous, FormatNotRecognized, NotThisFormat, ReadError
from ctxcore.readers import READERS
from ctxcore.readers.detect import read_uploads
from ctxcore.readers.verdict import CONTAINED, GENERAL, most_special
from tests.conftest import ROOT

BOTH = {
    "schema_version": "ATIF-v1.6",
    "session_id": "s-1",
    "agent": {"name": "a", "version": "1", "model_name": "m"},
    "steps": [{"step_id": 1, "source": "user", "message": "Go"}, {"step_id": 2, "source": "agent", "message": "Done"}],
    "conversations": [{"from": "human", "value": "Go"}, {"from": "gpt", "value": "Done"}, {"from": "human", "value": "Thanks"}],
}
"""A data set row that holds a Harbor trajectory and the same talk as a ShareGPT conversation, one message longer."""

MESSAGES = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]


def data(value: object) -> bytes:
    return json.dumps(value).encode()


def zipped(**files: object) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in files.items():
            archive.writestr(f"{name}.json", data(value))
    return buffer.getvalue()


def test_two_equal_verdicts_ask_and_the_answer_decides():
    with pytest.raises(
        FormatAmbiguous, match=r"both\.json: it has the marks of 2 formats, harbor-atif and sharegpt; say which .* --format harbor-atif"
    ):
        read_session(data(BOTH), "both.json")
    lengths = {name: len(read_session(data(BOTH), "both.json", format=name).threads[0].messages) for name in ("harbor-atif", "sharegpt")}
    assert lengths == {"harbor-atif": 2, "sharegpt": 3}


def test_the_command_line_asks_and_takes_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "both.json"
    file.write_bytes(data(BOTH))
    assert main(["inspect", str(file)]) == 2
    assert "--format harbor-atif" in capsys.readouterr().err
    for name in ("harbor-atif", "sharegpt"):
        assert main(["inspect", str(file), "--format", name, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["format"] == name
    assert main(["replay", str(file), "--budget", "900", "--format", "sharegpt", "--json"]) == 0
    assert main(["replay", str(file), "--budget", "900"]) == 2
    assert main(["inspect", str(file), "--format", "share-gpt"]) == 2
    assert "No format 'share-gpt'. Did you mean 'sharegpt'?" in capsys.readouterr().err


def test_a_named_format_overrides_the_marks():
    """5 of 10 lines are chat messages, too few for detection; the others stay in the ledger."""
    lines = b"".join(data(value) + b"\n" for message in [*MESSAGES, *MESSAGES, MESSAGES[0]] for value in (message, {"level": "info"}))
    with pytest.raises(FormatNotRecognized):
        read_session(lines)
    session = read_session(lines, format="openai-chat")
    assert (session.format, [m.text for m in session.threads[0].messages]) == ("openai-chat", ["Hi", "Ho", "Hi", "Ho", "Hi"])
    assert (session.ledger.records, session.ledger.skipped) == (10, (("not a message", 5),))


@pytest.mark.parametrize("name", ["codex-cli", "inspect", "aider", "langgraph-sqlite", "vcr-cassette", "cursor"])
def test_a_reader_that_cannot_read_the_file_says_what_it_looked_for(name: str):
    with pytest.raises(ReadError) as caught:
        read_session(data({"messages": MESSAGES}), "chat.json", format=name)
    detects = next(reader.detects for reader in READERS if reader.name == name)
    assert isinstance(caught.value, NotThisFormat)
    assert (caught.value.format, caught.value.looked_for) == (name, detects)
    assert f"read as {name} it holds no message; seen: one JSON value with the keys 'messages'; looked for: {detects}" in str(caught.value)


def test_an_unknown_name_is_told_with_the_nearest_that_there_is():
    with pytest.raises(InputError, match=r"No format 'Claude_Code'\. Did you mean 'claude-code'\? ctxscope formats lists them all\."):
        read_sessions(b"{}", format="Claude_Code")


def test_in_an_archive_the_named_format_takes_the_files_with_its_marks():
    """The others are listed as skipped; without a name only the tied file is."""
    archive = zipped(both=BOTH, chat={"messages": MESSAGES}, row={"conversations": BOTH["conversations"]})
    named = read_sessions(archive, "all.zip", format="sharegpt")
    assert {session.format for session in named} == {"sharegpt"}
    assert any(session.ledger.skipped == (("file all.zip/chat.json: it has not the marks of the format that was asked for", 1),) for session in named)
    found = read_uploads([("all.zip", archive)]).sessions
    assert {session.format for session in found} == {"sharegpt", "openai-chat"}
    assert all("both.json" in str(session.ledger.skipped) for session in found)


def test_a_file_without_a_message_is_named_beside_the_session_of_the_other_and_is_none_itself():
    archive = zipped(a=[{"role": "user", "content": "Go"}, {"role": "assistant", "content": "Done"}], b=[{"ts": 1}, {"ts": 2}])
    (session,) = read_sessions(archive, "x.zip", format="vercel-ai")
    assert [problem.what for problem in session.problems if problem.kind == "skipped_file"] == [
        "x.zip/b.json was skipped: no message and no call is recorded in it."
    ]
    assert dict(session.ledger.skipped) == {"file x.zip/b.json: no message and no call is recorded in it": 1}


def test_more_special_marks_go_first():
    """The order is stated by names, which exist."""
    names = {reader.name: reader for reader in READERS}
    assert {*GENERAL, *CONTAINED, *CONTAINED.values()} <= set(names)
    assert most_special([names["mini-swe-agent"], names["openai-chat"]]) == [names["mini-swe-agent"]]
    assert most_special([names["litellm"], names["terminal-bench-v1"], names["openai-chat"]]) == [names["terminal-bench-v1"]]
    assert most_special([names["anthropic-messages"], names["openai-chat"]]) == [names["anthropic-messages"], names["openai-chat"]]


def test_no_json_file_of_the_project_is_taken_for_a_session():
    """Settings, indexes and expectations; the samples and the recordings of the tests are sessions and are left out."""
    recordings = ("sample_sessions", "tests/data/recordings", "tests/data/cases", "tests/data/goldens")
    files = [path for pattern in ("*.json", "*.jsonl") for path in ROOT.rglob(pattern) if not {".venv", ".git"} & set(path.relative_to(ROOT).parts)]
    others = [path for path in files if not str(path.relative_to(ROOT).as_posix()).startswith(recordings)]
    others += [path for path in files if path.name == "index.json" or path.name.endswith(".budgets.json")]
    assert others
    for path in others:
        with pytest.raises(ReadError):
            read_session(path)


def test_no_negative_file_of_the_corpus_is_taken_for_a_session(shared: Path):
    files = sorted((shared / "corpus" / "odd_negative").iterdir())
    assert len(files) == 4
    for path in files:
        with pytest.raises(FormatNotRecognized) as caught:
            read_session(path)
        assert caught.value.looked_for

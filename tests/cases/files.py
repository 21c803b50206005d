"""Files, lines and encodings."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ctxcore import read_session, read_sessions
from ctxcore.errors import FileTooBig, FormatNotRecognized, UnreadableFile
from ctxcore.model import Session
from ctxcore.readers.detect import read_uploads
from tests.cases import CASES, case, kinds, main, read, size, turns, usage_sum


@case
def file_01() -> None:
    """A cut last line is named; the rest loads."""
    session = read("FILE-01.jsonl")
    assert [m.role for m in session.threads[0].messages] == ["user", "assistant", "user"]
    assert [(p.kind, p.source.line) for p in session.problems] == [("incomplete_line", 4)]


@case
def file_02() -> None:
    """A broken line in the middle is named, later lines are not lost, the lost parent is told once."""
    session = read("FILE-02.jsonl")
    assert [m.role for m in session.threads[0].messages] == ["user", "user", "assistant"]
    assert [(p.kind, p.source.line) for p in session.problems] == [("unreadable_line", 2), ("missing_parent", 3)]
    assert session.problems[0].excerpt.startswith('{"parentUuid":"u-1111-001"')


@case
def file_05() -> None:
    """A byte order mark is no text."""
    assert (len(main("FILE-05.jsonl").messages), len(main("FILE-05.json").messages)) == (4, 2)
    assert "\ufeff" not in repr(main("FILE-05.jsonl").messages) + repr(main("FILE-05.json").messages)


@case
def file_07() -> None:
    """Blank lines and CRLF are nothing, and line numbers count physical lines."""
    session = read("FILE-07.jsonl")
    assert (len(session.threads[0].messages), session.problems, session.ledger.records) == (4, (), 4)
    physical = [number for number, line in enumerate((CASES / "FILE-07.jsonl").read_bytes().split(b"\n"), 1) if line.strip()]
    assert [m.source.line for m in session.threads[0].messages] == physical


@case
def file_08() -> None:
    """NaN and infinities are words; all sizes are finite; what is kept is strict JSON."""
    session = read("FILE-08.jsonl")
    thread = session.threads[0]
    (call,) = thread.messages[1].calls
    assert all(word in call.arguments for word in ("NaN", "Infinity", "-Infinity"))
    assert kinds(session) == ["not_a_number"] * 3
    json.dumps([m.raw for m in thread.messages], allow_nan=False)


@case
def file_10() -> None:
    """An escaped pair is one character."""
    session = read("FILE-10.jsonl")
    assert session.threads[0].messages[1].text == "done \U0001f331 ok"
    assert size(session.threads[0].messages[1]) == 9
    assert session.problems == ()


@case
def file_11() -> None:
    """An endless integer costs its own field at most."""
    session = read("FILE-11.jsonl")
    assert len(session.threads[0].messages) == 4
    assert usage_sum(session.threads[0])[0] < 10**6
    assert kinds(session) == ["huge_integer", "usage_no_count"], "the number, and what is therefore unknown"


@case
def file_13() -> None:
    """Five files, no session, one sentence each."""
    for name, error, words in (
        ("FILE-13.empty.jsonl", UnreadableFile, "empty"),
        ("FILE-13.blank.json", UnreadableFile, "white space"),
        ("FILE-13.null.json", FormatNotRecognized, "openai-chat"),
        ("FILE-13.array.json", FormatNotRecognized, "claude-code"),
        ("FILE-13.other.json", FormatNotRecognized, "codex"),
    ):
        with pytest.raises(error, match=words):
            read(name)


@case
def file_14() -> None:
    """Packing is known by content; a bomb is stopped, a cut file keeps what came out."""
    assert len(main("FILE-14.ok.jsonl.gz").messages) == 4
    assert len(main("FILE-14.plain.jsonl.gz").messages) == 4
    with pytest.raises(FileTooBig):
        read("FILE-14.bomb.jsonl.gz")
    cut = read("FILE-14.cut.jsonl.gz")
    assert "incomplete" in cut.problems[0].what
    assert len(cut.threads[0].messages) < 5


@case
def file_15() -> None:
    """The extension says nothing."""
    assert [(read(f).format, len(main(f).messages)) for f in ("FILE-15.json", "FILE-15.jsonl", "FILE-15.txt")] == [
        ("claude-code", 4),
        ("openai-chat", 2),
        ("openai-chat", 2),
    ]


def generated(name: str, *arguments: str) -> Session:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.jsonl"
        subprocess.run([sys.executable, str(CASES / name), str(out), *arguments], check=True)
        return read_session(out)


@case
def file_16() -> None:
    """A result of 10 MiB loads whole and answers its call."""
    session = generated("FILE-16.gen.py", "10")
    thread = session.threads[0]
    assert len(thread.messages) == 3
    assert len(thread.messages[2].results[0].text) == 10 * 2**20
    assert "open" not in kinds(session)


@case
def file_17() -> None:
    """Many small lines: exact totals and no recursion.

    The 200,000 lines of the case take 9 s to read here and come to 100,000 turns and calls; a suite of minutes has no room for that.
    """
    thread = generated("FILE-17.gen.py", "4000").threads[0]
    assert (turns(thread), len(thread.calls)) == (2000, 2000)
    assert usage_sum(thread) == (20_000, 4_000)


@case
def file_19() -> None:
    """Two sessions from a zip, the rest listed; names are text; a bomb is stopped by the sum."""
    two = read_sessions(CASES / "FILE-19.two.zip")
    assert [len(s.threads[0].messages) for s in two] == [2, 2]
    assert {reason.split(":")[0].rpartition("zip/")[2] for reason, _ in two[0].ledger.skipped if "file " in reason} == {
        "readme.txt",
        "__MACOSX/._a.jsonl",
    }
    slip = read_uploads([("slip.zip", CASES / "FILE-19.slip.zip")])
    assert [len(s.threads[0].messages) for s in slip.sessions] == [2, 2]
    assert not (CASES.parent.parent / "evil.jsonl").exists()
    with pytest.raises(FileTooBig):
        read("FILE-19.bomb.zip")

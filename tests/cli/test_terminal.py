"""What a person sees: tables, errors, help, and nothing that a session's text does to the terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from ctxcore.cli import main
from ctxcore.views.visible import shortened, visible
from tests.data.requests import REQUEST, request_file

CASES = Path(__file__).parent.parent / "data" / "cases"

HOSTILE = "\x1b[2J\x1b[1;31mFAILED\x1b[0m step 2 of 5\x1b]0;title\x07\r\b\b done\x00\n\u202egnp.exe\u202c \u200bhidden \x9b31m [red]plain[/red] [/]"
"""Colour, clear-screen and title sequences, C1 controls, direction overrides, and rich's own markup."""

OWN_LINE_ENDS = re.compile(r"[^\x20-\x7e\n\u00a0-\u200a\u2010-\u2027\u2030-\u205f\u2070-\ud7ff\ue000-\ufefe\uff00-\U000dffff]")
"""Anything a terminal could obey."""


@dataclass(frozen=True)
class Wrong:
    """A call of the command line that cannot be served."""

    id: str
    arguments: tuple[str, ...]
    says: str


WRONG = (
    Wrong("no such file", ("inspect", "missing.jsonl"), "missing.jsonl: cannot be opened (No such file or directory)"),
    Wrong("an empty file", ("inspect", "empty.json"), "the file is empty"),
    Wrong("not a session", ("inspect", "other.json"), "no known session format"),
    Wrong("no such thread", ("replay", "request.json", "--budget", "9", "--thread", "x"), "No thread 'x' in this session. It has: main."),
    Wrong("no such session", ("inspect", "request.json", "--session", "x"), "No session 'x' in this file."),
    Wrong("no such policy", ("replay", "request.json", "--budget", "9", "--policy", "x"), "No policy 'x'. ctxscope policies lists them all."),
    Wrong("a slip in a unit", ("replay", "request.json", "--budget", "9", "--unit", "token"), "Use chars or tokens. Did you mean 'tokens'?"),
    Wrong("no such unit", ("replay", "request.json", "--budget", "9", "--unit", "bytes"), "No unit 'bytes'. Use chars or tokens."),
    Wrong("budget nought", ("replay", "request.json", "--budget", "0"), "Budget 0 is not a whole number of at least 1."),
    Wrong("budget below nought", ("replay", "request.json", "--budget", "-5"), "Budget -5 is not a whole number of at least 1."),
    Wrong(
        "budget no number", ("replay", "request.json", "--budget", "many"), "'--budget': 'many' is not a whole number. Write it like 16000, 16,000 or"
    ),
    Wrong("budget of one and a half", ("replay", "request.json", "--budget", "1.5"), "'1.5' is not a whole number."),
    Wrong("budget in doubt", ("replay", "request.json", "--budget", "16.000"), "'16.000' is not a whole number."),
    Wrong("budget empty", ("replay", "request.json", "--budget", ""), "'' is not a whole number."),
    Wrong("no budget", ("replay", "request.json"), "Missing option '--budget'"),
    Wrong("no file", ("inspect",), "Missing argument"),
    Wrong("no such command", ("trim", "request.json"), "No such command 'trim'"),
    Wrong("no such option", ("inspect", "request.json", "--yaml"), "No such option"),
    Wrong("open without the file", ("open", "missing.jsonl"), "missing.jsonl: cannot be opened"),
    Wrong("open an empty file", ("open", "empty.json"), "empty.json: the file is empty; choose the recording itself."),
    Wrong(
        "open only bad files",
        ("open", "missing.jsonl", "bare"),
        "missing.jsonl: cannot be opened (No such file or directory); check the path. bare: ",
    ),
    Wrong("a name that steers the terminal", ("inspect", "\x1b[31m.json"), "␛[31m.json: cannot be opened"),
)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.id)
def test_an_error_is_a_line_on_stderr_and_exit_code_2(wrong: Wrong, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    request_file(tmp_path)
    (tmp_path / "empty.json").write_bytes(b"")
    (tmp_path / "bare").mkdir()
    (tmp_path / "other.json").write_text('{"color": "red"}', encoding="utf-8")
    assert main(list(wrong.arguments)) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert wrong.says in streams.err
    assert streams.err.startswith("ctxscope: ")
    assert streams.err.count("\n") == 1
    assert not OWN_LINE_ENDS.search(streams.err)


@pytest.mark.parametrize("odd", ["pipe", "/dev/zero"])
def test_what_has_no_end_is_refused_without_opening_it(odd: str, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert main(["inspect", odd]) == 2
    assert capsys.readouterr().err == f"ctxscope: {odd}: this is not a regular file; write what it gives to a file and open that.\n"


COMMANDS = (
    ("inspect", "request.json"),
    ("inspect", "request.json", "--json"),
    ("replay", "request.json", "--budget", "500"),
    ("--help",),
)


def _without_room(output: IO[bytes] | int, arguments: Sequence[str], folder: Path) -> tuple[int, str]:
    """Exit code and stderr of a process of its own, whose output cannot take anything."""
    request_file(folder)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "ctxcore.cli", *arguments]
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment, check=False)
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_full_disk_is_one_sentence(arguments: Sequence[str], tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        assert _without_room(full, arguments, tmp_path) == (2, "ctxscope: The output could not be written (No space left on device).\n")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_went_away_is_one_sentence(arguments: Sequence[str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert _without_room(writing, arguments, tmp_path) == (2, "ctxscope: The output could not be written (nobody reads it any more).\n")
    finally:
        os.close(writing)


def hostile_file(tmp_path):
    request = json.loads(json.dumps(REQUEST))
    request["messages"][3]["content"] = HOSTILE
    request["messages"][2]["tool_calls"][0]["function"]["name"] = HOSTILE
    request["model"] = HOSTILE
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(request), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("arguments", [("inspect",), ("replay", "--budget", "500"), ("inspect", "--json")], ids=" ".join)
def test_no_control_character_of_a_session_reaches_the_terminal(arguments, tmp_path, capsys) -> None:
    assert main([*arguments, hostile_file(tmp_path)]) == 0
    streams = capsys.readouterr()
    assert not OWN_LINE_ENDS.search(streams.out + streams.err)


def test_the_text_of_a_session_stays_readable_and_is_no_markup(tmp_path, capsys) -> None:
    main(["inspect", hostile_file(tmp_path)])
    out = capsys.readouterr().out
    assert "␛[2J␛[1;31mFAILED␛[0m step 2 of 5" in out
    assert "[red]plain[/red]" in out


def test_a_broken_case_of_a_public_report_is_shown_whole(shared, capsys) -> None:
    assert main(["inspect", str(shared / "cases" / "VIEW-05.json")]) == 0
    out = capsys.readouterr().out
    assert "FAILED" in out
    assert not OWN_LINE_ENDS.search(out)


def test_marks_stand_for_what_is_not_seen() -> None:
    assert visible("a\x1bb\x7fc\u202ed\ud800\x9b\n") == "a␛b␡c<U+202E>d<U+D800><U+009B>␊"
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"


def test_tables_say_facts_calls_and_consumers(tmp_path, capsys) -> None:
    assert main(["inspect", str(request_file(tmp_path))]) == 0
    out = capsys.readouterr().out
    for words in ("openai-chat, requests only", "Calls of main", "Largest request: call 2", "reconstructed", "unknown"):
        assert words in out


def test_a_long_table_is_shortened_with_a_note(tmp_path, capsys) -> None:
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"message {n}"} for n in range(120)]
    file = tmp_path / "long.json"
    file.write_text(json.dumps({"messages": messages}), encoding="utf-8")
    assert main(["replay", str(file), "--budget", "100000"]) == 0
    assert "44 calls between are not shown; --json lists all." in capsys.readouterr().out


@pytest.mark.parametrize("written", ["2000", "2,000", "2_000", "2 000", "2k", "2K", "0.002M", "+2000"])
def test_a_budget_may_be_written_as_people_write_numbers(written, tmp_path, capsys) -> None:
    assert main(["replay", str(request_file(tmp_path)), "--budget", written, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["budget"] == 2000


def test_help_has_examples_for_every_command(capsys) -> None:
    for command in ("inspect", "replay", "run", "open", "formats"):
        assert main([command, "--help"]) == 0
        assert f"ctxscope {command}" in capsys.readouterr().out.split("Example")[1]
    assert main([]) == 0
    assert "inspect" in capsys.readouterr().out


def test_version(capsys) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"ctxscope \d+\.\d+\.\d+\n", capsys.readouterr().out)


def test_inspect_tells_what_happened_to_the_context(capsys) -> None:
    """COMP-10: a manual compaction, 5,000 → 400 tokens, 92 % less."""
    assert main(["inspect", str(CASES / "COMP-10.jsonl")]) == 0
    out = capsys.readouterr().out
    assert "What happened to the context of main" in out
    (line,) = [line for line in out.splitlines() if "Compaction" in line]
    assert line.split()[:8] == ["1", "Compaction", "manual", "5,000", "400", "−92.0", "%", "recorded"]


def test_replay_says_what_fills_a_refused_call(capsys) -> None:
    assert main(["replay", str(CASES / "COUNT-13.json"), "--budget", "100"]) == 0
    assert re.search(r"Call 0: Needs [\d,]+ chars after every cut, budget 100: system \d+, tools [\d,]+, ", capsys.readouterr().out)


def test_what_is_changed_in_place_is_counted_beside_what_is_dropped(capsys) -> None:
    """The rule puts a placeholder in place of old results and drops no message."""
    sample = Path(__file__).parents[2] / "sample_sessions" / "coding-agent.jsonl"
    arguments = ("replay", str(sample), "--budget", "8k", "--unit", "tokens", "--policy", "langchain-clear-tool-uses", "--set", "keep_results=5")
    assert main([*arguments, "--json"]) == 0
    call = json.loads(capsys.readouterr().out)["calls"][50]
    assert call["after"] < call["before"]
    assert (call["dropped_messages"], call["dropped_turns"], call["dropped_exchanges"]) == (0, 0, 0)
    assert call["changed_parts"] > 0
    assert main(list(arguments)) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["50"])
    assert row.split()[3:7] == ["0", "0", "0", str(call["changed_parts"])]

"""Tables fit the terminal: nothing is wider, no number is cut or folded, and what had no room is named."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from ctxcore import read_session
from ctxcore.cli import main
from ctxcore.views.events import went
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.words import NO_CALLS
from tests.cli.test_compare import NO_CALLS as NO_CALLS_LOG
from tests.cli.test_uncounted import arguments
from tests.data.requests import request_file

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
RECORDINGS = ("coding-agent.jsonl", "travel-desk-zh.jsonl")


def drawn(table: FittedTable, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


TABLE = FittedTable(
    title="A title",
    columns=(
        Column(name="name", text=True, least=6),
        Column(name="size"),
        Column(name="note", text=True, least=8, rank=1),
        Column(name="more", rank=2),
    ),
    rows=[("a long name of a tool", 1_234_567, "some words more", 7), ("读取项目的文件内容", 89, "x", 1_000)],
)


def test_a_wide_terminal_shows_all() -> None:
    assert drawn(TABLE, 80) == [
        "A title",
        "name                        size  note              more",
        "a long name of a tool  1,234,567  some words more      7",
        "读取项目的文件内容            89  x                1,000",
    ]


def test_a_narrow_one_leaves_out_what_matters_least_and_cuts_words_only() -> None:
    """27 cells: name 6, size 9, note 8 with two gaps of 2 are 27; the last column (5 cells) has no room. A wide letter takes 2 cells."""
    assert drawn(TABLE, 27) == [
        "A title",
        "name         size  note",
        "a lon…  1,234,567  some wo…",
        "读取…          89  x",
        "No room for: more. A wider",
        "terminal or --json has all.",
    ]
    assert drawn(TABLE, 20)[1:4] == ["name            size", "a long n…  1,234,567", "读取项目…         89"]


def lines_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, *line: str) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(list(line)) in (0, 1)
    return capsys.readouterr().out.splitlines()


COMMANDS = ("inspect", "replay", "compare", "check", "formats", "policies")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", RECORDINGS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_of_any_command_is_wider_than_the_terminal(command: str, name: str, width: int, tmp_path: Path, capsys, monkeypatch) -> None:
    line = (command, str(SAMPLES / name), *(arguments(command, tmp_path) if command != "inspect" else ())) if command in COMMANDS[:4] else (command,)
    assert max(map(cell_len, lines_of(capsys, monkeypatch, width, *line))) <= width


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_number_is_whole_at_80_columns(name: str, capsys, monkeypatch) -> None:
    assert main(["inspect", str(SAMPLES / name), "--json"]) == 0
    calls = json.loads(capsys.readouterr().out)["threads"][0]["calls"]
    rows = [line.split() for line in lines_of(capsys, monkeypatch, 80, "inspect", str(SAMPLES / name))]
    for call in (*calls[:8], *calls[-8:]):
        wanted = [f"{call[key]:,}" for key in ("index", "turn", "messages", "chars", "tokens")]
        assert any(row[:5] == wanted for row in rows), wanted


REAL = (
    "claude-code/kimuson_fe5e1c67_infile_sidechains.jsonl",
    "pi/pi-mono_before-compaction_2.4MB.jsonl",
    "tau-bench/gpt-4o-airline_4.1MB.json",
)


@pytest.mark.parametrize("file", REAL)
def test_real_recordings_fit_and_keep_their_numbers(file: str, shared: Path, capsys, monkeypatch) -> None:
    assert main(["inspect", str(shared / "corpus" / file), "--json"]) == 0
    calls = json.loads(capsys.readouterr().out)["threads"][0]["calls"]
    for width in (80, 120):
        lines = lines_of(capsys, monkeypatch, width, "inspect", str(shared / "corpus" / file))
        assert max(map(cell_len, lines)) <= width
        rows = [line.split() for line in lines]
        for call in (*calls[:8], *calls[-8:]):
            assert [f"{call[key]:,}" for key in ("index", "turn", "messages", "chars", "tokens")] in [row[:5] for row in rows]


def test_several_recordings_of_an_archive_are_listed(tmp_path: Path, capsys) -> None:
    archive = tmp_path / "both.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for name in RECORDINGS:
            packed.write(SAMPLES / name, name)
    assert main(["inspect", str(archive), "--json"]) == 0
    sessions = json.loads(capsys.readouterr().out)["sessions"]
    assert [one["format"] for one in sessions] == ["openai-chat"] * 2
    assert main(["inspect", str(archive)]) == 0
    out = capsys.readouterr().out
    assert "2 recordings in this file" in out
    for one in sessions:
        (line,) = [line for line in out.splitlines() if line.startswith(one["id"])]
        assert str(one["calls"]) in line.split()
        assert one["file"] in line


def test_one_recording_is_not_listed(tmp_path: Path, capsys) -> None:
    assert main(["inspect", str(request_file(tmp_path))]) == 0
    assert "in this file" not in capsys.readouterr().out


def test_every_size_says_what_it_rests_on(tmp_path: Path, capsys) -> None:
    assert main(["inspect", str(request_file(tmp_path))]) == 0
    out = capsys.readouterr().out
    assert re.search(r"Largest request: call 2, [\d,]+ chars \((exact|reconstructed)\)", out)
    assert "Recorded input is the provider's own count, in tokens." in " ".join(out.split())


def test_skipped_records_are_counted_without_grammar(shared: Path, capsys) -> None:
    assert main(["inspect", str(shared / "corpus" / "pi" / "pi-mono_before-compaction_2.4MB.jsonl")]) == 0
    assert "5 × model_change, never sent; 5 × thinking_level_change, never sent" in capsys.readouterr().out


@pytest.mark.parametrize("unit", ["chars", "tokens"])
def test_a_replay_says_in_which_unit_it_counts(unit: str, tmp_path: Path, capsys) -> None:
    assert main(["replay", str(request_file(tmp_path)), "--budget", "16k", "--unit", unit]) == 0
    head, counted, *_ = capsys.readouterr().out.splitlines()
    assert f"budget 16,000 {unit} (" in head
    other = "--unit tokens counts tokens" if unit == "chars" else "--unit chars counts characters"
    assert counted.endswith(f"; {other}.")


def test_the_list_of_policies_is_short_and_one_is_told_whole(capsys, monkeypatch) -> None:
    lines = lines_of(capsys, monkeypatch, 80, "policies")
    assert main(["policies", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["policies"]
    assert len(lines) <= len(listed) + 5
    assert all(any(f" {one['name']} " in f" {line} " for line in lines) for one in listed), "every name is whole"
    told = " ".join(" ".join(lines_of(capsys, monkeypatch, 120, "policies", "langchain-clear-tool-uses")).split())
    one = next(one for one in listed if one["name"] == "langchain-clear-tool-uses")
    for words in (one["about"], one["rejects"], one["source"], "keep_results 3 a whole number"):
        assert words in told
    assert main(["policies", "langchain-clear-tool-uses", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["policies"] == [one]
    assert main(["policies", "langchain-clear-tool-use"]) == 2
    assert "Did you mean 'langchain-clear-tool-uses'?" in capsys.readouterr().err


COMPACTED = "codex-cli/agentv_79-6ead_3compactions_4.1MB.jsonl"


@pytest.mark.parametrize("width", [80, 110, 130, 150, 170])
def test_numbers_of_what_went_are_never_cut(width: int, shared: Path, capsys, monkeypatch) -> None:
    """A list of messages goes on in the next line: what is shown of it is what the log says, whole."""
    file = shared / "corpus" / COMPACTED
    (thread,) = read_session(file).threads
    lines = lines_of(capsys, monkeypatch, width, "inspect", str(file))
    start = next(number for number, line in enumerate(lines) if line.startswith("What happened"))
    shown = " ".join(" ".join(lines[start:]).split())
    assert not re.search(r"[#\d,–]…", shown)
    if "went" in lines[start + 1].split():
        numbers = [number for event in thread.events for number in re.findall(r"#[\d,]+", went(thread, event))]
        assert numbers
        assert all(number in shown for number in numbers)
    else:
        assert "No room for: " in shown


def test_a_recording_without_calls_says_so_wherever_calls_would_stand(tmp_path: Path, capsys) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text(NO_CALLS_LOG)
    assert main(["inspect", str(file), "--json"]) == 0
    assert NO_CALLS in json.loads(capsys.readouterr().out)["notes"]
    for line, code in ((("inspect",), 0), (("replay", "--budget", "10k"), 0), (("compare", "--budget", "10k"), 2), (("compare", "--smallest"), 2)):
        assert main([line[0], str(file), *line[1:]]) == code
        told = capsys.readouterr()
        assert NO_CALLS in " ".join((told.out + told.err).split()), line


def test_a_heading_says_that_its_basis_is_the_weakest_of_differing_rows(capsys, monkeypatch) -> None:
    """A stand-in for a summary makes the sizes of one policy an estimate; the rest stay exact."""
    line = ("compare", str(SAMPLES / "coding-agent.jsonl"), "--budget", "3k", "--policy", "none", "--policy")
    assert "(estimate, the weakest of the rows)" in lines_of(capsys, monkeypatch, 120, *line, "compact")[0]
    assert lines_of(capsys, monkeypatch, 120, *line, "whole-units")[0].endswith("tokens (exact)")

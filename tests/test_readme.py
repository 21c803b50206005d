"""The README is part of the program: what it shows is run."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from ctxcore.cli import main
from ctxcore.readers import READERS
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BLOCKS = [(language, body) for language, body in re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)]
SHELL_LINES = [line for language, body in BLOCKS if language == "bash" for line in body.splitlines()]
SET_UP = [line for line in SHELL_LINES if line.startswith("python3 -m venv")]
EXAMPLES = [line for line in SHELL_LINES if line.startswith("ctxscope ")]


NEEDS_EXTRA = {"langgraph-sqlite"}
"""Readers that ask for an optional package; the refusal names the extra."""


def test_formats_that_need_an_extra_are_those_that_ask_for_it() -> None:
    asking = {r.name for r in READERS if "ctxscope[" in Path(sys.modules[type(r).__module__].__file__).read_text(encoding="utf-8")}
    assert asking == NEEDS_EXTRA
    assert all(f"ctxscope[{extra}]" in README for extra in ("langgraph",) if extra in PROJECT["project"]["optional-dependencies"])


def formats_table() -> str:
    """The rows that belong between the marks in the README."""
    rows = [f"| {r.name}{' *' if r.name in NEEDS_EXTRA else ''} | {r.family} | {r.level} | {_in_a_cell(r.detects)} |" for r in READERS]
    return "\n".join(["", "", "| format | family | at best | known by |", "|---|---|---|---|", *rows, "", ""])


def _in_a_cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")


def test_the_formats_table_lists_every_reader() -> None:
    table = re.search(r"<!-- formats -->(.*)<!-- /formats -->", README, re.DOTALL).group(1)
    assert table == formats_table(), "put the right-hand side between the marks in README.md"


def test_two_commands_set_up_everything() -> None:
    assert len(SET_UP) == 2
    show, check = ([part.strip() for part in line.split("&&")] for line in SET_UP)
    assert show[0] == check[0] == "python3 -m venv .venv"
    assert show[1:] == [".venv/bin/pip install -e .", ".venv/bin/ctxscope open"]
    assert check[1:] == ['.venv/bin/pip install -e ".[dev]"', ".venv/bin/python -m pytest"]
    assert PROJECT["project"]["scripts"]["ctxscope"] == "ctxcore.cli:main"
    assert "dev" in PROJECT["project"]["optional-dependencies"]


def test_every_shell_line_is_one_of_the_two_commands_or_an_example() -> None:
    assert sorted(SHELL_LINES) == sorted(SET_UP + EXAMPLES)
    commands = "inspect replay compare check plan state forget compact policies report request run open formats"
    assert {shlex.split(line)[1] for line in EXAMPLES} == {*commands.split()}


@pytest.mark.parametrize("line", EXAMPLES)
def test_a_command_line_example_works(line, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(ROOT)
    config = tmp_path / "policy.toml"
    config.write_text(next(body for language, body in BLOCKS if language == "toml"), encoding="utf-8")
    line = line.replace("policy.toml", str(config))
    monkeypatch.setattr("ctxcore.cli.dashboard.run_path", lambda _path: {"launch": lambda **_options: None})  # all of open but the server
    monkeypatch.setenv("CTXSCOPE_OPEN", "[]")  # so that it is as before when the test ends
    assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("number", [i for i, (language, _) in enumerate(BLOCKS) if language == "python"])
def test_a_library_example_prints_what_it_says(number, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(BLOCKS[number][1], "README.md", "exec"), {})  # noqa: S102 - our own example
    assert printed.getvalue() == BLOCKS[number + 1][1]


def test_every_file_that_is_linked_is_there() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).is_file(), target

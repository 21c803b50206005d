"""What goes wrong is one sentence; what may be meant is in it, and the rest comes with --verbose."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore import read_session, replay
from ctxcore.cli import main
from ctxcore.errors import did_you_mean
from ctxcore.policies import load_plugin, plugins
from ctxcore.readers import READERS
from ctxcore.sending import sent_messages
from tests.conftest import ROOT
from tests.data.requests import request_file

LONGEST = 300
"""Characters of a sentence on an error."""

BROKEN = """
from dataclasses import dataclass

import numpy as np

from ctxcore.policies import Parameter, Plan, PlannedPolicy
from ctxcore.policies.edits import window

TEXTS = dict(title="Broken", about="It fails.", source="Here.", rejects="All.")


@dataclass(frozen=True)
class Raises(PlannedPolicy):
    name = "raises"
    title, about, source, rejects = TEXTS.values()

    def plan(self, history, budget):
        secret = {"password": "hunter2"}
        return secret["hunter2 is not told"]


@dataclass(frozen=True)
class Nothing(Raises):
    name = "gives-nothing"

    def plan(self, history, budget):
        return None


@dataclass(frozen=True)
class Refuses(Raises):
    name = "refuses-its-setting"
    parameters = (Parameter(name="count", type="int", default=1, help="A number."),)
    count: int = 1

    def __post_init__(self):
        raise ValueError("hunter2")


class Answers:
    name = "answers-with-a-number"
    needs_summary, parameters = False, ()
    title, about, source, rejects = TEXTS.values()

    def fit(self, timeline, budgets):
        return 3


@dataclass(frozen=True)
class Late(Raises):
    name = "raises-late"

    def plan(self, history, budget):
        items = np.arange(1)
        stop = np.ones(len(history.length), np.int64)
        return Plan(layers=(window(history, "clip", "It clips.", items, stop=stop, freed=np.ones(1, np.int64), text=self.text),))

    def text(self, piece):
        raise LookupError("hunter2")


@dataclass(frozen=True)
class Ends(Raises):
    name = "ends-the-program"

    def plan(self, history, budget):
        raise SystemExit(0)


class Own(BaseException):
    def __str__(self):
        raise SystemExit(0)


@dataclass(frozen=True)
class RaisesItsOwn(Raises):
    name = "raises-its-own"

    def plan(self, history, budget):
        raise Own("hunter2")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plugins, "_from_files", {})
    request_file(tmp_path)
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    (tmp_path / "other.json").write_text('{"color": "red"}', encoding="utf-8")
    return tmp_path


def error_of(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert main(list(line)) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    return streams.err


LINE_OF = {
    words: next(number for number, text in enumerate(BROKEN.splitlines(), 1) if words in text)
    for words in ("is not told", "raise ValueError", "raise LookupError", "raise SystemExit(0)", "raise Own")
}


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("raises", f"it raised KeyError at its line {LINE_OF['is not told']}."),
        ("gives-nothing", "it raised AttributeError."),
        ("refuses-its-setting", f"it raised ValueError at its line {LINE_OF['raise ValueError']}."),
        ("answers-with-a-number", "fit returned int, and it must return Fits."),
        ("ends-the-program", f"it raised SystemExit at its line {LINE_OF['raise SystemExit(0)']}."),
        ("raises-its-own", f"it raised Own at its line {LINE_OF['raise Own']}."),
    ],
)
def test_a_plug_in_that_fails_is_named_with_its_policy_and_its_line(policy: str, says: str, folder: Path, capsys) -> None:
    line = ("replay", "request.json", "--budget", "500", "--plugin", "broken.py", "--policy", policy)
    told = error_of(capsys, *line)
    assert told.startswith(f"ctxscope: The plug-in {folder / 'broken.py'} failed in its policy {policy}: {says}")
    assert told.count("\n") == 1
    assert "hunter2" not in told, "no value that it worked on is told"
    if policy != "answers-with-a-number":
        assert "--verbose shows the traceback." in told
        assert "Traceback (most recent call last)" in error_of(capsys, *line, "--verbose")


def test_a_plug_in_that_fails_only_when_its_edits_are_looked_at_is_named_too(folder: Path) -> None:
    load_plugin(folder / "broken.py")
    thread = read_session(folder / "request.json").threads[0]
    with pytest.raises(LookupError) as caught:
        sent_messages(replay(thread, "raises-late", 5_000), 2)
    fault = plugins.plugin_fault(caught.value)
    assert (fault.policy, fault.kind, fault.line) == ("raises-late", "LookupError", LINE_OF["raise LookupError"])
    assert "hunter2" not in str(fault)


GATE = 'policy = "ends-the-program"\nbudget = 500\n[limits]\nmax_refused_calls = 0\n'


def test_a_gate_is_not_passed_by_a_plug_in_that_ends_the_program(folder: Path, capsys) -> None:
    (folder / "gate.toml").write_text(GATE)
    told = error_of(capsys, "check", "request.json", "--config", "gate.toml", "--plugin", "broken.py")
    assert "failed in its policy ends-the-program: it raised SystemExit" in told


def test_an_end_of_the_program_from_anywhere_is_no_success(folder: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(*_: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr("ctxcore.cli.reading.inspect_tables", ends)
    assert "ended the program" in error_of(capsys, "inspect", "request.json")


def test_a_fault_of_ours_is_not_blamed_on_a_plug_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("ctxcore.cli.reading.inspect_tables", fails)
    with pytest.raises(ZeroDivisionError):
        main(["inspect", "request.json"])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (("inspect", "requst.json"), "did you mean request.json?"),
        (("inspect", "./requst.jsonl"), "did you mean request.json?"),
        (("open", "requst.json"), "did you mean request.json?"),
        (("check", "request.json", "--config", "othr.json"), "did you mean other.json?"),
        (("compare", "request.json", "--budget", "5", "--plugin", "brokn.py"), "did you mean broken.py?"),
        (("inspect", "request.json", "--format", "openai_chat"), "Did you mean 'openai-chat'?"),
        (("replay", "request.json", "--budget", "5", "--policy", "langchain"), "Did you mean 'langchain-"),
        (("replay", "request.json", "--budget", "5", "--policy", "whole_units"), "Did you mean 'whole-units'?"),
        (("replay", "request.json", "--budget", "5", "--thread", "mian"), "Did you mean 'main'?"),
        (("replay", "request.json", "--budget", "5", "--policy", "autogen-buffered", "--set", "buffer=3"), "Did you mean 'buffer_size'?"),
        (
            ("inspect", "other.json"),
            "no known session format; seen: one JSON value with the keys 'color'; read are claude-code, codex-cli, gemini-cli, openai-chat",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_an_error_is_short_and_names_what_may_be_meant(line: tuple[str, ...], says: str, folder: Path, capsys) -> None:
    told = error_of(capsys, *line)
    assert says in told
    assert len(told) < LONGEST
    assert told.count("\n") == 1


def test_nothing_is_guessed_where_nothing_is_near(folder: Path, capsys) -> None:
    assert error_of(capsys, "inspect", "zzz.txt").endswith("(No such file or directory); check the path.\n")
    assert did_you_mean("x", ["whole-units"]) == did_you_mean("", ["a"]) == ""


@pytest.mark.parametrize("line", [("inspect", "other.json", "--verbose"), ("--verbose", "inspect", "other.json")], ids=" ".join)
def test_verbose_tells_what_was_looked_for(line: tuple[str, ...], folder: Path, capsys) -> None:
    told = error_of(capsys, *line)
    assert all(f"{reader.name} (" in told for reader in READERS)


def test_every_command_has_verbose_in_its_help(capsys) -> None:
    for command in ("inspect", "replay", "formats", "policies", "compare", "check", "run", "open"):
        assert main([command, "--help"]) == 0
        assert "--verbose" in capsys.readouterr().out


COMMANDS = {
    "replay": ("--budget", "500"),
    "compare": ("--budget", "500", "--policy", "whole-units"),
    "request": ("--call", "0", "--budget", "500"),
    "request of all": ("--call", "0"),
    "report": ("-o", "out.html"),
    "check": ("--config", "gate.toml"),
}


@pytest.mark.parametrize("name", ["keep", "unit", "budget", "policy", "thread", "session", "others", "own", "name", "self", "no_such_setting"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_setting_that_the_policy_has_not_is_refused_alike_by_every_command(command: str, name: str, folder: Path, capsys) -> None:
    """Also where our own functions have an argument of that name."""
    (folder / "gate.toml").write_text("budget = 500\n[limits]\nmax_refused_calls = 0\n")
    told = error_of(capsys, command.split(maxsplit=1)[0], "request.json", *COMMANDS[command], "--set", f"{name}=x")
    assert told.startswith(f"ctxscope: Policy whole-units has no parameter {name}; it has: notice.")


@pytest.mark.parametrize("setting", ["=1", " = 1", "whole-units.=1", "."])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_setting_without_a_name_is_told_how_one_is_written(command: str, setting: str, folder: Path, capsys) -> None:
    (folder / "gate.toml").write_text("budget = 500\n[limits]\nmax_refused_calls = 0\n")
    told = error_of(capsys, command.split(maxsplit=1)[0], "request.json", *COMMANDS[command], "--set", setting)
    assert "Write name=value, for example keep_results=5." in told


@pytest.mark.parametrize("name", ["out.pdf", "out", "out.html.txt", ".html"])
def test_a_report_is_written_under_no_name_of_another_kind(name: str, folder: Path, capsys) -> None:
    assert "A report is an HTML file or a .zip: name it " in error_of(capsys, "report", "request.json", "-o", name)
    assert not (folder / name).exists()


@pytest.mark.parametrize("name", ["out.HTM", "deep/out.zip"])
def test_a_report_is_written_under_each_name_of_its_kinds(name: str, folder: Path, capsys) -> None:
    assert main(["report", "request.json", "-o", name]) == 0
    assert (folder / name).stat().st_size


@pytest.mark.parametrize("form", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("role", "says"), [("5", "has no role that is a text"), ("null", "has no role that is a text"), ('"oracle"', "The role 'oracle' is not known")]
)
def test_a_role_that_an_api_does_not_have_is_told(role: str, says: str, form: str, folder: Path, capsys) -> None:
    messages = f'[{{"role": "user", "content": "a"}}, {{"role": {role}, "content": "b"}}, {{"role": "user", "content": "c"}}]'
    (folder / "roles.json").write_text(f'{{"model": "m", "messages": {messages}}}')
    assert main(["request", "roles.json", "--call", "0", "--as", form]) == 0
    assert says in capsys.readouterr().err


def test_a_name_that_no_file_can_have_is_the_inputs_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "x" * 300]) == 2
    assert capsys.readouterr().err.endswith("x: cannot be opened (File name too long); check the path.\n")


def test_a_link_to_itself_is_not_offered_as_what_was_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert main(["inspect", str(tmp_path / "loop")]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_a_setting_that_is_too_large_is_told_the_most(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--policy", "langchain-clear-tool-uses", "--set", "keep_results=99999999999999999999"]
    assert main(["replay", str(next((ROOT / "sample_sessions").glob("*.jsonl"))), "--budget", "9k", *asked]) == 2
    assert "it takes a whole number of at least 0 and at most 9," in capsys.readouterr().err

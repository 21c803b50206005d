"""Business rules of the user's own: whatever they raise is one sentence, and never the end of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore.cli import main
from ctxcore.errors import InputError, PluginError
from ctxcore.state import business_rules
from ctxcore.state.business_rules import broken_rules, load_rules
from tests.data.requests import request_file

RULES = """
def divides(state):
    return 1 / 0

def ends(state):
    raise SystemExit(0)

RULES = [divides, ends]
"""

DOMAIN = "name: own\nfields: {seats: {type: number, read: [{by: found, kind: count}]}}\nrules: [ends]\n"


@pytest.fixture(autouse=True)
def _no_rules_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(business_rules, "_LOADED", {})


@pytest.mark.parametrize("raised", ["RuntimeError('\x1b[31m')", "SystemExit(0)", "BaseException('no')", "CtxError()"])
def test_a_file_of_rules_that_cannot_be_run_is_told_in_one_clean_line(raised: str, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    request_file(tmp_path)
    (tmp_path / "rules.py").write_text(f"\nraise {raised}\n", encoding="utf-8")
    assert main(["state", "request.json", "--domain", "shop", "--rules", "rules.py"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"ctxscope: The file of rules {tmp_path / 'rules.py'} cannot be run: ")
    assert told.endswith(" at its line 2.\n")
    assert told.count("\n") == 1
    assert "\x1b" not in told


@pytest.mark.parametrize(("rule", "kind", "line"), [("divides", "ZeroDivisionError", 3), ("ends", "SystemExit", 6)])
def test_a_rule_that_raises_is_named_with_its_file_and_line(rule: str, kind: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text(RULES)
    load_rules(file)
    with pytest.raises(PluginError, match=f"failed in its rule {rule}: it raised {kind} at its line {line}") as caught:
        list(broken_rules([rule], {}))
    assert caught.value.plugin == str(file)


def test_a_rule_that_ends_the_program_fails_the_command(tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    request_file(tmp_path)
    (tmp_path / "rules.py").write_text(RULES)
    (tmp_path / "own.yaml").write_text(DOMAIN)
    assert main(["state", "request.json", "--domain", "own.yaml", "--rules", "rules.py"]) == 2
    assert "failed in its rule ends: it raised SystemExit" in capsys.readouterr().err


def test_a_list_of_what_has_no_name_is_no_list_of_rules(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("from functools import partial\nRULES = [partial(print)]\n")
    with pytest.raises(InputError, match="needs a list RULES of functions"):
        load_rules(tmp_path / "rules.py")

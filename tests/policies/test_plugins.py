"""Policies of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from ctxcore import replay
from ctxcore.cli import main
from ctxcore.errors import InputError
from ctxcore.installed import load_point
from ctxcore.policies import all_policies, load_plugin, make_policy, plugins
from ctxcore.views.policies import family
from tests.policies.samples import sample_thread

OWN = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies import History, Parameter, Plan, PlannedPolicy
from ctxcore.policies.edits import window


@dataclass(frozen=True)
class KeepLast(PlannedPolicy):
    """Keeps the last message."""

    count: int = 1
    name: ClassVar[str] = "{name}"
    title: ClassVar[str] = "The last messages"
    about: ClassVar[str] = "Keeps the last messages."
    source: ClassVar[str] = "A test."
    rejects: ClassVar[str] = "Nearly everything."
    parameters: ClassVar = (Parameter(name="count", type="int", default=1, help="Messages kept."),)

    def plan(self, history: History, budget: int) -> Plan:
        items = np.arange(len(history.size))
        return Plan(layers=(window(history, "drop", "old", items, stop=np.maximum(history.length - self.count, 0)),))
'''


def test_a_file_adds_a_policy_that_replays_like_any_other(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN.replace("{name}", "keep-last"))
    assert [kind.name for kind in load_plugin(file)] == ["keep-last"]
    assert "keep-last" in [kind.name for kind in all_policies()]
    thread = sample_thread("parallel")
    result = replay(thread, "keep-last", 10**6, count=2)
    assert (result.dropped_messages == [call.message_count - min(2, call.message_count) for call in thread.calls]).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = (", "cannot be run: SyntaxError"),
        ("raise RuntimeError('no')", "cannot be run: RuntimeError: no"),
        ("x = 1", "defines no policy"),
        (OWN.replace("{name}", "whole-units"), "there is one of that name"),
        ("class Half:\n    name = 'half'\n    def fit(self): ...\n", "lacks title, about"),
    ],
)
def test_a_file_that_is_no_plug_in_is_told(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(InputError, match=says):
        load_plugin(file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no Python file"):
        load_plugin(tmp_path / "nothing.py")


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"buffer_size": "many"}, "takes a whole number"),
        ({"buffer_size": True}, "takes a whole number"),
        ({"buffer_size": -1}, "takes a whole number"),
        ({"size": 1}, "has no parameter size; it has: buffer_size"),
    ],
)
def test_settings_are_checked(parameters: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        make_policy("autogen-buffered", **parameters)


def test_a_policy_that_only_drops_takes_a_counter_of_ones_own() -> None:
    """Words of a message: the counter knows no parts, and this rule asks for none."""

    class Words:
        unit = "words"

        def size(self, message: Mapping[str, Any]) -> int:
            return len(str(message.get("content")).split())

    thread = sample_thread("parallel")
    result = replay(thread, "autogen-buffered", 10**6, Words(), buffer_size=3)
    assert result.unit == "words"
    assert result.dropped_messages.any()
    with pytest.raises(InputError, match="edits inside messages"):
        replay(thread, "langchain-clear-tool-uses", 10, Words())


def test_a_file_that_ends_the_program_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("raise SystemExit(0)")
    with pytest.raises(InputError, match="cannot be run: SystemExit"):
        load_plugin(file)


@pytest.mark.parametrize("raised", ["SystemExit(0)", "BaseException('no')", "type('Odd', (Exception,), {'__str__': lambda self: 1})()"])
def test_a_package_whose_policy_cannot_be_loaded_is_named(raised: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_package.py").write_text(f"raise {raised}")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="The policy own of the package broken_package:Own cannot be loaded: it raised"):
        load_point(EntryPoint("own", "broken_package:Own", plugins.GROUP), "policy")


@pytest.mark.parametrize(("policy", "name"), [("roo-truncate", "fraction"), ("goose-compact", "ratio")])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e308])
def test_a_number_that_is_none_is_refused(policy: str, name: str, value: float) -> None:
    with pytest.raises(InputError, match=name):
        make_policy(policy, **{name: value})


SHORT = '''
from ctxcore.policies import History, Plan, PlannedPolicy


class {name}(PlannedPolicy):
    """Leaves all as it is. Nothing more."""

    def plan(self, history: History, budget: int) -> Plan:
        return Plan()


class {name}Said({name}):
    """The same."""

    title = "Said by itself"
'''


def test_one_function_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Name and words come from the class and its docstring; what it says itself holds; the list has it under the plug-in's own name."""
    file = tmp_path / "house_rules.py"
    file.write_text(SHORT.replace("{name}", "LeaveAsIs"))
    first, second = load_plugin(file)
    assert (first.name, first.title, first.about) == ("leave-as-is", "Leaves all as it is", "Leaves all as it is. Nothing more.")
    assert (second.name, second.title, second.about) == ("leave-as-is-said", "Said by itself", "The same.")
    assert (family(first), family(second)) == ("house_rules", "house_rules")
    thread = sample_thread("parallel")
    assert replay(thread, "leave-as-is", 10**9).after.tolist() == replay(thread, "none", 10**9).after.tolist()
    assert main(["policies", "leave-as-is", "--plugin", str(file)]) == 0
    assert "house_rules" in capsys.readouterr().out


def test_policies_that_ship_are_listed_as_such() -> None:
    assert family(type(make_policy("whole-units"))) == "ctxscope"

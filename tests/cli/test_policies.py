"""Policies, their settings and plug-ins on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import read_session, replay
from ctxcore.cli import main
from ctxcore.policies import POLICIES
from tests.policies.test_plugins import OWN

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "coding-agent.jsonl"


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main([*arguments, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_every_policy_is_listed_with_its_settings(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "policies")
    assert found["schema"] == "ctxscope.policies/1"
    listed = found["policies"]
    assert isinstance(listed, list)
    assert [one["name"] for one in listed][: len(POLICIES)] == [kind.name for kind in POLICIES]
    clear = next(one for one in listed if one["name"] == "langchain-clear-tool-uses")
    assert {p["name"]: p["default"] for p in clear["parameters"]}["keep_results"] == 3
    assert all({"name", "parameters", "needs_summary", "source"} <= set(one) for one in listed)


def test_settings_reach_the_policy(capsys: pytest.CaptureFixture[str]) -> None:
    expected = replay(read_session(SAMPLE).threads[0], "autogen-buffered", 10**6, buffer_size=7)
    found = answer(capsys, "replay", str(SAMPLE), "--budget", "1M", "--policy", "autogen-buffered", "--set", "buffer_size=7")
    calls = found["calls"]
    assert isinstance(calls, list)
    assert [call["dropped_messages"] for call in calls] == expected.dropped_messages.tolist()
    assert max(expected.dropped_messages) > 10


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("buffer_size", "has no value"),
        ("buffer_size=many", "buffer_size=many does not fit: it takes a whole number"),
        ("size=3", "has no parameter size; it has: buffer_size"),
    ],
)
def test_a_wrong_setting_is_told(capsys: pytest.CaptureFixture[str], setting: str, says: str) -> None:
    assert main(["replay", str(SAMPLE), "--budget", "1M", "--policy", "autogen-buffered", "--set", setting]) == 2
    assert says in capsys.readouterr().err


def test_a_plug_in_is_run_and_its_policy_taken(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN.replace("{name}", "last-on-the-line"))
    found = answer(capsys, "replay", str(SAMPLE), "--budget", "1M", "--policy", "last-on-the-line", "--set", "count=2", "--plugin", str(file))
    assert found["policy"] == "last-on-the-line"

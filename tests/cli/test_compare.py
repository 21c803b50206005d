"""``ctxscope compare`` and ``ctxscope check``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.cli import main
from ctxcore.measures.cost import cost
from ctxcore.measures.references import references
from ctxcore.views.gate import Gate, gate_text, read_gate
from tests.cli.test_uncounted import claude_code_log

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "coding-agent.jsonl"


def compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["compare", str(SAMPLE), *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_compare_tells_size_money_losses_and_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    found = compare(capsys, "--budget", "5k", "--policy", "whole-units", "--policy", "none")
    assert (found["schema"], found["budget"], found["unit"]) == ("ctxscope.compare/1", 5_000, "tokens")
    whole, none = found["policies"]
    thread = read_session(SAMPLE).threads[0]
    result = replay(thread, "none", 5_000, "tokens")
    money = cost(result)
    assert money is not None
    assert none["name"] == "none"
    assert none["tokens"] == int(result.after[~result.refused].sum())
    assert none["refused_calls"] == int(result.refused.sum()) > 0
    assert none["lost_references"] == none["rejected_calls"] == 0
    assert none["cost_usd"] == pytest.approx(money.total, abs=1e-6)
    assert whole["refused_calls"] == 0
    assert whole["parameters"] == {"notice": True}
    keys = {"name", "parameters", "tokens", "cost_usd", "lost_references", "rejected_calls", "refused_calls", "worst_call", "basis"}
    assert all(keys <= set(row) for row in found["policies"])


def test_prices_of_ones_own_are_used(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('["gpt-5-mini"]\ninput = 1000\noutput = 0\n')
    dear = compare(capsys, "--budget", "1M", "--policy", "none", "--prices", str(table))["policies"][0]
    assert dear["prices"].startswith(f"{table}, changed 20")
    assert dear["cost_usd"] == pytest.approx(dear["tokens"] * 1000 / 1e6, rel=1e-3)


@pytest.mark.parametrize(
    ("limits", "code", "says"),
    [
        ({"max_refused_calls": 0, "max_rejected_calls": 0}, 0, "Passed: 2 limits hold."),
        ({"max_lost_references": 0}, 1, "Failed: 1 of 1 limit exceeded."),
        ({"max_cost_usd": 0.0001}, 1, "dollars; the limit is 0.0001."),
    ],
)
def test_check_is_a_gate(capsys: pytest.CaptureFixture[str], tmp_path: Path, limits: dict[str, float], code: int, says: str) -> None:
    config = tmp_path / "policy.toml"
    config.write_text(gate_text(Gate(policy="whole-units", budget=3_000, limits=limits)))
    assert main(["check", str(SAMPLE), "--config", str(config)]) == code
    assert says in capsys.readouterr().out


def test_check_tells_what_failed_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "policy.toml"
    config.write_text(gate_text(Gate(policy="none", budget=3_000, limits={"max_refused_calls": 1})))
    assert main(["check", str(SAMPLE), "--config", str(config), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    refused = int(replay(read_session(SAMPLE).threads[0], "none", 3_000, "tokens").refused.sum())
    assert found["passed"] is False
    assert [(one["limit"], one["allowed"], one["found"]) for one in found["failures"]] == [("max_refused_calls", 1, refused)]


NO_CALLS = "\n".join(
    json.dumps({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload})
    for kind, payload in (
        (
            "session_meta",
            {"id": "0199-a", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/x", "originator": "codex_cli_rs", "cli_version": "0.50.0"},
        ),
        ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}),
    )
)
"""A session of Codex that ended before its first answer."""

PRICELESS = '{"model": "nobody-knows-it", "messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]}'


def gate_file(folder: Path, limits: str, budget: int = 3_000) -> str:
    config = folder / "policy.toml"
    config.write_text(f"policy = 'whole-units'\nbudget = {budget}\n[limits]\n{limits}\n")
    return str(config)


def recording(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def test_a_recording_without_calls_passes_no_gate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Nothing is lost where nothing is sent: that is no pass."""
    config = gate_file(tmp_path, "max_lost_references = 0")
    assert main(["check", recording(tmp_path, "none.jsonl", NO_CALLS), "--config", config]) == 2
    told = capsys.readouterr()
    assert told.err == "ctxscope: This recording holds no model call, so there is nothing to hold to limits.\n"
    assert "Passed" not in told.out


def test_a_gate_can_ask_for_calls(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    calls = len(read_session(SAMPLE).threads[0].calls)
    assert main(["check", str(SAMPLE), "--config", gate_file(tmp_path, f"min_calls = {calls}")]) == 0
    assert main(["check", str(SAMPLE), "--config", gate_file(tmp_path, f"min_calls = {calls + 1}")]) == 1
    assert f"{calls} calls; the least is {calls + 1}." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ("max_lost_reference = 0", "'max_lost_reference'; it takes max_lost_references"),
        ("max_lost_reference = 0", "Did you mean 'max_lost_references'?"),
        ("max_refused_calls = 0\nmax_costs_usd = 1", "Did you mean 'max_cost_usd'?"),
    ],
)
def test_a_slip_in_a_limit_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path, limits: str, says: str) -> None:
    assert main(["check", str(SAMPLE), "--config", gate_file(tmp_path, limits)]) == 2
    assert says in capsys.readouterr().err


def test_money_without_a_price_is_unknown_and_not_exceeded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, config = recording(tmp_path, "priceless.json", PRICELESS), gate_file(tmp_path, "max_refused_calls = 0\nmax_cost_usd = 5")
    assert main(["check", file, "--config", config]) == 1
    out = capsys.readouterr().out
    assert "Failed: 1 of 2 limits unknown. The price of this model is not known" in " ".join(out.split())
    assert "exceeded" not in out
    assert main(["check", file, "--config", config, "--json"]) == 1
    assert [(one["limit"], one["verdict"]) for one in json.loads(capsys.readouterr().out)["failures"]] == [("max_cost_usd", "unknown")]


def test_of_several_recordings_each_is_told_and_the_worst_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = gate_file(tmp_path, "max_cost_usd = 5\nmax_refused_calls = 0")
    good, unknown = str(SAMPLE), recording(tmp_path, "priceless.json", PRICELESS)
    bad, gone = recording(tmp_path, "none.jsonl", NO_CALLS), str(tmp_path / "gone.json")
    assert main(["check", good, good, "--config", config]) == 0
    assert capsys.readouterr().out.count("Passed: 2 limits hold.") == 2
    assert main(["check", good, unknown, "--config", config]) == 1
    assert main(["check", bad, gone, unknown, good, "--config", config]) == 2
    told = capsys.readouterr()
    assert all(name in told.err for name in (bad, gone))
    assert all(name in told.out for name in (good, unknown))
    assert main(["check", bad, good, "--config", config, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["passed"]) == ("ctxscope.checks/1", False)
    assert [one.get("passed") for one in found["files"]] == [None, True]
    assert found["files"][0]["file"] == bad


def test_a_gate_is_read_as_it_was_written(tmp_path: Path) -> None:
    gate = Gate(
        policy="langchain-clear-tool-uses",
        budget=60_000,
        unit="chars",
        parameters={"exclude_tools": ["a", 'b"\\\n'], "keep_results": 2, "clear_tool_inputs": True},
        limits={"max_cost_usd": 1.25},
    )
    file = tmp_path / "policy.toml"
    file.write_text(gate_text(gate), encoding="utf-8")
    assert read_gate(file) == gate


@pytest.mark.parametrize(
    "text",
    [
        "budget = '6O k'\n[limits]\nmax_refused_calls = 1",
        "budget = 5\n[limits]\nmax_refused_calls = 1.5",
        "budget = 5\n[limits]\nmax_refused_calls = 'few'",
        "budget = 5\n[limits]\nmax_refused_calls = true",
        "",
        "budget = 0\n[limits]\nmax_refused_calls = 1",
        "budget = 5",
        "budget = 5\n[limits]\nother = 1",
        "nothing = 1",
        "[",
        "budget = 5\n[limits]",
    ],
)
def test_a_wrong_configuration_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    config = tmp_path / "policy.toml"
    config.write_text(text)
    assert main(["check", str(SAMPLE), "--config", str(config)]) == 2
    assert "configuration" in capsys.readouterr().err


@pytest.mark.parametrize("written", ['"60k"', "60_000", '"60,000"', "60000"])
def test_numbers_of_a_configuration_are_written_as_people_write_them(tmp_path: Path, written: str) -> None:
    config = tmp_path / "policy.toml"
    config.write_text(f'budget = {written}\n[limits]\nmax_lost_references = "2k"\nmax_cost_usd = 2\n')
    gate = read_gate(config)
    assert (gate.budget, gate.limits) == (60_000, {"max_lost_references": 2_000, "max_cost_usd": 2.0})
    assert isinstance(gate.limits["max_lost_references"], int)


def test_counts_are_whole_numbers_wherever_they_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A limit of a million and more is written in full, and read again as it was."""
    gate = Gate(policy="none", budget=3_000, limits={"max_lost_references": 1_234_567, "max_refused_calls": 1})
    config = tmp_path / "policy.toml"
    config.write_text(gate_text(gate))
    assert "max_lost_references = 1234567\n" in config.read_text()
    assert read_gate(config) == gate
    assert main(["check", str(SAMPLE), "--config", str(config), "--json"]) == 1
    out = capsys.readouterr().out
    found = json.loads(out)
    counts = [found["measured"][name] for name in ("max_lost_references", "max_refused_calls", "max_rejected_calls")]
    assert all(isinstance(value, int) for value in [*counts, found["failures"][0]["allowed"], found["failures"][0]["found"]])
    assert main(["check", str(SAMPLE), "--config", str(config)]) == 1
    assert "1,234,567" in capsys.readouterr().out


def test_the_help_of_check_shows_a_configuration_that_works(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["check", "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    first, last = (
        lines.index('policy = "whole-units"      # ctxscope policies lists them'),
        next(n for n, line in enumerate(lines) if line.startswith("min_calls")),
    )
    assert "\\b" not in lines
    config = tmp_path / "policy.toml"
    config.write_text("\n".join(lines[first : last + 1]))
    gate = read_gate(config)
    assert (gate.policy, gate.budget, gate.unit, gate.parameters) == ("whole-units", 60_000, "tokens", {"notice": True})
    assert set(gate.limits) == {"max_lost_references", "max_refused_calls", "max_rejected_calls", "max_cost_usd", "min_calls"}


def test_settings_reach_each_compared_policy(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("--policy", "autogen-buffered", "--policy", "langchain-clear-tool-uses", "--set")
    found = compare(capsys, "--budget", "1M", *wanted, "autogen-buffered.buffer_size=7", "--set", "langchain-clear-tool-uses.keep_results=1")
    buffered, clear = found["policies"]
    assert (buffered["parameters"]["buffer_size"], clear["parameters"]["keep_results"]) == (7, 1)
    expected = replay(read_session(SAMPLE).threads[0], "autogen-buffered", 10**6, "tokens", buffer_size=7)
    assert buffered["tokens"] == int(expected.after.sum())
    alone = compare(capsys, "--budget", "1M", "--policy", "autogen-buffered", "--set", "buffer_size=7")["policies"][0]
    assert alone == buffered


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--policy", "none", "--policy", "autogen-buffered", "--set", "buffer_size=7"), "Write policy.name=value"),
        (("--policy", "autogen-buffered", "--set", "autogen-bufered.buffer_size=7"), "Did you mean 'autogen-buffered'?"),
        (("--policy", "autogen-buffered", "--set", "autogen-buffered.size=7"), "has no parameter size"),
        (("--unit", "bytes"), "No unit 'bytes'"),
    ],
)
def test_a_wrong_setting_of_a_comparison_is_told(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str) -> None:
    assert main(["compare", str(SAMPLE), "--budget", "5k", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_a_setting_on_the_line_goes_before_the_one_of_the_configuration(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "policy.toml"
    config.write_text('policy = "autogen-buffered"\nbudget = "1M"\n[parameters]\nbuffer_size = 50\n[limits]\nmax_refused_calls = 0\n')
    assert main(["check", str(SAMPLE), "--config", str(config), "--set", "buffer_size=4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == {"buffer_size": 4}


def test_a_comparison_says_what_it_counts(capsys: pytest.CaptureFixture[str]) -> None:
    for unit, words in (("tokens", "budget 5,000 tokens (exact)"), ("chars", "budget 5,000 chars (exact)")):
        assert main(["compare", str(SAMPLE), "--budget", "5k", "--policy", "none", "--unit", unit]) == 0
        assert words in capsys.readouterr().out


def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str, width: int = 80) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["compare", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_money_stands_in_a_narrow_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever compares wants to know what it costs; the worst call can wait."""
    lines = shown(capsys, monkeypatch, str(SAMPLE), "--budget", "5k")
    assert lines[1].split() == ["policy", "sent", "dollars", "lost", "rejected", "refused"]
    assert any(line.startswith("No room for: worst call, basis.") for line in lines)
    assert not any("…" in line for line in lines)


def test_policies_that_send_every_call_come_first(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One that refuses half of the calls sends little, costs little and loses nothing: it is not the best for that."""
    lines = shown(capsys, monkeypatch, str(SAMPLE), "--budget", "3k")
    found = [line.split() for line in lines[3:] if len(line.split()) == 6 and line.split()[-1].isdecimal()]
    stopped = [int(row[4]) + int(row[5]) for row in found]
    lost = [int(row[3]) for row, unsent in zip(found, stopped, strict=True) if not unsent]
    assert len(found) > 40
    assert lost == sorted(lost)
    assert len(lost) > 3
    assert not any(stopped[: len(lost)])
    assert all(stopped[len(lost) :])


def test_what_was_recorded_and_nothing_trimmed_stand_above(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The provider counted 101, 203 and 1005 input tokens; a message of the log says one token, so its requests hold 1, 3 and 5."""
    log = recording(tmp_path, "log.jsonl", claude_code_log([101, 203, 1005]))
    lines = shown(capsys, monkeypatch, log, "--budget", "1M", "--policy", "none")
    assert lines[2].startswith("as recorded (provider's count)")
    assert "1,309" in lines[2].split()
    assert lines[3].startswith("nothing trimmed (")
    assert lines[3].split()[3:5] == lines[4].split()[1:3]
    assert main(["compare", log, "--budget", "1M", "--policy", "none", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["baseline"]["as_recorded"]["input_tokens"] == 1309
    assert found["baseline"]["nothing_trimmed"]["size"] == found["policies"][0]["tokens"]


def test_what_policies_assume_is_told_when_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = (str(SAMPLE), "--budget", "5k", "--policy", "openhands-recent-events", "--policy", "none")
    short, long = (" ".join(shown(capsys, monkeypatch, *asked, *more)) for more in ((), ("--notes",)))
    assert "2 notes on what policies assume: --notes lists them." in short
    assert "A message counts as one event" not in short
    assert "openhands-recent-events: A message counts as one event" in long


def test_the_smallest_budget_that_loses_nothing_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(SAMPLE), "--smallest", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "ctxscope.smallest/1"
    (one,) = found["policies"]
    budget = one["smallest"]["budget"]
    thread = read_session(SAMPLE).threads[0]
    after = replay(thread, "whole-units", budget, "tokens")
    assert (one["name"], int(after.refused.sum()), references(after).total) == ("whole-units", 0, 0)
    below = replay(thread, "whole-units", budget - 1, "tokens")
    assert below.refused.any() or references(below).total
    assert (one["smallest"]["rejected"], one["fails_above"]) == (0, [])
    assert not replay(thread, "whole-units", one["no_refusal_from"], "tokens").refused.any()
    assert replay(thread, "whole-units", one["no_refusal_from"] - 1, "tokens").refused.any()
    assert main(["compare", str(SAMPLE), "--smallest", "--budget", "5k", "--policy", "whole-units"]) == 0
    out = capsys.readouterr().out
    assert "Smallest budgets on thread-1, in tokens" in out
    assert f"{budget:,}" in out


def test_a_comparison_needs_a_budget_or_looks_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(SAMPLE)]) == 2
    assert "--budget N" in capsys.readouterr().err

"""``ctxscope compare`` and ``ctxscope check``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.cli import main
from ctxcore.measures.cost import cost
from ctxcore.views.gate import Gate, gate_text, read_gate

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
    assert dear["prices"] == str(table)
    assert dear["cost_usd"] == pytest.approx(dear["tokens"] * 1000 / 1e6, rel=1e-3)


@pytest.mark.parametrize(
    ("limits", "code", "says"),
    [
        ({"max_refused_calls": 0, "max_rejected_calls": 0}, 0, "passed"),
        ({"max_lost_references": 0}, 1, "lost references"),
        ({"max_cost_usd": 0.0001}, 1, "dollars"),
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
    ["", "budget = 0\n[limits]\nmax_refused_calls = 1", "budget = 5", "budget = 5\n[limits]\nother = 1", "nothing = 1", "[", "budget = 5\n[limits]"],
)
def test_a_wrong_configuration_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    config = tmp_path / "policy.toml"
    config.write_text(text)
    assert main(["check", str(SAMPLE), "--config", str(config)]) == 2
    assert "configuration" in capsys.readouterr().err

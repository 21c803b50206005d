"""Case BUDGET-06 on the command line: any number of digits is a budget, and the one that was asked for is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore.cli import main

CASE = str(Path(__file__).parents[1] / "data" / "cases" / "BUDGET-06.json")


@pytest.mark.parametrize("asked", [10**30, 10**19, 2**63, 10**39, 1234567890123456789012345678901234567])
def test_a_budget_beyond_every_request_keeps_everything(capsys: pytest.CaptureFixture[str], asked: int) -> None:
    assert main(["replay", CASE, "--budget", str(asked), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["budget"] == asked
    assert told["totals"]["before"] == told["totals"]["after"]
    assert main(["replay", CASE, "--budget", str(asked)]) == 0
    assert f"{asked:,}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("typed", ["abc", "NaN", "5.5"])
def test_what_is_no_whole_number_is_said_to_be_none(capsys: pytest.CaptureFixture[str], typed: str) -> None:
    assert main(["replay", CASE, "--budget", typed]) == 2
    assert "not a whole number" in " ".join(capsys.readouterr().err.replace("│", " ").split())

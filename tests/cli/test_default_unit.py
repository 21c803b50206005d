"""What a budget counts if nobody says: characters wherever the pages and ``replay`` count them; tokens where money is weighed, and help says so."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.cli import main
from ctxcore.views.budget import default_budget
from ctxcore.views.link import Link
from tests.conftest import ROOT

SAMPLE = ROOT / "sample_sessions" / "coding-agent.jsonl"


def test_a_report_begins_with_the_budget_and_the_unit_of_the_pages(tmp_path: Path) -> None:
    packed = tmp_path / "report.zip"
    assert main(["report", str(SAMPLE), "-o", str(packed), "--without-text"]) == 0
    with zipfile.ZipFile(packed) as files:
        rows = {row["what"]: row["value"] for row in csv.DictReader(files.read("tables/session.csv").decode("utf-8-sig").splitlines())}
        page = files.read("report.html").decode()
    unit = Link().unit
    budget = default_budget(read_session(str(SAMPLE)).threads[0], unit)
    assert (unit, budget) == ("chars", 16_000)
    assert rows["Budget"].startswith("16,000 characters, the default")
    assert "At the limit looked at here, 16,000 characters (the default" in page


def test_replay_and_request_count_alike(capsys: pytest.CaptureFixture[str]) -> None:
    """Both say the unit; the sizes of the same call are the same."""
    assert main(["replay", str(SAMPLE), "--budget", "16k", "--json"]) == 0
    replayed = json.loads(capsys.readouterr().out)
    assert main(["request", str(SAMPLE), "--call", "20", "--budget", "16k", "--json"]) == 0
    asked = json.loads(capsys.readouterr().out)
    assert (
        (asked["unit"], asked["budget"], asked["policy"])
        == (replayed["unit"], replayed["budget"], replayed["policy"])
        == ("chars", 16_000, "whole-units")
    )
    call = replayed["calls"][20]
    assert main(["request", str(SAMPLE), "--call", "20", "--budget", "16k"]) == 0
    assert f"budget 16,000 chars: {call['before']:,} chars as recorded, {call['after']:,} chars as sent." in capsys.readouterr().err


def test_help_says_that_comparing_counts_in_another_unit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    assert main(["compare", "--help"]) == 0
    assert "Tokens here, since money is compared" in capsys.readouterr().out
    assert main(["compare", str(SAMPLE), "--budget", "5k", "--policy", "none"]) == 0
    assert "budget 5,000 tokens" in capsys.readouterr().out

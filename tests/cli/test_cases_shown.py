"""What the command line shows of the small cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore.cli import main

CASES = Path(__file__).parents[1] / "data" / "cases"


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """All that a command prints, white space as single spaces."""
    assert main([*arguments]) == code
    streams = capsys.readouterr()
    return " ".join((streams.out + streams.err).split())


@pytest.mark.parametrize("width", ["80", "120", "150", "200", "300"])
def test_no_width_cuts_an_identity_number_in_two(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    """Case VIEW-09."""
    monkeypatch.setenv("COLUMNS", width)
    shown = told(capsys, "inspect", str(CASES / "VIEW-09.json"))
    assert "99000" not in shown
    assert "1990000" not in shown
    assert "someone" not in shown


def test_messages_that_two_threads_share_count_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Case THREAD-04: 4 messages, and 2 of the abandoned branch."""
    shown = told(capsys, "inspect", str(CASES / "THREAD-04.jsonl"))
    assert "size 6 messages, 3 calls" in shown
    assert "2 messages stand in a thread before as well (shared), counted once above." in shown
    assert "1 call was taken back" in shown
    told_json = json.loads(told(capsys, "inspect", str(CASES / "THREAD-04.jsonl"), "--json"))
    assert (told_json["totals"]["messages"], told_json["totals"]["shared_messages"]) == (6, 2)


def test_the_share_of_the_cache_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Case COUNT-06: 9,000 of 9,407."""
    assert "9,407 input, 9,000 of it from cache (95.7 %); 60 output" in told(capsys, "inspect", str(CASES / "COUNT-06.json"))


def test_a_time_without_a_zone_says_so_in_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    """Case TIME-01: the second message names no zone, the fourth is in UTC."""
    shown = told(capsys, "inspect", str(CASES / "TIME-01.json"))
    assert "2025-03-10 09:00:00 (no zone)" in shown
    assert shown.count("(no zone)") == 1


def test_a_call_without_a_name_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Case ROLE-06."""
    assert "messages[4]: (no name)" in told(capsys, "inspect", str(CASES / "ROLE-06.json"))


def test_a_request_that_does_not_fit_is_not_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Case BUDGET-08: no lone system message as a request."""
    out = tmp_path / "request.json"
    shown = told(capsys, "request", str(CASES / "BUDGET-08.json"), "--call", "0", "--budget", "5", "--output", str(out), code=2)
    assert not out.exists()
    assert "is refused, nothing would be sent" in shown

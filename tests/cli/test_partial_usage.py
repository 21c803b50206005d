"""Sums of recorded tokens over a log in which some calls have none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore.cli import main


def log(folder: Path) -> str:
    """Three calls: all counted; no output count; nothing counted. The same text each time, gpt-5: 1.25 in, 10 out."""
    counts = [{"prompt_tokens": 1_000, "completion_tokens": 200, "total_tokens": 1_200}, {"prompt_tokens": 3_000}, None]
    lines, messages = [], []
    for call, usage in enumerate(counts):
        messages = [*messages, {"role": "user", "content": f"question {call}"}]
        reply = {"role": "assistant", "content": f"answer {call}"}
        response = {"id": f"r{call}", "object": "chat.completion", "model": "gpt-5", "choices": [{"index": 0, "message": reply}]}
        lines.append(json.dumps({"request": {"model": "gpt-5", "messages": messages}, "response": response | ({"usage": usage} if usage else {})}))
        messages = [*messages, reply]
    file = folder / "log.jsonl"
    file.write_text("\n".join(lines))
    return str(file)


def test_what_is_counted_is_priced_and_what_is_not_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["compare", log(tmp_path), "--budget", "1M", "--policy", "none", "--json"]) == 0
    recorded = json.loads(capsys.readouterr().out)["baseline"]["as_recorded"]
    assert (recorded["input_tokens"], recorded["calls_with_recorded_input"], recorded["calls_with_recorded_output"]) == (4_000, 2, 1)
    assert recorded["cost_usd"] == pytest.approx((4_000 * 1.25 + 200 * 10) / 1e6)
    assert main(["compare", log(tmp_path), "--budget", "1M", "--policy", "none"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "as recorded (2 of 3 calls) 4,000" in told
    assert "does not have the input of 1 call of 3, which are left out altogether, nor the output of 1 call" in told
    assert "Prices: gpt-5 by genai-prices" in told


def test_totals_say_of_how_many_calls_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["inspect", log(tmp_path), "--json"]) == 0
    totals = json.loads(capsys.readouterr().out)["totals"]
    assert (totals["recorded_input_tokens"], totals["calls_with_recorded_input"]) == (4_000, 2)
    assert (totals["recorded_output_tokens"], totals["calls_with_recorded_output"]) == (200, 1)
    assert main(["inspect", log(tmp_path)]) == 0
    assert "4,000 input (2 of 3 calls); 200 output (1 of 3 calls)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("unit", ["chars", "tokens"])
def test_what_is_named_tokens_is_tokens(capsys: pytest.CaptureFixture[str], tmp_path: Path, unit: str) -> None:
    """Characters are in ``size`` only; nothing is trimmed here, so both units send the same."""
    assert main(["compare", log(tmp_path), "--budget", "1M", "--unit", unit, "--policy", "none", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert main(["inspect", log(tmp_path), "--json"]) == 0
    totals = json.loads(capsys.readouterr().out)["totals"]
    for row in (found["policies"][0], found["baseline"]["nothing_trimmed"]):
        assert row["tokens"] == totals["tokens"]
        assert row["size"] == totals[unit]

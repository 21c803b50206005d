"""A budget holds for what is recorded; how much of the provider's count that leaves out is said beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.cli import main
from ctxcore.measures.uncounted import uncounted
from ctxcore.views.uncounted import request_parts, uncounted_sentence
from tests.chat import thread_of

CODING = Path(__file__).parents[2] / "sample_sessions" / "coding-agent.jsonl"


def claude_code_log(recorded: list[int]) -> str:
    """A Claude Code log of one call per recorded input; such a log holds neither the system prompt nor the tools."""
    written, parent = [], None
    for n, tokens in enumerate(recorded):
        base = {"sessionId": "s", "isSidechain": False, "version": "2.0.0", "cwd": "/", "timestamp": f"2025-01-01T00:00:{n:02}Z"}
        user = {"type": "user", "uuid": f"u{n}", "parentUuid": parent, "message": {"role": "user", "content": "test"}, **base}
        reply = {
            "type": "assistant",
            "uuid": f"a{n}",
            "parentUuid": f"u{n}",
            "requestId": f"r{n}",
            "message": {
                "id": f"msg_{n}",
                "type": "message",
                "role": "assistant",
                "model": "gpt-5",
                "content": [{"type": "text", "text": "test"}],
                "usage": {"input_tokens": tokens, "output_tokens": 1},
            },
            **base,
        }
        written += [json.dumps(user), json.dumps(reply)]
        parent = f"a{n}"
    return "\n".join(written) + "\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Each message says one token, so the calls hold 1, 3 and 5; the provider counted 101, 203 and 1005: 100, 200 and 1000 more."""
    file = tmp_path / "log.jsonl"
    file.write_text(claude_code_log([101, 203, 1005]), encoding="utf-8")
    return file


def config(folder: Path) -> str:
    file = folder / "policy.toml"
    file.write_text('budget = "60k"\n[limits]\nmax_refused_calls = 0\n', encoding="utf-8")
    return str(file)


def arguments(command: str, folder: Path) -> tuple[str, ...]:
    return ("--config", config(folder)) if command == "check" else ("--budget", "60k", *(("--policy", "none") if command == "compare" else ()))


@pytest.mark.parametrize("command", ["replay", "compare", "check"])
def test_the_median_of_what_is_left_out_stands_beside_the_budget(command: str, log: Path, tmp_path: Path, capsys) -> None:
    assert main([command, str(log), *arguments(command, tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["uncounted"]
    assert (found["median_tokens"], found["calls_with_recorded_input"]) == (200, 3)
    assert {"system prompt", "tool definitions"} <= set(found["not_recorded"])
    assert main([command, str(log), *arguments(command, tmp_path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "The counted part leaves out 200 recorded input tokens a call (median). Not recorded: system prompt, tool definitions" in out
    assert "The budget holds for the counted part only." in out


def test_where_the_log_holds_all_of_a_request_nothing_is_said(capsys) -> None:
    assert main(["replay", str(CODING), "--budget", "60k"]) == 0
    assert "leaves out" not in capsys.readouterr().out
    assert uncounted_sentence(read_session(CODING).threads, ()) == ""


def test_without_a_recorded_count_it_says_that_it_does_not_know() -> None:
    thread = thread_of("Hello.")
    assert uncounted([thread]) is None
    told = uncounted_sentence([thread], ["system prompt", "times"])
    assert told.startswith("How many input tokens the counted part leaves out is not recorded. Not recorded: system prompt.")


def test_what_tells_of_a_request_is_no_part_of_it() -> None:
    lacking = ("system prompt", "usage of each call", "times", "model", "CLAUDE.md and reminders", "calls that wrote summaries")
    assert request_parts(lacking) == ("system prompt", "CLAUDE.md and reminders")


def test_real_logs_say_what_their_budgets_leave_out(shared: Path) -> None:
    """Claude Code's first request is almost all system prompt and tools: over ten thousand tokens that no line of the log holds."""
    found = uncounted(read_session(shared / "corpus" / "claude-code" / "kimuson_fe5e1c67_infile_sidechains.jsonl").threads)
    assert found is not None
    assert 10_000 < found.tokens < 20_000
    assert found.basis == "estimate"

"""The made-up Claude Code session of the benchmarks holds what its writer counted: calls, tokens, sub-agents, compactions."""

from __future__ import annotations

import json

import pytest

from ctxcore import read_session
from tests.benchmarks import claude


def test_the_made_session_is_read_as_it_was_written(monkeypatch: pytest.MonkeyPatch):
    """400 calls: every 100th of the main thread starts a sub-agent of 25, before every 150th stands a compaction. 3 agents, 2 compactions."""
    monkeypatch.setattr(claude, "COMPACT_EVERY", 150)
    lines = list(claude.lines(400, 2_000))
    session = read_session("".join(json.dumps(line) + "\n" for line in lines).encode(), "made.jsonl")
    usages = {line["message"]["id"]: line["message"]["usage"] for line in lines if line["type"] == "assistant"}
    calls = [call for thread in session.threads for call in thread.calls]
    assert len(calls) == len(usages) == 400
    assert [(len(t.calls), t.parent_call) for t in session.threads] == [(400 - 3 * 25, None), (25, 99), (25, 199), (25, 299)]
    events = [(event.kind, event.call, event.before_tokens) for event in session.threads[0].events]
    assert events == [("compaction", 150, 155_000), ("compaction", 300, 155_000)]
    counted = sum(usage["input_tokens"] + usage["cache_creation_input_tokens"] + usage["cache_read_input_tokens"] for usage in usages.values())
    assert sum(call.usage.input_tokens for call in calls) == counted
    assert (session.problems, session.ledger.skipped, session.ledger.read) == ((), (), len(lines))

"""What a compacted call received beyond the log is told against the first call, whose rest is system text and tools alone."""

from __future__ import annotations

from pathlib import Path

from ctxcore.model import Thread
from ctxcore.readers.detect import read_sessions
from ctxcore.replay import replay
from ctxcore.views.calls import call_facts

MORE = "of it more than at first"


def facts(thread: Thread, call: int) -> dict[str, str]:
    return {one.name: one.value for one in call_facts(replay(thread, "whole-units", 10**6, unit="tokens"), call)}


def test_a_compacted_call_received_more_than_its_summary(shared: Path) -> None:
    """Recorded are 42,454 tokens at call #0, whose text is a prompt of 56 tokens, and 60,458 at call #127, with a summary of 2,810."""
    (thread, *_) = read_sessions(shared / "corpus" / "claude-code" / "entire_cd-95ad_3compact_6interrupts.jsonl")[0].threads
    assert (60_458 - 2_810) - (42_454 - 56) == 15_250
    assert facts(thread, 127)[MORE] == (
        "about 15,250 tokens more than the 42,398 at call #0: sent since the compaction before call #127, and not in the log"
    )
    assert MORE not in facts(thread, 18), "nothing was recorded to be compacted yet"
    assert "upper bound" in facts(thread, 18)["Marks"]


def test_a_session_without_a_compaction_has_no_such_fact(shared: Path) -> None:
    (thread, *_) = read_sessions(shared / "corpus" / "codex-cli" / "jerome_20260219_partial_export.jsonl")[0].threads
    assert not [call.index for call in thread.calls if MORE in facts(thread, call.index)]

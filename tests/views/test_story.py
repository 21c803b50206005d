"""The guided story tells what the core measures of its recording, step by step."""

from __future__ import annotations

import json
from pathlib import Path

from ctxcore.measures.references import references
from ctxcore.readers.detect import read_session
from ctxcore.replay import replay
from ctxcore.views.story import story

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = read_session(ROOT / "sample_sessions" / "coding-agent.jsonl").threads[0]


def test_the_call_of_the_story_misses_most_at_the_first_budget_and_nothing_is_missed_at_the_last() -> None:
    trim, loss, way_out = story(SAMPLE)
    assert trim.budget == loss.budget < way_out.budget
    assert trim.call == loss.call == way_out.call
    found = references(replay(SAMPLE, "whole-units", trim.budget))
    assert found.per_call[trim.call] == found.per_call.max() > 0
    kept = replay(SAMPLE, "whole-units", way_out.budget)
    assert references(kept).total == 0
    assert not kept.refused.any()


def test_every_number_told_is_the_replays() -> None:
    trim, loss, way_out = story(SAMPLE)
    one = replay(SAMPLE, "whole-units", trim.budget)
    found = references(one)
    sizes = f"call #{trim.call} goes out with {one.after[trim.call]:,} of its {one.before[trim.call]:,} chars"
    assert sizes in trim.says
    assert f"{one.dropped_messages[trim.call]:,} of {SAMPLE.calls[trim.call].message_count:,} messages" in trim.says
    lost = found.listed(trim.call)
    assert f"uses {len(lost)} values" in loss.says
    assert any(f"“{ref.atom.value}”, which stood in message {ref.message}" in loss.says for ref in lost)
    assert f"{found.total} uses in {len({ref.call for ref in found.listed()})} calls" in loss.says
    assert f"{way_out.budget:,} chars" in way_out.says
    assert all(step.says.count(". ") == 1 and step.says.endswith(".") for step in (trim, loss, way_out)), "two sentences"


def test_a_recording_that_a_trim_does_not_harm_has_no_story() -> None:
    talk = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    assert story(read_session(json.dumps(talk).encode(), "a.json").threads[0]) == ()

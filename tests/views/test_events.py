"""What a log says happened to the context is told in words, in the table and as JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxcore.model import Event, Thread
from ctxcore.readers.detect import read_sessions
from ctxcore.views.event_table import events_frame
from ctxcore.views.events import change, event_facts, event_marks, event_rows, events_json, grew, sentence

CASES = Path(__file__).parent.parent / "data" / "cases"


def thread_of(name: str) -> Thread:
    return read_sessions(next(CASES.glob(f"{name}.json*")))[0].threads[0]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"trigger": "auto", "before_tokens": 158_000, "after_tokens": 23_000}, "auto, 158,000 → 23,000 tokens, −85.4 % (recorded)"),
        ({"trigger": "auto", "before_tokens": 1200, "after_tokens": 1450}, "auto, 1,200 → 1,450 tokens, +20.8 %, grew (recorded)"),
        ({"before_tokens": 9000, "after_tokens": 300, "inferred": True}, "9,000 → 300 tokens, −96.7 % (inferred)"),
        ({"before_tokens": 9000}, "9,000 → unknown tokens (recorded)"),
        ({}, "sizes not recorded (recorded)"),
    ],
)
def test_an_event_in_a_sentence(event: dict[str, Any], said: str) -> None:
    """Percentages by hand: (23,000 − 158,000) / 158,000, (1,450 − 1,200) / 1,200, (300 − 9,000) / 9,000."""
    assert sentence(Event(kind="compaction", call=1, **event)) == said


def test_a_compaction_without_a_size_after_it_names_what_the_next_call_received(shared: Path) -> None:
    """Recorded in the file: 155,241 tokens before the compaction of call #127, and 60,458 of input at that call."""
    (thread, *_) = read_sessions(shared / "corpus" / "claude-code" / "entire_cd-95ad_3compact_6interrupts.jsonl")[0].threads
    row = next(row for row in event_rows(thread) if row[0] == 127)
    assert row[3:5] == (155_241, None)
    assert "The next call received 60,458 tokens (recorded)." in row[-1]


def test_codex_sizes_name_their_basis(shared: Path) -> None:
    (thread, *_) = read_sessions(shared / "corpus" / "codex-cli" / "agentv_79-6ead_3compactions_4.1MB.jsonl")[0].threads
    assert all("Codex's own totals" in event.note for event in thread.events if event.kind == "compaction")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("COMP-01", [(1, "Compaction", "auto", 1200, 1450, "+20.8 % grew")]),
        (
            "COMP-02",
            [
                (1, "Compaction", "auto", 9800, 9700, "−1.0 %"),
                (2, "Compaction", "auto", 9750, 9690, "−0.6 %"),
                (3, "Compaction", "auto", 9740, 9700, "−0.4 %"),
            ],
        ),
        ("COMP-10", [(1, "Compaction", "manual", 5000, 400, "−92.0 %")]),
    ],
)
def test_recorded_sizes_are_told_as_the_cases_say(name: str, expected: list[tuple[object, ...]]) -> None:
    frame = events_frame(thread_of(name))
    assert list(frame[["call", "what", "trigger", "before", "after", "change"]].itertuples(index=False, name=None)) == expected


def test_one_compaction_is_one_mark_with_its_summary() -> None:
    """COMP-08: one compaction among several lines and words that speak of it."""
    thread = thread_of("COMP-08")
    ((call, what, text),) = event_marks(thread)
    assert (call, what) == (0, "Compaction before this call")
    assert "Summary: " in text


def test_a_rollback_is_told_at_its_call() -> None:
    thread = thread_of("THREAD-04")
    assert [fact.name for fact in event_facts(thread, 1)] == ["Rollback before this call"]
    assert event_facts(thread, 0) == ()


def test_an_event_behind_the_last_call_is_told_there() -> None:
    thread = thread_of("COMP-01")
    late = replace(thread, events=(Event(kind="compaction", call=2),))
    assert [fact.name for fact in event_facts(late, 1)] == ["Compaction after this call"]
    assert events_frame(late)["what"].tolist() == ["Compaction (after this call)"]


def test_a_size_that_is_not_recorded_is_no_growth_and_no_percentage() -> None:
    for event in (Event(kind="compaction", call=0, after_tokens=5), Event(kind="compaction", call=0, before_tokens=0, after_tokens=None)):
        assert not grew(event)
        assert change(event) == ""


def test_json_keeps_what_is_unknown_null() -> None:
    (told,) = events_json(thread_of("COMP-12"))
    assert (told["kind"], told["call"], told["trigger"], told["before_tokens"], told["grew"]) == ("compaction", 2, None, None, False)
    assert told["line"] > 0

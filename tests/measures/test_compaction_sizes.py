"""Sizes of compactions: of the whole request as every page counts it, of the part that was compacted, and the log's own numbers with their basis."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ctxcore import read_session, replay
from ctxcore.measures.compaction_pair import pair_thread
from ctxcore.measures.compaction_sizes import Change
from ctxcore.measures.compactions import RecordedCompaction, recorded_compactions
from ctxcore.measures.simulated import SimulatedCompaction, simulate
from ctxcore.model import Thread
from ctxcore.sizes.tokens import token_counter
from ctxcore.views.compaction_shown import needed_sentence, sizes_sentence
from tests.measures.conversations import says, thread_of, user

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"

WHY = "The pallets wait because the forwarder only confirms a slot once they are measured, and that takes a day. " * 20


def simulated(thread: Thread, **settings: int) -> SimulatedCompaction:
    made = simulate(thread, **settings)
    assert made is not None
    return made


def tokens(*texts: str) -> int:
    return sum(token_counter("gpt-4o").count_many(texts))


def test_a_simulated_compaction_has_the_size_of_the_request_and_that_of_the_part_it_compacts() -> None:
    """Two rounds, the second with a long file: the first is compacted, instructions and the second stay and count on both sides."""
    file = "pallet 7 of lane 12\n" * 500
    thread = thread_of(user("Why do the pallets wait?"), says(WHY), user("Read it: " + file), says("Read."), system="You help.")
    made = simulated(thread)
    old = tokens("Why do the pallets wait?", WHY)
    assert (made.part.before, made.part.after) == (old, made.compaction.after)
    assert made.whole.before == tokens("You help.", "Read it: " + file) + old
    assert made.whole.before - made.whole.after == made.part.before - made.part.after
    assert "of the whole request" in sizes_sentence(made)


def test_sizes_before_are_those_of_the_requests_everywhere_else() -> None:
    for path in sorted(SAMPLES.glob("*.json*")):
        thread = read_session(path).threads[0]
        made = simulated(thread)
        assert made.whole.before == replay(thread, "none", 10**9, "tokens").before[made.call]


def test_the_codes_judge_the_part_and_not_what_stays() -> None:
    """A long newest round would make any ratio of the whole one of little effect."""
    thread = thread_of(user("Why?"), says(WHY), user("pallet 7 of lane 12\n" * 2_000), says("Read."))
    made = simulated(thread)
    assert made.whole.ratio is not None
    assert made.whole.ratio > 0.3
    assert "UNDER_COMPRESSED" not in made.compaction.codes


def test_next_to_nothing_is_not_judged_by_its_ratio() -> None:
    made = simulated(thread_of(user("Count to three."), says("1 2 3"), user("And on."), says("4")))
    assert made.part.after > made.part.before
    assert made.compaction.codes == ()
    assert "too little to judge by its ratio" in sizes_sentence(made)


def with_tokens(before: int | None, after: int | None) -> RecordedCompaction:
    thread = pair_thread([{"role": "user", "content": WHY}, {"role": "assistant", "content": WHY}], [{"role": "user", "content": "Pallets wait."}])
    (event,) = thread.events
    (one,) = recorded_compactions(replace(thread, events=(replace(event, before_tokens=before, after_tokens=after),)))
    return one


def test_the_number_of_the_log_is_shown_and_the_ratio_is_of_two_counted_alike() -> None:
    one = with_tokens(9_000, None)
    assert (one.before, one.sizes.before_basis) == (9_000, "recorded")
    assert one.sizes.after_basis != "recorded"
    assert one.sizes.compared is not None
    assert one.sizes.compared.before != 9_000
    assert one.ratio == one.sizes.compared.after / one.sizes.compared.before
    assert sizes_sentence(one).startswith("9,000 (recorded) → ")


def test_two_numbers_of_the_log_are_compared() -> None:
    assert with_tokens(9_000, 1_800).sizes.compared == Change(before=9_000, after=1_800, basis="recorded")
    assert sizes_sentence(with_tokens(9_000, 1_800)) == "9,000 → 1,800 tokens (recorded, 20.0 % left)."


@pytest.fixture
def condensed_before() -> Thread:
    """A history that begins with the task, the summary of calls that are nowhere, and goes on."""
    task, summary = "Mend the lock in src/lock.py.", "The lock in src/lock.py was looked at, its bolt is 12 mm."
    told = [
        {"role": "user", "content": [{"type": "text", "text": f"<task>{task}</task>"}], "ts": 1},
        {"role": "assistant", "content": summary, "ts": 2, "isSummary": True},
        {"role": "user", "content": "Go on.", "ts": 3},
        {"role": "assistant", "content": "I read src/lock.py again.", "ts": 4},
        {"role": "user", "content": "And?", "ts": 5},
        {"role": "assistant", "content": "Mended.", "ts": 6},
    ]
    return read_session(json.dumps(told).encode(), "api_conversation_history.json").threads[0]


def test_a_compaction_whose_original_is_nowhere_gets_no_verdict(condensed_before: Thread) -> None:
    (one,) = recorded_compactions(condensed_before)
    assert one.codes == ("NO_ORIGINAL",)
    assert (one.table, one.before, one.ratio) == (None, None, None)
    assert sizes_sentence(one).startswith("not recorded → ")


def test_the_calls_after_it_are_looked_at(condensed_before: Thread) -> None:
    """Two calls; the first names src/lock.py."""
    (one,) = recorded_compactions(condensed_before)
    assert one.needed is not None
    assert (one.needed.calls, one.needed.used, one.needed.standing) == (2, 1, 1)
    assert "cannot be told" in needed_sentence(one)

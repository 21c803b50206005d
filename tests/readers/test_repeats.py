"""A call that several logs hold counts once, whether the log gives it an id or not; different calls stay different however alike they are."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ctxcore import Session, read_session
from ctxcore.readers.detect import read_uploads
from ctxcore.views.overview import together
from tests.readers.rollout import answers, asks, count, meta, said, session


def at(second: int, line: dict[str, Any]) -> dict[str, Any]:
    return line | {"timestamp": f"2026-01-05T10:00:{second:02}.000Z"}


BEFORE = [
    meta(),
    said("user", "How many files?"),
    at(1, asks("c-1")),
    at(2, answers("c-1")),
    at(2, count((100, 10), (100, 10))),
    at(3, said("assistant", "Three.")),
    at(3, count((220, 15), (120, 5))),
]
"""Two calls of 100 and 120 tokens in, the second without an id: its reply is text alone."""

AFTER = [at(4, said("user", "And folders?")), at(5, said("assistant", "Three.")), at(5, count((370, 20), (150, 5)))]
"""One more call of 150, again without an id."""


def chat(*texts: str) -> Session:
    """A bare conversation, of which neither ids nor times are recorded."""
    messages = [{"role": "assistant" if number % 2 else "user", "content": text} for number, text in enumerate(texts)]
    return read_session(json.dumps({"messages": messages}).encode(), "chat.json")


def distinct(*sessions: Session) -> int:
    return len({call for one in sessions for call in one.seen_calls})


def test_every_call_of_a_session_counts_with_or_without_an_id() -> None:
    one = session(*BEFORE, *AFTER)
    assert [bool(call.id) for call in one.threads[0].calls] == [True, False, False]
    assert len(one.seen_calls) == 3


def test_a_longer_copy_adds_only_what_it_has_more() -> None:
    """100 + 120 + 150 tokens in, 10 + 5 + 5 out, in whatever order the two are opened."""
    short, long = session(*BEFORE), session(*BEFORE, *AFTER)
    for both in ((short, long), (long, short)):
        assert together(both) == "All 2 open sessions together: 3 distinct calls, 370 tokens in, 20 out."


def test_a_fork_with_new_times_and_a_new_id_repeats_what_follows_on_the_same_call() -> None:
    """The fork's own lines begin at its start; only the calls before the first one with an id have nothing but their times."""
    forked = [at(40, line) for line in (*BEFORE[1:], *AFTER)]
    assert distinct(session(*BEFORE), session(meta() | {"payload": meta()["payload"] | {"id": "s-2"}}, *forked)) == 3


def test_the_count_of_a_call_is_that_of_the_log_that_has_it() -> None:
    """A log cut before the count of its last call, opened after the whole one, takes nothing from the sum."""
    whole, cut = session(*BEFORE), session(*BEFORE[:-1])
    assert "220 tokens in" in together((whole, replace(cut, digest="other")))


def test_equal_short_answers_of_different_sessions_are_different_calls() -> None:
    assert distinct(chat("Is it 4?", "Yes."), chat("Is it 5?", "Yes.")) == 2
    assert (
        distinct(
            session(meta(), at(1, said("user", "Go")), at(2, said("assistant", "Done."))),
            session(meta(), said("user", "Go"), at(9, said("assistant", "Done."))),
        )
        == 2
    )


def test_equal_calls_inside_one_session_are_all_its_own() -> None:
    """Ten samples of one prompt with one answer are ten calls."""
    sample = json.dumps({"messages": [{"role": "user", "content": "Flip."}, {"role": "assistant", "content": "Heads."}]})
    samples = read_session("\n".join([sample] * 10).encode(), "samples.jsonl")
    assert sum(len(thread.calls) for thread in samples.threads) == len(samples.seen_calls) == 10


def test_a_conversation_that_goes_on_repeats_its_past_although_it_has_neither_ids_nor_times() -> None:
    assert distinct(chat("Is it 4?", "Yes."), chat("Is it 4?", "Yes.", "Sure?", "Yes.")) == 2


def test_logs_with_different_ids_and_no_times_are_different_sessions() -> None:
    """Two aider sessions that begin alike: the log names each by its start."""
    words = "\n#### Go  \n\nDone.\n"
    one, two = (read_session(f"\n# aider chat started at 2026-03-0{day} 10:00:00\n{words}".encode(), ".aider.chat.history.md") for day in (1, 2))
    assert distinct(one, one) == 1
    assert distinct(one, two) == 2


def test_a_sum_says_for_how_many_calls_the_tokens_are_known() -> None:
    told = together((session(*BEFORE), chat("Is it 4?", "Yes.")))
    assert told == "All 2 open sessions together: 3 distinct calls (recorded for 2 of them), 220 tokens in, 15 out."


def test_the_note_on_a_fork_counts_all_its_calls() -> None:
    fork = [meta() | {"payload": meta()["payload"] | {"id": "s-2"}}, *BEFORE[1:], *AFTER]
    files = [(name, "\n".join(map(json.dumps, lines)).encode()) for name, lines in (("first.jsonl", BEFORE), ("fork.jsonl", fork))]
    _, forked = read_uploads(files).sessions
    assert "Continues first.jsonl (s-1): 2 of its 3 calls are recorded there too and count once." in forked.notes


def test_runs_of_one_task_that_begin_alike_are_different_calls() -> None:
    """Two results files of a benchmark: the id names the task, and no call has an id or a time."""
    traj = [{"role": "system", "content": "Help."}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "How can I help?"}]
    one, two = (
        read_session(json.dumps([{"task_id": 0, "trial": 0, "reward": reward, "info": {"task": {}}, "traj": traj}]).encode(), "results.json")
        for reward in (0.0, 1.0)
    )
    assert one.format == "tau-bench"
    assert distinct(one, two) == 2

"""Fates over all calls agree with what each call says by itself."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import read_session, replay
from ctxcore.measures.seen import answers_to, find_text, message_fate, seen_by, sight
from ctxcore.model import Thread
from ctxcore.replay import ABSENT, DROPPED, Replay
from ctxcore.views.grid import dropped_columns
from ctxcore.views.sight import REPLY, message_place, text_sentence, text_sight
from tests.chat import thread_of

GOLDENS = Path(__file__).parents[1] / "data" / "goldens" / "replay.jsonl"


def golden_threads() -> list[Thread]:
    lines = GOLDENS.read_text(encoding="utf-8").splitlines()
    requests = [{key: json.loads(line)[key] for key in ("messages", "tools")} for line in lines]
    return [read_session(json.dumps(request).encode(), "golden.json").threads[0] for request in requests]


def check(result: Replay) -> None:
    """First and count by walking over the drops of every call; message fates against the status of every message."""
    units = len(result.units.first)
    first, times = np.full(units, -1), np.zeros(units, int)
    fates = np.full((len(result.thread.messages), len(result.thread.calls)), ABSENT)
    for call in range(len(result.thread.calls)):
        for drop in result.drops(call):
            first[drop.unit] = call if first[drop.unit] < 0 else first[drop.unit]
            times[drop.unit] += 1
        fates[list(result.thread.calls[call].messages()), call] = result.message_status(call)
    found_first, found_times = result.first_dropped()
    assert found_first.tolist() == first.tolist()
    assert found_times.tolist() == times.tolist()
    for message in range(len(result.thread.messages)):
        assert message_fate(result, message).tolist() == fates[message].tolist()


@pytest.mark.parametrize("budget", [200, 600, 1_500, 4_000])
def test_published_conversations(budget: int) -> None:
    for thread in golden_threads():
        check(replay(thread, budget=budget))


def test_a_policy_that_lists_what_it_drops_gives_the_same() -> None:
    for thread in golden_threads()[:12]:
        result = replay(thread, budget=900)
        listed = dataclasses.replace(
            result, fits=tuple(dataclasses.replace(fits, cut=None, pins=lambda _column: np.empty(0, np.int64)) for fits in result.fits)
        )
        check(listed)
        columns, prefix = dropped_columns(listed), dropped_columns(result)["cut"]
        starts = [0, *columns["ends"].tolist()]
        for call in range(len(thread.calls)):
            ranges = columns["ranges"].reshape(-1, 2)[starts[call] : starts[call + 1]].tolist()
            places = [place for start, stop in ranges for place in range(start, stop)]
            assert len(places) == len(result.drops(call))
            assert all(place < prefix[call] for place in places)


SHORT = st.text("ab", max_size=80)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(SHORT, st.tuples(st.just("look"), st.just({}), SHORT)), min_size=1, max_size=14), st.integers(50, 1_500))
def test_any_conversation(steps: list, budget: int) -> None:
    check(replay(thread_of(*steps), budget=budget))


def lines_of_requests(sequences: list[list[int]]) -> bytes:
    """One request a line; message n is a user message where n divides by 3."""
    rows = [
        {"messages": [{"role": "user" if n % 3 == 0 else "assistant", "content": f"{n} " + "x" * (n * 7 % 50)} for n in row]} for row in sequences
    ]
    return "\n".join(map(json.dumps, rows)).encode()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=8, unique=True), min_size=2, max_size=6), st.integers(60, 700))
def test_histories_that_change_between_requests(sequences: list[list[int]], budget: int) -> None:
    for thread in read_session(lines_of_requests(sequences), "log.jsonl").threads:
        check(replay(thread, budget=budget))


def test_a_text_is_seen_until_its_unit_goes() -> None:
    thread = thread_of("The code is QX-1.", *[("look", {"n": n}, "y" * 300) for n in range(12)])
    result = replay(thread, budget=1_500)
    (hit,) = find_text(thread, "y" * 300)[:1]
    found = sight(result, hit)
    sees = seen_by(result, [hit])
    assert (found.first, found.last) == (1, int(np.flatnonzero(sees)[-1]))
    assert found.gone_from == found.last + 1
    assert found.seen + found.dropped == found.received == 12
    assert all(message_fate(result, hit)[found.gone_from :] == DROPPED)
    task = sight(result, find_text(thread, "qx-1")[0])
    assert (task.seen, task.gone_from) == (13, None)


def test_a_refused_call_sees_nothing() -> None:
    thread = thread_of("z" * 500, ("look", {}, "y"))
    found = sight(replay(thread, budget=100), find_text(thread, "zzz")[0])
    assert (found.received, found.seen, found.refused, found.first) == (2, 0, 2, None)


@pytest.mark.parametrize(("wanted", "count"), [("QX", 1), ("LOOK", 2), ('"n"', 2), ("found", 1), ("  ", 0), ("", 0), ("nothing", 0)])
def test_search_reads_texts_names_arguments_and_results(wanted: str, count: int) -> None:
    assert len(find_text(thread_of("The code is QX-1.", ("look", {"n": 1}, "Found it")), wanted)) == count


def test_a_result_is_found_by_the_arguments_of_the_call_that_it_answers() -> None:
    """Messages: 0 system, 1 user, 2 call, 3 its result, 4 call, 5 its result, 6 answer."""
    thread = thread_of("Go.", ("Read", {"path": "src/resume.go"}, "package main"), ("Read", {"path": "other.go"}, "// see resume.go"))
    assert find_text(thread, "RESUME.go") == (2, 3, 5)
    assert list(answers_to(thread, "resume.go")) == [3]
    assert list(answers_to(thread, "resume.go")) == [3], "asked again, the same answer"
    assert answers_to(thread, "  ") == {}, "a blank text is no search"


def test_the_sentence_tells_a_result_from_what_only_mentions_it() -> None:
    """With a budget for the newest exchange alone, the file's text goes before the last call; its name stays in that exchange."""
    thread = thread_of(
        "Go.", ("Read", {"path": "a/resume.go"}, "x" * 900), ("Look", {"n": 1}, "y" * 900), ("Look", {"n": 2}, "after resume.go" + "z" * 900)
    )
    result = replay(thread, budget=1_700)
    found = find_text(thread, "resume.go")
    sight_of = text_sight(result, found, "resume.go")
    words = text_sentence(result, sight_of, found)
    assert "The result of Read" in words
    assert "gone from call #2" in words
    assert "of 2 other mentions the last call still sees 1" in words
    assert sight_of.frame["text"][1].startswith("Result of Read")


def test_a_message_is_looked_at_in_the_first_call_that_would_receive_it() -> None:
    """Messages: 0 system, 1 task, 2 and 3 the first exchange (received from call 1), 4 and 5 the second, 6 the answer to the last call."""
    thread = thread_of("Go.", ("Look", {"n": 1}, "x" * 900), ("Look", {"n": 2}, "y" * 900))
    whole, tight, none = (replay(thread, budget=budget) for budget in (10_000, 1_400, 1))
    assert [message_place(whole, message) for message in range(7)] == [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4), (2, 5), (2, REPLY)]
    assert message_place(tight, 3) == (1, 3), "dropped by call 2, still in call 1"
    assert message_place(none, 5) == (2, 5), "every call is refused: the first that received it as recorded"
    assert message_place(whole, 7) is None
    assert message_place(whole, -1) is None

"""No recording of any format, however it is broken, gives an exception, a ledger that does not sum up, or an empty report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ctxcore.readers import READERS
from tests.fuzz.laws import check
from tests.fuzz.mutations import BYTE_MUTATIONS, MUTATIONS, Mutation, mutated, mutated_bytes
from tests.fuzz.recordings import Recording, corpus_recordings, own_recordings

RECORDINGS = {name: tuple(found) for name, found in groupby(own_recordings(), lambda recording: recording.format)}

QUICK = settings(derandomize=True, database=None, deadline=None, phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck))
"""The same examples each time; ``python -m tests.fuzz`` draws others, and shrinks what fails."""


def broken(recording: Recording, number: int, mutations: list[Mutation]) -> Mapping[str, bytes]:
    """Its files, one of them changed."""
    name = list(recording.files)[number % len(recording.files)]
    return {**recording.files, name: mutated(recording.files[name], mutations)}


def test_every_format_has_a_recording_that_is_read_as_it():
    assert set(RECORDINGS) == {reader.name for reader in READERS}
    for recordings in RECORDINGS.values():
        for recording in recordings:
            reading = check(recording.uploads())
            assert {session.format for session in reading.sessions} == {recording.format}, recording
            assert any(thread.calls for session in reading.sessions for thread in session.threads), recording


@pytest.mark.parametrize("name", RECORDINGS)
@settings(QUICK, max_examples=25)
@given(which=st.integers(0, 5), number=st.integers(0, 11), mutations=MUTATIONS)
def test_broken_values_are_read_or_refused(name: str, which: int, number: int, mutations: list[Mutation]):
    recording = RECORDINGS[name][which % len(RECORDINGS[name])]
    check(recording.uploads(broken(recording, number, mutations)))


@pytest.mark.parametrize("name", RECORDINGS)
@settings(QUICK, max_examples=10)
@given(which=st.integers(0, 5), mutations=BYTE_MUTATIONS)
def test_broken_bytes_are_read_or_refused(name: str, which: int, mutations: list[Mutation]):
    """Of archives those of the archive."""
    recording = RECORDINGS[name][which % len(RECORDINGS[name])]
    check([(file, mutated_bytes(bytes(data), mutations)) for file, data in recording.uploads()])


@pytest.mark.parametrize("asked", [reader.name for reader in READERS])
@settings(QUICK, max_examples=15)
@given(name=st.sampled_from(list(RECORDINGS)), which=st.integers(0, 5), mutations=MUTATIONS | st.just([]))
def test_a_format_that_is_asked_for_reads_any_file_or_refuses_it(asked: str, name: str, which: int, mutations: list[Mutation]):
    recording = RECORDINGS[name][which % len(RECORDINGS[name])]
    check(recording.uploads(broken(recording, which, mutations)), format=asked)


def test_small_files_of_the_corpus_are_read_or_refused_when_broken(shared: Path):
    """Each in two ways that its place in the list decides."""
    for number, recording in enumerate(corpus_recordings(shared)):
        for mutation in (
            Mutation(WAY_OF[number % len(WAY_OF)], number, 37 * number, number % 30),
            Mutation("odd", 3 * number, 101 * number, number % 30),
        ):
            check(recording.uploads(broken(recording, 0, [mutation])))


WAY_OF = ("delete", "repeat", "list", "to text", "from text", "swap", "steal", "rename", "cut line", "drop line", "glue lines")


def test_a_head_that_no_message_follows_belongs_to_the_session_after_it():
    """aider: 2 lines of the program, then a session of 2 more, a prompt and an answer: 6 lines, all accounted for in one session."""
    head = "# aider chat started at 2026-03-0{} 10:00:00\n\n> Aider v0.85.2  \n\n"
    (session,) = check([("a.md", (head.format(1) + head.format(2) + "#### Go  \n\nDone.\n").encode())]).sessions
    assert (session.ledger.records, session.ledger.read) == (6, 2)


def test_a_row_that_is_none_belongs_to_the_session_of_the_others():
    """LiteLLM: a line that is no row, before one with a session of its own."""
    message = {"role": "user", "content": "Hi"}
    row = {"request_id": "r", "session_id": "s", "call_type": "acompletion", "startTime": "2026-01-01T00:00:00Z", "messages": [message]}
    (session,) = check([("rows.jsonl", f"null\n{json.dumps(row)}\n{json.dumps(row)}\n".encode())]).sessions
    assert session.ledger.skipped == (("no call of LiteLLM", 1),)


def test_a_line_before_the_first_search_is_accounted_for():
    """ToolBench, asked for: a line that is no search, then one that is."""
    (recording,) = RECORDINGS["toolbench"]
    (data,) = recording.files.values()
    (session,) = check([("two.jsonl", b"null\n" + data)], format="toolbench").sessions
    assert session.ledger.skipped == (("not an answer", 1),)


def test_two_agents_of_one_name_are_two_threads():
    """Letta: a file whose agents have the same id."""
    agent = {"id": "a", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}
    (session,) = check([("two.af", json.dumps({"agents": [agent, agent, agent], "blocks": [], "tools": []}).encode())]).sessions
    assert [thread.id for thread in session.threads] == ["a", "a-2", "a-3"]

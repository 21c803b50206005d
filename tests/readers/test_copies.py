"""A log that was copied while it grew is one session with the longer one, in every format; logs that part ways are two."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import Session
from ctxcore.readers.detect import read_uploads
from tests.readers.rollout import answers, asks, line, meta, said
from tests.readers.test_together import adds_up

SHORT = [meta(), said("user", "Count"), asks("c-1"), answers("c-1"), said("assistant", "Three.")]
LONG = [*SHORT, said("user", "And folders?"), said("assistant", "One.")]


def rollout(lines: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, lines)).encode()


def aider(*sessions: str) -> bytes:
    return "".join(f"\n# aider chat started at 2026-03-0{day} 10:00:00\n{words}" for day, words in enumerate(sessions, 1)).encode()


def together(*files: bytes) -> tuple[Session, ...]:
    reading = read_uploads([(f"{number}.log", data) for number, data in enumerate(files)])
    assert not reading.failures
    assert all(map(adds_up, reading.sessions))
    return reading.sessions


@pytest.mark.parametrize("order", [1, -1])
def test_two_snapshots_of_a_codex_session_are_one_session(order: int) -> None:
    (session,) = together(*[rollout(SHORT), rollout(LONG)][::order])
    assert len(session.threads[0].calls) == 3
    assert dict(session.ledger.skipped)["earlier copy of the same session"] == len(SHORT)
    assert session.ledger.records == len(SHORT) + len(LONG)


def test_three_snapshots_are_one_session() -> None:
    (session,) = together(rollout(SHORT), rollout(LONG), rollout(LONG[:-1]))
    assert len(session.threads[0].calls) == 3


def test_logs_of_one_id_that_part_ways_are_two_sessions() -> None:
    """The shorter one was gone back to and continued otherwise: what it ends with is nowhere else."""
    assert len(together(rollout([*SHORT, said("user", "Stop")]), rollout(LONG))) == 2


def test_equal_beginnings_of_different_ids_are_two_sessions() -> None:
    other = [{**meta(), "payload": {**meta()["payload"], "id": "s-2"}}, *LONG[1:]]
    assert len(together(rollout(SHORT), rollout(other))) == 2


def test_an_agent_belongs_to_the_longer_snapshot_of_the_session_that_started_it() -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "s-1", "depth": 1}}}
    head = line("session_meta", id="s-9", cwd="/demo", originator="codex-tui", cli_version="0.140.0", source=spawned)
    agent = rollout([head, said("user", "Look"), said("assistant", "Seen.")])
    (session,) = together(rollout(SHORT), agent, rollout(LONG))
    assert [(thread.kind, len(thread.calls)) for thread in session.threads] == [("main", 3), ("agent", 1)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_history_of_several_sessions_that_grew_has_each_of_them_once(order: int) -> None:
    first, second, more = "\n#### Go  \n\nDone.\n", "\n#### Look  \n\nSeen.\n", "\n#### Again  \n\nDone again.\n"
    sessions = together(*[aider(first, second), aider(first, second + more, first)][::order])
    assert [(one.id[:10], len(one.threads[0].calls)) for one in sorted(sessions, key=lambda one: one.id)] == [
        ("2026-03-01", 1),
        ("2026-03-02", 2),
        ("2026-03-03", 1),
    ]

"""Threads and times."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

from ctxcore import replay
from tests.c1 import C1
from tests.cases import case, main, read, turns


@case
def thread_06() -> None:
    """Three requests that repeat the history are one conversation of seven messages."""
    thread = main("THREAD-06.jsonl")
    assert [c.message_count for c in thread.calls] == [2, 4, 6]
    assert [m.role for m in thread.messages].count("user") == turns(thread) == 3
    assert len(thread.messages) == 7
    assert replay(thread, budget=10**6, unit=C1()).before.tolist() == [23, 37, 47]
    assert thread.events == ()


@case
def time_01() -> None:
    """One warning with the counts; order is the file's; times with a zone are comparable."""
    session = read("TIME-01.json")
    times = [m.at for m in session.threads[0].messages]
    assert times[3] is not None
    assert times[2] is not None
    assert times[3] - times[2] == 60
    assert times[4:] == [None, None]
    (problem,) = session.problems
    assert "1 missing, 1 unreadable, 2 without a zone" in problem.what


@case
def time_03() -> None:
    """Seconds to nanoseconds; 0 is not recorded."""
    times = [m.at for m in main("TIME-03.json").messages]
    start = datetime(2025, 3, 10, 9, tzinfo=UTC).timestamp()
    assert times[:5] == [start + s for s in (0, 5, 10, 15, 20.5)]
    assert times[5] is None


@case
def time_05() -> None:
    """The recorded times, and nothing in the gap."""
    times = [m.at or 0 for m in main("TIME-05.json").messages]
    assert [b - a for a, b in pairwise(times)] == [30, 53 * 3600 - 30, 60]

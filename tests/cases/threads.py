"""Threads and times."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

from ctxcore import read_session, replay
from ctxcore.measures.durations import durations
from ctxcore.measures.shared import distinct_messages, shared_messages
from ctxcore.readers.detect import read_uploads
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.views.duration import time_sentence
from ctxcore.views.overview import usage_frame
from ctxcore.views.words import thread_title
from tests.c1 import C1
from tests.cases import CASES, case, exchanges, main, read, turns, usage_sum


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
    found = durations(session.threads)
    assert found is not None
    assert found.span_s == 60, "the first two have no zone and cannot be compared"
    (problem,) = session.problems
    assert "1 missing, 1 unreadable, 2 without a zone" in problem.what


@case
def time_03() -> None:
    """Seconds to nanoseconds; 0 is not recorded."""
    times = [m.at for m in main("TIME-03.json").messages]
    start = datetime(2025, 3, 10, 9, tzinfo=UTC).timestamp()
    assert times[:5] == [start + s for s in (0, 5, 10, 15, 20.5)]
    assert times[5] is None
    assert time_sentence(read("TIME-03.json").threads) == "20.5 s from 2025-03-10 09:00:00 to 2025-03-10 09:00:20 UTC"


@case
def time_05() -> None:
    """The recorded times, and nothing in the gap: a span of 53 h 1 min, of which 90 s (30 + 60) were active."""
    times = [m.at or 0 for m in main("TIME-05.json").messages]
    assert [b - a for a, b in pairwise(times)] == [30, 53 * 3600 - 30, 60]
    found = durations([main("TIME-05.json")])
    assert found is not None
    assert (found.span_s, found.active_s) == (53 * 3600 + 60, 90)
    assert found.pauses == ((times[1], times[2]),)
    said = time_sentence([main("TIME-05.json")])
    assert said.startswith("53 h 1 min from 2025-03-10 09:00:00 to 2025-03-12 14:01:00 UTC, of which 1 min 30 s active; 1 pause of 52 h 59 min")


@case
def comp_01() -> None:
    """One automatic compaction that grew: by the recorded sizes, and by its text where they are absent. Its summary is no turn."""
    session = read("COMP-01.jsonl")
    (event,) = session.threads[0].events
    assert (event.trigger, event.before_tokens, event.after_tokens, event.inferred) == ("auto", 1200, 1450, False)
    (problem,) = [problem for problem in session.problems if problem.kind == "compaction_grew"]
    assert "1,200 → 1,450 tokens as recorded, +250 (+20.8%)" in problem.what
    assert problem.source.line == 3
    assert turns(session.threads[0]) == 2
    lines = (CASES / "COMP-01.jsonl").read_text().replace(',"preTokens":1200,"postTokens":1450', "").encode()
    (unsized,) = [problem for problem in read_session(lines, "unsized.jsonl").problems if problem.kind == "compaction_grew"]
    assert "stands for messages of 36" in unsized.what


@case
def comp_02() -> None:
    """Three compactions, each freeing about nothing: one loop, with its count and what each freed."""
    session = read("COMP-02.jsonl")
    assert len(session.threads[0].events) == 3
    (problem,) = [problem for problem in session.problems if problem.kind == "compaction_loop"]
    assert problem.what.startswith("3 compactions in a row (lines 3, 6, 9) freed only 100 (1.0%), 60 (0.6%), 40 (0.4%) tokens")
    assert "what each leaves, up to 9,700, is by itself about as large as what triggers the next, 9,740" in problem.what
    assert turns(session.threads[0]) == 1
    assert not [problem for problem in read("COMP-10.jsonl").problems if problem.kind.startswith("compaction")], "92 % freed is progress"


@case
def thread_01() -> None:
    """The side chain is a thread of its own, hung under the call that started it; tokens are told apart and together."""
    session = read("THREAD-01.jsonl")
    mine, agent = session.threads
    assert (len(mine.messages), turns(mine), len(agent.messages)) == (4, 1, 4)
    assert (exchanges(mine), exchanges(agent)) == (1, 1)
    assert (agent.id, agent.parent, agent.parent_call) == ("ag1", mine.id, 0)
    assert (usage_sum(mine), usage_sum(agent), usage_sum(mine, agent)) == ((130, 17), (74, 9), (204, 26))
    assert usage_frame(session)["input"].tolist() == [130, 74, 204]


@case
def thread_03() -> None:
    """No message is lost: the agent that nothing points to is a thread that says so, and the main thread's tokens stay its own."""
    reading = read_uploads([(name, CASES / name) for name in ("THREAD-03.a.jsonl", "THREAD-03.b.jsonl")])
    (session,) = reading.sessions
    mine, agent = session.threads
    assert (len(mine.messages), len(agent.messages), agent.id, agent.parent_call) == (2, 3, "agX", None)
    assert "not linked to a call" in thread_title(agent)
    assert usage_sum(mine) == (10, 5)
    assert usage_sum(mine, agent) == tuple(a + b for a, b in zip(usage_sum(mine), usage_sum(agent), strict=True))


@case
def thread_04() -> None:
    """An edited prompt: the abandoned branch is no part of the last call, its call counts in the usage."""
    session = read("THREAD-04.jsonl")
    active, abandoned = session.threads
    assert [message.text for message in active.messages if message.is_real_user] == ["Draft a sign.", "Make it green."]
    assert (len(active.messages), turns(active)) == (4, 2)
    sent = [active.messages[index].text for index in active.calls[-1].messages()]
    assert "Make it red." not in sent
    assert "Make it red." in [message.text for message in abandoned.messages]
    assert len(session.seen_calls) == 3
    assert shared_messages(session.threads) == (0, 2)
    assert distinct_messages(session.threads) == 6
    values = [str(entry.value).casefold() for chain in edit(active, domain_named("open")).fields.values() for entry in chain.entries]
    assert not any("red" in value.split() for value in values)


@case
def thread_07() -> None:
    """Two interleaved sessions, apart; the same file twice changes nothing."""
    for uploads in ([("x.jsonl", CASES / "THREAD-07.jsonl")], [(name, CASES / "THREAD-07.jsonl") for name in ("x.jsonl", "y.jsonl")]):
        e, f = read_uploads(uploads).sessions
        assert [(len(one.threads[0].messages), turns(one.threads[0])) for one in (e, f)] == [(4, 2), (2, 1)]

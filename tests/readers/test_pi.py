"""pi and OpenClaw sessions: the way to each call, compactions, failed calls, sub-agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session
from ctxcore.errors import FormatNotRecognized
from ctxcore.readers.detect import read_uploads

AT = "2026-02-01T10:00:00Z"


def head(version: int | None = 3, id: str = "s1") -> dict[str, Any]:
    return {"type": "session", **({"version": version} if version else {}), "id": id, "timestamp": AT, "cwd": "/x"}


def entry(id: str | None, parent: str | None, message: dict[str, Any]) -> dict[str, Any]:
    tree = {} if id is None else {"id": id, "parentId": parent}
    return {"type": "message", **tree, "timestamp": AT, "message": message}


def user(words: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": words}]}


def model(
    words: str = "", *, stop: str = "stop", calls: tuple[tuple[str, str, Any], ...] = (), usage: tuple[int, ...] = (3, 5, 10, 7), **more: Any
) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": words}] if words else []
    blocks += [{"type": "toolCall", "id": i, "name": n, "arguments": a} for i, n, a in calls]
    counted = dict(zip(("input", "output", "cacheRead", "cacheWrite"), usage, strict=True))
    return {"role": "assistant", "content": blocks, "model": "m", "provider": "p", "usage": counted, "stopReason": stop, **more}


def result(id: str, words: str, name: str = "ls") -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": id, "toolName": name, "content": [{"type": "text", "text": words}], "isError": False}


def log(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def texts(data: bytes, call: int) -> list[str]:
    (thread,) = read_session(data).threads
    return [thread.messages[i].text for i in thread.calls[call].messages()]


def test_input_without_the_cache_becomes_input_with_it():
    session = read_session(log(head(), entry("a", None, user("Hi")), entry("b", "a", model("Yo", usage=(3, 5, 10, 7)))))
    (call,) = session.threads[0].calls
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.cache_read_tokens, call.usage.cache_write_tokens) == (20, 5, 10, 7)
    assert (session.format, session.level) == ("pi", "message list only")


def test_a_branch_holds_its_own_way_only():
    session = read_session(
        log(
            head(),
            entry("a", None, user("One")),
            entry("b", "a", model("First")),
            entry("c", "b", user("Two")),
            entry("d", "c", model("Second")),
            entry("e", "b", user("Other")),
            entry("f", "e", model("Third")),
        )
    )
    (thread,) = session.threads
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2), (0, 1, 4)]
    assert [(e.kind, e.call) for e in thread.events] == [("rollback", 2)]


def compacted(first: str | None) -> bytes:
    told = {"type": "compaction", "id": "k", "parentId": "d", "timestamp": AT, "summary": "Short.", "tokensBefore": 900}
    return log(
        head(),
        entry("a", None, user("One")),
        entry("b", "a", model("First")),
        entry("c", "b", user("Two")),
        entry("d", "c", model("Second")),
        told | ({"firstKeptEntryId": first} if first else {}),
        entry("e", "k", user("Three")),
        entry("f", "e", model("Third")),
    )


def test_a_compaction_is_its_summary_then_the_entries_from_the_first_kept_one():
    data = compacted("c")
    assert texts(data, 2)[1:] == ["Two", "Second", "Three"]
    (thread,) = read_session(data).threads
    (event,) = thread.events
    assert (event.kind, event.call, event.before_tokens) == ("compaction", 2, 900)
    assert thread.messages[event.summary or 0].injected == "summary"
    assert "Short." in thread.messages[event.summary or 0].text


@pytest.mark.parametrize("first", ["k", None])
def test_a_first_kept_entry_that_is_the_compaction_itself_keeps_nothing(first: str | None):
    assert texts(compacted(first), 2)[1:] == ["Three"]


def test_the_index_of_version_1_counts_glued_values_and_the_head():
    """Values: head 0, One 1, First 2 (glued to One), Two 3, Second 4; the first kept one is number 3."""
    lines = [
        json.dumps(head(None)),
        json.dumps(entry(None, None, user("One"))) + json.dumps(entry(None, None, model("First"))),
        json.dumps(entry(None, None, user("Two"))),
        json.dumps(entry(None, None, model("Second"))),
        json.dumps({"type": "compaction", "timestamp": AT, "summary": "S", "firstKeptEntryIndex": 3, "tokensBefore": 9}),
        json.dumps(entry(None, None, user("Three"))),
        json.dumps(entry(None, None, model("Third"))),
    ]
    assert texts("\n".join(lines).encode(), 2)[1:] == ["Two", "Second", "Three"]


def test_failed_calls_are_flagged_and_not_sent_again():
    session = read_session(
        log(
            head(),
            entry("a", None, user("One")),
            entry("b", "a", model(stop="aborted", usage=(0, 0, 0, 0))),
            entry("c", "b", user("Again")),
            entry("d", "c", model("Half", stop="aborted")),
            entry("e", "d", model("Whole")),
        )
    )
    (thread,) = session.threads
    assert [c.flags for c in thread.calls] == [("aborted", "no_reply"), ("aborted",), ()]
    assert [c.usage is None for c in thread.calls] == [True, False, False]
    assert [thread.messages[i].text for i in thread.calls[2].messages()] == ["One", "Again"]


def test_what_is_sent_of_other_entries():
    shell = {"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 1, "cancelled": False}
    session = read_session(
        log(
            head(),
            entry("a", None, shell),
            entry("b", "a", shell | {"excludeFromContext": True}),
            {"type": "custom_message", "id": "c", "parentId": "b", "timestamp": AT, "customType": "x", "content": "Note"},
            {"type": "custom", "id": "d", "parentId": "c", "timestamp": AT, "customType": "x", "data": {}},
            {"type": "branch_summary", "id": "e", "parentId": "d", "timestamp": AT, "fromId": "z", "summary": "Tried."},
            entry("f", "e", user("Go")),
            entry("g", "f", model("Sure")),
            entry("h", "g", model("Relayed", provider="openclaw")),
            7,
        )
    )
    (thread,) = session.threads
    assert [m.injected for m in thread.messages] == ["meta", "meta", "summary", "", "", ""]
    assert "exited with code 1" in thread.messages[0].text
    assert len(thread.calls) == 1
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped) == 10


def test_a_sub_agent_is_found_by_the_words_of_its_task():
    spawn = ("t1", "sessions_spawn", {"task": "Count the lines.", "label": "Counter"})
    main = log(head(), entry("a", None, user("Go")), entry("b", "a", model(calls=(spawn,))), entry("c", "b", result("t1", "{}", "sessions_spawn")))
    agent = log(
        head(id="s2"), entry("x", None, user("[Subagent Context] You are one.\n\n[Subagent Task]\n\nCount the lines.")), entry("y", "x", model("5"))
    )
    (session,) = read_uploads([("agent.jsonl", agent), ("main.jsonl", main)]).sessions
    assert [(t.kind, t.id, t.parent, t.parent_call, t.title) for t in session.threads] == [
        ("main", "main", "", None, ""),
        ("agent", "s2", "main", 0, "Counter"),
    ]


def test_two_sessions_that_have_nothing_to_do_with_each_other_stay_two():
    one, other = (log(head(id=i), entry("a", None, user(i)), entry("b", "a", model("x"))) for i in ("s1", "s2"))
    assert [s.id for s in read_uploads([("1", one), ("2", other)]).sessions] == ["s1", "s2"]


# Real files


def recorded(path: Path) -> list[dict[str, Any]]:
    """All values of a file, glued ones too."""
    decoder, values = json.JSONDecoder(), []
    for line in path.read_text().splitlines():
        position = 0
        while position < len(line.rstrip()):
            value, position = decoder.raw_decode(line, position)
            values.append(value)
    return values


@pytest.mark.parametrize(
    ("name", "calls", "compactions", "failed"),
    [
        ("pi-mono_before-compaction_2.4MB.jsonl", 484, [173, 303], 19),
        ("pi-mono_session_947KB_thinking_compaction_glued.jsonl", 220, [220], 6),
        ("kimchi_session_v3.jsonl", 56, [], 0),
        ("openclaw_lru_demo/b2e732c1-5f16-4ebe-ba84-0a11adc45c66.jsonl", 51, [28], 0),
    ],
)
def test_calls_tokens_and_compactions_of_real_sessions(shared: Path, name: str, calls: int, compactions: list[int], failed: int):
    """Calls: assistant entries without the two that OpenClaw wrote itself (53 - 2); a compaction's call is the number of such entries before it."""
    values = recorded(shared / "corpus/pi" / name)
    session = read_session(shared / "corpus/pi" / name)
    (thread,) = session.threads
    answers = [
        v["message"] for v in values if v["type"] == "message" and v["message"]["role"] == "assistant" and v["message"]["provider"] != "openclaw"
    ]
    assert len(thread.calls) == len(answers) == calls
    usages = [c.usage for c in thread.calls if c.usage]
    assert sum(u.input_tokens or 0 for u in usages) == sum(a["usage"][k] for a in answers for k in ("input", "cacheRead", "cacheWrite"))
    assert [e.call for e in thread.events if e.kind == "compaction"] == compactions
    assert (
        sum(bool({"aborted", "failed"} & set(c.flags)) for c in thread.calls)
        == failed
        == sum(a["stopReason"] in ("aborted", "error") for a in answers)
    )


def test_what_real_compactions_keep(shared: Path):
    """2.4 MB, version 1: first compaction at value 359 with first kept 293: summary, 66 values between of which all but the thinking-level change
    are messages. OpenClaw: the first kept entry is the compaction itself, so the next call has the summary and what came after it."""
    path = shared / "corpus/pi/pi-mono_before-compaction_2.4MB.jsonl"
    (thread,) = read_session(path).threads
    values = recorded(path)
    kept = [v for v in values[293:359] if v["type"] == "message" and v["message"].get("content") != []]
    assert thread.calls[173].message_count == 1 + len(kept) + 1
    sent = thread.messages[thread.calls[173].messages()[1]]
    assert sent.text == values[293]["message"]["content"][0]["text"]
    (thread,) = read_session(shared / "corpus/pi/openclaw_lru_demo/b2e732c1-5f16-4ebe-ba84-0a11adc45c66.jsonl").threads
    first = [thread.messages[i] for i in thread.calls[28].messages()]
    assert first[0].injected == "summary"
    assert all((m.at or 0) >= (first[0].at or 0) for m in first)


def test_a_real_run_with_sub_agents_of_sub_agents_is_one_session(shared: Path):
    """20 files: the main session, 9 agents it spawned, 10 that two of those spawned (five each); sessions.json names the same."""
    folder = shared / "corpus/pi/openclaw_lru_demo"
    (session,) = read_uploads([(p.name, p) for p in sorted(folder.iterdir())]).sessions
    parents = [t.parent for t in session.threads]
    assert len(parents) == 20
    assert parents.count("main") == 9
    assert sorted(parents.count(p) for p in set(parents) - {"", "main"}) == [5, 5]
    assert all(t.parent_call is not None for t in session.threads[1:])


def test_a_stream_log_of_pi_is_no_session(shared: Path):
    with pytest.raises(FormatNotRecognized):
        read_session(shared / "corpus/pi/agentv_pi_stream_log.txt")

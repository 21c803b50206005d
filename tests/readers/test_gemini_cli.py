"""Gemini CLI chats and saved histories: what a call is, what it received, what its usage was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxcore import read_session
from ctxcore.readers.detect import read_uploads

CHATS = Path("corpus/gemini-cli")
HEAD = {"sessionId": "s1", "projectHash": "p1", "startTime": "2026-01-10T08:00:00Z", "lastUpdated": "2026-01-10T08:00:09Z"}


def said(id: str, text: str) -> dict[str, Any]:
    return {"id": id, "timestamp": "2026-01-10T08:00:00Z", "type": "user", "content": text}


def answered(id: str, text: str = "", *, tokens: tuple[int, ...] = (), calls: Any = (), **more: Any) -> dict[str, Any]:
    names = ("input", "output", "cached", "thoughts", "tool")
    counted = dict(zip(names, tokens or (0,) * 5, strict=True))
    message = {"id": id, "timestamp": "2026-01-10T08:00:02Z", "type": "gemini", "content": text, "tokens": counted, "model": "gemini-x", **more}
    return {**message, "toolCalls": list(calls)} if calls else message


def tool(id: str, output: str | None = "ok", **more: Any) -> dict[str, Any]:
    result = None if output is None else [{"functionResponse": {"id": id, "name": "ls", "response": {"output": output}}}]
    return {"id": id, "name": "ls", "args": {"dir": "."}, "result": result, "status": "success", **more}


def chat(*messages: dict[str, Any], **head: Any) -> bytes:
    return json.dumps({**HEAD, **head, "messages": list(messages)}).encode()


def lines(*values: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_results_are_the_next_user_turn_and_thoughts_are_not_sent_again():
    session = read_session(
        chat(
            said("u1", "List it"),
            answered("g1", "Looking.", tokens=(100, 20, 40, 5, 0), calls=[tool("a", "one"), tool("b", "two")], thoughts=[{"subject": "S"}]),
            {"id": "i1", "timestamp": "2026-01-10T08:00:03Z", "type": "info", "content": "An update is there."},
            answered("g2", "Done.", tokens=(150, 8, 0, 0, 0)),
        )
    )
    (thread,) = session.threads
    assert [m.role for m in thread.messages] == ["user", "assistant", "user", "assistant"]
    assert [r.text for r in thread.messages[2].results] == ["one", "two"]
    assert not thread.messages[2].is_real_user
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2)]
    assert thread.messages[1].wire[0]["parts"][0] == {"text": "Looking."}
    assert not [p for p in thread.messages[1].parts if p.kind == "reasoning"]
    usage = thread.calls[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (100, 25, 40, 5)
    assert session.format == "gemini-cli"
    assert "system prompt" in session.not_recorded


def test_a_record_with_only_tool_calls_and_no_count_goes_on_with_the_reply_before_it():
    """A notice made the recorder open a new record for the tool calls of the same reply."""
    session = read_session(
        chat(
            said("u1", "Remove it"),
            answered("g1", "I will.", tokens=(100, 20, 0, 0, 0)),
            {"id": "i1", "timestamp": "2026-01-10T08:00:03Z", "type": "warning", "content": "!"},
            answered("g2", calls=[tool("a")]),
            answered("g3", "Gone.", tokens=(130, 5, 0, 0, 0)),
        )
    )
    (thread,) = session.threads
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2)]
    assert [c.id for c in thread.messages[1].calls] == ["a"]
    assert len(thread.messages[1].raw) == 2


def test_a_count_of_zeros_is_unknown():
    (thread,) = read_session(chat(said("u1", "Hi"), answered("g1", "Hello."))).threads
    assert thread.calls[0].usage is None


def test_a_file_with_a_warning_only_has_no_calls():
    session = read_session(chat({"id": "w", "timestamp": "2026-01-10T08:00:00Z", "type": "warning", "content": "!"}))
    assert [len(t.calls) for t in session.threads] == [0]


def test_lines_replace_by_id_and_a_rewind_takes_back_the_named_message_and_all_behind_it():
    session = read_session(
        lines(
            HEAD,
            said("u1", "One"),
            answered("g1", "Fir"),
            answered("g1", "First.", tokens=(10, 2, 0, 0, 0)),
            {"$set": {"lastUpdated": "2026-01-10T08:00:05Z"}},
            said("u2", "Two"),
            answered("g2", "Second.", tokens=(20, 2, 0, 0, 0)),
            {"$rewindTo": "u2"},
            said("u3", "Other two"),
            answered("g3", "Third.", tokens=(21, 2, 0, 0, 0)),
        )
    )
    (thread,) = session.threads
    assert [m.text for m in thread.messages] == ["One", "First.", "Two", "Second.", "Other two", "Third."]
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2), (0, 1, 4)]
    assert [(e.kind, e.call) for e in thread.events] == [("rollback", 2)]
    assert (session.ledger.records, session.ledger.read) == (10, 9)


def test_a_sub_agent_uploaded_with_its_parent_is_a_thread_of_the_call_that_started_it():
    parent = chat(said("u1", "Go"), answered("g1", "", tokens=(50, 9, 0, 0, 0), calls=[tool("a", "found", agentId="s2")]))
    child = chat(said("x1", "Look"), answered("y1", "found", tokens=(9, 1, 0, 0, 0)), sessionId="s2", kind="subagent")
    (session,) = read_uploads([("a.json", parent), ("b.json", child)]).sessions
    assert [(t.kind, t.id, t.parent, t.parent_call, len(t.calls)) for t in session.threads] == [
        ("main", "main", "", None, 1),
        ("agent", "s2", "main", 0, 1),
    ]
    assert (session.ledger.records, session.ledger.read) == (2, 2)


def test_a_drop_of_the_input_although_the_history_grew_is_an_inferred_compaction():
    session = read_session(
        chat(said("u1", "a"), answered("g1", "b", tokens=(90_000, 5, 0, 0, 0)), said("u2", "c"), answered("g2", "d", tokens=(20_000, 5, 0, 0, 0)))
    )
    (event,) = session.threads[0].events
    assert (event.kind, event.call, event.inferred, event.before_tokens, event.after_tokens) == ("compaction", 1, True, 90_000, 20_000)


def test_entries_that_are_no_messages_are_reported_and_never_fatal():
    value = json.loads(chat(said("u1", "a"), answered("g1", "b")))
    value["messages"] += [7, {"id": "z", "type": "poem", "content": None}, {"type": "gemini", "toolCalls": [None, {"result": 3}], "content": [None]}]
    session = read_session(json.dumps(value).encode())
    assert len(session.threads[0].calls) == 2
    assert {p.kind for p in session.problems} >= {"not_an_object", "unknown_type"}


# Real files


def test_calls_and_tokens_of_real_chats(shared: Path):
    """12-cbfe: 6 gemini records, tokens summed over the file. a0-3d69: 15 records, but the tool call id of one without a count carries the
    millisecond of the record before it (1768510330706 is 20:52:10.706), so it is that reply's: 14 calls."""
    for name, count in (("entire_12-cbfe_28KB.json", 6), ("entire_a0-3d69_17msgs.json", 14)):
        recorded = [m for m in json.loads((shared / CHATS / name).read_text())["messages"] if m["type"] == "gemini"]
        (thread,) = read_session(shared / CHATS / name).threads
        assert len(thread.calls) == count
        usages = [c.usage for c in thread.calls if c.usage]
        assert sum(u.input_tokens or 0 for u in usages) == sum(m["tokens"]["input"] for m in recorded)
        assert sum(u.output_tokens or 0 for u in usages) == sum(m["tokens"]["output"] + m["tokens"]["thoughts"] for m in recorded)
        assert sum(len(m.calls) for m in thread.messages) == sum(len(m.get("toolCalls", ())) for m in recorded)


def test_an_earlier_snapshot_uploaded_with_the_later_one_is_no_second_session(shared: Path):
    names = ("entire_a1-20ef_prefix_of_a0.json", "entire_a0-3d69_17msgs.json")
    (session,) = read_uploads([(name, shared / CHATS / name) for name in names]).sessions
    assert len(session.threads[0].calls) == 14
    assert session.ledger.skipped == (("earlier copy of the same session", 1),)


def test_real_saved_histories(shared: Path):
    """25 model contents, none in a row: 25 calls. 52 model contents: one is the program's own thanks, two in a row are one reply: 50 calls, after
    a compression whose snapshot stands in front."""
    first = read_session(shared / CHATS / "geminicli_contents_failed_to_enter_planmode_222KB.json")
    (thread,) = first.threads
    assert first.format == "gemini-cli"
    assert len(thread.calls) == 25
    assert [m.injected for m in thread.messages[:2]] == ["meta", ""]
    assert "orphan_result" not in {p.kind for p in first.problems}
    (thread,) = read_session(shared / CHATS / "geminicli_trajectory_contents_325KB.json").threads
    assert len(thread.calls) == 50
    assert [(e.kind, e.call, e.summary) for e in thread.events] == [("compaction", 0, 1)]
    assert thread.messages[1].injected == "summary"

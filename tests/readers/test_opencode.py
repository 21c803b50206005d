"""opencode: hook streams and exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxcore import Session, read_session
from ctxcore.readers.detect import read_uploads

T = 1_776_898_604_000
TOKENS = {"total": 135, "input": 10, "output": 20, "reasoning": 5, "cache": {"read": 70, "write": 30}}


def part(id: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "type": kind, **more}


def step(id: str, *parts: dict[str, Any], tokens: dict[str, Any] = TOKENS) -> list[dict[str, Any]]:
    return [part(f"{id}s", "step-start"), *parts, part(f"{id}f", "step-finish", tokens=tokens)]


def tool(id: str, output: str = "ok", name: str = "read", **state: Any) -> dict[str, Any]:
    return part(f"p{id}", "tool", tool=name, callID=id, state={"status": "completed", "input": {"a": 1}, "output": output, **state})


def message(id: str, role: str, *parts: dict[str, Any], at: int = 0, **info: Any) -> dict[str, Any]:
    more = {"modelID": "m"} if role == "assistant" else {}
    return {"info": {"id": id, "role": role, "sessionID": "ses_1", "time": {"created": T + at}, **more, **info}, "parts": list(parts)}


def export(*messages: dict[str, Any], id: str = "ses_1", **info: Any) -> bytes:
    return json.dumps({"info": {"id": id, "title": "t", **info}, "messages": list(messages)}).encode()


def said(id: str, words: str, **more: Any) -> dict[str, Any]:
    return message(id, "user", part(f"{id}p", "text", text=words, **more))


def test_each_step_is_a_call_and_its_results_follow_it():
    reply = message(
        "a", "assistant", *step("1", part("x", "text", text="Look"), tool("t1", "one"), tool("t2", "two")), *step("2", part("y", "text", text="Done"))
    )
    session = read_session(export(said("u", "Go"), reply))
    (thread,) = session.threads
    assert session.format == "opencode"
    assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2, 3)]
    usage = thread.calls[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (110, 25, 70, 5)
    assert not session.problems


def test_reasoning_that_the_total_already_holds_is_not_added():
    tokens = {**TOKENS, "total": 130}
    (thread,) = read_session(export(said("u", "Go"), message("a", "assistant", *step("1", part("x", "text", text="Hi"), tokens=tokens)))).threads
    assert thread.calls[0].usage is not None
    assert thread.calls[0].usage.output_tokens == 20


def test_after_a_compaction_a_request_begins_with_the_summary():
    session = read_session(
        export(
            said("u", "Go"),
            message("a", "assistant", *step("1", part("x", "text", text="Done"))),
            message("c", "user", part("k", "compaction", auto=True)),
            message("s", "assistant", *step("2", part("y", "text", text="All so far")), summary=True),
            said("v", "More"),
            message("b", "assistant", *step("3", part("z", "text", text="Ok"))),
        )
    )
    (thread,) = session.threads
    assert [c.messages() for c in thread.calls] == [(0,), (0, 1, 2), (2, 3, 4)]
    assert [(e.kind, e.call, e.summary) for e in thread.events] == [("compaction", 2, 3)]


def test_a_pruned_result_reads_so_only_in_later_requests():
    first = message("a", "assistant", *step("1", tool("t1", "long", time={"end": T + 10, "compacted": T + 500})), at=5)
    second = message("b", "assistant", *step("2", tool("t2", "x")), at=100)
    third = message("c", "assistant", *step("3", part("z", "text", text="Ok")), at=900)
    (thread,) = read_session(export(said("u", "Go"), first, second, third)).threads
    results = [[thread.messages[i].results[0].text for i in c.messages() if thread.messages[i].results] for c in thread.calls]
    assert results == [[], ["long"], ["[Old tool result content cleared]", "x"]]
    assert [(e.kind, e.call) for e in thread.events] == [("microcompaction", 2)]


def test_an_aborted_message_is_an_aborted_call():
    reply = message("a", "assistant", part("1s", "step-start"), part("x", "text", text="Ha"), error={"name": "MessageAbortedError"})
    (thread,) = read_session(export(said("u", "Go"), reply)).threads
    assert [c.flags for c in thread.calls] == [("aborted",)]


def test_texts_of_the_program_are_no_tasks():
    (thread,) = read_session(export(said("u", "Go", synthetic=True), said("v", "Real"), message("a", "assistant", *step("1")))).threads
    assert [m.injected for m in thread.messages[:2]] == ["meta", ""]


def test_exports_of_a_session_and_its_child_are_one_session():
    task = tool("t1", name="task", metadata={"sessionId": "ses_2"})
    one = export(said("u", "Go"), message("a", "assistant", *step("1", task)))
    two = export(said("x", "Sub"), message("y", "assistant", *step("9", part("z", "text", text="Hi"))), id="ses_2", parentID="ses_1")
    (session,) = read_uploads([("two.json", two), ("one.json", one)]).sessions
    assert [(t.id, t.kind, t.parent, t.parent_call) for t in session.threads] == [("main", "main", "", None), ("ses_2", "agent", "main", 0)]


def stream(*lines: Any) -> Session:
    return read_session(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def event(kind: str, **told: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": told}}]


def prompt(words: str, model: str) -> list[Any]:
    return ["experimental.chat.system.transform", {"sessionID": "ses_1", "model": {"id": model}}, {"system": [words]}]


def shown(id: str, **more: Any) -> list[Any]:
    return event("message.part.updated", part={"sessionID": "ses_1", "messageID": "a", "id": id, **more}, time=T)


def test_a_stream_tells_the_prompt_and_tools_of_each_call_and_the_title_is_a_call_of_its_own():
    session = stream(
        event("session.created", info={"id": "ses_1", "title": "New"}),
        event("message.updated", info={"id": "u", "sessionID": "ses_1", "role": "user"}),
        event("message.part.updated", part={"sessionID": "ses_1", "messageID": "u", "id": "p", "type": "text", "text": "Go"}),
        prompt("You make titles", "small"),
        ["tool.definition", {"toolID": "read"}, {"description": "Reads", "parameters": {}}],
        event("message.updated", info={"id": "a", "sessionID": "ses_1", "role": "assistant", "modelID": "m"}),
        prompt("You code", "m"),
        shown("s", type="step-start"),
        shown("t", type="text", text=""),
        event("message.part.delta", partID="t", field="text", delta="Do"),
        event("message.part.delta", partID="t", field="text", delta="ne"),
        shown("f", type="step-finish", tokens=TOKENS),
        event("session.updated", info={"id": "ses_1", "title": "A title"}),
        event("session.idle"),
        ["poem", {}],
        7,
    )
    main, title = session.threads
    assert [main.messages[i].text for i in main.calls[0].messages()] == ["You code", "Go"]
    assert main.messages[main.calls[0].reply or 0].text == "Done"
    assert main.calls[0].tools == 0
    assert session.not_recorded == ()
    assert (title.kind, title.parent, title.messages[-1].text, title.calls[0].model) == ("side", "main", "A title", "small")
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped) == 16


def test_real_streams(shared: Path):
    """Calls are the distinct step-finish parts (each told once or more): 4, and 2 + 2 with a sub-agent; one title call each; 13 tools."""
    for name, calls in (("basic", [4, 1]), ("subagents", [2, 2, 1])):
        path = shared / f"corpus/opencode/langsmith_ses_{name}.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        parts = [v[1]["event"]["properties"]["part"] for v in lines if v[0] == "event" and v[1]["event"]["type"] == "message.part.updated"]
        ends = {p["id"]: p["tokens"] for p in parts if p["type"] == "step-finish"}
        session = read_session(path)
        assert [len(t.calls) for t in session.threads] == calls
        usages = [c.usage for t in session.threads for c in t.calls if c.usage]
        assert sum(u.input_tokens or 0 for u in usages) == sum(t["input"] + t["cache"]["read"] + t["cache"]["write"] for t in ends.values())
        assert {len(tools) for tools in session.threads[0].tool_sets} == {13}
        assert [t.kind for t in session.threads][-1] == "side"
    assert [(t.kind, t.parent, t.parent_call) for t in session.threads[1:2]] == [("agent", "main", 0)]

"""Kimi Code sessions: steps are calls, and what each request held is rebuilt from the records before it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, Thread, read_session, read_sessions
from ctxcore.errors import FormatNotReadYet

START = {"type": "metadata", "protocol_version": "1.4", "created_at": 1_785_000_000_000}
TIME = 1_785_000_001_000


def record(kind: str, /, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more, "time": TIME}


def said(words: str, kind: str = "user", /, **origin: Any) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": words}], "toolCalls": [], "origin": {"kind": kind, **origin}}
    return record("context.append_message", message=message)


def event(kind: str, /, **more: Any) -> dict[str, Any]:
    return record("context.append_loop_event", event={"type": kind, **more})


def asked(**more: Any) -> list[dict[str, Any]]:
    return [event("step.begin", uuid="s"), record("llm.request", kind="loop", model="kimi-k2", **more)]


def part(words: str, kind: str = "text") -> dict[str, Any]:
    return event("content.part", part={"type": kind, kind: words})


def tool(id: str, name: str = "Bash", /, **args: Any) -> dict[str, Any]:
    return event("tool.call", toolCallId=id, name=name, args=args)


def result(id: str, output: Any, **more: Any) -> dict[str, Any]:
    return event("tool.result", toolCallId=id, result={"output": output, **more})


def end(other: int = 10, read: int = 90, output: int = 5, **more: Any) -> dict[str, Any]:
    return event("step.end", usage={"inputOther": other, "output": output, "inputCacheRead": read, "inputCacheCreation": 0}, messageId="m", **more)


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in (START, *records))


def log(*records: Any) -> Session:
    return read_session(lines(*records), "wire.jsonl")


def contexts(thread: Thread) -> list[list[str]]:
    return [[thread.messages[i].text for i in call.messages()] for call in thread.calls]


def test_steps_are_calls_with_their_usage_and_results():
    """Two steps: a tool call with a failed result, then an answer; what was read from the cache is part of the input."""
    session = log(
        record("config.update", systemPrompt="Be brief."),
        said("List"),
        *asked(maxTokens=1000),
        part("Hm", "think"),
        tool("b1", command="ls"),
        result("b1", "no such file", isError=True),
        end(),
        *asked(),
        part("None."),
        end(20, 100),
    )
    (thread,) = session.threads
    assert session.format == "kimi"
    assert contexts(thread) == [["Be brief.", "List"], ["Be brief.", "List", "", "no such file"]]
    assert [p.kind for p in thread.messages[2].parts] == ["reasoning", "tool_call"]
    assert thread.messages[2].calls[0].arguments == '{"command":"ls"}'
    assert thread.messages[3].results[0].is_error
    assert [(c.usage.input_tokens, c.usage.cache_read_tokens, c.usage.output_tokens) for c in thread.calls if c.usage] == [
        (100, 90, 5),
        (120, 100, 5),
    ]
    assert (thread.window, thread.calls[0].model, thread.calls[0].id) == (1000, "kimi-k2", "m")
    assert session.not_recorded == ("tool definitions",)
    assert session.ledger.records == session.ledger.read == 13


def test_a_step_that_brings_nothing_failed_and_a_second_request_is_a_second_try():
    session = log(said("One"), *asked(), record("llm.request", kind="loop", model="kimi-k2"), part("Yes"), end(), said("Two"), *asked())
    (thread,) = session.threads
    assert [call.flags for call in thread.calls] == [("failed", "no_reply"), (), ("failed", "no_reply")]
    assert contexts(thread)[1:] == [["One"], ["One", "Yes", "Two"]]


def test_a_message_during_a_step_is_sent_after_its_results():
    (thread,) = log(said("Go"), *asked(), tool("b1"), said("Wait", "injection"), result("b1", "done"), end(), *asked(), part("Ok"), end()).threads
    assert contexts(thread)[1] == ["Go", "", "done", "Wait"]
    assert [m.injected for m in thread.messages if m.role == "user"] == ["", "reminder"]


def test_a_compaction_keeps_messages_of_the_person_and_a_summary():
    """Of three prompts one at the start and one at the end stay; the request for the summary is a call of its own."""
    session = log(
        *(value for words in "abc" for value in (said(words), *asked(), part(words.upper()), end())),
        record("full_compaction.begin", source="auto"),
        record("llm.request", kind="compaction", model="kimi-k2"),
        record("usage.record", usage={"inputOther": 7, "output": 3}, usageScope="session"),
        record(
            "context.apply_compaction",
            summary="s",
            contextSummary="In short: s",
            compactedCount=6,
            tokensBefore=90,
            tokensAfter=9,
            keptUserMessageCount=2,
            keptHeadUserMessageCount=1,
        ),
        record("full_compaction.complete"),
        said("d"),
        *asked(),
        part("D"),
        end(),
    )
    (thread,) = session.threads
    assert contexts(thread)[3:] == [["a", "A", "b", "B", "c", "C"], ["a", "c", "In short: s", "d"]]
    assert thread.calls[3].usage.input_tokens == 7
    (compaction,) = thread.events
    assert (compaction.trigger, compaction.before_tokens, compaction.after_tokens, compaction.call) == ("auto", 90, 9, 4)
    assert thread.messages[compaction.summary].injected == "summary"


def test_an_older_compaction_keeps_the_end_of_the_history():
    turns = (value for words in "ab" for value in (said(words), *asked(), part(words.upper()), end()))
    (thread,) = log(*turns, record("context.apply_compaction", summary="s", compactedCount=2), said("c"), *asked(), part("C"), end()).threads
    assert contexts(thread)[2] == ["s", "b", "B", "c"]


def test_prompts_are_taken_back_and_the_history_is_cleared():
    turns = [value for words in "ab" for value in (said(words), *asked(), part(words.upper()), end())]
    (thread,) = log(*turns, record("context.undo", count=1), *turns[:5], record("context.clear"), *turns[:5]).threads
    assert contexts(thread)[2:] == [["a", "A", "a"], ["a"]]
    assert [e.kind for e in thread.events] == ["rollback", "rollback"]


def test_tools_are_those_of_the_snapshot_that_the_request_names():
    tools = [{"type": "function", "function": {"name": "Bash"}}]
    (thread,) = log(record("llm.tools_snapshot", hash="h", tools=tools), said("Go"), *asked(toolsHash="h"), part("Ok"), end()).threads
    assert thread.calls[0].tools == 0
    assert thread.tool_sets == (tuple(tools),)


def test_images_are_media():
    image = {"type": "image_url", "imageUrl": {"url": "data:image/png;base64,AAAA"}}
    seen = record("context.append_message", message={"role": "user", "content": [image], "origin": {"kind": "user"}})
    (thread,) = log(seen, *asked(), tool("r"), result("r", [{"type": "text", "text": "a"}, image]), end()).threads
    assert [p.kind for p in thread.messages[0].parts] == ["media"]
    assert (thread.messages[2].results[0].text, len(thread.messages[2].results[0].media)) == ("a", 1)


def test_the_agents_of_a_folder_are_one_session():
    """The result of the tool names the agent whose file lies beside that of the main one."""
    main = lines(
        said("Count"), *asked(), tool("t", "Agent", description="Count files"), result("t", "agent_id: agent-0\nstatus: completed\n\n3"), end()
    )
    child = lines(said("Count them", "system_trigger", name="subagent"), *asked(), part("3"), end())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("s/agents/agent-0/wire.jsonl", child)
        archive.writestr("s/agents/main/wire.jsonl", main)
    (session,) = read_sessions(packed.getvalue(), "s.zip")
    assert [(t.id, t.kind, t.parent, t.parent_call, t.title) for t in session.threads] == [
        ("main", "main", "", None, ""),
        ("agent-0", "agent", "main", 0, "Count files"),
    ]
    assert session.threads[1].messages[0].is_real_user


def test_another_protocol_is_refused_by_name():
    with pytest.raises(FormatNotReadYet, match="Kimi CLI session of a protocol other"):
        read_session(b'{"type":"metadata","protocol_version":"1.1"}\n{"timestamp":1,"message":{"type":"TurnBegin","payload":{}}}\n')


def test_odd_records_are_counted_and_never_raise():
    session = log(
        said("Go"), *asked(), part("Ok"), end(), 5, {"type": 3}, event("step.begin"), event("huh"), record("context.append_message", message=[])
    )
    assert sum(dict(session.ledger.skipped).values()) == 3
    assert session.ledger.records == session.ledger.read + 3


def test_every_request_of_the_recording_held_as_many_messages_as_it_says(shared: Path):
    """The file tells for each of its 24 steps and for the compaction how many messages were sent. Prompts that follow each other directly were sent
    as one (three greetings, of which the first two got no answer), and the prompt of the compaction is not recorded: one less."""
    path = shared / "corpus/other/kimi_assistant_tools.jsonl"
    requests = [value for value in map(json.loads, path.read_text().splitlines()) if value["type"] == "llm.request"]
    (thread,) = read_session(path).threads
    assert [sent(thread, call.messages()) for call in thread.calls] == [r["messageCount"] - (r["kind"] == "compaction") for r in requests]
    assert len(requests) == 25
    assert thread.window == 262_144  # 24,321 tokens later a request asks for at most 237,823


def sent(thread: Thread, context: tuple[int, ...]) -> int:
    """Messages of a request besides the system prompt, neighbouring prompts as one."""
    by_person = [thread.messages[i].is_real_user for i in context if thread.messages[i].role != "system"]
    return sum(not (here and before) for here, before in zip(by_person, [False, *by_person], strict=False))


def test_the_usage_of_the_recording_adds_up(shared: Path):
    """Every ``usage.record`` is the usage of one call: 22 steps and the compaction."""
    path = shared / "corpus/other/kimi_assistant_tools.jsonl"
    counts = [value["usage"] for value in map(json.loads, path.read_text().splitlines()) if value["type"] == "usage.record"]
    (thread,) = read_session(path).threads
    usages = [call.usage for call in thread.calls if call.usage]
    assert sum(u.input_tokens for u in usages) == sum(c["inputOther"] + c["inputCacheRead"] + c["inputCacheCreation"] for c in counts)
    assert sum(u.output_tokens for u in usages) == sum(c["output"] for c in counts)
    assert len(usages) == len(counts) == 23
    (compaction,) = thread.events
    assert (compaction.trigger, compaction.before_tokens, compaction.after_tokens) == ("manual", 15_912, 654)

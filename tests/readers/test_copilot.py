"""Copilot CLI events: what was sent, results as the model read them, segments, sub-agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxcore import Session, read_session


def event(kind: str, id: str = "e", **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": id, "timestamp": "2026-07-05T04:00:44Z", "parentId": None}


START = event("session.start", sessionId="s", producer="copilot-agent", copilotVersion="1.0")


def answer(words: str, *calls: str, output: int = 5, **more: Any) -> dict[str, Any]:
    requests = [{"toolCallId": c, "name": "bash", "arguments": {"command": c}, "intentionSummary": "Run"} for c in calls]
    return event("assistant.message", messageId=f"m-{words}", model="m", content=words, toolRequests=requests, outputTokens=output, **more)


def done(id: str, words: str = "ok", **more: Any) -> dict[str, Any]:
    return event("tool.execution_complete", toolCallId=id, success=True, result={"content": words, "detailedContent": "long"}, **more)


def log(*events: Any) -> Session:
    return read_session(b"".join(json.dumps(e).encode() + b"\n" for e in (START, *events)))


SYSTEM = event("system.message", role="system", content="Be good.")


def test_the_prompt_counts_as_it_was_sent_and_the_repeated_system_prompt_once():
    session = log(
        SYSTEM,
        event("user.message", content="Hi", transformedContent="<now/>Hi"),
        answer("Look", "t1", "t2", reasoningText="Hm"),
        done("t2", "two"),
        done("t1", "one"),
        answer("Done"),
        SYSTEM,
        event("user.message", content="More"),
        answer("Ok"),
    )
    (thread,) = session.threads
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant"]
    assert thread.messages[1].text == "<now/>Hi"
    assert [p.kind for p in thread.messages[2].parts] == ["reasoning", "text", "tool_call", "tool_call"]
    assert [c.message_count for c in thread.calls] == [2, 5, 7]
    assert session.format == "copilot-cli"
    assert "system prompt" not in session.not_recorded
    assert not session.problems


def test_the_totals_of_a_model_with_one_call_are_that_calls():
    metrics = {"m": {"requests": {"count": 1}, "usage": {"inputTokens": 900, "outputTokens": 5, "cacheReadTokens": 640, "reasoningTokens": 2}}}
    session = log(
        SYSTEM, event("user.message", content="Hi"), answer("Yo"), event("session.shutdown", modelMetrics=metrics, toolDefinitionsTokens=448)
    )
    usage = session.threads[0].calls[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (900, 5, 640)
    assert any("448" in note for note in session.notes)


def test_the_totals_of_several_calls_are_not_spread_over_them():
    metrics = {"m": {"requests": {"count": 2}, "usage": {"inputTokens": 900}}}
    session = log(event("user.message", content="Hi"), answer("Yo"), answer("Yes"), event("session.shutdown", modelMetrics=metrics))
    assert [c.usage.input_tokens if c.usage else 0 for c in session.threads[0].calls] == [None, None]
    assert any("900 input tokens" in note for note in session.notes)


def test_a_compaction_leaves_the_system_prompt_and_the_summary():
    session = log(
        SYSTEM,
        event("user.message", content="Hi"),
        answer("Yo"),
        event("session.compaction_complete", success=True, preCompactionTokens=9, postCompactionTokens=3, summaryContent="Greeted."),
        event("user.message", content="More"),
        answer("Ok"),
    )
    (thread,) = session.threads
    assert [thread.messages[i].text for i in thread.calls[1].messages()] == ["Be good.", "Greeted.", "More"]
    assert [(e.kind, e.before_tokens, e.after_tokens) for e in thread.events] == [("compaction", 9, 3)]


def test_a_truncation_and_a_rewind_take_messages_out():
    session = log(
        SYSTEM,
        event("user.message", content="One"),
        answer("1"),
        event("session.truncation", messagesRemovedDuringTruncation=2),
        event("user.message", "p2", content="Two"),
        answer("2"),
        event("session.snapshot_rewind", upToEventId="p2"),
        event("user.message", content="Three"),
        answer("3"),
    )
    (thread,) = session.threads
    sent = [[thread.messages[i].text for i in c.messages()] for c in thread.calls]
    assert sent == [["Be good.", "One"], ["Be good.", "Two"], ["Be good.", "Three"]]
    assert [e.kind for e in thread.events] == ["compaction", "rollback"]


def test_events_of_a_sub_agent_are_a_thread_of_the_call_that_started_it():
    session = log(
        event("user.message", content="Go"),
        answer("Asking", "t1"),
        event("subagent.started", toolCallId="t1", agentName="explore"),
        answer("Sub", "t2", parentToolCallId="t1"),
        done("t2", parentToolCallId="t1"),
        answer("Found", parentToolCallId="t1"),
        done("t1", "Found"),
        answer("So"),
        3,
        event("poem"),
    )
    main, agent = session.threads
    assert (agent.kind, agent.parent, agent.parent_call, agent.title) == ("agent", "main", 0, "explore")
    assert (len(main.calls), len(agent.calls)) == (2, 2)
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped) == 11


def test_real_sessions(shared: Path):
    """d8: 56 assistant.message events, 61 results, four prompts with one system prompt; 6a: one call, counted whole at its end."""
    path = shared / "corpus/copilot-cli/agentv_d8-8be7_1.2MB.jsonl"
    values = [json.loads(line) for line in path.read_text().splitlines()]
    (thread,) = read_session(path).threads
    assert len(thread.calls) == 56
    assert [m.role for m in thread.messages].count("system") == 1
    assert sum(len(m.results) for m in thread.messages) == 61
    assert sum(m.is_real_user for m in thread.messages) == 4
    outputs = [v["data"]["outputTokens"] for v in values if v["type"] == "assistant.message"]
    assert [c.usage.output_tokens for c in thread.calls if c.usage] == outputs
    usage = read_session(shared / "corpus/copilot-cli/agentv_6a-6787-3_60KB.jsonl").threads[0].calls[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.reasoning_tokens) == (15_534, 30, 14_848, 15)

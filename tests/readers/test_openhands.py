"""OpenHands: which calls a log holds and what each received."""

from __future__ import annotations

import io
import json
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session, read_sessions
from ctxcore.errors import UnreadableFile
from ctxcore.readers.detect import read_uploads

Value = dict[str, Any]


def read(value: Any, name: str = "events.json") -> Session:
    return read_session(json.dumps(value).encode(), name)


def said(id: int, words: str, source: str = "user") -> Value:
    return {"id": id, "timestamp": "2025-05-01T10:00:00", "source": source, "action": "message", "args": {"content": words}}


def metadata(call: str, response: str, *calls: str, prompt: int = 10) -> Value:
    asked = [{"id": c, "type": "function", "function": {"name": "execute_bash", "arguments": '{"command":"ls"}'}} for c in calls or (call,)]
    reply = {"id": response, "model": "m", "choices": [{"message": {"role": "assistant", "content": "Look.", "tool_calls": asked}}]}
    reply["usage"] = {"prompt_tokens": prompt, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    return {"function_name": "execute_bash", "tool_call_id": call, "model_response": reply, "total_calls_in_response": len(calls or (call,))}


def asks(id: int, meta: Value) -> Value:
    args = {"command": "ls", "thought": "Look."}
    return {"id": id, "timestamp": "2025-05-01T10:00:01", "source": "agent", "action": "run", "args": args, "tool_call_metadata": meta}


def answers(id: int, meta: Value, words: str = "a.txt", cause: int = 0) -> Value:
    extras = {"command": "ls", "metadata": {"exit_code": 0, "working_dir": "/w", "prefix": "", "suffix": "\n[done]"}}
    event = {"id": id, "timestamp": "2025-05-01T10:00:02", "source": "agent", "observation": "run", "content": words, "extras": extras}
    return {**event, "cause": cause, "tool_call_metadata": meta, "success": True}


def sent(session: Session, call: int) -> list[str]:
    thread = session.threads[0]
    return [f"{thread.messages[i].role}: {thread.messages[i].text}" for i in thread.calls[call].messages()]


RESULT = "tool: a.txt\n[done]\n[Current working directory: /w]\n[Command finished with exit code 0]"
"""Source: OpenHands, CmdOutputObservation.to_agent_observation."""


def test_actions_of_one_response_are_one_call_and_their_results_follow_it():
    one, two = metadata("c1", "r1", "c1", "c2"), metadata("c2", "r1", "c1", "c2")
    last = metadata("c3", "r2", prompt=30)
    session = read([said(0, "Hi"), asks(1, one), answers(2, one, cause=1), asks(3, two), answers(4, two, "b", cause=3), asks(5, last)])
    assert session.format == "openhands"
    assert [call.id for call in session.threads[0].calls] == ["r1", "r2"]
    assert [call.usage.input_tokens for call in session.threads[0].calls] == [10, 30]
    assert [call.usage.cache_read_tokens for call in session.threads[0].calls] == [4, 4]
    assert sent(session, 1) == ["user: Hi", "assistant: Look.", RESULT, RESULT.replace("a.txt", "b")]
    assert all(call.known == "reconstructed" for call in session.threads[0].calls)


def test_state_changes_are_never_part_of_a_prompt():
    changed = {
        "id": 1,
        "timestamp": "2025-05-01T10:00:00",
        "source": "environment",
        "observation": "agent_state_changed",
        "content": "",
        "extras": {},
    }
    session = read([said(0, "Hi"), changed, said(2, "Hello", "agent")])
    assert sent(session, 0) == ["user: Hi"]
    assert session.ledger.skipped == (("event agent_state_changed, never part of a prompt", 1),)
    assert (session.ledger.records, session.ledger.read) == (3, 2)


def condensed(args: Value) -> Session:
    first, second, third = metadata("c1", "r1"), metadata("c2", "r2"), metadata("c3", "r3")
    condensation = {"id": 6, "timestamp": "2025-05-01T10:00:03", "source": "agent", "action": "condensation", "args": args}
    return read(
        [said(0, "Hi"), asks(1, first), answers(2, first), said(3, "More"), asks(4, second), answers(5, second, "b"), condensation, asks(7, third)]
    )


@pytest.mark.parametrize("args", [{"forgotten_event_ids": [1, 2, 3]}, {"forgotten_events_start_id": 1, "forgotten_events_end_id": 3}])
def test_a_condensation_leaves_out_the_forgotten_and_puts_the_summary_at_its_offset(args: Value):
    session = condensed({**args, "summary": "Files were listed.", "summary_offset": 1})
    assert sent(session, 2) == ["user: Hi", "user: Files were listed.", "assistant: Look.", RESULT.replace("a.txt", "b")]
    (event,) = session.threads[0].events
    assert (event.kind, event.call) == ("compaction", 2)
    assert session.threads[0].messages[event.summary].injected == "summary"
    assert sum(m.is_real_user for m in session.threads[0].messages) == 2


def test_a_result_without_its_call_is_left_out_too():
    session = condensed({"forgotten_event_ids": [1]})
    assert sent(session, 2) == ["user: Hi", "user: More", "assistant: Look.", RESULT.replace("a.txt", "b")]


def test_a_reply_whose_call_has_no_result_yet_is_not_sent():
    one, two = metadata("c1", "r1"), metadata("c2", "r2")
    assert sent(read([said(0, "Hi"), asks(1, one), asks(2, two)]), 1) == ["user: Hi"]


def test_a_finishing_reply_stands_as_text_in_later_prompts():
    meta = metadata("c1", "r1")
    finish = {"id": 1, "source": "agent", "action": "finish", "args": {"thought": "All done."}, "tool_call_metadata": meta}
    session = read([said(0, "Hi"), finish, said(2, "Again"), said(3, "Yes", "agent")])
    assert sent(session, 1) == ["user: Hi", "assistant: All done.", "user: Again"]
    assert len(session.threads[0].messages[session.threads[0].calls[0].reply].calls) == 1


def test_an_evaluation_output_is_a_session_a_line_with_usage_and_limit():
    meta = metadata("c1", "r1")
    del meta["model_response"]["usage"]
    listed = {"model": "m", "prompt_tokens": 50, "completion_tokens": 5, "cache_read_tokens": 30, "cache_write_tokens": 7, "response_id": "r1"}
    history = [said(0, "Hi"), asks(1, meta), answers(2, meta, "x" * 200), said(3, "Bye", "agent")]
    extra = {**listed, "response_id": "r9"}
    run = {"instance_id": "i-1", "history": history, "metrics": {"token_usages": [listed, extra]}, "error": None}
    run["metadata"] = {"llm_config": {"model": "m", "max_message_chars": 40}}
    lines = json.dumps(run) + "\n" + json.dumps({**run, "instance_id": "i-2"}) + "\n"
    sessions = read_sessions(lines.encode(), "output.jsonl")
    assert [s.id for s in sessions] == ["i-1", "i-2"]
    usage = sessions[0].threads[0].calls[0].usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (50, 5, 30, 7)
    assert sent(sessions[0], 1)[2] == "tool: " + "x" * 20 + "\n[... Observation truncated due to length ...]\n" + "inished with exit code 0]"[-20:]
    assert any("1 more calls" in note for note in sessions[0].notes)
    assert all(s.ledger.records == s.ledger.read + sum(n for _, n in s.ledger.skipped) for s in sessions)


def test_old_outputs_pair_actions_with_observations_and_keep_no_response():
    act = {"source": "agent", "action": "run", "args": {"command": "ls", "thought": "Look."}}
    seen = {"source": "agent", "observation": "run", "content": "a.txt", "extras": {}}
    run = {"instance_id": "i", "history": [[{"source": "user", "action": "message", "args": {"content": "Hi"}}, {**seen, "observation": "null"}]]}
    run["history"] += [[act, seen], [act, seen]]
    session = read(run)
    assert [call.message_count for call in session.threads[0].calls] == [1, 3]
    assert [m.role for m in session.threads[0].messages] == ["user", "assistant", "tool", "assistant", "tool"]


def test_a_delegate_is_a_thread_of_its_own_started_by_its_call():
    meta = metadata("c1", "r1")
    start = {"id": 1, "source": "agent", "action": "delegate", "args": {"agent": "Browser", "inputs": {"task": "Look it up"}}}
    start["tool_call_metadata"] = meta
    inside, end = said(2, "It is 7.", "agent"), {"id": 3, "source": "agent", "observation": "delegate", "content": "7", "extras": {"outputs": {}}}
    end |= {"cause": 1, "tool_call_metadata": meta}
    session = read([said(0, "Hi"), start, inside, end, said(4, "Seven.", "agent")])
    main, agent = session.threads
    assert (agent.kind, agent.parent, agent.parent_call, agent.title) == ("agent", "main", 0, "Browser")
    assert [m.text for m in agent.messages] == ["Look it up", "It is 7."]
    assert sent(session, 1) == ["user: Hi", "assistant: Look.", "tool: 7"]
    assert len(main.calls) == 2


def test_a_running_total_gives_usage_where_the_call_has_none():
    def counted(event: Value, prompt: int) -> Value:
        return {
            **event,
            "llm_metrics": {"accumulated_token_usage": {"prompt_tokens": prompt, "completion_tokens": prompt // 10, "context_window": 9}},
        }

    session = read([said(0, "Hi"), counted(said(1, "A", "agent"), 100), said(2, "More"), counted(said(3, "B", "agent"), 250)])
    calls = session.threads[0].calls
    assert [(c.usage.input_tokens, c.usage.output_tokens) for c in calls] == [(100, 10), (150, 15)]
    assert all("usage_from_totals" in c.flags for c in calls)
    assert session.threads[0].window == 9


# V1


def v1(kind: str, id: str, source: str = "agent", **fields: Any) -> Value:
    return {"kind": kind, "id": id, "timestamp": "2026-01-02T10:00:00.5", "source": source, **fields}


def piece(words: str) -> Value:
    return {"type": "text", "text": words, "cache_prompt": False}


def v1_action(id: str, call: str, response: str, thought: str = "") -> Value:
    asked = {"id": call, "name": "terminal", "arguments": "{}", "origin": "completion"}
    return v1(
        "ActionEvent",
        id,
        thought=[piece(thought)] if thought else [],
        tool_name="terminal",
        tool_call_id=call,
        tool_call=asked,
        llm_response_id=response,
    )


def v1_result(id: str, call: str, words: str, *, error: bool = False) -> Value:
    seen = {"content": [piece(words)], "is_error": error, "kind": "TerminalObservation"}
    return v1("ObservationEvent", id, "environment", tool_name="terminal", tool_call_id=call, observation=seen, action_id="x")


def v1_user(id: str, words: str) -> Value:
    return v1("MessageEvent", id, "user", llm_message={"role": "user", "content": [piece(words)]}, extended_content=[])


V1 = [
    v1("SystemPromptEvent", "e0", system_prompt=piece("Be brief."), tools=[{"kind": "TerminalTool", "description": "Runs."}]),
    v1_user("e1", "Hi"),
    v1_action("e2", "c1", "r1", "Two things."),
    v1_action("e3", "c2", "r1"),
    v1_result("e4", "c1", "one"),
    v1_result("e5", "c2", "two", error=True),
    v1_action("e6", "c3", "r2"),
    v1("AgentErrorEvent", "e7", error="No such tool", tool_name="terminal", tool_call_id="c3"),
    v1("Condensation", "e8", "environment", forgotten_event_ids=["e2", "e3", "e4", "e5"], summary="Two things done.", summary_offset=2),
    v1("MessageEvent", "e9", llm_message={"role": "assistant", "content": [piece("Done.")]}, llm_response_id="r3", extended_content=[]),
]

STATE = {"id": "conv-1", "agent": {"kind": "Agent", "llm": {"model": "m"}}, "execution_status": "finished"}
STATE["stats"] = {"usage_to_metrics": {"agent": {"token_usages": [{"model": "m2", "prompt_tokens": 9, "completion_tokens": 3, "response_id": "r2"}]}}}


def folder(*files: tuple[str, Value]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in files:
            archive.writestr(name, json.dumps(value))
    return buffer.getvalue()


def test_a_conversation_folder_is_one_session_with_usage_from_its_state():
    events = [(f"conv/events/event-{n:05}-{e['id']}.json", e) for n, e in enumerate(V1)]
    (session,) = read_sessions(folder(*reversed(events), ("conv/base_state.json", STATE)), "conv.zip")
    assert session.id == "conv-1"
    assert [c.id for c in session.threads[0].calls] == ["r1", "r2", "r3"]
    assert [c.usage and c.usage.input_tokens for c in session.threads[0].calls] == [None, 9, None]
    failed = "[An error occurred during execution.]\n\ntwo"
    assert sent(session, 1) == ["system: Be brief.", "user: Hi", "assistant: Two things.", "tool: one", f"tool: {failed}"]
    assert sent(session, 2) == ["system: Be brief.", "user: Hi", "user: Two things done.", "assistant: ", "tool: No such tool"]
    assert [e.kind for e in session.threads[0].events] == ["compaction"]
    assert len(session.threads[0].tool_sets[0]) == 1
    assert session.ledger.records == session.ledger.read == 11


def logged(response: str, *messages: Value, at: float = 1.0) -> Value:
    """A call as the client logs it."""
    answer = {"id": response, "model": "m", "choices": [{"message": {"role": "assistant", "content": "S"}}], "usage": {"prompt_tokens": 7}}
    tools = [{"type": "function", "function": {"name": "terminal", "parameters": {}}}]
    return {"messages": list(messages), "tools": tools, "kwargs": {}, "response": answer, "timestamp": at, "latency_sec": 0.1}


def test_requests_logged_beside_a_conversation_are_what_its_calls_received():
    """r1 was sent as rebuilt, r2 without its results; r3 has no log; a call that no event names wrote the summary."""
    events = [(f"run/conv/events/event-{n:05}-{e['id']}.json", e) for n, e in enumerate(V1)]
    system, hi = {"role": "system", "content": [piece("Be brief.")]}, {"role": "user", "content": [piece("Hi")]}
    logs = [
        ("run/telemetry_a/m-1.json", logged("r1", system, hi)),
        ("run/telemetry_a/m-2.json", logged("r2", system, hi, {"role": "user", "content": [piece("Shortened.")]})),
        ("run/telemetry_a/m-3.json", logged("summary", {"role": "user", "content": [piece("Sum up.")]})),
    ]
    (session,) = read_sessions(folder(*logs, *events, ("run/conv/base_state.json", STATE)), "run.zip")
    main, side = session.threads
    assert [(c.id, c.known, c.usage and c.usage.input_tokens) for c in main.calls] == [
        ("r1", "recorded", 7),
        ("r2", "recorded", 9),
        ("r3", "reconstructed", None),
    ]
    assert sent(session, 0) == ["system: Be brief.", "user: Hi"]
    assert sent(session, 1) == ["system: Be brief.", "user: Hi", "user: Shortened."]
    assert (side.kind, [c.id for c in side.calls], len(side.tool_sets)) == ("side", ["summary"], 1)
    assert session.level == "message list only"
    assert (session.ledger.records, session.ledger.read) == (14, 14)


def test_a_conversation_with_a_log_for_each_call_has_full_requests():
    events = [(f"run/conv/events/event-{n:05}-{e['id']}.json", e) for n, e in enumerate(V1[:6])]
    log = ("run/completions/m-1.json", logged("r1", {"role": "user", "content": "Hi"}))
    (session,) = read_sessions(folder(log, ("run/completions/x.json", {}), *events, ("run/conv/base_state.json", STATE)), "run.zip")
    assert (session.level, sent(session, 0)) == ("full requests", ["user: Hi"])
    assert session.ledger.records == session.ledger.read + 1


@pytest.mark.parametrize("data", [json.dumps(V1).encode(), "\n".join(map(json.dumps, V1)).encode()], ids=["list", "lines"])
def test_the_same_events_as_a_list_or_lines_give_the_same_calls(data: bytes):
    session = read_session(data, "events")
    assert [c.message_count for c in session.threads[0].calls] == [2, 5, 5]


def test_two_conversations_in_one_upload_are_two_sessions():
    files = [(f"{conv}/events/event-{n:05}-x.json", {**e, "id": f"{conv}{e['id']}"}) for conv in "ab" for n, e in enumerate(V1[:2])]
    assert len(read_sessions(folder(*files), "both.zip")) == 2


def test_the_state_alone_is_refused_with_what_to_do():
    with pytest.raises(UnreadableFile, match="events included"):
        read(STATE, "base_state.json")


@pytest.mark.parametrize("bad", [None, 7, [], {"id": 1}, {**V1[2], "tool_call": 5, "thought": "x"}, {**V1[4], "observation": None}])
def test_odd_events_never_raise(bad: Any):
    session = read([*V1[:2], bad, *V1[2:]])
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped)
    strange = [said(0, "Hi"), {**said(1, "x"), "args": None}, {**asks(2, metadata("c", "r")), "tool_call_metadata": 3}, bad]
    assert read(strange).format == "openhands"


# Real recordings: totals counted in the files by other means


def test_the_calls_of_real_v0_files_add_up_to_their_running_totals(shared: Path):
    """The last event of each file has llm_metrics.accumulated_token_usage: 791,351 tokens in 63 calls, 3,514,327 in 100 (by response ids).

    These totals lack what was written to the cache (32,758 in the first file): prompt_tokens is read + 3 to 6, and every call reads what the one
    before it read and wrote.
    """
    for name, calls in (("v0_tb_password-recovery_3.0MB", 63), ("v0_tb_blind-maze_204events", 100)):
        path = shared / "corpus" / "openhands" / f"{name}.json"
        totals = [e["llm_metrics"]["accumulated_token_usage"] for e in json.loads(path.read_text()) if e.get("llm_metrics")]
        (thread,) = read_session(path).threads
        assert len(thread.calls) == calls
        usages = [c.usage for c in thread.calls]
        assert sum(u.input_tokens for u in usages) == totals[-1]["prompt_tokens"] + totals[-1]["cache_write_tokens"]
        assert sum(u.output_tokens for u in usages) == totals[-1]["completion_tokens"]
        grown = [later.cache_read_tokens == u.cache_read_tokens + u.cache_write_tokens for u, later in pairwise(usages)]
        assert sum(grown) > 0.9 * len(grown)


def test_a_count_smaller_than_its_parts_does_not_hold_what_was_written_to_the_cache():
    """3,826 tokens of which 3,822 were read and 284 written: 4 new, 3,822 read, 284 written."""
    meta = metadata("c1", "r1")
    meta["model_response"]["usage"] = {
        "prompt_tokens": 3826,
        "completion_tokens": 1,
        "cache_read_input_tokens": 3822,
        "cache_creation_input_tokens": 284,
    }
    assert read([said(0, "Hi"), asks(1, meta)]).threads[0].calls[0].usage.input_tokens == 4110


def test_a_huge_observation_of_a_real_run_is_sent_without_its_middle(shared: Path):
    """One command printed 2,448,087 characters. The next prompt grew by 16,746 tokens, as 30,000 characters of such text take, not 2.4 million."""
    session = read_session(shared / "corpus" / "openhands" / "v0_tb_password-recovery_3.0MB.json")
    (thread,) = session.threads
    longest = max(thread.messages, key=lambda m: len(m.text))
    assert len(longest.text) == 30_000 + len("\n[... Observation truncated due to length ...]\n")
    call = next(c for c in thread.calls if any(thread.messages[i] is longest for i in c.messages()))
    assert call.usage.input_tokens - thread.calls[call.index - 1].usage.input_tokens == 16_746
    assert any("30,000" in note for note in session.notes)


def test_every_run_of_an_evaluation_output_has_the_calls_of_its_metrics(shared: Path):
    path = shared / "corpus" / "openhands" / "v0_evaloutput_swebench_5runs_3.0MB.jsonl"
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    for session, run in zip(read_sessions(path), runs, strict=True):
        usages = run["metrics"]["token_usages"]
        calls = session.threads[0].calls
        assert [c.id for c in calls] == [u["response_id"] for u in usages]
        assert sum(c.usage.input_tokens for c in calls) == sum(u["prompt_tokens"] for u in usages)
        assert session.not_recorded == ("system prompt", "tool definitions")


def test_the_rebuilt_input_of_a_v1_conversation_is_the_one_its_telemetry_recorded(shared: Path):
    """Three calls, three telemetry files with the messages as sent: 2, 5 and 8."""
    root = shared / "corpus" / "openhands" / "v1_conv_20260121-223755_with_llm_telemetry"
    uploads = [(p.relative_to(root).as_posix(), p) for p in sorted(root.rglob("*.json"))]
    reading = read_uploads(uploads)
    (session,) = [s for s in reading.sessions if s.format == "openhands"]
    thread = session.threads[0]
    logs = sorted((json.loads(p.read_text()) for p in root.glob("telemetry*/*.json")), key=lambda log: log["timestamp"])
    assert [c.id for c in thread.calls] == [log["response"]["id"] for log in logs]
    for call, log in zip(thread.calls, logs, strict=True):
        rebuilt = [thread.messages[i] for i in call.messages()]
        assert [m.role for m in rebuilt] == [m["role"] for m in log["messages"]]
        assert [m.text for m in rebuilt] == ["".join(p["text"] for p in m.get("content") or []) for m in log["messages"]]
        assert list(thread.tool_sets[call.tools]) == log["tools"]


def test_the_completion_logs_of_one_run_are_one_session(shared: Path):
    """Six files with 2, 4, … 12 messages. The writer lost the tool calls of the replies; the next request has them, but for the last reply."""
    paths = sorted((shared / "corpus" / "openhands" / "sdk_llm_logs_fncall").glob("*.json"))
    (session,) = read_uploads([(p.name, p) for p in reversed(paths)]).sessions
    (thread,) = session.threads
    assert [c.context for c in thread.calls] == [((0, n),) for n in (2, 4, 6, 8, 10, 12)]
    assert [bool(call.name) for m in thread.messages for call in m.calls] == [True] * 5 + [False]
    assert len(thread.messages) == 13
    assert all(c.known == "recorded" for c in thread.calls)

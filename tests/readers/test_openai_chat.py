"""OpenAI Chat: requests, message lists and logs, measured against the recorded requests themselves."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.model import Thread
from ctxcore.readers.openai_chat import OpenAIChat
from ctxcore.readers.shape import make_document
from ctxcore.sizes.characters import request_chars

CORPUS = "corpus/openai_chat"


def recorded(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def tools_of(request: dict[str, Any]) -> list[Any]:
    tools = request.get("tools") or []
    return json.loads(tools) if isinstance(tools, str) else tools


def rebuilt(thread: Thread, call: int) -> list[Any]:
    return [thread.messages[i].wire[0] for i in thread.calls[call].messages()]


@pytest.mark.parametrize(("name", "calls"), [("lmcache_minimax_session.jsonl", 35), ("openhands_session.jsonl", 34)])
def test_a_growing_log_is_one_thread_whose_calls_are_the_recorded_requests(shared: Path, name: str, calls: int):
    """34 and 35 requests that repeat the history: every context is the request, every message is kept once."""
    requests = recorded(shared / CORPUS / name)
    session = read_session(shared / CORPUS / name)
    (thread,) = session.threads
    assert len(thread.calls) == calls == len(requests)
    assert len(thread.messages) == max(len(r["messages"]) for r in requests)
    for number, request in enumerate(requests):
        assert rebuilt(thread, number) == request["messages"]
        assert thread.calls[number].known == "recorded"
    assert len(thread.epochs) == 1
    assert session.ledger.records == session.ledger.read == calls


@pytest.mark.parametrize("name", ["lmcache_minimax_session.jsonl", "openhands_session.jsonl"])
def test_sizes_are_those_of_the_recorded_requests(shared: Path, name: str):
    """Reference: the definition, on each line by itself."""
    expected = [request_chars(r["messages"], tools_of(r)) for r in recorded(shared / CORPUS / name)]
    found = {}
    for thread in read_session(shared / CORPUS / name).threads:
        before = replay(thread, budget=10**9).before
        found |= {call.source.line: int(size) for call, size in zip(thread.calls, before, strict=True)}
    assert [found[line] for line in sorted(found)] == expected


def test_a_fine_tuning_dialect_has_reasoning_calls_and_tools(shared: Path):
    """50 rows, each a conversation: 112 answers, 112 reasoning parts, 68 tool calls and 42 results, as counted in the file."""
    session = read_session(shared / CORPUS / "finetune_reason_tool_use_demo_50.jsonl")
    threads = session.threads
    rows = recorded(shared / CORPUS / "finetune_reason_tool_use_demo_50.jsonl")
    assert (len(threads), session.level) == (len(rows), "message list only")
    assert [len(t.calls) for t in threads] == [sum(m["role"] == "assistant" for m in row["messages"]) for row in rows]
    assert sum(len(t.calls) for t in threads) == 112
    kinds = Counter(part.kind for t in threads for m in t.messages for part in m.parts)
    assert (kinds["reasoning"], kinds["tool_call"], kinds["tool_result"], kinds["other"]) == (112, 68, 42, 0)
    assert all(call.tools is not None for t in threads for call in t.calls)


def test_a_stored_completion_is_its_conversation_and_the_recorded_call(shared: Path):
    """73 messages with 13 answers, then the stored answer: 14 calls, the last with the recorded 52,529 tokens."""
    path = shared / CORPUS / "stored_completion_ask_github_gc.json"
    session = read_session(path)
    (thread,) = session.threads
    assert [c.known for c in thread.calls] == ["reconstructed"] * 13 + ["recorded"]
    last = thread.calls[-1]
    assert last.usage is not None
    assert (last.message_count, last.reply, last.usage.input_tokens, last.usage.output_tokens) == (73, 73, 52_529, 9_090)
    value = json.loads(path.read_text())
    assert rebuilt(thread, 13) == value["messages"]
    assert int(replay(thread, budget=10**9).before[-1]) == request_chars(value["messages"], value.get("tools") or [])
    assert session.level == "full requests"


def test_a_log_with_its_response_gives_the_last_call_its_reply(shared: Path):
    path = next((shared / CORPUS).glob("openhands_llmlog_*1757015046.707.json"))
    (thread,) = read_session(path).threads
    assert len(thread.calls) == 6
    assert thread.calls[-1].usage is not None
    assert thread.calls[-1].usage.input_tokens == 6_729
    assert thread.calls[-1].at == pytest.approx(1_757_015_046.7, abs=0.1)
    assert thread.messages[-1].calls


def test_rows_of_a_data_set_are_conversations_and_growing_requests_are_calls():
    """Two talks of 2 answers each: 4 calls in 2 threads. A log whose next line goes on from the one before: a call a line."""
    one = [ask("a"), answer("b"), ask("c"), answer("d")]
    other = [ask("e"), answer("f"), ask("g"), answer("h")]
    for data in (lines({"messages": one}, {"messages": other}), json.dumps([{"messages": one}, {"messages": other}]).encode()):
        session = read_session(data)
        assert [[(c.context, c.reply) for c in t.calls] for t in session.threads] == [[(((0, 1),), 1), (((0, 3),), 3)]] * 2
        assert (session.ledger.records, session.ledger.read) == (2, 2)
    assert [len(t.calls) for t in read_session(lines({"messages": one[:2]}, {"messages": one})).threads] == [2]
    assert [len(t.calls) for t in read_session(lines({"messages": one[:3]}, {"messages": other})).threads] == [1, 1]


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def lines(*requests: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(r).encode() + b"\n" for r in requests)


def ask(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_reply_that_comes_back_in_a_request_is_one_message_in_the_form_that_was_sent():
    """The response has null fields and an empty list; the next request has not: its form is the one that counts."""
    reply = {"role": "assistant", "content": "Two.", "refusal": None, "annotations": []}
    sent = {"role": "assistant", "content": [{"type": "text", "text": "Two.", "cache_control": {"type": "ephemeral"}}]}
    session = read_session(
        lines(
            {"request": {"model": "m", "messages": [ask("One?")]}, "response": {"id": "r1", "choices": [{"message": reply}]}},
            {"request": {"model": "m", "messages": [ask("One?"), sent, ask("Three?")]}, "response": {"id": "r2", "error": {"message": "no"}}},
        )
    )
    (thread,) = session.threads
    assert len(thread.messages) == 3
    assert rebuilt(thread, 1) == [ask("One?"), sent, ask("Three?")]
    assert thread.calls[0].reply == 1
    assert [c.flags for c in thread.calls] == [(), ("failed", "no_reply")]


def test_a_changed_history_is_marked_and_the_thread_goes_on():
    """The third request has another second message: an event, and a new run of calls."""
    session = read_session(
        lines(
            {"model": "m", "messages": [ask("a"), ask("b")]},
            {"model": "m", "messages": [ask("a"), ask("b"), ask("c")]},
            {"model": "m", "messages": [ask("a"), ask("B"), ask("c")]},
            {"model": "m", "messages": [ask("a"), ask("B"), ask("c"), ask("d")]},
        )
    )
    (thread,) = session.threads
    assert [m.text for m in thread.messages] == ["a", "b", "c", "B", "d"]
    assert [c.messages() for c in thread.calls] == [(0, 1), (0, 1, 2), (0, 3, 2), (0, 3, 2, 4)]
    assert [(e.kind, e.call) for e in thread.events] == [("history_changed", 2)]


def test_interleaved_conversations_are_threads_of_their_own():
    one = [ask(f"one {n}") for n in range(4)]
    two = [ask(f"two {n}") for n in range(3)]
    session = read_session(
        lines(
            {"model": "m", "messages": one[:2]},
            {"model": "m", "messages": two[:2]},
            {"model": "m", "messages": one[:3]},
            {"model": "m", "messages": two},
            {"model": "m", "messages": one},
        )
    )
    assert [(t.kind, len(t.calls), len(t.messages)) for t in session.threads] == [("main", 3, 4), ("side", 2, 3)]


def test_a_list_of_requests_in_one_json_value_is_read_as_lines_are():
    requests = [{"model": "m", "messages": [ask("a")]}, {"model": "m", "messages": [ask("a"), ask("b")]}]
    session = read_session(json.dumps(requests).encode())
    assert [c.messages() for c in session.threads[0].calls] == [(0,), (0, 1)]
    assert session.ledger.records == session.ledger.read == 2


def test_a_message_that_is_no_object_is_named_and_left_out():
    session = read_session(json.dumps({"messages": [ask("a"), 7, ask("b")]}).encode())
    assert [m.text for m in session.threads[0].messages] == ["a", "b"]
    assert [p.kind for p in session.problems] == ["not_an_object"]


def test_a_response_of_another_provider_is_not_read_as_chat():
    value = {
        "request": {"model": "m", "messages": [ask("a")]},
        "response": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "b"}]},
    }
    assert not OpenAIChat().matches(make_document("x", json.dumps(value).encode()), [value])


def test_a_thousand_requests_keep_each_text_once():
    """Linear in unique text: 1,000 requests of up to 1,000 messages hold 1,000 message objects and one run of calls."""
    history = [ask(f"message {n}") for n in range(1000)]
    session = read_session(lines(*({"model": "m", "messages": history[: n + 1]} for n in range(0, 1000, 10))))
    (thread,) = session.threads
    assert len(thread.messages) == 991
    assert sum(len(c.context) for c in thread.calls) == 100
    assert len(thread.epochs) == 1


def test_a_page_of_stored_completions_holds_one_call_each():
    """Content that is no text stands in content_parts there."""
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "https://x.invalid/a.png"}}]
    question = {"role": "user", "content": "", "content_parts": parts}
    choices = [{"index": 0, "message": {"role": "assistant", "content": "A cat."}, "finish_reason": "stop"}]
    stored = {"object": "traffic.completion", "id": "c1", "model": "m", "messages": [question], "choices": choices, "usage": {"prompt_tokens": 9}}
    session = read_session(json.dumps({"object": "list", "data": [stored, {**stored, "id": "c2"}], "has_more": False}).encode())
    assert (session.format, session.level, session.ledger.records, session.ledger.read) == ("openai-chat", "full requests", 2, 2)
    assert [c.usage.input_tokens for t in session.threads for c in t.calls] == [9, 9]
    assert [p.kind for p in session.threads[0].messages[0].parts] == ["text", "media"]


def test_each_of_many_threads_counts_the_tools_of_its_own_request():
    """A thread for each request, each with tools of its own: no thread measures those of another."""
    tools = [[{"type": "function", "function": {"name": "t" * n, "parameters": {}}}] for n in range(1, 6)]
    requests = [{"model": "m", "messages": [{"role": "user", "content": f"task {n}"}], "tools": kit} for n, kit in enumerate(tools)]
    session = read_session("\n".join(map(json.dumps, requests)).encode(), "log.jsonl")
    assert len(session.threads) == 5
    assert [len(thread.tool_sets) for thread in session.threads] == [1] * 5
    sizes = {thread.calls[0].source.line: int(replay(thread, budget=10**9).before[0]) for thread in session.threads}
    assert [sizes[line] for line in sorted(sizes)] == [request_chars(r["messages"], r["tools"]) for r in requests]


def test_a_prompt_that_changes_with_each_request_leaves_the_other_messages_as_they_are():
    """Only the prompt is new; equal messages in other places (q0 to q6 come back) stay apart."""
    talk: list[dict[str, Any]] = []
    requests = []
    for n in range(30):
        talk = [*talk, {"role": "user", "content": f"q{n % 7}"}]
        requests.append([{"role": "system", "content": f"It is {n} o'clock."}, *talk])
        talk = [*talk, {"role": "assistant", "content": f"a{n}"}]
    lines = []
    for n, asked in enumerate(requests):
        said = {"role": "assistant", "content": f"a{n}"}
        lines.append({"request": {"model": "m", "messages": asked}, "response": {"id": f"r{n}", "choices": [{"message": said}]}})
    session = read_session("\n".join(map(json.dumps, lines)).encode(), "log.jsonl")
    found = {call.id: rebuilt(thread, number) for thread in session.threads for number, call in enumerate(thread.calls)}
    assert [found[f"r{n}"] for n in range(30)] == requests

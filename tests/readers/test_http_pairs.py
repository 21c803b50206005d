"""HTTP pairs of a proxy are read as the calls they hold, whoever the provider; nothing of the headers stays."""

from __future__ import annotations

import json
from pathlib import Path

from ctxcore import read_session, replay
from tests.readers.test_sse import anthropic_stream, sse

LEAK = "EXAMPLE-not-a-key"


def pair(at: float, body, response, *, url: str = "https://api.example.invalid/v1/messages", status: int = 200) -> dict:
    """A line of a proxy's log."""
    headers = {"authorization": f"Bearer {LEAK}"}
    request = {"timestamp": 1_780_000_000 + at, "method": "POST", "url": url, "headers": headers, "body": body}
    return {"request": request, "response": {"status_code": status, "headers": headers, **response}, "logged_at": "2026-01-01T00:00:00Z"}


def read(*lines: dict):
    return read_session("\n".join(json.dumps(line) for line in lines).encode() + b"\n", "log.jsonl")


def canonical_chars(messages: list, tools: list | None = None) -> int:
    """Size of a request by its definition. Source: the whole-unit rule, "Size"."""
    return len(json.dumps({"messages": messages, "tools": tools or []}, ensure_ascii=False, separators=(",", ":")))


def asked(*messages: dict, **rest) -> dict:
    return {"model": "claude-x", "system": "Be brief.", "messages": list(messages), **rest}


def answer(text: str, id: str = "msg_2", **usage) -> dict:
    counted = {"input_tokens": 10, "output_tokens": 2, **usage}
    return {
        "body": {"id": id, "type": "message", "role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": text}], "usage": counted}
    }


USER = {"role": "user", "content": "Where is the key?"}
CALLED = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "two steps", "signature": "c2ln"},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"where": "attic"}},
    ],
}
FOUND = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "under the mat"}]}


def test_a_recorded_stream_is_the_reply_and_the_next_request_goes_on_from_it():
    """5 messages: system, question, reply (from the stream), result, answer."""
    session = read(pair(100, asked(USER), {"body_raw": sse(*anthropic_stream())}), pair(102, asked(USER, CALLED, FOUND), answer("It is there.")))
    (thread,) = session.threads
    assert (session.format, session.level, session.not_recorded) == ("http-pairs", "full requests", ("tool definitions",))
    assert [c.context for c in thread.calls] == [((0, 2),), ((0, 4),)]
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert [c.usage.input_tokens for c in thread.calls] == [9, 10]
    assert all(c.known == "recorded" and not c.flags for c in thread.calls)
    assert thread.messages[2].calls[0].arguments == '{"where":"attic"}'


def test_headers_are_dropped():
    session = read(pair(100, asked(USER), answer("x")))
    assert LEAK not in repr(session)


def test_lines_in_finish_order_are_put_in_the_order_of_their_requests():
    session = read(
        pair(200, asked(USER, {"role": "assistant", "content": "Wait."}, USER), answer("b")), pair(100, asked(USER), answer("Wait.", "msg_1"))
    )
    assert [c.id for c in session.threads[0].calls] == ["msg_1", "msg_2"]


def test_what_is_no_model_call_is_counted_and_left_out():
    """A list of models, an analytics event, a count of tokens: 3 of 4 lines."""
    session = read(
        pair(1, {}, {"body": {"models": []}}),
        pair(2, {"events": [{"name": "click"}]}, {"body": {"status": "ok"}}),
        pair(3, asked(USER), {"body": {"input_tokens": 12}}),
        pair(4, asked(USER), answer("x")),
    )
    assert len(session.threads[0].calls) == 1
    assert dict(session.ledger.skipped) == {"no model call": 2, "count of tokens, no model call": 1}
    assert (session.ledger.records, session.ledger.read) == (4, 1)


def test_a_session_that_changes_its_provider_stays_one_thread():
    """Chat, then Anthropic, then Responses: the same messages in three shapes, each with its own way to hold a call, and its own size."""
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is the key?"},
    ]
    call = {"id": "k1", "type": "function", "function": {"name": "look", "arguments": '{"where": "attic"}'}}
    completion = {
        "id": "c1",
        "object": "chat.completion",
        "model": "gpt-x",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 20}},
    }
    used = {"role": "assistant", "content": [{"type": "tool_use", "id": "k1", "name": "look", "input": {"where": "attic"}}]}
    found = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k1", "content": "under the mat"}]}
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "Where is the key?"}]},
        {"type": "function_call", "call_id": "k1", "name": "look", "arguments": '{"where":"attic"}'},
        {"type": "function_call_output", "call_id": "k1", "output": "under the mat"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Under the mat."}]},
        {"role": "user", "content": "Thanks."},
    ]
    response = {
        "id": "r1",
        "object": "response",
        "model": "gpt-y",
        "status": "completed",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Bye."}]}],
        "usage": {"input_tokens": 50, "output_tokens": 3},
    }
    session = read(
        pair(1, {"model": "gpt-x", "messages": chat}, {"body": completion}),
        pair(2, asked(USER, used, found), answer("Under the mat.", cache_read_input_tokens=40)),
        pair(3, {"model": "gpt-y", "instructions": "Be brief.", "input": items, "store": False}, {"body": response}),
    )
    (thread,) = session.threads
    system = {"role": "system", "content": "Be brief."}
    assert replay(thread).before.tolist() == [canonical_chars(chat), canonical_chars([system, USER, used, found]), canonical_chars([system, *items])]
    assert [c.message_count for c in thread.calls] == [2, 4, 6]
    assert [c.flags for c in thread.calls] == [(), (), ("history_changed",)]
    assert [(c.usage.input_tokens, c.usage.cache_read_tokens) for c in thread.calls] == [(30, 20), (50, 40), (50, None)]
    assert [(e.kind, e.call) for e in thread.events] == [
        ("model_changed", 1),
        ("history_changed", 2),
        ("model_changed", 2),
    ]
    assert thread.events[1].note == "The history says the same in the shape of another provider, in which its messages have other sizes."


def test_the_events_of_a_stream_count_more_than_a_body_that_the_proxy_rewrote():
    """The proxy put a Chat stream into Anthropic's shape; the chunks say what came."""
    chunks = [
        {"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Yes"}, "finish_reason": "stop"}]},
        {"id": "c1", "choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 20}}},
    ]
    wrapped = [{"event": "unknown", "data": chunk, "timestamp": "2026-01-01T00:00:00Z"} for chunk in chunks]
    request = {"model": "gpt-x", "messages": [{"role": "system", "content": "Be brief."}, USER]}
    (call,) = read(pair(1, request, {**answer("Yes", input_tokens=30), "events": wrapped})).threads[0].calls
    assert (call.usage.input_tokens, call.usage.cache_read_tokens) == (30, 20)


def test_a_sub_agent_is_linked_to_the_call_that_started_it():
    prompt = "Search the attic for the key and say where it lies."
    task = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"description": "Search", "prompt": prompt}}
    started = {"role": "assistant", "content": [task]}
    done = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]}
    opening = {"role": "user", "content": [{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": prompt}]}
    reply = {"body": {"id": "msg_1", "type": "message", "role": "assistant", "content": [task], "usage": {"input_tokens": 5, "output_tokens": 5}}}
    session = read(
        pair(1, asked(USER), reply),
        pair(2, {**asked(opening), "system": "You search."}, answer("under the mat", "msg_5")),
        pair(3, asked(USER, started, done), answer("Under the mat.", "msg_9")),
    )
    main, agent = session.threads
    assert (main.kind, len(main.calls)) == ("main", 2)
    assert (agent.kind, agent.parent, agent.parent_call, agent.title) == ("agent", main.id, 0, "Search")


def test_a_refused_call_and_its_retry_are_two_calls():
    error = {"body": {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}}
    (thread,) = read(pair(1, asked(USER), error, status=529), pair(2, asked(USER), answer("x"))).threads
    assert [c.flags for c in thread.calls] == [("failed", "no_reply"), ()]
    assert [c.context for c in thread.calls] == [((0, 2),), ((0, 2),)]


def test_a_stream_without_its_end_is_flagged():
    (call,) = read(pair(1, asked(USER), {"body_raw": sse(*anthropic_stream(stop=False))})).threads[0].calls
    assert call.flags == ("incomplete",)
    assert call.reply is not None


def test_edits_on_the_server_are_events():
    cleared = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3, "cleared_input_tokens": 900}
    response = answer("x")
    response["body"]["context_management"] = {"applied_edits": [cleared]}
    session = read(pair(1, asked(USER), response))
    assert session.level == "server-side state"
    assert [e.kind for e in session.threads[0].events] == ["microcompaction"]


def test_records_of_any_shape_are_counted_not_raised():
    odd = [{"request": {"url": "x", "method": "GET"}, "response": None}, {"request": {"url": "x", "body": 3}, "response": []}, {"request": 1}, {}]
    session = read(pair(1, asked(USER), answer("x")), pair(2, asked(USER, 7, None), answer("y")), *odd)
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped) == 6
    assert any("not objects" in p.what for p in session.problems)


def counted_in(path: Path) -> list[int]:
    """Input tokens of every model call by what stands in the lines: fresh and cached, or the last event of a stream."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        response = json.loads(line)["response"]
        usage = (response.get("body") or {}).get("usage")
        if response.get("body_raw"):
            usage = json.loads(response["body_raw"].rstrip().rpartition("data: ")[2])["response"]["usage"]
        if usage:
            found.append(sum(usage.get(key) or 0 for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")))
    return found


def test_real_captures_hold_the_calls_and_counts_that_their_lines_show(shared: Path):
    """Codex captures: 2 calls of 6 and of 5 lines; Claude Code: 1 call; a session over two providers: 6 calls, one of them a title."""
    folder = shared / "corpus" / "http_pair_jsonl"
    calls = {}
    for path in sorted(folder.glob("*.jsonl")):
        session = read_session(path)
        every = sorted((c for t in session.threads for c in t.calls), key=lambda c: c.at)
        calls[path.stem[-8:]] = len(every)
        assert sorted(c.usage.input_tokens for c in every) == sorted(counted_in(path))
        assert (session.format, session.level, session.not_recorded) == ("http-pairs", "full requests", ())
        assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped)
    assert calls == {"09-00-52": 1, "02-37-53": 6, "03-13-52": 2, "03-21-50": 2}


def test_a_codex_capture_has_the_reply_that_only_the_finished_items_hold(shared: Path):
    """The last event of both streams leaves output empty. What Codex itself puts in the user role is no turn: 2 turns in 3 user messages."""
    session = read_session(shared / "corpus" / "http_pair_jsonl" / "claude-trace_log-2026-06-16-03-13-52.jsonl")
    (thread,) = session.threads
    assert [(c.context, c.reply, c.turn) for c in thread.calls] == [(((0, 4),), 4, 1), (((0, 6),), 6, 2)]
    assert dict(session.ledger.skipped) == {"no model call": 4}


def test_a_chain_at_the_provider_is_no_full_request():
    """The second request holds one new message; three reached the model."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}
    first, second = ({"id": f"r{n}", "object": "response", "status": "completed", "output": [said]} for n in (1, 2))
    session = read(
        pair(1, {"model": "m", "input": "One?"}, {"body": first}),
        pair(2, {"model": "m", "input": "Two?", "previous_response_id": "r1"}, {"body": second}),
    )
    assert (session.level, [c.message_count for c in session.threads[0].calls]) == ("server-side state", [1, 3])


def test_a_change_of_the_history_is_told_in_words_that_count() -> None:
    """The second request begins with one message of the first and then leaves one out; the third begins with none of the second."""
    histories = (["a", "b", "c", "d"], ["a", "c", "d"], ["c", "d"])
    lines = [
        json.dumps(
            {
                "request": {"model": "gpt-5", "messages": [{"role": "user", "content": text} for text in texts]},
                "response": {"id": f"r{n}", "object": "chat.completion", "model": "gpt-5", "choices": []},
            }
        )
        for n, texts in enumerate(histories)
    ]
    session = read_session("\n".join(lines).encode(), "log.jsonl")
    notes = [event.note for thread in session.threads for event in thread.events]
    assert notes == ["The history is as before for 1 message, then it differs.", "No message is as before."]

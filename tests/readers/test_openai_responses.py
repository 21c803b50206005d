"""OpenAI Responses: items as messages, requests, chains that the provider keeps, pages and streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import Session, read_session
from ctxcore.model import Media, Reasoning, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.responses_item import items_message, split_items
from ctxcore.sizes.characters import request_chars

CASES = Path(__file__).parent.parent / "data" / "cases"

ASK = {"role": "user", "content": "Weather?"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b3BhcXVl"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": "{}"}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "sunny"}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Sunny.", "annotations": [], "logprobs": []}],
}
TOOL = {"type": "function", "name": "weather", "parameters": {"type": "object"}}


def read(*records: Any, name: str = "log.jsonl") -> Session:
    return read_session("\n".join(map(json.dumps, records)).encode(), name)


def request(*items: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m-1", "store": False, "input": list(items), **more}


def answer(id: str, *output: Any, input_tokens: int = 7, **more: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": input_tokens,
        "input_tokens_details": {"cached_tokens": 3},
        "output_tokens": 2,
        "output_tokens_details": {"reasoning_tokens": 1},
    }
    return {
        "object": "response",
        "id": id,
        "status": "completed",
        "created_at": 1767607200,
        "model": "m-1-snapshot",
        "output": list(output),
        "usage": usage,
        **more,
    }


def roles(session: Session, call: int) -> list[str]:
    thread = session.threads[0]
    return [thread.messages[i].role for i in thread.calls[call].messages()]


# Items

PARTS = [
    ({"role": "user", "content": "Hi"}, [Text(text="Hi")]),
    ({"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, [Text(text="No.")]),
    (
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A"}], "content": [{"type": "reasoning_text", "text": "B"}]},
        [Reasoning(text="A\nB")],
    ),
    (THOUGHT, [Reasoning(text="", opaque=True)]),
    (CALL, [ToolCall(id="c1", name="weather", arguments="{}")]),
    ({"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "*** Begin"}, [ToolCall(id="c2", name="patch", arguments="*** Begin")]),
    (
        {"type": "local_shell_call", "call_id": "c3", "action": {"command": ["ls"]}},
        [ToolCall(id="c3", name="local_shell", arguments='{"command":["ls"]}')],
    ),
    (RESULT, [ToolResult(call_id="c1", text="sunny")]),
    (
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
        [ToolResult(call_id="c2", text="a\nb")],
    ),
    (
        {"type": "function_call_output", "call_id": "c4", "output": [{"type": "input_image", "image_url": "https://pictures.invalid/1.png"}]},
        [ToolResult(call_id="c4", text="", media=(Media(media_type="image", payload_chars=30),))],
    ),
    (
        {"type": "mcp_call", "id": "mcp_1", "name": "find", "arguments": "{}", "output": "x"},
        [ToolCall(id="mcp_1", name="find", arguments="{}"), ToolResult(call_id="mcp_1", name="find", text="x")],
    ),
    ({"type": "mcp_approval_response", "approval_request_id": "ap_1", "approve": True}, [ToolResult(call_id="ap_1", text="true")]),
]


@pytest.mark.parametrize(("item", "parts"), PARTS, ids=lambda value: value.get("type", "message") if isinstance(value, dict) else "")
def test_parts_of_an_item(item, parts):
    assert list(items_message([item], SourceRef()).parts) == parts


def test_the_items_of_one_reply_are_one_message():
    """Model items that stand together are one reply; input and results stand alone."""
    groups = split_items([ASK, THOUGHT, CALL, RESULT, SAID, ASK])
    assert [len(group) for group in groups] == [1, 2, 1, 1, 1]
    assert [items_message(g, SourceRef()).role for g in groups] == ["user", "assistant", "tool", "assistant", "user"]


def test_an_item_of_an_unknown_type_is_kept():
    message = items_message([{"type": "hologram", "role": "stage", "text": "wow"}], SourceRef())
    assert (message.role, message.text, message.flags) == ("stage", "wow", ("unknown_role",))


# One request


def test_one_request_is_a_call_for_each_reply_and_one_for_itself():
    read_in = read(request(ASK, THOUGHT, CALL, RESULT, SAID, ASK, instructions="Be brief.", tools=[TOOL]), name="one.json")
    thread = read_in.threads[0]
    assert [(c.context, c.reply, c.known) for c in thread.calls] == [
        (((0, 2),), 2, "reconstructed"),
        (((0, 4),), 4, "reconstructed"),
        (((0, 6),), None, "recorded"),
    ]
    assert read_in.not_recorded == ()
    assert thread.tool_sets == ((TOOL,),)
    sent = [{"role": "system", "content": "Be brief."}, ASK, THOUGHT, CALL, RESULT, SAID, ASK]
    message_chars = int(thread.chars.message[:6].sum()) + 5
    assert message_chars + thread.chars.frame == request_chars(sent, [])


def test_count_09_an_image_is_media_and_not_text():
    thread = read_session(CASES / "COUNT-09.json").threads[0]
    text, image = thread.messages[0].parts
    assert len(text.text) == 21
    assert (image.media_type, image.width, image.height) == ("image/png", 96, 96)
    assert image.payload_chars == 12508 + len("data:image/png;base64,")


def test_a_search_in_a_reply_is_no_open_exchange():
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}
    thread = read(request(ASK, search, SAID, ASK), name="one.json").threads[0]
    assert thread.epochs[0].units.flags == ()
    assert not thread.epochs[0].units.exchange.any()


# Lines of requests and answers


def test_requests_that_repeat_the_history_keep_each_message_once():
    """The second request sends the first answer again, as the provider stored it or without its marks."""
    plain = {"role": "assistant", "content": [{"type": "output_text", "text": "Sunny."}]}
    thread = read(
        {"request": request(ASK), "response": answer("r1", THOUGHT, CALL)},
        {"request": request(ASK, THOUGHT, CALL, RESULT), "response": answer("r2", SAID)},
        {"request": request(ASK, THOUGHT, CALL, RESULT, plain, ASK), "response": None},
    ).threads[0]
    assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert [c.context for c in thread.calls] == [((0, 1),), ((0, 3),), ((0, 5),)]
    first = thread.calls[0]
    assert (first.id, first.model, first.known) == ("r1", "m-1-snapshot", "recorded")
    assert (first.usage.input_tokens, first.usage.cache_read_tokens, first.usage.reasoning_tokens) == (7, 3, 1)


def test_a_chain_brings_back_input_and_output_but_not_instructions():
    """Source: OpenAI Responses reference, previous_response_id."""
    read_in = read(
        {"request": request(ASK, instructions="First."), "response": answer("r1", CALL)},
        {"request": request(RESULT, previous_response_id="r1", instructions="Second."), "response": answer("r2", SAID)},
        {"request": request(ASK, previous_response_id="r2"), "response": answer("r3", SAID)},
    )
    thread = read_in.threads[0]
    assert roles(read_in, 1) == ["system", "user", "assistant", "tool"]
    assert thread.messages[thread.calls[1].messages()[0]].text == "Second."
    assert roles(read_in, 2) == ["user", "assistant", "tool", "assistant", "user"]
    assert [c.known for c in thread.calls] == ["recorded", "reconstructed", "reconstructed"]


def test_a_chain_is_state_of_the_provider_even_where_all_of_it_is_in_the_file():
    """Source: format notes 2.0.2, level d: such a request is only what was new. Nothing is missing, so nothing is named as missing."""
    first = {"request": request(ASK), "response": answer("r1", SAID)}
    chain = read(first, {"request": request(ASK, previous_response_id="r1"), "response": answer("r2", SAID)})
    assert (chain.level, "earlier messages" in chain.not_recorded) == ("server-side state", False)
    assert any(note.startswith("1 call goes on from a history that the provider kept") for note in chain.notes)
    assert read(first, {"request": request(ASK, SAID, ASK), "response": answer("r2", SAID)}).level == "full requests"


def test_a_retry_goes_on_from_the_same_parent():
    read_in = read(
        {"request": request(ASK), "response": answer("r1", SAID)},
        {"request": request(ASK, previous_response_id="r1"), "response": answer("r2", status="failed")},
        {"request": request(ASK, previous_response_id="r1"), "response": answer("r3", SAID)},
    )
    assert roles(read_in, 1) == roles(read_in, 2) == ["user", "assistant", "user"]
    assert set(read_in.threads[0].calls[1].flags) == {"failed", "no_reply"}


@pytest.mark.parametrize("more", [{"previous_response_id": "elsewhere"}, {"conversation": "conv_1"}, {"conversation": {"id": "conv_1"}}], ids=repr)
def test_a_history_that_only_the_provider_has_is_named(more):
    read_in = read(
        {"request": request(ASK, **more), "response": answer("r1", SAID, input_tokens=900)},
        {"request": request(ASK, **more), "response": answer("r2", SAID)},
    )
    assert read_in.level == "server-side state"
    assert "earlier messages" in read_in.not_recorded
    calls = read_in.threads[0].calls
    assert all("history_not_recorded" in c.flags for c in calls)
    assert calls[0].usage.input_tokens == 900
    if "conversation" in more:
        assert roles(read_in, 1) == ["user", "assistant", "user"]


def test_a_chain_that_names_itself_ends():
    loop = {"request": request(ASK, previous_response_id="r1"), "response": answer("r1", SAID)}
    assert read(loop, loop).level == "server-side state"


def test_a_reference_stands_for_the_item_seen_before():
    read_in = read(
        {"request": request(ASK), "response": answer("r1", CALL)},
        {"request": request(ASK, {"type": "item_reference", "id": "fc_1"}, RESULT), "response": answer("r2", SAID)},
    )
    thread = read_in.threads[0]
    assert [thread.messages[i].role for i in thread.calls[1].messages()] == ["user", "assistant", "tool"]
    assert thread.epochs[0].units.flags == ()


def test_a_request_and_its_answer_may_stand_in_lines_of_their_own():
    thread = read(request(ASK), answer("r1", SAID), request(ASK, SAID, ASK), answer("r2", SAID)).threads[0]
    assert [(c.context, c.reply) for c in thread.calls] == [(((0, 1),), 1), (((0, 3),), 3)]


def test_a_compaction_of_the_provider_is_named():
    packed = {"type": "compaction", "id": "cmp_1", "encrypted_content": "b3BhcXVl"}
    read_in = read(
        {"request": request(ASK), "response": answer("r1", SAID, packed)},
        {"request": request(ASK, SAID, packed, ASK), "response": answer("r2", SAID, input_tokens=5)},
    )
    assert "compacted_by_provider" in read_in.threads[0].calls[1].flags
    assert any("compaction" in note for note in read_in.notes)


# Answers, streams and pages


def test_a_stream_gives_the_response_of_its_last_event():
    events = [
        {"type": "response.created", "sequence_number": 0, "response": answer("r1", status="in_progress")},
        {"type": "response.output_text.delta", "sequence_number": 1, "delta": "Su"},
    ]
    read_in = read(*events, {"type": "response.completed", "sequence_number": 2, "response": answer("r1", SAID)}, name="x.chunks.txt")
    (call,) = read_in.threads[0].calls
    assert read_in.threads[0].messages[call.reply].text == "Sunny."
    assert "input_not_recorded" in call.flags
    assert "input" in read_in.not_recorded


def test_a_page_that_lists_the_newest_first_is_turned_round():
    oldest_first = [{**ASK, "type": "message"}, CALL, RESULT, SAID]
    for data in (oldest_first, oldest_first[::-1]):
        thread = read({"object": "list", "data": data, "has_more": False}, name="page.json").threads[0]
        assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "assistant"]


def test_items_one_a_line_are_a_conversation():
    thread = read({**ASK, "type": "message"}, CALL, RESULT, SAID).threads[0]
    assert [c.context for c in thread.calls] == [((0, 1),), ((0, 3),)]
    assert [m.source.line for m in thread.messages] == [1, 2, 3, 4]


# Bad input


@pytest.mark.parametrize(
    "odd", [None, 7, "x", [], {}, [7], [{"type": "message"}], [{"type": "function_call_output", "output": {"a": [1]}}]], ids=repr
)
@pytest.mark.parametrize("key", ["input", "tools", "instructions", "previous_response_id", "conversation"])
def test_odd_requests_never_raise(key, odd):
    good = {"request": request(ASK), "response": answer("r1", SAID)}
    assert read(good, {"request": {**request(ASK), key: odd}, "response": answer("r2", SAID)}, good).threads


@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, [7], [{}], [{"type": 5, "role": []}]], ids=repr)
@pytest.mark.parametrize("key", ["output", "usage", "id", "status", "instructions", "tools", "created_at", "model"])
def test_odd_answers_never_raise(key, odd):
    good = {"request": request(ASK), "response": answer("r1", SAID)}
    assert read(good, {"request": request(ASK), "response": {**answer("r2", SAID), key: odd}}, good).threads
    assert read(answer("r1", SAID), {**answer("r2", SAID), key: odd}, answer("r3", SAID)).threads


# Real files


def test_a_real_page_of_items(shared):
    """Seven items of three responses: two replies, and the request that the last result belongs to."""
    read_in = read_session(shared / "corpus" / "openai_responses" / "input_items_storymachine_run_42.json")
    thread = read_in.threads[0]
    assert [len(m.wire) for m in thread.messages] == [1, 2, 1, 2, 1]
    assert [c.reply for c in thread.calls] == [1, 3, None]
    assert thread.epochs[0].units.flags == ()


def test_real_streams_give_one_call_each(shared):
    path = shared / "corpus" / "openai_responses" / "openai-reasoning-encrypted-content.1.chunks.txt"
    last = [json.loads(line)["response"] for line in path.read_text().splitlines() if '"response.completed"' in line[:40]]
    thread = read_session(path).threads[0]
    assert [c.id for c in thread.calls] == [response["id"] for response in last]
    assert [c.usage.input_tokens for c in thread.calls] == [response["usage"]["input_tokens"] for response in last]
    assert thread.messages[0].parts[0].kind == "reasoning"


def test_a_real_answer_with_a_program_that_calls_tools(shared):
    thread = read_session(shared / "corpus" / "openai_responses" / "programmatic-tool-calling.1.json").threads[0]
    assert [call.name for call in thread.messages[0].calls] == ["program", "getInventory"]
    assert len(thread.tool_sets[0]) == 3


def test_real_codex_requests_grow_by_the_reply_and_the_next_question(shared):
    """Bodies of one proxied session: the second repeats the first three messages; both carry the system text and fifteen tools."""
    path = shared / "corpus" / "http_pair_jsonl" / "claude-trace_log-2026-06-16-03-13-52.jsonl"
    bodies = [json.loads(line)["request"].get("body") or {} for line in path.read_text().splitlines()]
    requests = [body for body in bodies if "input" in body]
    thread = read(*requests).threads[0]
    assert [c.context for c in thread.calls] == [((0, 4),), ((0, 6),)]
    assert len(thread.tool_sets) == 1
    assert len(thread.tool_sets[0]) == 15


def _chained(number: int, after: int | None) -> dict[str, Any]:
    """A request of one line that goes on from an earlier answer, and its answer."""
    asked = {"model": "m", "input": [{"role": "user", "content": f"q{number}"}]}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"a{number}"}]}
    behind = {} if after is None else {"previous_response_id": f"resp_{after}"}
    return {"request": {**asked, **behind}, "response": {"id": f"resp_{number}", "object": "response", "model": "m", "output": [said]}}


def test_a_fork_of_a_chain_receives_its_own_branch_and_no_other():
    """0 → 1 → 2, then back to 0 → 3 → 4, then on from 2: every call receives what its own line of answers holds."""
    parents: tuple[int | None, ...] = (None, 0, 1, 0, 3, 2)
    session = read_session("\n".join(json.dumps(_chained(n, after)) for n, after in enumerate(parents)).encode(), "log.jsonl")
    received = {}
    for thread in session.threads:
        for call in thread.calls:
            received[call.id] = [thread.messages[index].text for index in call.messages()]
    assert received == {
        "resp_0": ["q0"],
        "resp_1": ["q0", "a0", "q1"],
        "resp_2": ["q0", "a0", "q1", "a1", "q2"],
        "resp_3": ["q0", "a0", "q3"],
        "resp_4": ["q0", "a0", "q3", "a3", "q4"],
        "resp_5": ["q0", "a0", "q1", "a1", "q2", "a2", "q5"],
    }
    assert not any("history_not_recorded" in call.flags for thread in session.threads for call in thread.calls)


def test_every_call_of_a_chain_of_thousands_receives_all_before_it():
    """Two items a call: its question and the answer; walking the whole chain anew for each call would take long here."""
    lines = "\n".join(json.dumps(_chained(n, n - 1 if n else None)) for n in range(4_000)).encode()
    (thread,) = read_session(lines, "log.jsonl").threads
    assert [call.message_count for call in thread.calls] == [2 * n + 1 for n in range(4_000)]

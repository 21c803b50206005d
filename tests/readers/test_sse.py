"""Event streams make the answer that the client ended up with."""

from __future__ import annotations

import json

import pytest

from ctxcore.readers.sse import assembled, is_stream, stream_events


def sse(*payloads, end: str = "\n\n") -> str:
    return "".join(f"event: {p.get('type', 'message')}\ndata: {json.dumps(p, ensure_ascii=False)}{end}" for p in payloads)


def anthropic_stream(*, stop: bool = True) -> list[dict]:
    events = [
        {
            "type": "message_start",
            "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}},
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "two "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "steps"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"where": '}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '"attic"}'}},
    ]
    if stop:
        events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"input_tokens": 0, "output_tokens": 24}})
        events.append({"type": "message_stop"})
    return events


def test_an_anthropic_stream_joins_thinking_and_arguments_and_takes_the_last_counts():
    streamed = assembled(anthropic_stream())
    thinking, call = streamed.answer["content"]
    assert (thinking["thinking"], thinking["signature"]) == ("two steps", "c2ln")
    assert (call["input"], call["id"]) == ({"where": "attic"}, "toolu_1")
    assert streamed.answer["usage"] == {"input_tokens": 9, "output_tokens": 24}
    assert (streamed.answer["stop_reason"], streamed.complete) == ("tool_use", True)


def test_a_cut_stream_keeps_what_came_and_says_so():
    """Arguments that are no JSON yet stay text."""
    streamed = assembled(anthropic_stream(stop=False)[:-1])
    assert not streamed.complete
    assert streamed.answer["content"][1]["input"] == '{"where": '


def test_chat_calls_are_joined_by_index_and_the_last_chunk_counts():
    def chunk(delta, **rest):
        return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta, **rest}]}

    streamed = assembled(
        [
            chunk({"role": "assistant", "reasoning_content": "a"}),
            chunk({"reasoning_content": "b"}),
            chunk({"tool_calls": [{"index": 0, "id": "k0", "function": {"name": "f", "arguments": ""}}]}),
            chunk({"tool_calls": [{"index": 1, "id": "k1", "function": {"name": "g", "arguments": '{"x"'}}]}),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}),
            chunk({"tool_calls": [{"index": 1, "function": {"arguments": ":1}"}}]}),
            chunk({}, finish_reason="tool_calls"),
            {"id": "c1", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}},
        ]
    )
    (choice,) = streamed.answer["choices"]
    assert choice["message"]["reasoning_content"] == "ab"
    assert [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in choice["message"]["tool_calls"]] == [
        ("k0", "f", "{}"),
        ("k1", "g", '{"x":1}'),
    ]
    assert (choice["finish_reason"], streamed.answer["usage"]["prompt_tokens"], streamed.complete) == ("tool_calls", 5, True)


def test_chat_calls_without_an_index_start_with_their_id():
    deltas = [{"id": "k0", "function": {"name": "f", "arguments": "{"}}, {"function": {"arguments": "}"}}, {"id": "k1", "function": {"name": "g"}}]
    streamed = assembled([{"choices": [{"delta": {"tool_calls": [delta]}}]} for delta in deltas])
    calls = streamed.answer["choices"][0]["message"]["tool_calls"]
    assert [(c["function"]["name"], c["function"]["arguments"]) for c in calls] == [("f", "{}"), ("g", "")]


def test_every_choice_of_a_stream_is_kept():
    streamed = assembled([{"choices": [{"index": i, "delta": {"content": word}}]} for i, word in ((1, "x"), (0, "a"), (1, "y"))])
    assert [c["message"]["content"] for c in streamed.answer["choices"]] == ["a", "xy"]


def test_a_response_without_output_in_its_last_event_takes_the_finished_items():
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}
    events = [
        {"type": "response.created", "response": {"id": "resp_1", "object": "response", "output": []}},
        {"type": "response.output_item.done", "output_index": 1, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "summary": []}},
        {"type": "response.completed", "response": {"id": "resp_1", "object": "response", "output": [], "usage": {"input_tokens": 3}}},
    ]
    streamed = assembled(events)
    assert [i["type"] for i in streamed.answer["output"]] == ["reasoning", "message"]
    assert streamed.complete
    cut = assembled(events[:-1])
    assert (cut.complete, cut.answer["status"], len(cut.answer["output"])) == (False, "incomplete", 2)


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_only_line_ends_end_a_line(end: str):
    """U+2028 and U+0085 may stand inside a JSON text."""
    body = sse({"type": "x", "text": "a\u2028b\x85c"}, {"type": "y"}, end=end)
    assert [e["type"] for e in stream_events(body)] == ["x", "y"]
    assert is_stream(body)


def test_what_is_no_json_is_left_out():
    assert stream_events(': keep-alive\n\ndata: [DONE]\n\ndata: {"a": 1\n\ndata: {"a":\ndata: 2}\n\n') == [{"a": 2}]


def test_an_unknown_stream_has_no_answer():
    assert assembled([{"hello": 1}, 3, None]).answer == {}
    assert assembled([{"error": {"message": "overloaded"}}]).answer == {"error": {"message": "overloaded"}}

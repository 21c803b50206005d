"""Anthropic Messages: requests, pairs and responses; blocks as parts; what the provider changes on its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore.errors import FormatNotRecognized
from ctxcore.model import Media, Other, Reasoning, Session, SourceRef, Text, ToolCall, ToolResult
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.detect import read_session

CASES = Path(__file__).parent.parent / "data" / "cases"


def case(name: str) -> Session:
    return read_session(CASES / name)


def lines(*values: dict) -> Session:
    return read_session("\n".join(map(json.dumps, values)).encode() + b"\n", "made.jsonl")


def one(value) -> Session:
    return read_session(json.dumps(value).encode(), "made.json")


def message(role: str, *blocks):
    return anthropic_message({"role": role, "content": list(blocks)}, SourceRef())


def answer(id: str, *blocks: dict, **more) -> dict:
    counted = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 7, "output_tokens": 2}
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": "demo-model",
        "content": list(blocks),
        "stop_reason": "end_turn",
        "usage": counted,
        **more,
    }


def flags_of_units(read: Session) -> list[tuple[int, str]]:
    return [flag for thread in read.threads for epoch in thread.epochs for flag in epoch.units.flags]


# The case table


def test_count_06_input_is_the_tail_and_the_cache_together():
    """7 fresh, 9,000 read, 400 written: 9,407 in, 60 out."""
    read = case("COUNT-06.json")
    (call,) = read.threads[0].calls
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.cache_read_tokens, call.usage.cache_write_tokens) == (9407, 60, 9000, 400)
    assert (call.known, call.reply, call.context) == ("recorded", 1, ((0, 1),))
    assert read.level == "full requests"
    assert read.seen_calls["msg_demo"].input_tokens == 9407


def test_pair_06_calls_without_results_are_open():
    """Two calls, no result: one open exchange; system in front makes five messages."""
    read = case("PAIR-06.json")
    (thread,) = read.threads
    assert [m.role for m in thread.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert thread.messages[0].wire == ({"role": "system", "content": "Print shop helper."},)
    assert [c.id for c in thread.messages[2].calls] == ["toolu_p1", "toolu_p2"]
    assert {word for _, word in flags_of_units(read)} == {"open"}
    assert read.not_recorded == ("tool definitions",)


def test_pair_07_a_second_answer_belongs_to_the_exchange():
    read = case("PAIR-07.json")
    assert [r.call_id for r in read.threads[0].messages[2].results] == ["toolu_k1", "toolu_k1", "toolu_k2"]
    assert sum(len(r.text) for r in read.threads[0].messages[2].results) == 18
    assert {word for _, word in flags_of_units(read)} == {"duplicate_result"}


def test_pair_10_text_beside_results_starts_no_turn_and_its_order_is_flagged():
    (thread,) = case("PAIR-10.json").threads
    assert len(thread.messages) == 4
    assert sum(m.is_real_user for m in thread.messages) == 1
    assert thread.messages[2].flags == ("text_before_results",)
    assert [r.text for r in thread.messages[2].results] == ["depot", "harbour"]


@pytest.mark.parametrize(("name", "exchanges", "calls"), [("PAIR-16.a.json", 2, 4), ("PAIR-16.b.json", 1, 3)])
def test_pair_16_parallel_and_sequential_calls_stay_apart(name, exchanges, calls):
    """Replies in the list, and one more request for the last user message."""
    (thread,) = case(name).threads
    assert sum(int(epoch.units.exchange.sum()) for epoch in thread.epochs) == exchanges
    assert len(thread.calls) == calls
    assert (thread.calls[-1].known, thread.calls[-1].reply) == ("recorded", None)


def test_role_01_a_message_of_results_is_no_turn():
    assert [m.is_real_user for m in case("ROLE-01.json").threads[0].messages] == [True, False, False, False, True, False]


def test_role_02_signed_thinking_without_text_is_flagged_not_broken():
    read = case("ROLE-02.json")
    (thread,) = read.threads
    assert [p.kind for p in read.problems] == ["signed_thinking_empty"]
    assert thread.messages[1].flags == ("signed_thinking_empty",)
    assert thread.messages[1].parts[0] == thread.messages[3].parts[0] == Reasoning(text="", opaque=True)
    assert thread.messages[3].wire[0]["content"][0] == {"type": "redacted_thinking", "data": "b3BhcXVl"}


# Blocks


def test_each_known_block_has_its_part():
    made = message(
        "assistant",
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "hi"},
        {"type": "tool_use", "id": "t", "name": "f", "input": {"a": "é"}},
        {"type": "compaction", "content": "so far"},
    )
    assert made.parts == (
        Reasoning(text="hm"),
        Text(text="hi"),
        ToolCall(id="t", name="f", arguments='{"a":"é"}'),
        Other(type="compaction", text="so far"),
    )
    assert made.flags == ()


def test_a_result_keeps_text_media_and_error_apart():
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    (found,) = message(
        "user", {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": [{"type": "text", "text": "x"}, picture]}
    ).parts
    assert found == ToolResult(call_id="t", text="x", is_error=True, media=(Media(media_type="image/png", payload_chars=4),))


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ({"type": "url", "url": "https://files.invalid/a.png"}, Media(media_type="image", payload_chars=27)),
        ({"type": "file", "file_id": "file_1"}, Media(media_type="image", payload_chars=6)),
        ({"type": "text", "media_type": "text/plain", "data": "words"}, Text(text="words")),
        ({"type": "content", "content": [{"type": "text", "text": "in it"}]}, Text(text="in it")),
    ],
)
def test_media_by_its_source(source, part):
    assert message("user", {"type": "image", "source": source}).parts == (part,)


def test_an_unknown_block_is_kept_and_flagged():
    made = message("user", {"type": "hologram", "text": "seen"}, "bare", 7)
    assert made.parts == (Other(type="hologram", text="seen"), Text(text="bare"), Other(type="unknown"))
    assert made.flags == ("unknown_block",)


def test_a_tool_that_ran_at_the_provider_is_no_open_exchange():
    """Call and result stand in one assistant message: nothing is left to answer."""
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}}
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [{"type": "web_search_result", "title": "T", "url": "u", "encrypted_content": "zzz"}],
    }
    read = one(
        {
            "system": "x",
            "messages": [{"role": "user", "content": "Search."}, {"role": "assistant", "content": [call, found]}, {"role": "user", "content": "On."}],
        }
    )
    reply = read.threads[0].messages[2]
    assert [c.name for c in reply.calls] == ["web_search"]
    assert [r.text for r in reply.results] == ["T\nu"]
    assert flags_of_units(read) == []


# Requests


def test_requests_that_repeat_the_history_share_its_messages():
    """A cache mark that moves and text that becomes a block change nothing; three requests of 1, 3 and 5 messages hold each message once."""
    marked = {"type": "text", "text": "One.", "cache_control": {"type": "ephemeral"}}
    first = {"system": "S", "messages": [{"role": "user", "content": [marked]}]}
    second = {
        "system": "S",
        "messages": [{"role": "user", "content": "One."}, {"role": "assistant", "content": "1"}, {"role": "user", "content": "Two."}],
    }
    third = {
        **second,
        "messages": [
            *second["messages"],
            {"role": "assistant", "content": [{"type": "text", "text": "2", "citations": None}]},
            {"role": "user", "content": "Three."},
        ],
    }
    text = [{"type": "text", "text": n} for n in "123"]
    read = lines(*({"request": request, "response": answer(f"m{n}", text[n])} for n, request in enumerate((first, second, third))))
    (thread,) = read.threads
    assert [m.text for m in thread.messages[1:]] == ["One.", "1", "Two.", "2", "Three.", "3"]
    assert [c.context for c in thread.calls] == [((0, 2),), ((0, 4),), ((0, 6),)]
    assert [c.usage.input_tokens for c in thread.calls] == [30, 30, 30]
    assert not any("history_changed" in c.flags for c in thread.calls)
    assert read.level == "full requests"


def test_requests_without_responses_are_requests_only():
    tool = {"name": "f", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}
    read = lines(
        {"model": "m", "tools": [tool], "messages": [{"role": "user", "content": "One."}]},
        {
            "model": "m",
            "tools": [tool],
            "messages": [{"role": "user", "content": "One."}, {"role": "assistant", "content": "1"}, {"role": "user", "content": "Two."}],
        },
    )
    (thread,) = read.threads
    assert read.level == "requests only"
    assert [c.known for c in thread.calls] == ["recorded", "recorded"]
    assert thread.tool_sets == ((tool,),)
    assert read.not_recorded == ("system prompt",)


def test_lines_in_the_order_of_their_end_are_calls_in_the_order_of_their_start():
    def pair(start: float, words: list[str]):
        roles = ("user", "assistant")
        messages = [{"role": roles[n % 2], "content": w} for n, w in enumerate(words)]
        return {
            "request": {"timestamp": start, "body": {"system": "S", "messages": messages}},
            "response": {"body": answer(f"m{start}", {"type": "text", "text": "1"})},
        }

    read = lines(pair(1781514090.0, ["One.", "1", "Two."]), pair(1781514080.0, ["One."]))
    (thread,) = read.threads
    assert [c.id for c in thread.calls] == ["m1781514080.0", "m1781514090.0"]
    assert [c.message_count for c in thread.calls] == [2, 4]


def test_a_side_call_is_a_thread_of_its_own():
    big = {"system": "S", "messages": [{"role": "user", "content": "One."}]}
    title = {"system": "Make a title.", "messages": [{"role": "user", "content": "One line."}]}
    more = {"system": "S", "messages": [*big["messages"], {"role": "assistant", "content": "1"}, {"role": "user", "content": "Two."}]}
    main, side = lines(big, title, more).threads
    assert (main.kind, len(main.calls)) == ("main", 2)
    assert (side.kind, len(side.calls)) == ("side", 1)


def test_a_list_of_messages_with_anthropic_blocks_is_a_conversation():
    read = one([{"role": "user", "content": "Go."}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}])
    assert (read.format, read.level) == ("anthropic-messages", "message list only")
    assert [c.reply for c in read.threads[0].calls] == [1]


def test_plain_chat_is_left_to_the_chat_reader():
    assert one({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}).format == "openai-chat"


# What the provider changes


def test_nothing_before_a_compaction_block_is_seen_from_the_next_call_on():
    compacted = [{"type": "compaction", "content": "So far: one."}, {"type": "text", "text": "1"}]
    usage = {
        "input_tokens": 5,
        "output_tokens": 2,
        "iterations": [{"type": "compaction", "input_tokens": 900, "output_tokens": 40}, {"type": "message", "input_tokens": 5, "output_tokens": 2}],
    }
    first = {"system": "S", "messages": [{"role": "user", "content": "One."}]}
    second = {"system": "S", "messages": [*first["messages"], {"role": "assistant", "content": compacted}, {"role": "user", "content": "Two."}]}
    read = lines(
        {"request": first, "response": answer("m1", *compacted, usage=usage)},
        {"request": second, "response": answer("m2", {"type": "text", "text": "2"})},
    )
    (thread,) = read.threads
    assert read.level == "server-side state"
    assert [thread.messages[i].role for i in thread.calls[1].messages()] == ["system", "assistant", "user"]
    assert (thread.calls[1].known, thread.calls[1].flags) == ("reconstructed", ("compacted_on_server",))
    (event,) = thread.events
    assert (event.kind, event.call, event.before_tokens, event.after_tokens, event.summary) == ("compaction", 1, 900, 40, 2)


def test_edits_that_the_server_applied_are_said_and_lower_the_level():
    """The file shows more than the model saw; which results went is not recorded, so the context stays as sent and is flagged."""
    edit = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 4, "cleared_input_tokens": 5000}
    request = {"system": "S", "messages": [{"role": "user", "content": "One."}]}
    read = lines({"request": request, "response": answer("m1", {"type": "text", "text": "1"}, context_management={"applied_edits": [edit]})}, request)
    (call, _) = read.threads[0].calls
    assert (read.level, "cleared_on_server" in call.flags) == ("server-side state", True)
    (event,) = read.threads[0].events
    assert (event.kind, event.call) == ("microcompaction", 0)
    assert "4" in event.note
    assert "5000" in event.note


# Odd input


@pytest.mark.parametrize(
    "odd",
    [
        {"messages": [7, None, {"role": "user"}], "system": "S"},
        {"messages": [], "system": "S"},
        {"messages": [{"role": ["x"], "content": {}}], "system": {}},
    ],
)
def test_an_odd_request_never_raises(odd):
    read = lines({"system": "S", "messages": [{"role": "user", "content": "One."}]}, odd)
    assert len([c for t in read.threads for c in t.calls]) == 2
    assert one(odd).format == "anthropic-messages"


def test_other_lines_between_requests_are_counted():
    pair = {
        "request": {"body": {"system": "S", "messages": [{"role": "user", "content": "One."}]}},
        "response": {"body": answer("m1", {"type": "text", "text": "1"})},
    }
    read = lines(pair, {"request": {"url": "https://stats.invalid", "body": {"events": []}}, "response": {}})
    assert read.ledger.read == 1
    assert dict(read.ledger.skipped) == {"not a request": 1}


def test_a_file_without_any_request_is_refused():
    with pytest.raises(FormatNotRecognized):
        lines({"request": {"url": "https://stats.invalid"}}, {"request": {"url": "https://stats.invalid"}})


# Real files


def test_a_real_response_with_a_compaction(shared: Path):
    """The counts on top leave the compaction pass out: 682 tokens, and 60,385 of that pass."""
    read = read_session(shared / "corpus" / "anthropic_messages" / "anthropic-compaction.1.json")
    (call,) = read.threads[0].calls
    assert call.usage.input_tokens == 682 + 60_385
    assert read.threads[0].events[0].before_tokens == 60_385
    assert read.not_recorded == ("request",)


def test_a_real_response_of_a_provider_tool_has_61_calls_with_their_results(shared: Path):
    read = read_session(shared / "corpus" / "anthropic_messages" / "anthropic-code-execution.pptx-skill.json")
    (reply,) = read.threads[0].messages
    assert len(reply.calls) == len(reply.results) == 61
    assert flags_of_units(read) == []


def test_a_real_request_with_every_block(shared: Path):
    read = read_session(shared / "corpus" / "anthropic_messages" / "headroom_messages_request_real.json")
    (thread,) = read.threads
    assert thread.messages[0].role == "system"
    assert sum(len(m.calls) for m in thread.messages) == sum(len(m.results) for m in thread.messages) == 2
    assert (len(thread.calls), thread.calls[-1].known) == (3, "recorded")


def test_a_real_capture_of_one_call(shared: Path):
    """34 tools; 30,425 tokens in, as the response says fresh and cached together."""
    path = shared / "corpus" / "http_pair_jsonl" / "claude-trace_log-2026-06-15-09-00-52.jsonl"
    record = json.loads(path.read_text(encoding="utf-8"))
    counted = record["response"]["body"]["usage"]
    read = read_session(path)
    (call,) = read.threads[0].calls
    assert call.usage.input_tokens == counted["input_tokens"] + counted["cache_read_input_tokens"] + counted.get("cache_creation_input_tokens", 0)
    assert len(read.threads[0].tool_sets[call.tools]) == 34
    assert (read.level, read.not_recorded) == ("full requests", ())


def test_a_real_capture_that_changes_its_provider(shared: Path):
    """OpenAI Chat for three calls, then Anthropic: six calls, one of them a title."""
    read = read_session(shared / "corpus" / "http_pair_jsonl" / "claude-trace_log-2026-06-16-02-37-53.jsonl")
    main, side = read.threads
    assert (len(main.calls), len(side.calls)) == (5, 1)
    assert [c.index for c in main.calls if "history_changed" in c.flags] == [2]
    assert [c.message_count for c in main.calls] == [2, 4, 6, 8, 10]


def test_places_are_those_of_the_request_and_what_is_no_message_is_reported():
    """The system prompt stands under its own key; an entry that is no object keeps its number and loses nothing else."""
    request = {
        "model": "m",
        "system": "s",
        "messages": [{"role": "user", "content": "a"}, 5, {"role": "assistant", "content": [{"type": "text", "text": "b"}]}],
    }
    session = read_session(json.dumps(request).encode(), "x.json")
    assert [m.source.path for m in session.threads[0].messages] == ["system", "messages[0]", "messages[2]"]
    assert [(p.kind, p.excerpt) for p in session.problems] == [("not_an_object", "5")]

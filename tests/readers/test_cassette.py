"""Cassettes of HTTP calls: every dialect gives the same calls, and hostile YAML builds nothing."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from ctxcore import read_session
from ctxcore.errors import FormatNotReadYet, ReadError
from ctxcore.readers.safe_yaml import BadYaml, load_yaml

REQUEST = {"model": "gpt-x", "messages": [{"role": "user", "content": "Why?"}]}
ANSWER = {
    "id": "c1",
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Because."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 2},
}
HEADERS = {"Authorization": ["Bearer EXAMPLE-key"], "Date": ["Tue, 03 Feb 2026 03:05:01 GMT"]}
STATUS = {"code": 200, "message": "OK"}


def text(value) -> str:
    return json.dumps(value)


def plain() -> dict:
    return {
        "request": {"body": text(REQUEST), "headers": HEADERS},
        "response": {"body": {"string": text(ANSWER)}, "headers": HEADERS, "status": STATUS},
    }


def packed() -> dict:
    """Bytes: YAML's !!binary, gzip inside."""
    response = {"body": {"string": gzip.compress(text(ANSWER).encode())}, "headers": HEADERS, "status": STATUS}
    return {"request": {"body": text(REQUEST).encode(), "headers": HEADERS}, "response": response}


def encoded() -> dict:
    response = {"body": {"base64_string": base64.b64encode(text(ANSWER).encode()).decode()}, "headers": HEADERS, "status": STATUS}
    return {"request": {"body": text(REQUEST)}, "response": response}


def parsed() -> dict:
    return {"request": {"parsed_body": REQUEST, "headers": HEADERS}, "response": {"parsed_body": ANSWER, "headers": HEADERS, "status": STATUS}}


def streamed() -> dict:
    chunks = [
        {"id": "c1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Because."}, "finish_reason": "stop"}]},
        {"id": "c1", "choices": [], "usage": ANSWER["usage"]},
    ]
    body = "".join(f"data: {text(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return {"request": {"body": text(REQUEST)}, "response": {"body": {"string": body}, "headers": HEADERS, "status": STATUS}}


def cassette(*interactions: dict) -> bytes:
    return yaml.safe_dump({"interactions": list(interactions), "version": 1}).encode()


@pytest.mark.parametrize("make", [plain, packed, encoded, parsed, streamed])
def test_every_dialect_gives_the_same_call(make: Callable[[], dict]):
    item = make()
    item["request"] |= {"method": "POST", "uri": "https://api.example.invalid/v1/chat/completions"}
    session = read_session(cassette(item), "test_it.yaml")
    (call,) = session.threads[0].calls
    assert (session.format, session.level) == ("vcr-cassette", "full requests")
    assert [m.text for m in session.threads[0].messages] == ["Why?", "Because."]
    assert (call.usage.input_tokens, call.at, call.flags) == (12, 1770087901.0, ())
    assert "EXAMPLE-key" not in repr(session)


def test_a_cassette_saved_as_json_and_one_of_ruby():
    (thread,) = read_session(text({"interactions": [plain()], "version": 1}).encode()).threads
    assert len(thread.calls) == 1
    body = {"encoding": "UTF-8", "string": text(REQUEST)}
    item = {"request": {"method": "post", "body": body}, "response": {"status": STATUS, "body": {"encoding": "UTF-8", "string": text(ANSWER)}}}
    ruby = "---\n" + yaml.safe_dump({"http_interactions": [{**item, "recorded_at": "Tue, 03 Feb 2026 03:05:01 GMT"}], "recorded_with": "VCR 6"})
    assert len(read_session(ruby.encode()).threads[0].calls) == 1


def test_a_cassette_that_breaks_off_keeps_its_whole_interactions():
    data = cassette(plain(), parsed())
    session = read_session(data[: data.rindex(b"role: user")] + b'role: "us')
    assert session.ledger.read == 1
    assert any(p.kind == "broken_file" and "interactions before it" in p.what for p in session.problems)


def test_calls_that_are_none_are_counted():
    """An OAuth token call and an embedding stand between."""
    token = {"request": {"body": "grant_type=refresh_token"}, "response": {"parsed_body": {"access_token": "EXAMPLE"}, "status": STATUS}}
    embedding = {
        "request": {"parsed_body": {"model": "e", "input": "Why?"}},
        "response": {"parsed_body": {"object": "list", "data": []}, "status": STATUS},
    }
    session = read_session(cassette(token, plain(), embedding))
    assert (session.ledger.records, session.ledger.read, dict(session.ledger.skipped)) == (3, 1, {"no model call": 2})
    with pytest.raises(FormatNotReadYet, match="cassette"):
        read_session(cassette(token))


def test_tags_build_nothing():
    data = b"""a: !!python/object/apply:os.system [exit 3]
b: !!python/object:os.stat_result {x: 1}
c: !ruby/object:OpenStruct {y: 2}
d: !!python/unicode 'word'
e: 2024-05-06
f: !!set {p, q}
g: {1: one, null: none}
"""
    value = load_yaml(data)
    assert value == {
        "a": ["exit 3"],
        "b": {"x": 1},
        "c": {"y": 2},
        "d": "word",
        "e": "2024-05-06",
        "f": {"p": None, "q": None},
        "g": {"1": "one", "None": "none"},
    }


def test_aliases_may_not_blow_it_up():
    """Nine levels of ten aliases: a billion values; and a list that holds itself."""
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 10))
    with pytest.raises(BadYaml, match="aliases"):
        load_yaml(f"l0: &l0 [x]\n{levels}\n".encode())
    with pytest.raises(BadYaml):
        load_yaml(b"&a [*a]")
    with pytest.raises(BadYaml, match="depth"):
        load_yaml(b"[" * 100_000)


@pytest.mark.parametrize(
    "body", [b"interactions:\n- request:\n    x: [", b"interactions:\n- request: 3\n  response: 4\n", b"interactions:\n  request:\n"]
)
def test_a_broken_cassette_is_refused_not_raised(body: bytes):
    with pytest.raises(ReadError):
        read_session(body, "c.yaml")


CALLS = {
    "test_anthropic_compaction_end_to_end": (2, [239, 220 + 55_196]),
    "test_compatible_api_with_tool_calls_without_id": (2, [35, 66]),
    "test_google_streaming_tool_call_thought_signature": (2, [29, 257]),
    "test_image_as_binary_content_input": (1, [1349]),
    "test_multiple_agent_tool_calls": (4, [23, 35, 104, 129]),
    "test_openai_responses_compact_stateful_mode": (4, [25, 435, 552, 847]),
    "test_openai_conversation_id_tool_call_continuation": (2, [57, 88]),
    "test_pause_turn_web_search_vcr": (2, [401468, 494549]),
    "test_thinking_with_tool_calls_from_other_model": (3, [37, 107, 379]),
    "otelcontrib_multiple_choices_streaming": (1, [26]),
    "openllmetry_langchain_agents": (8, []),
    "openllmetry_recipe_agents_hierarchy": (7, [117, 277, 310, 501, 534, 1070, 1094]),
}
"""Model calls of real cassettes and their input tokens, read off the usage objects in the files (no usage was asked for in the langchain streams)."""


def usages_in(path: Path) -> list[int]:
    """Input tokens of every answer, found in the text alone: the last count of each body, cached added for Anthropic."""
    found = []
    for item in yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)["interactions"]:
        body = item["response"].get("parsed_body") or (item["response"].get("body") or {}).get("string")
        pieces = body.split("data: ")[1:] if isinstance(body, str) and "data: " in body else [body]
        values = [value for piece in pieces if (value := as_object(piece))]
        counts = [c for value in values if (c := count(value))]
        found += counts[-1:]
    return sorted(found)


def as_object(piece) -> dict:
    if isinstance(piece, dict):
        return piece
    try:
        value = json.loads(piece)
    except (TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def count(value: dict) -> int:
    usage = value.get("usage") or (value.get("response") or {}).get("usage") or {}
    cached = sum(usage.get(key) or 0 for key in ("cache_read_input_tokens", "cache_creation_input_tokens"))
    counted = usage.get("prompt_tokens") or usage.get("input_tokens") or (value.get("usageMetadata") or {}).get("promptTokenCount") or 0
    passes = sum(one["input_tokens"] for one in usage.get("iterations") or () if one["type"] == "compaction")
    return counted + cached + passes


@pytest.mark.parametrize("name", CALLS)
def test_real_cassettes_hold_the_calls_and_counts_of_their_bodies(shared: Path, name: str):
    (path,) = (shared / "corpus").glob(f"*/{name}.yaml")
    session = read_session(path)
    every = [call for thread in session.threads for call in thread.calls]
    counted = sorted(call.usage.input_tokens for call in every if call.usage)
    assert (len(every), counted) == CALLS[name]
    assert counted == usages_in(path)
    assert session.ledger.records == session.ledger.read + sum(n for _, n in session.ledger.skipped)


def test_a_compaction_of_the_provider_cuts_the_next_context(shared: Path):
    """Anthropic: the reply of call 0 holds the compaction block, so call 1 sees the system text, that reply and the new question.

    Its pass is not in the call's own usage: 60,385 tokens went into it, as the iterations say.
    Responses in stateful mode: the reply of call 2 holds the compaction item, call 3 sees that reply and the new question.
    """
    folder = shared / "corpus" / "vcrpy_parsed_body"
    (thread,) = read_session(folder / "test_anthropic_compaction_end_to_end.yaml").threads
    assert thread.calls[1].message_count == 3
    (event,) = thread.events
    assert (event.kind, event.call, event.summary) == ("compaction", 1, 2)
    assert (event.before_tokens or 0) > 50_000
    (thread,) = read_session(folder / "test_openai_responses_compact_stateful_mode.yaml").threads
    assert [c.message_count for c in thread.calls] == [1, 3, 5, 2]
    assert [(e.kind, e.call) for e in thread.events] == [("compaction", 3)]


def test_a_conversation_that_the_file_opens_is_complete(shared: Path):
    """The file shows the conversation being made, so nothing stood before its first call; messages: instructions, question, call, result, answer."""
    session = read_session(shared / "corpus" / "vcrpy_parsed_body" / "test_openai_conversation_id_tool_call_continuation.yaml")
    (thread,) = session.threads
    assert [c.known for c in thread.calls] == ["recorded", "reconstructed"]
    assert [c.message_count for c in thread.calls] == [2, 4]
    assert "earlier messages" not in session.not_recorded


def test_a_picture_in_a_request_is_no_text(shared: Path):
    session = read_session(shared / "corpus" / "vcrpy_parsed_body" / "test_image_as_binary_content_input.yaml")
    (question, _) = session.threads[0].messages
    assert [p.kind for p in question.parts] == ["text", "media"]
    assert len(question.text) < 200
    assert question.parts[1].payload_chars > 1_000_000


def test_a_blocked_prompt_is_a_failed_call(shared: Path):
    session = read_session(shared / "corpus" / "vcrpy_parsed_body" / "test_google_model_armor_prompt_template_text_gets_blocked.yaml")
    assert [c.flags for c in session.threads[0].calls] == [("failed", "no_reply")]
    assert dict(session.ledger.skipped) == {"no model call": 1}

"""Counts, times and tool definitions that cannot be used are unknown, and the session says which they are, how many, and where the first stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import Problem, Session, read_session
from tests.readers.test_http_pairs import canonical_chars, pair

ASK = {"role": "user", "content": "Where?"}
SCHEMA = {"type": "object", "properties": {"where": {"type": "string"}}}
LOOK = {"name": "look", "parameters": SCHEMA}


def told(session: Session, kind: str) -> list[tuple[str, int]]:
    return [(problem.what, problem.source.line) for problem in session.problems if problem.kind == kind]


def lines(*values: Any) -> bytes:
    return "\n".join(json.dumps(value) for value in values).encode()


def chat(number: int, usage: Any, ts: Any) -> dict:
    """A line with a request to Chat and its answer."""
    said = [{"role": "assistant", "content": f"There {n}."} if n % 2 else {**ASK, "content": f"Where {n}?"} for n in range(2 * number + 1)]
    answer = {"id": f"c{number}", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "There."}}]}
    return {"ts": ts, "request": {"model": "gpt-x", "messages": said}, "response": {**answer, "usage": usage}}


def test_usage_and_times_that_cannot_be_are_named_with_their_number_and_first_place():
    """No counts: -5, 2^63, "many" and [7]; a null says that nobody knows, a whole 9 is one. No times: "yesterday" and the year 5107."""
    session = read_session(
        lines(
            chat(0, {"prompt_tokens": 9, "completion_tokens": None}, 1_780_000_000),
            chat(1, {"prompt_tokens": -5, "completion_tokens": 2**63}, "yesterday"),
            chat(2, {"prompt_tokens": "many", "completion_tokens": 1}, 1_780_000_002),
            chat(3, [7], 99_000_000_000),
        ),
        "log.jsonl",
    )
    assert told(session, "usage_no_count") == [("Usage that is no count, taken as unknown: 4 places, first response.usage.prompt_tokens = -5.", 2)]
    assert told(session, "time_unusable") == [("A time that cannot be one, taken as unknown: 2 places, first ts = 'yesterday'.", 2)]
    assert [call.usage and call.usage.input_tokens for call in session.threads[0].calls] == [9, None, None, None]


def test_an_agent_log_says_it_in_the_same_words():
    def line(kind: str, number: int, message: dict) -> dict:
        place = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "s", "isSidechain": False}
        return {"type": kind, **place, "timestamp": "2026-01-01T00:00:00Z", "version": "1", "cwd": "/", "message": message}

    made = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": "There."}]}
    session = read_session(lines(line("user", 0, ASK), line("assistant", 1, {**made, "usage": {"input_tokens": -9, "output_tokens": 1}})), "s.jsonl")
    assert told(session, "usage_no_count") == [("Usage that is no count, taken as unknown: 1 place, first message.usage.input_tokens = -9.", 2)]


def test_a_log_in_which_all_is_as_it_must_be_says_nothing():
    session = read_session(lines(chat(0, {"prompt_tokens": 9}, 0), chat(1, {"prompt_tokens": 19}, None)), "log.jsonl")
    assert not told(session, "usage_no_count") + told(session, "time_unusable")


def gemini(tools: Any) -> dict:
    body = {"candidates": [{"content": {"role": "model", "parts": [{"text": "There."}]}}], "usageMetadata": {"promptTokenCount": 9}}
    return pair(
        1, {"contents": [{"role": "user", "parts": [{"text": "Where?"}]}], "tools": tools}, {"body": body}, url="https://e.invalid/models/g:g"
    )


def test_tools_that_gemini_gets_as_one_object_are_read_and_sized():
    declared = {"function_declarations": [LOOK]}
    (thread,) = read_session(lines(gemini(declared)), "log.jsonl").threads
    assert thread.tool_sets == ((declared,),)
    assert thread.chars.tools[0] == canonical_chars([], [declared]) - canonical_chars([])


def openai(tools: Any) -> bytes:
    return lines(pair(1, {"model": "gpt-x", "messages": [ASK], "tools": tools}, {"body": chat(0, None, None)["response"]}))


def anthropic(tools: Any) -> bytes:
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn", "usage": {"input_tokens": 1}}
    return lines({"request": {"model": "claude-x", "max_tokens": 9, "system": "Be brief.", "messages": [ASK], "tools": tools}, "response": message})


def responses(tools: Any) -> bytes:
    answer = {"id": "r", "object": "response", "status": "completed", "output": []}
    return lines({"request": {"model": "gpt-x", "input": [{**ASK, "type": "message"}], "tools": tools}, "response": answer})


@pytest.mark.parametrize("log", [lambda tools: lines(gemini(tools)), openai, anthropic, responses], ids=["gemini", "chat", "anthropic", "responses"])
def test_tools_in_no_known_shape_are_a_problem_and_one_object_is_none(log):
    problems: list[Problem] = [p for p in read_session(log("all of them"), "log.jsonl").problems if p.kind == "tools_unreadable"]
    assert [(p.what.partition(": ")[0], p.source.path.endswith("tools")) for p in problems] == [
        ("Tool definitions in a shape that cannot be read; their size is missing in that of the request", True)
    ]
    known = read_session(log({"type": "function", **LOOK}), "log.jsonl")
    assert known.threads[0].tool_sets == (({"type": "function", **LOOK},),)
    assert not told(known, "tools_unreadable")

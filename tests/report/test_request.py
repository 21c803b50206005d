"""A call's request in the form of another API says the same, pairs stay pairs, and what is lost is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.cli import main
from ctxcore.errors import InputError
from ctxcore.model import Reasoning, Session, Text, ToolCall, ToolResult
from ctxcore.report.request import Written, written_request
from ctxcore.report.request_checks import body_faults
from tests.conftest import ROOT

SAMPLES = ("coding-agent.jsonl", "long-research.json", "travel-desk-zh.jsonl")
UNLIMITED = 10**12

CLAUDE: dict[str, Any] = {
    "model": "claude-sonnet-4-20250514",
    "max_tokens": 100,
    "system": "Be brief.",
    "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}],
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0="}},
                {"type": "text", "text": "Hi"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"q": "a"}},
                {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {"q": "b"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "one", "is_error": True},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "two"},
                {"type": "text", "text": "and now?"},
            ],
        },
    ],
}


def whole(session: Session, form: Any, call: int | None = None) -> Written:
    thread = session.threads[0]
    return written_request(replay(thread, "none", UNLIMITED), len(thread.calls) - 1 if call is None else call, form)


def said(session: Session, call: int = -1) -> list[tuple[Any, ...]]:
    """What a request says, without how: texts, calls and results in order; reasoning aside."""
    thread = session.threads[0]
    found: list[tuple[Any, ...]] = []
    for number in thread.calls[call].messages():
        message = thread.messages[number]
        for part in message.parts:
            match part:
                case Text():
                    found.append(("system" if message.role == "system" else message.role, part.text))
                case ToolCall():
                    found.append(("call", part.name, json.loads(part.arguments or "{}")))
                case ToolResult():
                    found.append(("result", part.text))
                case Reasoning():
                    pass
    return found


def again(body: dict[str, Any], form: str) -> Session:
    """The body read back by the reader of its form, its last entry answered so that there is a call."""
    data = json.dumps(body).encode()
    return read_session(data, "again.json", format="openai-chat" if form == "openai" else "anthropic-messages")


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_a_request_says_the_same_in_either_form(sample: str, form: str) -> None:
    session = read_session(str(ROOT / "sample_sessions" / sample))
    for call in (0, len(session.threads[0].calls) // 2, len(session.threads[0].calls) - 1):
        written = whole(session, form, call)
        assert not written.faults
        back = again(written.body, form).threads[0]
        told = [part for message in back.messages for part in message.parts]
        texts = [part.text for part in told if isinstance(part, Text)]
        calls = [(part.name, json.loads(part.arguments)) for part in told if isinstance(part, ToolCall)]
        results = [part.text for part in told if isinstance(part, ToolResult)]
        wanted = said(session, call)
        assert sorted(texts) == sorted(one[1] for one in wanted if one[0] not in ("call", "result"))
        assert calls == [one[1:] for one in wanted if one[0] == "call"]
        assert results == [one[1] for one in wanted if one[0] == "result"]


def test_the_own_form_goes_out_as_it_stands() -> None:
    written = whole(read_session(json.dumps(CLAUDE).encode(), "c.json"), "anthropic")
    assert written.verbatim
    assert written.body["messages"] == CLAUDE["messages"]
    assert written.body["tools"] == CLAUDE["tools"]
    assert written.body["system"] == [{"type": "text", "text": "Be brief."}]


def test_what_the_other_form_cannot_hold_is_named() -> None:
    """Signed thinking and the mark of an error have no place in Chat; the image has."""
    written = whole(read_session(json.dumps(CLAUDE).encode(), "c.json"), "openai")
    system, user, reply, first, second, last = written.body["messages"]
    assert system == {"role": "system", "content": "Be brief."}
    assert user["content"][0] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0="}}
    assert [call["id"] for call in reply["tool_calls"]] == [first["tool_call_id"], second["tool_call_id"]] == ["toolu_1", "toolu_2"]
    assert json.loads(reply["tool_calls"][1]["function"]["arguments"]) == {"q": "b"}
    assert last == {"role": "user", "content": "and now?"}
    assert written.body["tools"][0]["function"]["parameters"] == CLAUDE["tools"][0]["input_schema"]
    told = " ".join(written.not_carried)
    assert "Reasoning" in told
    assert "marked as an error" in told
    assert "not served by this API" in told


def test_there_and_back_again_is_the_same() -> None:
    """Anthropic to Chat to Anthropic: all but the thinking and the mark of the error comes back."""
    chat = whole(read_session(json.dumps(CLAUDE).encode(), "c.json"), "openai").body
    back = whole(again(chat, "openai"), "anthropic").body
    assert back["system"] == [{"type": "text", "text": "Be brief."}]
    assert back["tools"] == CLAUDE["tools"]
    results = [{k: v for k, v in block.items() if k != "is_error"} for block in CLAUDE["messages"][2]["content"]]
    assert back["messages"][0]["content"] == CLAUDE["messages"][0]["content"]
    assert back["messages"][1]["content"] == CLAUDE["messages"][1]["content"][1:]
    assert back["messages"][2]["content"] == results


def test_a_policy_that_breaks_a_pair_is_told_by_the_rules_of_the_api() -> None:
    """LangChain's rule cuts between a call and its result; the whole-unit rule never does."""
    thread = read_session(str(ROOT / "sample_sessions" / "coding-agent.jsonl")).threads[0]
    broken = replay(thread, "langchain-trim", 4000, "tokens")
    kinds = set()
    for call in range(len(thread.calls)):
        written = written_request(broken, call, "openai")
        kinds.update(written.faults)
    assert any("whose call is gone" in one for one in kinds)
    sound = replay(thread, "whole-units", 4000, "tokens")
    for call in range(len(thread.calls)):
        for form in ("openai", "anthropic"):
            assert not [one for one in written_request(sound, call, form).faults if "refuses" in one]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([{"role": "tool", "tool_call_id": "x", "content": "?"}], "orphan_result"),
        (
            [
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": None, "tool_calls": [{"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "user", "content": "b"},
            ],
            "unanswered_call",
        ),
        ([{"role": "system", "content": "a"}], "empty_request"),
    ],
)
def test_a_request_that_the_api_refuses_is_known(messages: list[dict[str, Any]], fault: str) -> None:
    assert fault in body_faults({"messages": messages}, "openai")


def test_a_refused_call_and_a_call_that_is_not_there_are_errors() -> None:
    thread = read_session(str(ROOT / "sample_sessions" / "coding-agent.jsonl")).threads[0]
    with pytest.raises(InputError, match="refused"):
        written_request(replay(thread, "whole-units", 10), 3, "openai")
    with pytest.raises(InputError, match="No call"):
        written_request(replay(thread, "none", UNLIMITED), 10**6, "openai")


def test_the_command_redacts_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ROOT / "tests" / "data" / "cases" / "VIEW-09.json")
    assert main(["request", file, "--call", "0", "--as", "anthropic"]) == 0
    out = capsys.readouterr().out
    body = json.loads(out)
    assert "someone" not in out
    assert "[email-1]" in body["messages"][0]["content"]
    assert "20250310199000000" in out
    assert main(["request", file, "--call", "0", "--as-recorded", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "ctxscope.request/1"
    assert "someone@example.invalid" in told["body"]["messages"][0]["content"]

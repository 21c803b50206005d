"""One real session, replayed through different libraries and recorders: whatever wrote it down, the calls are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session
from ctxcore.model import Message, Session, Thread
from ctxcore.readers.detect import read_uploads

SOURCE = "openai_chat/stored_completion_ask_github_gc.json"
"""The session itself: 73 messages and the last answer."""

RECORDINGS = (
    ("otel_genai/gen_openllmetry_new_chat.otlp.json", "otel-genai"),
    ("otel_genai/gen_openllmetry_old_chat.otlp.json", "otel-genai"),
    ("otel_genai/gen_pydantic_ai.otlp.json", "otel-genai"),
    ("otel_genai/gen_v2events_chat.otlp-logs.json", "otel-genai"),
    ("openinference_otlp/gen_openinference_chat.otlp.json", "openinference"),
    ("langsmith/gen_langsmith_runs.jsonl", "langsmith"),
    ("langchain_messages/gen_langchain_messages_to_dict.json", "langchain"),
    ("langgraph_state/gen_langgraph_state_history.json", "langgraph"),
    ("langgraph_state/gen_langgraph_checkpoints.sqlite", "langgraph-sqlite"),
    ("pydantic_ai/gen_pydantic_ai_all_messages.json", "pydantic-ai"),
    ("vercel_ai_sdk/gen_vercel_ui_messages.json", "vercel-ai"),
)

LENGTHS = [2, 5, 21, 42, 53, 57, 59, 61, 63, 65, 67, 69, 71, 73]
"""Messages that each call got: what stands before each assistant message of the source, and all of it for the last answer."""

WITHOUT_TOTALS = {"otel_genai/gen_v2events_chat.otlp-logs.json", "vercel_ai_sdk/gen_vercel_ui_messages.json"}
"""Recordings that hold no usage: log records alone, and messages of a chat window."""


def arguments(value: str) -> Any:
    return json.loads(value) if value else {}


def expected_messages(source: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Role, text, calls and answered call of every message, from the source's own JSON."""
    made: list[tuple[Any, ...]] = []
    for entry in [*source["messages"], source["choices"][0]["message"]]:
        said = entry.get("content") or next((p["text"] for p in entry.get("content_parts") or ()), "")
        calls = [(c["id"], c["function"]["name"], arguments(c["function"]["arguments"])) for c in entry.get("tool_calls") or ()]
        made.append((entry["role"], said, calls, entry.get("tool_call_id", "")))
    return made


def found_message(message: Message) -> tuple[Any, ...]:
    calls = [(c.id, c.name, arguments(c.arguments)) for c in message.calls]
    answered = message.results[0].call_id if message.results else ""
    return (message.role, message.text, calls, answered)


def in_call_order(messages: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Results that follow one another sorted by the call they answer: recorders differ in the order of parallel results."""
    made: list[tuple[Any, ...]] = []
    block: list[tuple[Any, ...]] = []
    for message in messages:
        if message[0] == "tool":
            block.append(message)
            continue
        made += [*sorted(block, key=lambda m: m[3]), message]
        block = []
    return made + sorted(block, key=lambda m: m[3])


def call_list(thread: Thread) -> list[tuple[list[tuple[Any, ...]], tuple[Any, ...]]]:
    found = [found_message(message) for message in thread.messages]
    return [(in_call_order([found[i] for i in call.messages()]), found[call.reply or 0]) for call in thread.calls]


def expected_calls(shared: Path) -> list[tuple[list[tuple[Any, ...]], tuple[Any, ...]]]:
    source = json.loads((shared / "corpus" / SOURCE).read_text())
    messages = expected_messages(source)
    replies = [number for number, message in enumerate(messages) if message[0] == "assistant"]
    assert replies == LENGTHS
    return [(in_call_order(messages[:number]), messages[number]) for number in replies]


@pytest.mark.parametrize(("name", "format"), RECORDINGS)
def test_every_recording_gives_the_calls_of_the_session_itself(shared: Path, name: str, format: str):
    """14 calls of 2 to 73 messages, each with the same roles, texts, tool calls, results and reply."""
    session = read_session(shared / "corpus" / name)
    assert session.format == format
    (thread,) = session.threads
    assert [call.message_count for call in thread.calls] == LENGTHS
    assert call_list(thread) == expected_calls(shared)
    assert thread.events == ()
    assert len(thread.messages) == 74
    assert_sums_up(session)


@pytest.mark.parametrize(("name", "format"), [r for r in RECORDINGS if r[0] not in WITHOUT_TOTALS])
def test_the_only_count_of_the_session_is_that_of_its_last_answer(shared: Path, name: str, format: str):
    """The replayed server gave 0 and 0 for all calls but the last, as the source holds no others: those are not recorded, not zero."""
    source = json.loads((shared / "corpus" / SOURCE).read_text())["usage"]
    (thread,) = read_session(shared / "corpus" / name).threads
    *others, last = [call.usage for call in thread.calls]
    assert others == [None] * 13
    assert last is not None
    assert (last.input_tokens, last.output_tokens) == (source["prompt_tokens"], source["completion_tokens"]) == (52_529, 9_090)


def test_spans_and_the_log_of_their_content_are_one_session(shared: Path):
    """15 spans without content and 722 log records, joined by trace and span: 14 calls with models, ids and messages."""
    names = ["gen_v2events_chat.otlp.json", "gen_v2events_chat.otlp-logs.json"]
    reading = read_uploads([(name, shared / "corpus" / "otel_genai" / name) for name in names])
    (session,) = reading.sessions
    (thread,) = session.threads
    assert call_list(thread) == expected_calls(shared)
    assert {call.model for call in thread.calls} == {"gpt-5-2025-08-07"}
    assert len({call.id for call in thread.calls}) == 14
    assert session.ledger.records == 15 + 722
    assert_sums_up(session)


def replies(session: Session) -> list[tuple[str, list[tuple[str, Any]]]]:
    """What the model answered at each call, in order: text, and tools with their arguments. Ids differ where a library made its own."""
    found = [thread.messages[call.reply] for thread in session.threads for call in thread.calls if call.reply is not None]
    return [(message.text.strip(), [(call.name, arguments(call.arguments)) for call in message.calls]) for message in found]


def test_every_recording_of_the_session_has_one_and_the_same_list_of_calls(shared: Path):
    """All ``gen_`` files of the corpus, 18 recorders: 14 calls each, the same 14 answers; the spans without content have the 14 calls alone."""
    entries = json.loads((shared / "corpus" / "index.json").read_text())
    files = [entry["file"] for entry in entries if Path(entry["file"]).name.startswith("gen_")]
    assert len(files) == 18
    expected = [(said.strip(), [call[1:] for call in calls]) for _, (_, said, calls, _) in expected_calls(shared)]
    for file in files:
        session = read_session(shared / "corpus" / file)
        assert [len(thread.calls) for thread in session.threads] == [14], file
        if file != "otel_genai/gen_v2events_chat.otlp.json":
            assert replies(session) == expected, file


def assert_sums_up(session: Session) -> None:
    assert session.ledger.records == session.ledger.read + sum(count for _, count in session.ledger.skipped)

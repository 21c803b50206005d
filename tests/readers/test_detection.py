"""Every file of the reference corpus is read right or refused with a sentence that fits it, never taken for something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import read_sessions
from ctxcore.errors import FormatNotReadYet, FormatNotRecognized, UnreadableFile

CHAT = (
    "openai_chat/finetune_",
    "openai_chat/lmcache_",
    "openai_chat/openhands_",
    "openai_chat/stored_completion_",
    "openhands/profiler_",
    "openhands/sdk_llm_logs_fncall/",
    "openhands/v1_conv_20260121-223755_with_llm_telemetry/telemetry_",
    "openhands/v1_llm_log_last_call",
    "sharegpt/llamafactory_v1_",
    "sharegpt/mllm_demo",
    "mini-swe-agent/mini_tests_local",
)
"""Files that are OpenAI Chat requests or message lists, whatever tool wrote them."""

NAMED = {
    "aider/": "an aider",
    "autogen/gen_": "an AutoGen state",
    "autogen/whowhen_captain": "a Who&When",
    "bfcl/": "a BFCL",
    "claude-code/stream-json/": "stream-json",
    "claude_managed_agents/": "managed-agents",
    "cline/clinesdk_": "a Cline session",
    "cline/task_1769053680585/api": "a Cline or Roo",
    "cline/task_1769053680585/ui": "a Cline or Roo",
    "copilot-cli/": "a Copilot CLI",
    "crewai/": "cassette",
    "cursor/jazzy_cursor_agent": "a Cursor transcript",
    "cursor/jazzy_cursor_store": "an SQLite",
    "cursor/nathan": "a Cursor chat export",
    "cursor/specstory": "a SpecStory",
    "gemini-cli/": "a Gemini",
    "gemini/": "a Gemini",
    "goose/": "a goose",
    "har_mitmproxy/": "a HAR",
    "harbor-atif/": "a Harbor trajectory",
    "inspect/": "an Inspect log",
    "letta_af/": "a Letta",
    "litellm/": "a LiteLLM",
    "mini-swe-agent/mini1": "a mini-swe-agent",
    "openai_agents_sdk/gen_openai_agents_trace": "an OpenAI Agents trace",
    "openai_batch/": "batch file",
    "openai_chat/agentops": "without its request",
    "openai_chat/deepseek": "without its request",
    "opencode/": "an opencode",
    "openhands/v0_basic": "an OpenHands event log",
    "openhands/v0_tb": "an OpenHands event log",
    "openhands/v0_eval": "an OpenHands evaluation",
    "other/kimi": "kimi",
    "other/toolbench": "a ToolBench",
    "pi/openclaw_lru_demo/b2": "a pi session",
    "roo-code/natural-mini-uncondensed/api": "a Cline or Roo",
    "sharegpt/glaive": "a ShareGPT",
    "smolagents/gen_": "a smolagents",
    "swe-agent/": "a SWE-agent",
    "tau-bench/": "a tau-bench",
    "tau2-bench/": "a tau2-bench",
    "toolbench/": "a ToolBench",
    "vcrpy_": "cassette",
}
"""Beginnings of file names and a word of the name that the refusal gives the format."""

TRACES = {
    "langchain_messages/": "langchain",
    "langfuse/": "langfuse",
    "langgraph_state/deerflow": "langgraph",
    "langgraph_state/gen_": "langgraph",
    "langsmith/": "langsmith",
    "openinference_otlp/": "openinference",
    "otel_genai/gen_": "otel-genai",
    "otel_genai/monocle": "spans",
    "pydantic_ai/gen_": "pydantic-ai",
    "pydantic_ai/rdfmcp": "a list of pydantic-ai messages printed",
    "vercel_ai_sdk/": "vercel-ai",
}
"""Beginnings of file names and the trace format that each is read as (or the words of its refusal)."""

READ_ELSEWHERE = ("claude-code/", "codex-cli/", "anthropic_messages/", "openai_responses/", "http_pair_jsonl/", "terminal-bench-v1/")
"""Families with a reader and tests of their own."""


def verdict(path: Path) -> str:
    try:
        sessions = read_sessions(path)
    except FormatNotReadYet as error:
        return error.known_as
    except FormatNotRecognized:
        return "not recognised"
    except UnreadableFile:
        return "no session by itself"
    return sessions[0].format


def test_every_file_of_the_corpus_is_read_as_what_it_is_or_refused(shared: Path):
    wrong: list[str] = []
    for entry in json.loads((shared / "corpus" / "index.json").read_text()):
        file = entry["file"]
        if file.startswith(READ_ELSEWHERE):
            continue
        found = verdict(shared / "corpus" / file)
        trace = next((known for start, known in TRACES.items() if file.startswith(start)), None)
        if trace is not None:
            wrong += [] if found.startswith(trace) else [f"{file}: {found}"]
            continue
        name = next((word for start, word in NAMED.items() if file.startswith(start)), None)
        right = found == "openai-chat" if file.startswith(CHAT) else word_fits(name, found)
        if not right:
            wrong.append(f"{file}: {found}")
    assert wrong == []


def word_fits(word: str | None, found: str) -> bool:
    """A named format is refused by its name, or read once it has a reader; the rest is never taken for chat."""
    return found != "openai-chat" and (word is None or word in found or not found.startswith(("a ", "an ", "not ", "Claude")))


@pytest.mark.parametrize("name", ["semconv_db_sql_test_cases.json", "langfuse_nested_json.json", "tooleval_G3_instruction.json"])
def test_json_that_is_no_recording_is_refused_with_what_was_seen(shared: Path, name: str):
    with pytest.raises(FormatNotRecognized) as caught:
        read_sessions(shared / "corpus" / "odd_negative" / name)
    assert "with the keys" in caught.value.seen
    assert any("openai-chat" in entry for entry in caught.value.looked_for)


def test_sixty_percent_of_the_lines_decide():
    """6 of 10 lines are messages: read, the rest counted; 5 of 10: refused."""
    message, other = b'{"role": "user", "content": "x"}\n', b'{"level": "info"}\n'
    (session,) = read_sessions(message * 6 + other * 4)
    assert dict(session.ledger.skipped) == {"not a message": 4}
    with pytest.raises(FormatNotRecognized):
        read_sessions(message * 5 + other * 5)


@pytest.mark.parametrize("odd", [{"a": 1}, [1], None, 7])
def test_marks_that_are_no_text_are_no_marks(odd: object):
    """Every place where a format looks for a word may hold anything; no reader trips over it."""
    words = ("type", "role", "say", "ask", "subtype", "object", "kind")
    value = dict.fromkeys(words, odd) | {"ts": 1, "parts": [], "content": [], "message": {"role": odd}, "payload": {}, "data": {}, "timestamp": ""}
    for data in (value, [value], [odd, value], {**value, "messages": [value], "contents": [value]}):
        for text in (json.dumps(data), f"{json.dumps(data)}\n{json.dumps(data)}\n"):
            with pytest.raises((FormatNotReadYet, FormatNotRecognized)):
                read_sessions(text.encode())


REFUSED = {
    "CrewAI task log": ({"timestamp": "t", "task_name": "n", "task": "t", "agent": "a", "status": "started"}, "record the calls as a trace"),
    "Who&When": ({"history": [], "mistake_agent": "a"}, "AutoGen run itself"),
    "BFCL": ({"id": "1", "question": [[]], "function": []}, "no recording"),
}
"""Known formats that hold no model calls: an entry, and a part of what the refusal says to do."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_model_calls_is_refused_with_what_to_record_instead(name: str):
    entry, advice = REFUSED[name]
    with pytest.raises(FormatNotReadYet) as caught:
        read_sessions(json.dumps(entry).encode())
    assert name in caught.value.known_as
    assert advice in str(caught.value)
    assert "formats that can be read" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "advice"),
    [(b"PAR1" + bytes(40), "JSON lines"), (b"120:9:websocket;0:~11:client_conn;", "mitmdump"), (b"x" * 257 + b"ustar" + bytes(40), "zip its files")],
)
def test_files_of_other_kinds_are_refused_with_what_to_do(data: bytes, advice: str):
    with pytest.raises(FormatNotReadYet, match=advice):
        read_sessions(data)

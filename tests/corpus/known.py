"""Model calls of the corpus's files as a few plain lines count them, each by what its format's notes say a call is; no reader of the project is used.

A file is left out where no such count exists: exports of a screen, rows of settings, single events of a run that goes on elsewhere.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from backports.zstd import decompress

MODEL_URL = re.compile(r"/messages(\?|$)|/chat/completions|/v1/responses$|/responses$|[gG]enerateContent|/backend-api/codex/responses")
"""Addresses of the interfaces that the recorded programs asked models by."""

ONE_RUN = 14
"""Calls of the run that all ``gen_`` files replay: the assistant messages of the stored completion, its own answer included."""


def records(path: Path) -> Iterator[Any]:
    """The values of a file, one behind the other, wherever lines end; what is no JSON is passed over to the next line."""
    text, position, decoder = path.read_text(errors="replace"), 0, json.JSONDecoder()
    while match := re.compile(r"\S").search(text, position):
        try:
            value, position = decoder.raw_decode(text, match.start())
        except ValueError:
            position = text.find("\n", match.start())
            if position < 0:
                return
            continue
        yield value


def value_of(path: Path) -> Any:
    value = json.loads(path.read_text())
    return json.loads(value) if isinstance(value, str) else value


def inside(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value."""
    if isinstance(value, dict):
        yield value
        for entry in value.values():
            yield from inside(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from inside(entry)


def role_count(messages: Any, *roles: str) -> int:
    return sum(message.get("role") in roles for message in messages)


def claude_code(path: Path) -> int | None:
    """Distinct ids of the model's messages; notices of the program are <synthetic>, and lines of progress copy what an agent's own file holds."""
    if "stream-json" in str(path):
        return len({r["message"]["id"] for r in records(path) if r.get("type") == "assistant"})
    if "every_line_type" in path.name:
        return None  # its owner put one and the same id in place of all
    messages = [r["message"] for r in records(path) if r.get("type") == "assistant" and r["message"].get("model") != "<synthetic>"]
    return len({message.get("id") or number for number, message in enumerate(messages)})


def codex(path: Path) -> int | None:
    """Totals of tokens that differ from the total before; unknown where the owner removed them."""
    infos = [r["payload"].get("info") for r in records(path) if r["type"] == "event_msg" and r["payload"].get("type") == "token_count"]
    totals = [json.dumps(info["total_token_usage"]) for info in infos if info]
    return sum(a != b for a, b in zip(["", *totals], totals, strict=False)) if "REDACTED" not in "".join(totals) else None


def copilot(path: Path) -> int:
    return len({r["data"]["messageId"] for r in records(path) if r["type"] == "assistant.message"})


def gemini_cli(path: Path) -> int:
    if path.suffix == ".jsonl":
        return len({r["id"] for r in records(path) if r.get("type") == "gemini"})
    value = value_of(path)
    if isinstance(value, list):
        return role_count(value, "model")
    return sum(m["type"] == "gemini" and m["tokens"]["total"] > 0 for m in value["messages"])


def cline(path: Path) -> int | None:
    """Requests on the screen; answers in a history that nothing shortened."""
    if path.name == "task_metadata.json":
        return None
    value = value_of(path)
    if path.name == "ui_messages.json":
        return sum(entry.get("say") == "api_req_started" for entry in value)
    messages = value if isinstance(value, list) else value["messages"]
    return None if any(m.get("condenseParent") or m.get("isSummary") for m in messages) else role_count(messages, "assistant")


def aider(path: Path) -> int | None:
    """Each answer is followed by a line with its tokens; the fixture has answers without them."""
    counted = len(re.findall(r"^> Tokens: ", path.read_text(), re.MULTILINE))
    return counted or None


def cursor(path: Path) -> int | None:
    if path.suffix == ".jsonl":
        return sum(r.get("role") == "assistant" for r in records(path))
    return len(re.findall(r"^\*\*Cursor\*\*", path.read_text(), re.MULTILINE)) if "nathan" in path.name else None


def atif(path: Path) -> int:
    """Steps of the agent that have counts (under either name); copies of an earlier file's context are not its own."""
    steps = [s for s in value_of(path)["steps"] if s["source"] == "agent" and not s.get("is_copied_context")]
    return sum(bool(s.get("metrics") or s.get("usage")) for s in steps)


def inspect(path: Path) -> int | None:
    """Events of the kind model; the answers of a log that keeps no events."""
    if path.suffix == ".json":
        samples = value_of(path)["samples"]
        if not any(sample.get("events") for sample in samples):
            return sum(role_count(sample["messages"], "assistant") for sample in samples) or None
        return sum(e.get("event") == "model" for s in samples for e in s["events"])
    found = 0
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("samples/"):
                found += sum(o.get("event") == "model" for o in inside(json.loads(member(archive, name))))
    return found


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """A member, zstd included: its packed bytes stand behind the local header of 30 bytes, the name and the extra field."""
    entry = archive.getinfo(name)
    if entry.compress_type != 93:
        return archive.read(name)
    file = archive.fp or BytesIO()
    file.seek(entry.header_offset)
    head = file.read(30)
    file.seek(entry.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"))
    return decompress(file.read(entry.compress_size))


def mini_swe_agent(path: Path) -> int:
    """The program's own count; of a bare list the answers, and one more call where the end waits for an answer."""
    value = value_of(path)
    if isinstance(value, list):
        return role_count(value, "assistant") + (value[-1]["role"] != "assistant")
    return value["info"]["model_stats"]["api_calls"]


def opencode(path: Path) -> int:
    """Steps that finished, and the title of the session (a call of a small model whose system prompt alone is in the stream)."""
    parts = [p for r in records(path) for p in inside(r) if p.get("type") == "step-finish"]
    titles = sum(r[0] == "experimental.chat.system.transform" and "title generator" in json.dumps(r).lower() for r in records(path))
    return len({p["id"] for p in parts}) + titles


def openhands(path: Path) -> int | None:
    name = str(path)
    if "telemetry_" in path.parent.name or "sdk_llm_logs" in name or "last_call" in name:
        return role_count(value_of(path)["messages"], "assistant") + 1
    if "profiler" in name:
        return len(list(records(path)))
    if "evaloutput" in name:
        return sum(len(r["metrics"]["token_usages"]) for r in records(path))
    if "v0_" in name:
        ids = {o["id"] for o in inside(value_of(path)) if o.get("object") == "chat.completion" or ("choices" in o and "usage" in o)}
        unnamed = [e for e in value_of(path) if e.get("source") == "agent" and e.get("action") == "message" and not e.get("tool_call_metadata")]
        return len(ids) + len(unnamed) or None
    return len({o["llm_response_id"] for o in inside(value_of(path)) if o.get("llm_response_id")}) if "/events/" in name else None


def pi(path: Path) -> int | None:
    if path.suffix != ".jsonl":
        return None
    messages = [r["message"] for r in records(path) if r.get("type") == "message"]
    return sum(m["role"] == "assistant" and m.get("model") != "gateway-injected" for m in messages)


def swe_agent(path: Path) -> int:
    value = value_of(path)
    if isinstance(value, dict) and path.name.startswith("demo"):
        return 0
    if "nebius" in path.name:
        return role_count((value[0] if isinstance(value, list) else value)["trajectory"], "ai")
    return len(value["trajectory"]) if path.name.startswith("v1") else value["info"]["model_stats"]["api_calls"]


def tau_bench(path: Path) -> int:
    return sum(role_count(run["traj"], "assistant") for run in value_of(path))


def tau2_bench(path: Path) -> int | None:
    """Replies of both models with their counts; the fixture has none."""
    value = value_of(path)
    runs = value.get("simulations") or []
    return sum(bool(m.get("usage")) for run in runs for m in run.get("messages") or ()) or None


def anthropic(path: Path) -> int:
    value = value_of(path)
    return role_count(value["messages"], "assistant") + (value["messages"][-1]["role"] != "assistant") if "messages" in value else 1


def http_pairs(path: Path) -> int:
    return sum(bool(MODEL_URL.search(r["request"]["url"])) for r in records(path))


def langfuse(path: Path) -> int:
    """Generations that hold counts; those around them are the steps of a framework that repeat them."""
    found = [o for o in value_of(path)["observations"] if o["type"] == "GENERATION"]
    return sum(bool((o.get("usageDetails") or {}).get("total") or o.get("totalTokens")) for o in found) or len(found)


def langgraph(path: Path) -> int:
    if path.name.startswith("gen_"):
        return ONE_RUN
    return sum(m["type"] == "ai" for m in value_of(path)["values"]["messages"])


def langsmith(path: Path) -> int:
    if path.name.startswith("gen_"):
        return sum(r.get("run_type") == "llm" for r in records(path))
    return len({o["id"] for o in inside(value_of(path)) if o.get("run_type") == "llm"})


def openai_agents(path: Path) -> int:
    return ONE_RUN if path.name.startswith("gen_") else cassette(path)


def openai_chat(path: Path) -> int:
    if path.name.startswith("finetune"):
        return sum(role_count(r["messages"], "assistant") for r in records(path))
    if path.suffix == ".jsonl":
        return len(list(records(path)))
    if path.suffix == ".txt" or "agentops" in path.name:
        return 1
    return role_count(value_of(path)["messages"], "assistant") + 1


def openai_responses(path: Path) -> int:
    if path.suffix == ".txt":
        return path.read_text().count('"type":"response.completed"') or path.read_text().count("response.completed")
    value = value_of(path)
    if "data" in value:
        return len({item["created_by"] for item in value["data"]})
    return 1


def openinference(path: Path) -> int:
    """Spans of the kind LLM; where both a framework and the client below it wrote one for each call, those of the client."""
    spans = [o for o in inside(value_of(path)) if {"key": "openinference.span.kind", "value": {"stringValue": "LLM"}} in (o.get("attributes") or ())]
    return sum(span["name"] == "ChatCompletion" for span in spans)


def otel(path: Path) -> int | None:
    if path.name.startswith("gen_"):
        return ONE_RUN
    if "monocle" in path.name:
        return sum(span["attributes"].get("span.type") == "inference.modelapi" for span in value_of(path))
    return None


def sharegpt(path: Path) -> int:
    rows = list(records(path)) if path.suffix == ".jsonl" else value_of(path)
    if "conversations" in rows[0]:
        return sum(turn["from"] in ("gpt", "function_call") for row in rows for turn in row["conversations"])
    return sum(role_count(row["messages"], "assistant") for row in rows)


def toolbench(path: Path) -> int:
    return int(value_of(path)["answer_generation"]["query_count"])


def cassette(path: Path) -> int:
    """Interactions with the interface of a model."""
    value = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    urls = [i["request"].get("uri") or i["request"].get("url") for i in value["interactions"]]
    return sum(bool(MODEL_URL.search(url)) for url in urls)


def smolagents(path: Path) -> int:
    return ONE_RUN if path.suffix == ".json" else cassette(path)


def one_run(path: Path) -> int | None:
    return ONE_RUN if path.name.startswith("gen_") else None


def session_sqlite(path: Path) -> int:
    with closing(sqlite3.connect(path)) as base:
        return int(base.execute("SELECT count(*) FROM agent_messages").fetchone()[0])


COUNTS: dict[str, Callable[[Path], int | None]] = {
    "aider": aider,
    "anthropic_messages": anthropic,
    "autogen": one_run,
    "claude-code": claude_code,
    "cline": cline,
    "codex-cli": codex,
    "copilot-cli": copilot,
    "cursor": cursor,
    "gemini": lambda _: 1,
    "gemini-cli": gemini_cli,
    "goose": lambda path: sum(r.get("role") == "assistant" for r in records(path)),
    "har_mitmproxy": one_run,
    "harbor-atif": atif,
    "http_pair_jsonl": http_pairs,
    "inspect": inspect,
    "langchain_messages": one_run,
    "langfuse": langfuse,
    "langgraph_state": langgraph,
    "langsmith": langsmith,
    "litellm": lambda path: len(list(records(path))),
    "mini-swe-agent": mini_swe_agent,
    "openai_agents_sdk": openai_agents,
    "openai_batch": lambda path: len(list(records(path))),
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "opencode": opencode,
    "openhands": openhands,
    "openinference_otlp": openinference,
    "otel_genai": otel,
    "pi": pi,
    "pydantic_ai": one_run,
    "roo-code": cline,
    "sharegpt": sharegpt,
    "smolagents": smolagents,
    "swe-agent": swe_agent,
    "tau-bench": tau_bench,
    "tau2-bench": tau2_bench,
    "terminal-bench-v1": lambda path: 1 if path.name == "debug.json" else None,
    "toolbench": toolbench,
    "vcrpy_classic": cassette,
    "vcrpy_parsed_body": cassette,
    "vercel_ai_sdk": one_run,
}
"""Word of the index for a format -> how its calls are counted."""


def known_calls(path: Path, word: str) -> int | None:
    """Calls of a file, or None where they are not known.

    Args:
        path: Of the file.
        word: The index's word for its format.
    """
    count = COUNTS.get(word)
    return count(path) if count else None

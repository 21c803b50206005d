"""Rebuilt contexts against recorded ones: ``python -m tests.context_equality`` prints, per file with two sources, the share of calls that agree.

A file with the true input of every call is read as it is, and once more without that input (or from another recording of the same run). A call agrees
if a rebuilt call has the same messages. Where no input is recorded but its tokens are, those are the second source.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ctxcore import Session, Thread, read_session, read_sessions
from ctxcore.model import Call, Message
from ctxcore.readers.detect import read_uploads
from tests.conftest import shared_folder

Form = tuple[Any, ...]


@dataclass(frozen=True)
class Shares:
    """How far the two sources of a file agree."""

    file: str
    recorded: str
    """Where the true input stands."""
    rebuilt: str
    """What the contexts were rebuilt from."""
    agree: int
    calls: int


def message_form(message: Message) -> Form:
    """What a message says: role, text, calls with their arguments as values. Ids differ between recorders."""
    return (message.role, message.text.strip(), tuple((call.name, _value(call.arguments)) for call in message.calls))


def _value(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def context_form(thread: Thread, call: Call, *, system: bool = True) -> Form:
    """What a call received; parallel results in the order of their texts, as recorders order them differently."""
    sent = [message_form(thread.messages[index]) for index in call.messages()]
    return tuple(_results_sorted([form for form in sent if system or form[0] not in ("system", "developer")]))


def _results_sorted(forms: Sequence[Form]) -> Iterator[Form]:
    block: list[Form] = []
    for form in forms:
        if form[0] == "tool":
            block.append(form)
            continue
        yield from sorted(block)
        yield form
        block = []
    yield from sorted(block)


def agreeing(recorded: Iterable[Thread], rebuilt: Iterable[Thread], *, system: bool = True) -> tuple[int, int]:
    """Recorded calls whose context a rebuilt one has, each used once; and all recorded calls."""
    return _common(
        [context_form(thread, call, system=system) for thread in recorded for call in thread.calls],
        [context_form(thread, call, system=system) for thread in rebuilt for call in thread.calls],
    )


def _common(recorded: Iterable[Form], rebuilt: Iterable[Form]) -> tuple[int, int]:
    wanted, found = Counter(recorded), Counter(rebuilt)
    return (wanted & found).total(), wanted.total()


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def swe_agent(corpus: Path) -> Iterator[Shares]:
    """``query`` holds the messages of each step; without it the history and its processors tell them."""
    for name in ("v1_kimi_dask-8685_548KB", "v1_gpt5_monai-5416_4.6MB", "v1_claude_bokeh-13370"):
        value = json.loads((corpus / "swe-agent" / f"{name}.traj").read_bytes())
        recorded = read_session(as_bytes(value)).threads
        for step in value["trajectory"]:
            del step["query"]
        yield Shares(f"swe-agent/{name}.traj", "query", "history", *agreeing(recorded, read_session(as_bytes(value)).threads))


def smolagents(corpus: Path) -> Iterator[Shares]:
    """``model_input_messages`` of 13 steps; without them the steps are told again as the library does."""
    value = json.loads((corpus / "smolagents" / "gen_smolagents_memory_full_steps.json").read_bytes())
    recorded = read_session(as_bytes(value)).threads
    for step in value["steps"]:
        step.pop("model_input_messages", None)
    rebuilt = read_session(as_bytes(value)).threads
    yield Shares("smolagents/gen_smolagents_memory_full_steps.json", "model_input_messages", "steps", *agreeing(recorded, rebuilt))


def inspect(corpus: Path) -> Iterator[Shares]:
    """Model events hold the input; without events a sample's list of messages tells it. Scorers are in the events alone and left out."""
    for name in ("docent_agent_log.eval", "scout_security-guide.eval", "inspect_browser_405KB.json"):
        path = corpus / "inspect" / name
        recorded = [session.threads[0] for session in read_sessions(path)]
        rebuilt = [session.threads[0] for session in read_sessions(_without_events(path), name)]
        yield Shares(f"inspect/{name}", "input of model events", "messages of the sample", *agreeing(recorded, rebuilt))


def _without_events(path: Path) -> bytes:
    if path.suffix == ".json":
        value = json.loads(path.read_bytes())
        return as_bytes({**value, "samples": [{**sample, "events": []} for sample in value["samples"]]})
    buffer = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, as_bytes({**json.loads(data), "events": []}) if name.startswith("samples/") else data)
    return buffer.getvalue()


def openhands(corpus: Path) -> Iterator[Shares]:
    """Requests as they were sent, of the same run as an event log; and logs of each call of a run, of which the last holds the conversation."""
    root = corpus / "openhands" / "v1_conv_20260121-223755_with_llm_telemetry"
    sent = read_uploads([(path.name, path) for path in sorted(root.glob("telemetry*/*.json"))]).sessions
    events = read_uploads(
        [(path.relative_to(root).as_posix(), path) for path in sorted(root.glob("*/**/*.json")) if "telemetry" not in path.relative_to(root).parts[0]]
    ).sessions
    yield Shares("openhands/v1_conv_20260121-…", "telemetry of each call", "events", *agreeing(_threads(sent), _threads(events)))
    paths = sorted((corpus / "openhands" / "sdk_llm_logs_fncall").glob("*.json"))
    every = read_uploads([(path.name, path) for path in paths]).sessions
    yield Shares("openhands/sdk_llm_logs_fncall", "one log a call", "the last log", *agreeing(_threads(every), read_session(paths[-1]).threads))


def _threads(sessions: Iterable[Session]) -> list[Thread]:
    return [thread for session in sessions for thread in session.threads]


GROWING = (
    "openai_chat/lmcache_minimax_session.jsonl",
    "openai_chat/openhands_session.jsonl",
    "openhands/profiler_openhands_per_call_messages_2.2MB.jsonl",
)


def growing_requests(corpus: Path) -> Iterator[Shares]:
    """A line for each request, some with the reply behind it; the last line alone is a conversation whose replies tell the earlier requests."""
    for name in GROWING:
        lines = [line for line in (corpus / name).read_bytes().split(b"\n") if line]
        recorded = [_without_reply(context_form(thread, call)) for thread in read_session(corpus / name).threads for call in thread.calls]
        (rebuilt,) = read_session(lines[-1]).threads
        yield Shares(name, "every request", "the last request", *_common(recorded, [context_form(rebuilt, call) for call in rebuilt.calls]))


def _without_reply(context: Form) -> Form:
    return context[:-1] if context[-1][0] == "assistant" else context


ONE_RUN = "litellm/gen_litellm_standard_logging.jsonl"
"""Requests and answers of the run that all ``gen_`` files hold."""

RETOLD = (
    "langchain_messages/gen_langchain_messages_to_dict.json",
    "langgraph_state/gen_langgraph_state_history.json",
    "langgraph_state/gen_langgraph_checkpoints.sqlite",
    "pydantic_ai/gen_pydantic_ai_all_messages.json",
    "vercel_ai_sdk/gen_vercel_ui_messages.json",
    "openai_agents_sdk/gen_openai_agents_session.sqlite",
    "openai_chat/stored_completion_ask_github_gc.json",
)
"""Message lists of that run, from which the contexts are rebuilt."""


def one_run(corpus: Path) -> Iterator[Shares]:
    """System prompts that a format does not keep are left out of both sides."""
    recorded = read_session(corpus / ONE_RUN).threads
    for name in RETOLD:
        session = read_session(corpus / name)
        system = "system prompt" not in session.not_recorded
        yield Shares(name, f"requests of {Path(ONE_RUN).name}", "its messages", *agreeing(recorded, session.threads, system=system))


def http_pairs(corpus: Path) -> Iterator[Shares]:
    """Requests over the wire; each thread's last request alone tells the earlier ones."""
    for name in ("claude-trace_log-2026-06-16-02-37-53", "claude-trace_log-2026-06-16-03-13-52", "claude-trace_log-2026-06-16-03-21-50"):
        threads = [thread for thread in read_session(corpus / "http_pair_jsonl" / f"{name}.jsonl").threads if len(thread.calls) > 1]
        found = [agreeing([replace(thread, calls=thread.calls[:-1])], read_session(_last_request(thread)).threads) for thread in threads]
        yield Shares(f"http_pair_jsonl/{name}.jsonl", "every request", "the last request", sum(a for a, _ in found), sum(n for _, n in found))


def _last_request(thread: Thread) -> bytes:
    return as_bytes([dict(item) for index in thread.calls[-1].messages() for item in thread.messages[index].wire])


def atif(corpus: Path) -> Iterator[Shares]:
    """One run in two recordings: a continuation copies what was sent after a summarisation; the other only refers to its sub-agents."""
    folder = corpus / "harbor-atif"
    linear = read_uploads([(path.name, path) for path in sorted(folder.glob("terminus_2_*.json"))]).sessions
    handoff = read_uploads([(path.name, path) for path in sorted(folder.glob("phoenix_terminus2_*.json"))]).sessions
    found = [[_inputs(thread, call) for call in thread.calls] for thread in (linear[0].threads[0], handoff[0].threads[0])]
    yield Shares("harbor-atif/terminus_2_….json", "copied context of a continuation", "phoenix_terminus2_*.json", *_common(*found))


def _inputs(thread: Thread, call: Call) -> Form:
    """The texts of a context, without what the replies say: one recording has them as the model wrote them, the other in parts."""
    sent = [thread.messages[index] for index in call.messages()]
    return tuple("" if message.role == "assistant" else message.text.strip() for message in sent)


def cline(corpus: Path) -> Iterator[Shares]:
    """The screen keeps the text of each call's newest user message; the history keeps it in blocks."""
    folder = corpus / "cline" / "task_1769053680585"
    entries = json.loads((folder / "ui_messages.json").read_bytes())
    asked = [json.loads(entry["text"])["request"] for entry in entries if entry.get("say") == "api_req_started"]
    (thread,) = read_session(folder / "api_conversation_history.json").threads
    newest = [_newest(thread, call) for call in thread.calls]
    agree = sum(one.split() == other.split() for one, other in zip(asked, newest, strict=False))
    yield Shares("cline/task_1769053680585", "request on the screen (newest message)", "history", agree, len(asked))


def _newest(thread: Thread, call: Call) -> str:
    last = max((index for index in call.messages() if thread.messages[index].role == "assistant"), default=-1)
    return "\n".join(thread.messages[index].text for index in call.messages() if index > last)


def tau2(corpus: Path) -> Iterator[Shares]:
    """No input is recorded, but its tokens: between two calls with only words it grows by the o200k tokens of the new messages and 4 for each."""
    import splintr

    count = splintr.Tokenizer.from_pretrained("o200k_base").encode
    grown: Counter[bool] = Counter()
    for thread in _threads(read_sessions(corpus / "tau2-bench" / "tau2_gpt41_telecom_2.7MB.json")):
        for before, after in pairwise(thread.calls):
            new = [thread.messages[index] for index in after.messages()[before.message_count :]]
            if before.usage and after.usage and not any(message.calls or message.results for message in new):
                tokens = sum(len(count(message.text)) + 4 for message in new)
                grown[(after.usage.input_tokens or 0) - (before.usage.input_tokens or 0) == tokens] += 1
    yield Shares("tau2-bench/tau2_gpt41_telecom_2.7MB.json", "growth of the counted input", "messages", grown[True], grown.total())


def terminal_bench(corpus: Path) -> Iterator[Shares]:
    """The prompt of an episode stands in a file of its own."""
    folder = corpus / "terminal-bench-v1" / "lcbpro-2053d"
    (thread,) = read_session(folder / "debug.json").threads
    sent = "\n".join(thread.messages[index].text for index in thread.calls[0].messages())
    yield Shares("terminal-bench-v1/lcbpro-2053d", "prompt.txt", "debug.json", int(sent.strip() == (folder / "prompt.txt").read_text().strip()), 1)


SOURCES: tuple[Callable[[Path], Iterator[Shares]], ...] = (
    swe_agent, smolagents, inspect, openhands, growing_requests, one_run, http_pairs, atif, cline, tau2, terminal_bench,
)  # fmt: skip


def shares(corpus: Path) -> Iterator[Shares]:
    """Every file with two sources."""
    for source in SOURCES:
        yield from source(corpus)


def main() -> int:
    """Print the table."""
    shared = shared_folder()
    if shared is None:
        print("No reference data at ../shared; name its folder with CTXSCOPE_SHARED.", file=sys.stderr)  # noqa: T201 - a command
        return 2
    table = Table(box=None, header_style="dim")
    for name in ("file", "recorded in", "rebuilt from"):
        table.add_column(name, overflow="fold")
    for name in ("agree", "calls", "share"):
        table.add_column(name, justify="right")
    found = list(shares(shared / "corpus"))
    for row in found:
        table.add_row(row.file, row.recorded, row.rebuilt, f"{row.agree:,}", f"{row.calls:,}", f"{row.agree / row.calls:.1%}")
    agree, calls = sum(row.agree for row in found), sum(row.calls for row in found)
    table.add_row("together", "", "", f"{agree:,}", f"{calls:,}", f"{agree / calls:.1%}")
    Console(width=None if sys.stdout.isatty() else 170).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A rule over all calls against its original run before each call, as agents do."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxcore import Replay, read_session, replay
from ctxcore.replay import DROPPED
from tests.benchmarks.generate import conversation_file
from tests.benchmarks.measure import Row, median_ms
from tests.differential.compare import ask
from tests.differential.environments import NotInstalledError, python_of

CALLS, CALL_BYTES, BUDGET = 1000, 1500, 40_000


def rows(folder: Path, repetitions: int) -> Iterator[Row]:
    """LangChain's ``trim_messages``; nothing but a sentence where it is not installed."""
    try:
        python = python_of("langchain", install=False)
    except NotInstalledError as error:
        print(f"No comparison with trim_messages. {error}", file=sys.stderr)
        return
    yield _trim_messages(python, conversation_file(folder / "thousand.json", CALLS, CALL_BYTES), repetitions)


def _trim_messages(python: Path, file: Path, repetitions: int) -> Row:
    thread = read_session(file).threads[0]

    def ours() -> Replay:
        thread.memo.clear()
        return replay(thread, "langchain-trim", BUDGET)

    result = ours()
    [real] = ask(python, "langchain", [_job(result, json.loads(file.read_bytes())["messages"])])
    if real["kept"] != [_kept(result, call) for call in range(len(thread.calls))]:
        raise AssertionError("The real trim_messages keeps other messages.")
    fast_ms = median_ms(ours, 3 * repetitions)
    return Row(
        what=f"langchain-trim over {len(thread.calls):,} calls, budget {BUDGET:,}; both keep the same messages at each",
        value=f"{fast_ms:,.2f} ms",
        reference=f"langchain-core's trim_messages before each call {real['ms']:,.0f} ms",
        ratio=real["ms"] / fast_ms,
        target=100,
        side="at least",
    )


def _job(result: Replay, messages: list[dict[str, Any]]) -> dict[str, Any]:
    [line] = result.timelines
    calls = list(zip(line.history.length.tolist(), line.history.fixed.tolist(), strict=True))
    settings = {"include_system": True}
    return {"function": "trim_before_each_call", "settings": settings, "budget": BUDGET, "messages": messages, "calls": calls}


def _kept(result: Replay, call: int) -> list[int]:
    status = result.message_status(call)
    return [message for message, state in zip(result.thread.calls[call].messages(), status.tolist(), strict=True) if state != DROPPED]

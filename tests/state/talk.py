"""Conversations written down for the tests of the state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ctxcore import Thread, read_session
from ctxcore.state.domain import Domain
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.state.entries import Entry, State
from ctxcore.state.reading import source_text

MONDAY = datetime(2025, 3, 10, 9, tzinfo=UTC).timestamp()

Line = str | dict[str, Any]


def talk(*lines: Line, at: Sequence[float] = ()) -> Thread:
    """A thread of messages: `u: …` is the user, `a: …` the assistant; an object is a message as it stands."""
    messages = [_message(line) for line in lines]
    for message, moment in zip(messages, at, strict=False):
        message["timestamp"] = datetime.fromtimestamp(moment, UTC).isoformat()
    return read_session(json.dumps({"model": "m", "messages": messages}).encode()).threads[0]


def _message(line: Line) -> dict[str, Any]:
    if isinstance(line, dict):
        return dict(line)
    role, text = line.split(": ", 1)
    return {"role": {"u": "user", "a": "assistant"}[role], "content": text}


def tool(name: str, result: Any, id: str = "c1", /, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A tool call and its result."""
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": function}]}
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return call, {"role": "tool", "tool_call_id": id, "content": text}


def shopping(rounds: int) -> list[Line]:
    """A conversation that changes its budget in every round, from 1 up, and says the rest again."""
    lines: list[Line] = []
    for n in range(1, rounds + 1):
        lines += [f"u: 预算改成{n}元，颜色要红色，尺码{n % 50}码，电话{n}", f"a: 好的，您的预算是{n}元吗？"]
    return lines


def state_of(domain: str | Domain, *lines: Line, at: Sequence[float] = ()) -> State:
    """The state of a conversation, every source of which is checked."""
    thread = talk(*lines, at=at)
    read = edit(thread, domain_named(domain) if isinstance(domain, str) else domain)
    check_sources(thread, read)
    return read


def check_sources(thread: Thread, read: State) -> None:
    """Every value has words, and they stand where they are said to stand."""
    texts = [source_text(message) for message in thread.messages]
    for chain in read.fields.values():
        for source in [s for entry in chain.entries for s in (entry.source, *entry.more)] + [one.source for one in chain.restated]:
            assert source.quote
            assert texts[source.message][source.start : source.end] == source.quote


def steps(read: State, field: str) -> list[tuple[Any, int, str]]:
    """Value, round and why of the accepted entries of a field."""
    return [(entry.value, entry.round, entry.why) for entry in entries(read, field) if entry.status == "accepted"]


def entries(read: State, field: str) -> tuple[Entry, ...]:
    """All entries of a field."""
    chain = read.fields.get(field)
    return chain.entries if chain else ()


def codes(read: State) -> list[tuple[str, int]]:
    """Alerts: code and round."""
    return [(alert.code, alert.round) for alert in read.alerts]

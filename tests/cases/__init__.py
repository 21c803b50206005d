"""What is right for each small case from a public fault report, as checks by hand from its ``.expect.md``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctxcore import Message, Session, Thread, read_session
from ctxcore.units import catalog
from tests.c1 import C1

CASES = Path(__file__).parent.parent / "data" / "cases"

CHECKS: dict[str, Callable[[], None]] = {}
"""Case id and what must hold."""


def case(check: Callable[[], None]) -> Callable[[], None]:
    """Register ``pair_01`` as the check of PAIR-01."""
    kind, number = check.__name__.split("_")
    CHECKS[f"{kind.upper()}-{number}"] = check
    return check


def read(name: str) -> Session:
    return read_session(CASES / name)


def main(name: str) -> Thread:
    return read(name).threads[0]


def messages_of(name: str) -> list[dict[str, Any]]:
    value = json.loads((CASES / name).read_text())
    found: list[dict[str, Any]] = value["messages"]
    return found


def kinds(session: Session) -> list[str]:
    return [problem.kind for problem in session.problems]


def turns(thread: Thread) -> int:
    return sum(message.is_real_user for message in thread.messages)


def exchanges(thread: Thread) -> int:
    return int(catalog(thread).exchange.sum())


def size(message: Message) -> int:
    return sum(C1().size(item) for item in message.wire)


def total(thread: Thread) -> int:
    return sum(map(size, thread.messages))


def usage_sum(*threads: Thread) -> tuple[int, int]:
    found = [call.usage for thread in threads for call in thread.calls if call.usage]
    return sum(u.input_tokens or 0 for u in found), sum(u.output_tokens or 0 for u in found)


def paired(messages: list[dict[str, Any]], kept: tuple[int, ...]) -> bool:
    """Every kept call has exactly its results and every kept result its call."""
    calls = [c["id"] for i in kept for c in messages[i].get("tool_calls") or ()]
    results = [messages[i]["tool_call_id"] for i in kept if messages[i]["role"] == "tool"]
    return sorted(calls) == sorted(results)

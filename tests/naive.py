"""The whole-unit rule written the slow way, straight from its text: serialise the request anew for every candidate."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

NOTICE = "Context controller omitted {} historical messages as whole units. Re-read evidence if needed; omission is not proof of completion."


def size(messages: list[dict[str, Any]], tools: list[Any]) -> int:
    """Code points of the canonical JSON of a request."""
    return len(json.dumps({"messages": messages, "tools": tools}, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def units(messages: list[dict[str, Any]]) -> list[list[int]]:
    """Exchanges and single messages of a list that keeps the protocol, as positions."""
    found: list[list[int]] = []
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            found[-1].append(position)
        else:
            found.append([position])
    return found


def candidates(messages: list[dict[str, Any]]) -> list[tuple[list[int], int]]:
    """What may go, in order: positions, and whether it counts as a turn."""
    users = [i for i, m in enumerate(messages) if m["role"] == "user"]
    pinned = {i for i, m in enumerate(messages) if m["role"] in ("system", "developer")} | {users[-1]}
    loose = [u for u in units(messages) if u[0] not in pinned]
    behind = [u for u in loose if u[0] > users[-1]]
    result: list[tuple[list[int], int]] = []
    before = [i for u in loose if u[0] < users[0] for i in u]
    if before:
        result.append((before, 0))
    for start, stop in pairwise(users):
        result.append(([i for u in loose if start <= u[0] < stop for i in u], 1))
    result += [(u, 0) for u in behind[:-1]]
    return result


def fit(messages: list[dict[str, Any]], tools: list[Any], budget: int) -> dict[str, Any]:
    """The report of one request."""
    before = size(messages, tools)
    dropped: set[int] = set()
    turns, kept, now = 0, messages, before
    for positions, turn in candidates(messages):
        if now <= budget:
            break
        dropped |= set(positions)
        turns += turn
        kept = [{"role": "system", "content": NOTICE.format(len(dropped))}, *(m for i, m in enumerate(messages) if i not in dropped)]
        now = size(kept, tools)
    if now > budget:
        return {"before": before, "after": None, "missing": now - budget}
    exchanges = sum(1 for u in units(messages) if messages[u[0]].get("tool_calls") and u[0] in dropped)
    return {"before": before, "after": now, "missing": 0, "messages": len(dropped), "turns": turns, "exchanges": exchanges}

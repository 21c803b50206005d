"""Which cuts keep every result with its call, by ids as libraries compare them."""

from __future__ import annotations

import numpy as np

from ctxcore.columns import IntArray, read_only
from ctxcore.model import ToolCall, ToolResult
from ctxcore.policies.history import History


def calls_of_results(history: History) -> tuple[IntArray, IntArray]:
    """Positions of results that have an id, ascending, and of the nearest call before each with the same id; -1 without one."""
    newest: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    for position in np.flatnonzero(history.asks | history.answers).tolist():
        for part in history.messages[position].parts:
            if isinstance(part, ToolCall) and part.id:
                newest[part.id] = position
            elif isinstance(part, ToolResult) and part.call_id:
                found.append((position, newest.get(part.call_id, -1)))
    pairs = np.asarray(found, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def first_orphan(history: History) -> IntArray:
    """Per position: the first result at or behind it whose call stands before it; the number of messages without one.

    A context of n messages may begin at a position if this is at least n.
    """
    size = len(history.role)
    found = np.full(size + 1, size, np.int64)
    results, calls = calls_of_results(history)
    for result, call in zip(reversed(results.tolist()), reversed(calls.tolist()), strict=True):
        found[call + 1 : result + 1] = result
    return read_only(found)


def last_whole(orphan: IntArray, cut: IntArray, length: IntArray) -> IntArray:
    """Per call: the last position at or before a cut from which every result has its call; 0 without one.

    Args:
        orphan: From ``first_orphan``.
        cut: Per call.
        length: Per call: messages in its context.
    """
    found = cut.copy()
    for column in np.flatnonzero(orphan[cut] < length).tolist():
        safe = np.flatnonzero(orphan[: int(cut[column])] >= length[column])
        found[column] = safe[-1] if len(safe) else 0
    return found

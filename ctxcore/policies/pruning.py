"""Old tool results that go for good, in batches: the newest are protected by size, and a batch must be worth it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.model import ToolResult
from ctxcore.policies.edits import Layer, lasting, lasts
from ctxcore.policies.history import ASSISTANT, SYSTEM, History
from ctxcore.policies.pieces import RESULT


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """When a batch of results goes."""

    protect: int
    """Size of the newest results that stay; the one that passes it is the first that may go."""
    worth: Callable[[int], bool]
    """Whether results of this size together are worth a batch."""


def prune(size: IntArray, reach: Sequence[int], batch: Batch, *, stays: IntArray | None = None) -> IntArray:
    """Per entry of ``reach``: how many of the oldest results are gone.

    Args:
        size: Per result, oldest first.
        reach: How many results the walk sees, from the newest of them back; one entry per time that it is done.
        batch: When a batch goes.
        stays: Per result: its size where an edit would not free anything, else 0; such a result is looked at again each time.
    """
    upto = np.concatenate(([0], np.cumsum(size))).tolist()
    left = np.concatenate(([0], np.cumsum(np.zeros_like(size) if stays is None else stays))).tolist()
    gone, found = 0, []
    for seen in reach:
        passed = bisect_left(upto, upto[seen] - batch.protect)
        if passed > gone and batch.worth(upto[passed] - upto[gone] + left[gone]):
            gone = passed
        found.append(gone)
    return np.asarray(found, np.int64)


def pruned(history: History, rule: str, items: IntArray, gone: IntArray, freed: IntArray, text: Callable[[int], str]) -> Layer:
    """A layer that masks the oldest of these results, as many as are gone at each call.

    Args:
        history: Of the epoch.
        rule: Why.
        items: Results, oldest first.
        gone: Per call.
        freed: Per result.
        text: Piece → the text in its place.
    """
    return lasting(history, "mask", rule, items, since=lasts(gone, len(items)), freed=freed, text=text)


def results(history: History, *, without: Sequence[str] = (), only: Sequence[str] = (), failed: bool = True) -> IntArray:
    """Tool results, ascending.

    Args:
        history: Of the epoch.
        without: Names of tools that are left out.
        only: Names of tools to which they belong; all if empty.
        failed: Count results that the log marks as errors.
    """
    pieces = history.pieces
    found = pieces.of_kind(RESULT, without=without)
    if only:
        found = found[np.isin(pieces.tool[found], [number for number, name in enumerate(pieces.tools) if name in only])]
    return found if failed else np.asarray([piece for piece in found.tolist() if not _failed(history, piece)], np.int64)


def _failed(history: History, piece: int) -> bool:
    part = history.messages[int(history.pieces.message[piece])].parts[int(history.pieces.part[piece])]
    return isinstance(part, ToolResult) and bool(part.is_error)


def newest_side(history: History) -> IntArray:
    """Per call: position of the first of the messages at its end that are all replies, or all no replies."""
    replies = history.role == ASSISTANT
    change = np.ones(len(replies), np.bool_)
    change[1:] = (replies[1:] != replies[:-1]) | (history.role[:-1] == SYSTEM)
    begin = np.maximum.accumulate(np.where(change, np.arange(len(replies)), 0))
    return np.append(begin, 0)[history.length - 1].astype(np.int64)

"""Which tool results are reads of a file, and of which one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.model import Thread
from ctxcore.policies.history import History
from ctxcore.policies.pieces import RESULT
from ctxcore.state.extract.file_tools import FileTools
from ctxcore.tool_uses import tool_answers, tool_uses


def file_reads(history: History) -> tuple[IntArray, tuple[str, ...]]:
    """Results of tools that read one named file, and its name for each.

    Args:
        history: Of the epoch.

    Returns:
        Pieces, ascending, and the names.
    """
    known = history.thread.once("file_reads", lambda: _reads(history.thread))
    pieces = history.pieces
    results = np.flatnonzero(pieces.kind == RESULT)
    places = zip(history.epoch.message[pieces.message[results]].tolist(), pieces.part[results].tolist(), strict=True)
    found = [(piece, known[place]) for piece, place in zip(results.tolist(), places, strict=True) if place in known]
    return np.asarray([piece for piece, _ in found], np.int64), tuple(name for _, name in found)


def _reads(thread: Thread) -> Mapping[tuple[int, int], str]:
    """Thread message and part of each result that is a file's content → the file's name."""
    tools, answers = FileTools(), tool_answers(thread)
    order: dict[int, int] = {}
    found: dict[tuple[int, int], str] = {}
    for use in tool_uses(thread):
        number = order[use.message] = order.get(use.message, -1) + 1
        place = answers.get((use.message, number))
        touches = tools.touches(use) if place is not None else ()
        if place is not None and touches and touches[0].action == "read" and not use.failed:
            found[place] = touches[0].name
    return found


def newer(pieces: IntArray, names: tuple[str, ...], end: int) -> IntArray:
    """Per read: the piece that reads the same file next; ``end`` where none does."""
    following: dict[str, int] = {}
    found = np.full(len(pieces), end, np.int64)
    for index in range(len(pieces) - 1, -1, -1):
        found[index] = following.get(names[index], end)
        following[names[index]] = int(pieces[index])
    return found

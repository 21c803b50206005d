"""Refetch debt: the size of removed results that later calls would have needed, which an agent would have to fetch again.

A lower bound: each result is fetched once, at one call's cost in tokens of its result. Source: the notes on policies, 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.measures.evidence_index import Evidence
from ctxcore.measures.references import References, references
from ctxcore.measures.repeats import result_rows
from ctxcore.measures.visible import INTACT, part_fates
from ctxcore.model import Thread, ToolResult
from ctxcore.policies.pieces import part_text, thread_pieces
from ctxcore.replay import Replay
from ctxcore.state.chains import touches
from ctxcore.state.values import CHANGES
from ctxcore.tool_uses import tool_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Refetch:
    """One removed result that a later call needed."""

    call: int
    """First call that misses it."""
    message: int
    """Thread message of the result."""
    part: int
    """Index into its parts."""
    tool: str
    """As recorded; empty where unknown."""
    file: str
    """The file that was read, or empty."""
    size: int
    """Of the result, in the unit of the replay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Debt:
    """What a policy saves, and what of it would have to be fetched again."""

    refetches: tuple[Refetch, ...]
    """In order of calls."""
    excused: int
    """Results left out because a newer read of the same file is there, or the file was changed since: the old text would have been no use."""
    saved: int
    """Sum over all calls that are sent: before less after."""

    @property
    def size(self) -> int:
        """Refetch debt in the unit of the replay."""
        return sum(one.size for one in self.refetches)

    @property
    def calls(self) -> int:
        """Calls it would take, one per result."""
        return len(self.refetches)

    @property
    def net_saving(self) -> int:
        """What is saved less what is fetched again."""
        return self.saved - self.size


def refetch_debt(replay: Replay, known: References | None = None) -> Debt:
    """Results to be fetched again.

    Args:
        replay: A policy over all calls of a thread.
        known: Its lost references, where they are at hand.
    """
    found = references(replay) if known is None else known
    row_of = result_rows(replay.thread)
    use_of = {row: number for number, row in enumerate(row_of) if row >= 0}
    reads = _Reads(replay, row_of)
    missed = _missed(replay.thread, found)
    free = {(row, call) for row, call in missed if reads.excused(use_of.get(row), call)}
    first: dict[int, int] = {}
    for row, call in sorted(missed - free, key=lambda one: one[1]):
        first.setdefault(row, call)
    made = [_refetch(replay, found.evidence, row, call, use_of.get(row)) for row, call in first.items()]
    sent = ~replay.refused
    return Debt(
        refetches=tuple(made),
        excused=len({row for row, _ in free} - first.keys()),
        saved=int((replay.before[sent] - replay.after[sent]).sum()),
    )


def _missed(thread: Thread, found: References) -> set[tuple[int, int]]:
    """Row of the newest removed result, and the call, of each lost reference that a result held."""
    evidence = found.evidence
    is_result = [isinstance(thread.messages[m].parts[p], ToolResult) for m, p in zip(evidence.message.tolist(), evidence.part.tolist(), strict=True)]
    rows = np.where(is_result, np.arange(len(is_result)), -1)
    bounds = np.searchsorted(evidence.standing.left, np.arange(len(evidence.atoms) + 1))
    missed: set[tuple[int, int]] = set()
    for use in np.flatnonzero(found.lost).tolist():
        atom = int(found.atom[use])
        holders: IntArray = rows[evidence.standing.right[bounds[atom] : bounds[atom + 1]]]
        holders = holders[(holders >= 0) & (holders <= found.row[use])]
        context = thread.calls[int(found.call[use])].context
        inside = (row for row in holders[::-1].tolist() if _within(context, int(evidence.message[row])))
        newest = next(inside, None)
        if newest is not None:
            missed.add((newest, int(found.call[use])))
    return missed


def _within(context: tuple[tuple[int, int], ...], message: int) -> bool:
    return any(start <= message < stop for start, stop in context)


class _Reads:
    """Which reads of files are out of date or stand there in a newer form."""

    def __init__(self, replay: Replay, row_of: list[int]) -> None:
        self._replay, self._row_of = replay, row_of
        self._uses = tool_uses(replay.thread)
        self._steps: dict[str, list[tuple[int, bool]]] = {}
        self.file: dict[int, str] = {}
        for number, use in enumerate(self._uses):
            for touch in touches(use):
                changes = touch.action in CHANGES
                if touch.action == "read":
                    self.file[number] = touch.name
                if not use.failed and (changes or touch.action == "read"):
                    self._steps.setdefault(touch.name, []).append((number, changes))

    def excused(self, number: int | None, call: int) -> bool:
        """True for a read whose file was changed before the call, or that a newer read in the call's context replaces."""
        name = None if number is None else self.file.get(number)
        if number is None or name is None:
            return False
        later = [(n, changes) for n, changes in self._steps.get(name, ()) if n > number and self._uses[n].call < call]
        return any(changes or self._stands(n, call) for n, changes in later)

    def _stands(self, number: int, call: int) -> bool:
        row = self._row_of[number]
        return row >= 0 and int(part_fates(self._replay, np.asarray([row]), np.asarray([call]))[0]) == INTACT


def _refetch(replay: Replay, evidence: Evidence, row: int, call: int, number: int | None) -> Refetch:
    message, part = int(evidence.message[row]), int(evidence.part[row])
    use = None if number is None else tool_uses(replay.thread)[number]
    name = "" if use is None else next((touch.name for touch in touches(use) if touch.action == "read"), "")
    return Refetch(
        call=call, message=message, part=part, tool="" if use is None else use.tool.name, file=name, size=_size(replay, row, message, part)
    )


def _size(replay: Replay, row: int, message: int, part: int) -> int:
    """Of a result; with a counter of one's own, which measures whole messages, its share of the message by length."""
    if replay.unit in ("chars", "tokens"):
        return int(thread_pieces(replay.thread, replay.sizes).size[row])
    parts = replay.thread.messages[message].parts
    return int(replay.sizes.message[message]) * len(part_text(parts[part])) // max(1, sum(len(part_text(one)) for one in parts))

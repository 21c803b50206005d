"""Earlier requests that one may go back to, past the one before it: after a side call, a retry, an edit that is undone."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import IntArray
from ctxcore.measures.starts import Look
from ctxcore.replay import Replay

ENDS = 8
"""Ends of branches that are looked at, the newest; a provider that holds prompts for minutes holds few."""


class Ends:
    """Calls after which a request did not simply go on, to which a later one may go back: one of a side call, of a retry, of an edit undone."""

    def __init__(self, replay: Replay, looks: list[Look], epoch_of: IntArray, column_of: IntArray) -> None:
        self.replay, self.looks, self.epoch_of, self.column_of = replay, looks, epoch_of, column_of
        self.calls: deque[int] = deque(maxlen=ENDS)
        self.alike: dict[tuple[int, int], int] = {}

    def add(self, call: int) -> None:
        """Keep one; of an epoch that undoes no edit only its last, and none where there is no other epoch."""
        if len(self.looks) == 1 and not self.looks[0].undone[-1]:
            return
        if self.calls and self.epoch_of[self.calls[-1]] == self.epoch_of[call] and not self.looks[self.epoch_of[call]].undone[-1]:
            self.calls.pop()
        self.calls.append(call)

    def nearest(self, last: int, call: int, place: int, shared: int) -> tuple[int, int]:
        """The one that a request begins most alike with and how much, if that is more than what it shares with the call before; else -1 and 0."""
        found = (-1, 0)
        look, column = self.looks[self.epoch_of[call]], int(self.column_of[call])
        for end in self.calls:
            reached = self._place(end, last, call)
            if reached > place:
                size = min(look.upto(column, reached), int(self.replay.after[end]))
                if size > shared:
                    found, place, shared = (end, size), reached, size
        return found

    def _place(self, end: int, last: int, call: int) -> int:
        """Position up to which a request is as that of an end; 0 where it cannot be more than what it shares with the call before."""
        mine, other = int(self.epoch_of[call]), int(self.epoch_of[end])
        look, thread = self.looks[mine], self.replay.thread
        if thread.calls[end].tools != thread.calls[call].tools:
            return 0
        if mine != other:
            if (other, mine) not in self.alike:
                self.alike[other, mine] = _same_positions(self.looks[other].history.epoch.message, look.history.epoch.message)
            return min(self.alike[other, mine], thread.calls[end].message_count, int(look.history.length[self.column_of[call]]))
        if self.epoch_of[last] == mine and look.undone[self.column_of[last]] == look.undone[self.column_of[call]]:
            return 0
        place, _ = look.change(int(self.column_of[end]), int(self.column_of[call]))
        return place


def _same_positions(one: NDArray[np.int32], other: NDArray[np.int32]) -> int:
    """Positions from the first at which two sequences of messages are the same."""
    length = min(len(one), len(other))
    differs = np.flatnonzero(one[:length] != other[:length])
    return int(differs[0]) if len(differs) else length

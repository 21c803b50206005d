"""How much of each request is, from its beginning, the request before it: what a provider's cache can know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray, read_only
from ctxcore.measures.branches import Ends
from ctxcore.measures.starts import FIRST, HISTORY, SAME, Look
from ctxcore.model import Thread
from ctxcore.replay import Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """Common prefixes of calls with the call sent before; arrays are read-only with one entry per call, in the unit of the replay."""

    shared: IntArray
    """What the request begins with that the one before began with too; 0 for the first call and for refused ones."""
    lost: IntArray
    """Of the request before: what does not come back."""
    system: IntArray
    """Tools and leading system messages, which stand in front."""
    positions: IntArray
    """Messages behind what is shared."""
    branch: IntArray
    """An earlier sent call that the request begins more alike with than with the one before; -1 for none."""
    branch_shared: IntArray
    """What it begins with as that one did; 0 for none."""
    cause: tuple[str, ...]
    """Why not all of the request before came back: ``FIRST``, ``SAME``, ``HISTORY``, or the rule of the edit that did it."""


def prefix(replay: Replay) -> Prefix:
    """Common prefixes under a policy.

    A call is compared with the last one before it that was sent. Across a change of the recorded history, messages are compared as recorded.

    Args:
        replay: A policy at a budget.
    """
    count = len(replay.thread.calls)
    columns = {name: np.zeros(count, np.int64) for name in ("shared", "lost", "system", "positions", "branch_shared")}
    columns["branch"] = np.full(count, -1, np.int64)
    cause = [FIRST] * count
    epoch_of, column_of = _places(replay)
    looks = [Look(line, fits.plan(0)) for line, fits in zip(replay.timelines, replay.fits, strict=True)]
    last, ends = -1, Ends(replay, looks, epoch_of, column_of)
    for call in np.flatnonzero(~replay.refused).tolist():
        look, column = looks[epoch_of[call]], int(column_of[call])
        columns["system"][call] = look.system(column)
        if last >= 0:
            place, cause[call] = _first_change(replay.thread, looks, epoch_of, column_of, last, call)
            shared = int(replay.after[last]) if cause[call] == SAME else min(look.upto(column, place), int(replay.after[last]))
            columns["shared"][call], columns["lost"][call] = shared, replay.after[last] - shared
            columns["positions"][call] = max(0, int(look.history.length[column]) - place)
            columns["branch"][call], columns["branch_shared"][call] = ends.nearest(last, call, place, shared)
            if cause[call] != SAME:
                ends.add(last)
        last = call
    return Prefix(cause=tuple(cause), **{name: read_only(column) for name, column in columns.items()})


def _places(replay: Replay) -> tuple[IntArray, IntArray]:
    epoch, column = (np.zeros(len(replay.thread.calls), np.int64) for _ in range(2))
    for number, line in enumerate(replay.timelines):
        epoch[line.epoch.calls] = number
        column[line.epoch.calls] = np.arange(len(line.epoch.calls))
    return epoch, column


def _first_change(thread: Thread, looks: list[Look], epoch_of: IntArray, column_of: IntArray, last: int, call: int) -> tuple[int, str]:
    """Position of the first message that differs between two calls, and why."""
    look, column = looks[epoch_of[call]], int(column_of[call])
    before, tools = thread.calls[last], thread.calls[call].tools
    if before.tools != tools:
        return 0, HISTORY
    if epoch_of[last] == epoch_of[call]:
        found: tuple[int, str] = look.change(int(column_of[last]), column)
        return found
    mine, other = look.history.epoch.message, looks[epoch_of[last]].history.epoch.message
    length = min(int(look.history.length[column]), before.message_count)
    differs = np.flatnonzero(mine[:length] != other[:length])
    place = int(differs[0]) if len(differs) else length
    return (place, HISTORY) if place < before.message_count else (place, SAME)

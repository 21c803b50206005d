"""How much of each request is, from its beginning, the request before it: what a provider's cache can know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray, read_only
from ctxcore.model import Thread
from ctxcore.policies.edits import Insert, InsertLayer, Layer, Plan
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.protocol import Timeline
from ctxcore.replay import Replay

FIRST, SAME, HISTORY = "", "extends the call before", "the recorded history changed"
"""Why a request shares no more than it does: the first call, nothing lost, and what no policy did. Any other word is the rule of an edit."""


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
    cause: tuple[str, ...]
    """Why not all of the request before came back: ``FIRST``, ``SAME``, ``HISTORY``, or the rule of the edit that did it."""


def prefix(replay: Replay) -> Prefix:
    """Common prefixes under a policy.

    A call is compared with the last one before it that was sent. Across a change of the recorded history, messages are compared as recorded.

    Args:
        replay: A policy at a budget.
    """
    count = len(replay.thread.calls)
    columns = {name: np.zeros(count, np.int64) for name in ("shared", "lost", "system", "positions")}
    cause = [FIRST] * count
    epoch_of, column_of = _places(replay)
    looks = [_Look(line, fits.plan(0)) for line, fits in zip(replay.timelines, replay.fits, strict=True)]
    last = -1
    for call in np.flatnonzero(~replay.refused).tolist():
        look, column = looks[epoch_of[call]], int(column_of[call])
        columns["system"][call] = look.system(column)
        if last >= 0:
            place, cause[call] = _first_change(replay.thread, looks, epoch_of, column_of, last, call)
            shared = int(replay.after[last]) if cause[call] == SAME else min(look.upto(column, place), int(replay.after[last]))
            columns["shared"][call], columns["lost"][call] = shared, replay.after[last] - shared
            columns["positions"][call] = max(0, int(look.history.length[column]) - place)
        last = call
    return Prefix(cause=tuple(cause), **{name: read_only(column) for name, column in columns.items()})


def _places(replay: Replay) -> tuple[IntArray, IntArray]:
    epoch, column = (np.zeros(len(replay.thread.calls), np.int64) for _ in range(2))
    for number, line in enumerate(replay.timelines):
        epoch[line.epoch.calls] = number
        column[line.epoch.calls] = np.arange(len(line.epoch.calls))
    return epoch, column


def _first_change(thread: Thread, looks: list[_Look], epoch_of: IntArray, column_of: IntArray, last: int, call: int) -> tuple[int, str]:
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


class _Look:
    """One epoch under one plan."""

    def __init__(self, line: Timeline, plan: Plan) -> None:
        self.line, self.plan = line, plan
        self.positions = [self._positions(layer) for layer in plan.layers]

    @property
    def history(self) -> History:
        """Of the epoch."""
        return self.line.history

    def _positions(self, layer: Layer) -> IntArray:
        return layer.items if layer.action == "drop" else self.history.pieces.message[layer.items].astype(np.int64)

    def system(self, column: int) -> int:
        """Size of brackets, tools and the system messages in front."""
        others = np.flatnonzero(self.history.role[: int(self.history.length[column])] != SYSTEM)
        place = int(others[0]) if len(others) else int(self.history.length[column])
        return int(self.history.fixed[column]) + int(self.history.upto[place])

    def change(self, before: int, after: int) -> tuple[int, str]:
        """First position that two calls of the epoch send differently, and the rule that did it."""
        places = [(int(self.history.length[before]), SAME)]
        if self.history.length[after] < self.history.length[before]:
            places = [(int(self.history.length[after]), HISTORY)]
        for layer, positions in zip(self.plan.layers, self.positions, strict=True):
            moved = _moved(layer, positions, before, after)
            if moved is not None:
                places.append((moved, layer.rule))
        for put_in in self.plan.insert_layers:
            moved = _moved(put_in, put_in.place, before, after)
            if moved is not None:
                places.append((moved, put_in.rule))
        for one in self.plan.inserts:
            if _differs(one, before, after):
                places.append((min(int(one.place[column]) for column in (before, after) if one.size[column]), one.rule))
        return min(places, key=lambda place: place[0])

    def upto(self, column: int, place: int) -> int:
        """Size of a call's request before a position, after its edits."""
        if not place:
            return int(self.history.fixed[column])
        total = int(self.history.fixed[column]) + int(self.history.upto[place])
        dropped = np.zeros(place, np.bool_)
        for layer, positions in zip(self.plan.layers, self.positions, strict=True):
            inside = layer.rank[layer.at(column)]
            inside = inside[positions[inside] < place]
            if layer.action == "drop":
                dropped[positions[inside]] = True
                total -= int(layer.freed[inside].sum())
        for layer, positions in zip(self.plan.layers, self.positions, strict=True):
            inside = layer.rank[layer.at(column)]
            inside = inside[positions[inside] < place]
            if layer.action != "drop":
                total -= int(layer.freed[inside][~dropped[positions[inside]]].sum())
        for put_in in self.plan.insert_layers:
            total += int(put_in.size[[item for item in put_in.at(column) if put_in.place[item] < place]].sum())
        return total + sum(int(one.size[column]) for one in self.plan.inserts if one.place[column] < place)


def _moved(layer: Layer | InsertLayer, positions: IntArray, before: int, after: int) -> int | None:
    """First position that a layer edits in one of two calls only."""
    if layer.since is not None:
        fresh = np.flatnonzero((layer.since > min(before, after)) & (layer.since <= max(before, after)))
        return int(positions[fresh].min()) if len(fresh) else None
    old, new = (range(int(layer.start[c]), max(int(layer.start[c]), int(layer.stop[c]))) for c in (before, after))
    if old == new or (not old and not new):
        return None
    if not old or not new:
        one = old or new
        return int(positions[one.start : one.stop].min())
    spans = ((min(old.start, new.start), max(old.start, new.start)), (min(old.stop, new.stop), max(old.stop, new.stop)))
    return min((int(positions[a:b].min()) for a, b in spans if a < b), default=None)


def _differs(one: Insert, before: int, after: int) -> bool:
    return bool(one.version[before] != one.version[after] or (one.size[after] and one.place[before] != one.place[after]))

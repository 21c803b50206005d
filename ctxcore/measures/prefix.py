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
        self.sums = [_Sums.of(layer, positions) for layer, positions in zip(plan.layers, self.positions, strict=True)]
        others = np.flatnonzero(line.history.role != SYSTEM)
        self.opened = int(others[0]) if len(others) else len(line.history.role)
        self.edits = any(layer.action != "drop" for layer in plan.layers)

    @property
    def history(self) -> History:
        """Of the epoch."""
        return self.line.history

    def _positions(self, layer: Layer) -> IntArray:
        return layer.items if layer.action == "drop" else self.history.pieces.message[layer.items].astype(np.int64)

    def system(self, column: int) -> int:
        """Size of brackets, tools and the system messages in front."""
        place = min(self.opened, int(self.history.length[column]))
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
        total -= self._dropped(column, place) if not self.edits else self._edited(column, place)
        for put_in in self.plan.insert_layers:
            total += int(put_in.size[[item for item in put_in.at(column) if put_in.place[item] < place]].sum())
        return total + sum(int(one.size[column]) for one in self.plan.inserts if one.place[column] < place)

    def _dropped(self, column: int, place: int) -> int:
        """What a call's drops free before a position, where nothing else is edited."""
        return sum(one.upto(column, place) for one in self.sums)

    def _edited(self, column: int, place: int) -> int:
        """What all edits of a call free before a position; what is dropped is not edited as well."""
        freed, dropped = 0, np.zeros(place, np.bool_)
        for drops in (True, False):
            for layer, positions in zip(self.plan.layers, self.positions, strict=True):
                if (layer.action == "drop") is not drops:
                    continue
                inside = layer.rank[layer.at(column)]
                inside = inside[positions[inside] < place]
                if drops:
                    dropped[positions[inside]] = True
                    freed += int(layer.freed[inside].sum())
                else:
                    freed += int(layer.freed[inside][~dropped[positions[inside]]].sum())
        return freed


@dataclass(frozen=True, slots=True)
class _Sums:
    """What a layer frees, by look-up where its items ascend."""

    layer: Layer
    positions: IntArray
    """Per item: position of its message."""
    before: IntArray | None
    """Per item, and one more at the end: what all items before it free; None where a call's items are no stretch in order."""

    @classmethod
    def of(cls, layer: Layer, positions: IntArray) -> _Sums:
        in_order = layer.since is None and bool((np.diff(positions) >= 0).all())
        return cls(layer, positions, np.concatenate(([0], np.cumsum(layer.freed))) if in_order else None)

    def upto(self, column: int, place: int) -> int:
        """What a call's edits free before a position."""
        if self.before is None:
            inside = self.layer.rank[self.layer.at(column)]
            return int(self.layer.freed[inside[self.positions[inside] < place]].sum())
        start, stop = int(self.layer.start[column]), min(int(self.layer.stop[column]), int(np.searchsorted(self.positions, place)))
        return int(self.before[stop] - self.before[start]) if stop > start else 0


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
    if not one.size[before] and not one.size[after]:  # a summary that holds nothing is not sent
        return False
    return bool(one.version[before] != one.version[after] or (one.size[after] and one.place[before] != one.place[after]))

"""What two requests of one epoch begin with alike, after the edits of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Insert, InsertLayer, Layer, Plan
from ctxcore.policies.history import SYSTEM, History
from ctxcore.policies.protocol import Timeline

FIRST, SAME, HISTORY = "", "extends the call before", "the recorded history changed"
"""Why a request shares no more than it does: the first call, nothing lost, and what no policy did. Any other word is the rule of an edit."""


class Look:
    """One epoch under one plan."""

    def __init__(self, line: Timeline, plan: Plan) -> None:
        self.line, self.plan = line, plan
        self.positions = [self._positions(layer) for layer in plan.layers]
        self.sums = [_Sums.of(layer, positions) for layer, positions in zip(plan.layers, self.positions, strict=True)]
        others = np.flatnonzero(line.history.role != SYSTEM)
        self.opened = int(others[0]) if len(others) else len(line.history.role)
        self.edits = any(layer.action != "drop" for layer in plan.layers)

    @cached_property
    def undone(self) -> IntArray:
        """Per column: in how many columns up to it an edit of the column before was undone."""
        count = len(self.line.seen)
        back = np.zeros(count, np.int64)
        layers: list[Layer | InsertLayer] = [*self.plan.layers, *self.plan.insert_layers]
        for layer in (one for one in layers if one.since is None):  # edits with a beginning stay for good
            held = layer.stop[:-1] > layer.start[:-1]
            back[1:] |= held & ((layer.start[1:] > layer.start[:-1]) | (layer.stop[1:] < layer.stop[:-1]))
        for one in self.plan.inserts:
            back[1:] |= (np.diff(one.version) < 0) | ((one.size[:-1] > 0) & (one.size[1:] == 0))
        return np.cumsum(back)

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

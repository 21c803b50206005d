"""What becomes of every unit over all calls: which call drops it first, and how many do."""

from __future__ import annotations

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.applied import dropping
from ctxcore.policies.edits import Layer
from ctxcore.policies.protocol import Fits, Timeline


def unit_fates(fits: Fits, line: Timeline) -> tuple[IntArray, IntArray]:
    """Per unit of an epoch: the first column that drops it whole, and how many columns do.

    Args:
        fits: Of a policy at one budget.
        line: The epoch.
    """
    if fits.cut is not None:
        return _prefix_fates(fits, line)
    earliest = np.full(len(line.size), len(line.seen), np.int64)
    dropped = np.zeros(len(line.size), np.int64)
    for layer in dropping(fits.plan(0)):
        units, first, count = _layer_fates(layer, line, ~fits.refused[0])
        np.minimum.at(earliest, units, np.where(count > 0, first, len(line.seen)))
        dropped[units] += count
    return np.minimum(earliest, max(0, len(line.seen) - 1)), dropped


def _layer_fates(layer: Layer, line: Timeline, sent: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[IntArray, IntArray, IntArray]:
    """Units of which a layer can drop every message: first column that does and number of columns, among those that are sent."""
    units = line.epoch.units
    inside = np.bincount(units.unit_of[layer.items], minlength=len(units.first))
    chosen = np.flatnonzero(inside == np.bincount(units.unit_of, minlength=len(units.first))).astype(np.int64)
    first = np.full(len(chosen), len(sent), np.int64)
    count = np.zeros(len(chosen), np.int64)
    low, high = layer.rank[units.first[chosen]], layer.rank[units.last[chosen]]
    for column in np.flatnonzero(sent & (layer.counts > 0)).tolist():
        if layer.since is None:
            gone = (low >= layer.start[column]) & (high < layer.stop[column])
        else:
            gone = (layer.since[low] <= column) & (layer.since[high] <= column)
        count += gone
        first[gone & (first == len(sent))] = column
    return chosen, first, count


def _prefix_fates(fits: Fits, line: Timeline) -> tuple[IntArray, IntArray]:
    """Per unit of an epoch: first column that drops it and number of columns that do, from cuts."""
    units, cut = line.epoch.units, np.asarray(fits.cut)[0]
    count = len(units.first)
    upto = np.bincount(cut, minlength=count + 1)[::-1].cumsum()[::-1]
    dropped = upto[1 : count + 1].astype(np.int64)
    held = (line.task >= 0) & (line.task < cut)
    dropped -= np.bincount(line.task[held], minlength=count)[:count]
    dropped[units.pinned] = 0
    earliest = np.searchsorted(np.maximum.accumulate(cut), np.arange(count), side="right").astype(np.int64)
    _skip_held(earliest, cut, line.task)
    return np.minimum(earliest, max(0, len(cut) - 1)), dropped


def _skip_held(earliest: IntArray, cut: IntArray, task: IntArray) -> None:
    """Move each unit's first column on where it is the current task there: a task is held while it is the task."""
    inside = np.flatnonzero(earliest < len(cut))
    units = inside[task[earliest[inside]] == inside]
    turns = np.flatnonzero(np.diff(task)) + 1  # columns with another task than the one before
    after = np.concatenate((turns, [len(cut)]))[np.searchsorted(turns, earliest[units], side="right")]
    earliest[units] = after
    for unit in units[(after < len(cut)) & (cut[np.minimum(after, len(cut) - 1)] <= units)].tolist():
        earliest[unit] = _first_column(unit, int(earliest[unit]), cut, task)


def _first_column(unit: int, start: int, cut: IntArray, task: IntArray) -> int:
    """The first column from a start on that drops the unit; the number of columns where none does."""
    for block in range(start, len(cut), 256):
        found = np.flatnonzero((cut[block : block + 256] > unit) & (task[block : block + 256] != unit))
        if len(found):
            return block + int(found[0])
    return len(cut)

"""What a browser needs to know once so that it can draw any budget itself, while a hand still moves it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.catalog.whole_units import WholeUnits, whole_unit_search
from ctxcore.replay import Replay
from ctxcore.views.calls_chart import row_offsets


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveColumns:
    """A call's row of ``FixedColumns.sums`` under a budget, by two look-ups.

    What the call is over the budget is looked for among ``turn_gain`` from ``turn_from`` to ``turn_to``; where none is as large, among
    ``unit_gain`` from ``unit_from`` to ``unit_to``; where none is, the call is refused. The first that is as large gives the row.
    A call within the budget has row ``whole``.
    """

    turn_gain: IntArray
    """Per turn of an epoch, epochs one behind the other; ascending within an epoch."""
    turn_cut: IntArray
    """Per turn: row."""
    unit_gain: IntArray
    """Per unit of an epoch; ascending within a turn."""
    unit_cut: IntArray
    """Per unit: row."""
    turn_from: IntArray
    """Per call."""
    turn_to: IntArray
    """Per call."""
    unit_from: IntArray
    """Per call."""
    unit_to: IntArray
    """Per call."""
    whole: IntArray
    """Per call: the row of a request that nothing is taken from."""


def live_columns(replay: Replay) -> LiveColumns | None:
    """The tables behind every budget of this replay's policy, or None where only the core can tell what it does.

    Args:
        replay: At any budget.
    """
    policy = replay.policy
    if not isinstance(policy, WholeUnits) or any(line.kept is not None for line in replay.timelines):
        return None
    steps = [whole_unit_search(line, notice=policy.notice).steps() for line in replay.timelines]
    rows = row_offsets(replay.timelines)
    turns = np.cumsum([0, *(len(one.turn_gain) for one in steps)])
    units = np.cumsum([0, *(len(one.unit_gain) for one in steps)])
    per_call = {name: np.zeros(len(replay.thread.calls), np.int64) for name in ("turn_from", "turn_to", "unit_from", "unit_to", "whole")}
    for line, one, row, turn, unit in zip(replay.timelines, steps, rows, turns, units, strict=False):
        calls = line.epoch.calls
        per_call["whole"][calls] = row
        per_call["turn_from"][calls], per_call["turn_to"][calls] = turn, turn + one.turn_stop
        per_call["unit_from"][calls], per_call["unit_to"][calls] = unit + one.unit_start, unit + one.unit_stop
    return LiveColumns(
        turn_gain=_joined([one.turn_gain for one in steps]),
        turn_cut=_joined([one.turn_cut + row for one, row in zip(steps, rows, strict=False)]),
        unit_gain=_joined([one.unit_gain for one in steps]),
        unit_cut=_joined([one.unit_cut + row for one, row in zip(steps, rows, strict=False)]),
        **per_call,
    )


def _joined(columns: list[IntArray]) -> IntArray:
    return np.concatenate([np.zeros(0, np.int64), *columns])

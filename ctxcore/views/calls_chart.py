"""Columns of the chart of a thread's calls: what no budget changes, and what a budget does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np
import pandas as pd

from ctxcore.columns import CATEGORIES, BoolArray, IntArray, Sizes, read_only
from ctxcore.measures.breakdown import FRAME, breakdown
from ctxcore.model import Thread
from ctxcore.policies import Timeline
from ctxcore.policies.applied import freed_parts
from ctxcore.replay import Replay, timelines
from ctxcore.sizes.window import SAFE_PERCENT, safe_limit
from ctxcore.views.budget import thread_window


def parts_before(thread: Thread, sizes: Sizes) -> IntArray:
    """Every request by category, shape (calls, categories); made once per thread and unit of measure."""
    return thread.once(f"breakdown:{sizes.unit}", lambda: breakdown(thread, sizes), of=sizes)


def parts_dropped(replay: Replay) -> IntArray:
    """What each call would lose by category, shape (calls, categories), in the replay's unit; zero where refused.

    A row sums to ``before - after`` plus the size of the notice; the separators of dropped messages count as frame.
    """
    table = np.zeros((len(replay.thread.calls), len(CATEGORIES)), np.int64)
    for number, line in enumerate(replay.timelines):
        cut = prefix_cut(replay, number)
        if cut is None:
            _listed_parts(replay, number, table)
        elif cut.any():
            table[line.epoch.calls] = _prefix_parts(replay, number, cut, line.task)
    table[replay.refused] = 0
    return read_only(table)


def prefix_cut(replay: Replay, number: int) -> IntArray | None:
    """Per call of an epoch the unit before which all loose ones go; None where its plan lists what goes.

    Units that a visitor keeps are loose in the thread's sums, so with such a wish the plan has to tell.
    """
    cut = replay.fits[number].cut
    return None if cut is None or replay.timelines[number].kept is not None else np.asarray(cut)[0]


def unit_parts(thread: Thread, sizes: Sizes, number: int) -> IntArray:
    """Per unit of an epoch and category: size, separators in the frame; made once per thread and unit of measure."""
    return thread.once(f"unit_parts:{sizes.unit}:{number}", lambda: _unit_parts(timelines(thread, sizes)[number], sizes), of=sizes)


def _unit_parts(line: Timeline, sizes: Sizes) -> IntArray:
    epoch = line.epoch
    parts = np.zeros((len(epoch.units.first), len(CATEGORIES)), np.int64)
    np.add.at(parts, epoch.units.unit_of, sizes.parts[epoch.message])
    parts[:, FRAME] += line.count * sizes.separator
    return parts


def loose_sums(thread: Thread, sizes: Sizes, number: int) -> IntArray:
    """Per category: sum of an epoch's first n units that are not pinned by role, for n from 0; made once per thread and unit of measure."""
    parts, pinned = unit_parts(thread, sizes, number), thread.epochs[number].units.pinned
    return thread.once(f"loose_sums:{sizes.unit}:{number}", lambda: _loose_sums(parts, pinned), of=sizes)


def _loose_sums(parts: IntArray, pinned: BoolArray) -> IntArray:
    upto = np.zeros((len(parts) + 1, parts.shape[1]), np.int64)
    np.cumsum(np.where(pinned[:, None], 0, parts), axis=0, out=upto[1:])
    return upto


def _prefix_parts(replay: Replay, number: int, cut: IntArray, task: IntArray) -> IntArray:
    """From cuts: sums of all loose units before the cut, less the task where it stays behind it; one row for each cut."""
    held = (task >= 0) & (task < cut)
    lost: IntArray = loose_sums(replay.thread, replay.sizes, number)[cut]
    lost[held] -= unit_parts(replay.thread, replay.sizes, number)[task[held]]
    return lost


def call_parts_dropped(replay: Replay, call: int) -> IntArray:
    """What one call would lose, by category; zero where refused."""
    number, column = replay.place(call)
    if replay.refused[call]:
        return np.zeros(len(CATEGORIES), np.int64)
    cut = prefix_cut(replay, number)
    if cut is not None:
        one = slice(column, column + 1)
        lost: IntArray = _prefix_parts(replay, number, cut[one], replay.timelines[number].task[one])[0]
        return lost
    listed: IntArray = freed_parts(replay.timelines[number].history, replay.fits[number].plan(0))[column]
    return listed


def _listed_parts(replay: Replay, number: int, table: IntArray) -> None:
    """The same for a policy that lists what it drops."""
    line, fits = replay.timelines[number], replay.fits[number]
    freed = freed_parts(line.history, fits.plan(0))
    table[line.epoch.calls] = np.where(fits.refused[0][:, None], 0, freed)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedColumns:
    """What no budget changes; a call's units are rows of sums over all epochs, one behind the other."""

    before: IntArray
    """Per call: size of the request."""
    parts: IntArray
    """Per call and category; a row sums to ``before``."""
    task: IntArray
    """Per call: row of the current task, -1 without one."""
    sums: IntArray
    """Per row and category: sum of the epoch's units before it that no role pins."""
    sum_messages: IntArray
    """Per row: the same for numbers of messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingColumns:
    """What a budget changes: one column of cuts where the policy drops a prefix, else the sizes themselves.

    With a cut, a call loses ``sums[cut]``, less its task's own share where the task stands before the cut.
    """

    calls: int
    """Number of calls."""
    cut: IntArray | None
    """Per call: row of the first unit that stays; -1 where refused."""
    notice: IntArray
    """Size of the omission notice by the number of digits of its count; zeros where the policy adds none."""
    after: IntArray
    """Per call: size of what would be sent; -1 where refused."""
    dropped: IntArray
    """Per call and category; no rows where there is a cut."""


def row_offsets(lines: Sequence[Timeline]) -> list[int]:
    """First row of each epoch's sums."""
    return list(accumulate((len(line.size) + 1 for line in lines), initial=0))


def fixed_columns(thread: Thread, sizes: Sizes) -> FixedColumns:
    """What the chart needs once per thread and unit of measure."""
    lines = timelines(thread, sizes)
    offsets = row_offsets(lines)
    parts = parts_before(thread, sizes)
    task = np.full(len(thread.calls), -1, np.int64)
    sums = np.zeros((offsets[-1], len(CATEGORIES)), np.int64)
    messages = np.zeros(offsets[-1], np.int64)
    for number, (line, start) in enumerate(zip(lines, offsets[:-1], strict=True)):
        task[line.epoch.calls] = np.where(line.task >= 0, line.task + start, -1)
        rows = slice(start, start + len(line.size) + 1)
        sums[rows] = loose_sums(thread, sizes, number)
        messages[rows] = np.cumsum([0, *np.where(line.epoch.units.pinned, 0, line.count)])
    return FixedColumns(before=parts.sum(axis=1), parts=parts, task=task, sums=sums, sum_messages=messages)


def moving_columns(replay: Replay) -> MovingColumns:
    """What the chart needs for one budget."""
    count = len(replay.thread.calls)
    notice = replay.sizes.notice if getattr(replay.policy, "notice", False) else np.zeros_like(replay.sizes.notice)
    cuts = [cut for number in range(len(replay.fits)) if (cut := prefix_cut(replay, number)) is not None]
    if len(cuts) < len(replay.fits):
        return MovingColumns(calls=count, cut=None, notice=notice, after=replay.after, dropped=parts_dropped(replay))
    cut = np.zeros(count, np.int64)
    for line, one, start in zip(replay.timelines, cuts, row_offsets(replay.timelines), strict=False):
        cut[line.epoch.calls] = one + start
    cut[replay.refused] = -1
    return MovingColumns(calls=count, cut=cut, notice=notice, after=replay.after, dropped=np.zeros((0, len(CATEGORIES)), np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A level line across the chart."""

    kind: Literal["budget", "window", "safe"]
    """Which."""
    label: str
    """For people."""
    value: int
    """In the chart's unit."""


def chart_lines(thread: Thread, budget: int | None, unit: str) -> tuple[Line, ...]:
    """The budget, and for tokens the model's window and the safe limit.

    Args:
        thread: Its models tell the window.
        budget: In ``unit``; None is unlimited.
        unit: ``chars`` or ``tokens``.
    """
    lines = [] if budget is None else [Line(kind="budget", label="Budget", value=budget)]
    window = thread_window(thread)
    if unit == "tokens" and window is not None:
        lines.append(Line(kind="safe", label=f"Safe limit, {SAFE_PERCENT} % of the window", value=safe_limit(window)))
        lines.append(Line(kind="window", label="Model's window", value=window))
    return tuple(lines)


def calls_frame(replay: Replay) -> pd.DataFrame:
    """The chart as a table, one row per call."""
    return pd.DataFrame(
        {
            "call": np.arange(len(replay.before)),
            f"before ({replay.unit})": replay.before,
            f"after ({replay.unit})": pd.array(np.where(replay.refused, 0, replay.after), dtype="Int64"),
            "refused": replay.refused,
            f"missing ({replay.unit})": replay.missing,
            "dropped messages": replay.dropped_messages,
            "dropped turns": replay.dropped_turns,
            "dropped exchanges": replay.dropped_exchanges,
        }
    )

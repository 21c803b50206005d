"""The persistence grid as columns: what every call received of the units, and what it drops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import read_only
from ctxcore.replay import Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class GridEpoch:
    """Where the units of an epoch stand in the catalog."""

    runs: tuple[tuple[int, int, int], ...]
    """Stretches of units that follow one another in both: first place in the epoch, unit in the catalog, length."""
    pinned: tuple[int, ...]
    """Places in the epoch of units that no policy may drop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Units × calls without the budget: what every call received. Arrays hold one entry per call."""

    epochs: tuple[GridEpoch, ...]
    """Runs of calls that extend one context."""
    epoch: NDArray[np.int32]
    """Which of them a call belongs to."""
    seen: NDArray[np.int32]
    """Units of the epoch that have begun in the call's context."""
    task: NDArray[np.int32]
    """Place of the current task; -1 without one."""
    newest: NDArray[np.int32]
    """Place of the newest unit, which is kept as well; -1 without one."""


def grid(replay: Replay) -> Grid:
    """The grid of a thread; the same for every budget."""
    columns = {name: np.zeros(len(replay.thread.calls), np.int32) for name in ("epoch", "seen", "task", "newest")}
    epochs: list[GridEpoch] = []
    for index, (line, numbers) in enumerate(zip(replay.timelines, replay.units.of_epoch, strict=True)):
        calls = line.epoch.calls
        columns["epoch"][calls] = index
        for name in ("seen", "task", "newest"):
            columns[name][calls] = getattr(line, name)
        epochs.append(GridEpoch(runs=_runs(numbers), pinned=tuple(np.flatnonzero(line.epoch.units.pinned).tolist())))
    return Grid(epochs=tuple(epochs), **{name: read_only(column) for name, column in columns.items()})


def _runs(numbers: NDArray[np.int32]) -> tuple[tuple[int, int, int], ...]:
    starts = np.flatnonzero(np.diff(numbers, prepend=-2) != 1)
    lengths = np.diff(starts, append=len(numbers))
    return tuple((int(start), int(numbers[start]), int(length)) for start, length in zip(starts, lengths, strict=True))


def dropped_columns(replay: Replay) -> dict[str, NDArray[np.int32]]:
    """What each call drops, as columns for the grid; pinned units inside what is dropped stay.

    For a policy that drops a prefix: ``cut``, the place in the call's epoch before which it drops, -1 for a refused call. For any other:
    ``ranges``, half-open ranges of places, two numbers each, one call after the other; ``ends``, per call the ranges up to and with its own;
    ``refused``, 1 for a refused call.
    """
    if any(fits.cut is None for fits in replay.fits):
        ends, ranges = _listed_ranges(replay)
        return {"ends": ends, "ranges": ranges, "refused": replay.refused.astype(np.int32)}
    cut = np.zeros(len(replay.thread.calls), np.int32)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        cut[line.epoch.calls] = np.asarray(fits.cut)[0]
    return {"cut": np.where(replay.refused, -1, cut).astype(np.int32)}


def _listed_ranges(replay: Replay) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """From what a policy lists call by call."""
    found: list[NDArray[np.int32]] = [np.empty(0, np.int32)] * len(replay.thread.calls)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        for column, call in enumerate(line.epoch.calls.tolist()):
            gone = fits.drops(0, column)[0]
            starts = gone[np.flatnonzero(np.diff(gone, prepend=-2) != 1)]
            stops = gone[np.flatnonzero(np.diff(gone, append=np.iinfo(np.int32).max) != 1)] + 1
            found[call] = np.stack((starts, stops), axis=1).astype(np.int32).ravel()
    ends = np.cumsum([len(one) // 2 for one in found]).astype(np.int32)
    return ends, np.concatenate(found) if found else np.empty(0, np.int32)

"""Contexts as half-open ranges over the messages of a thread."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Ranges = tuple[tuple[int, int], ...]


def merge_ranges(positions: Sequence[int]) -> Ranges:
    """Half-open ranges that list these indexes in the same order."""
    ranges: list[tuple[int, int]] = []
    for index in positions:
        if ranges and ranges[-1][1] == index:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    return tuple(ranges)


def is_prefix(short: Ranges, long: Ranges) -> bool:
    """True if the messages of ``short`` are the first messages of ``long``."""
    if not short:
        return True
    last = len(short) - 1
    if len(long) <= last or short[:last] != long[:last]:
        return False
    (start, stop), (long_start, long_stop) = short[last], long[last]
    return start == long_start and stop <= long_stop


def indexes_of(ranges: Ranges) -> NDArray[np.int32]:
    """The indexes in some ranges, in order."""
    bounds = np.fromiter(chain.from_iterable(ranges), np.int32, 2 * len(ranges)).reshape(-1, 2)
    lengths = bounds[:, 1] - bounds[:, 0]
    before = np.cumsum(lengths) - lengths
    return np.repeat(bounds[:, 0] - before, lengths).astype(np.int32) + np.arange(lengths.sum(), dtype=np.int32)

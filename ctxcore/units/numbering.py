"""All units of a thread in one list, numbered over its epochs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, read_only
from ctxcore.model import Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All units of a thread over all its epochs; a unit is known by its first message.

    Arrays hold one entry per unit, in thread order.
    """

    first: NDArray[np.int32]
    """Thread message that begins it."""
    members: tuple[tuple[int, ...], ...]
    """Its thread messages, in the fullest form any call received."""
    exchange: BoolArray
    """An assistant message with tool calls and its results."""
    pinned: BoolArray
    """A system or developer message."""
    user: BoolArray
    """A real user message."""
    turn: NDArray[np.int32]
    """Ordinal of the turn it belongs to, from 1; 0 before the first user message."""
    born: NDArray[np.int32]
    """First call that received it."""
    last: NDArray[np.int32]
    """Last call that received it."""
    of_epoch: tuple[NDArray[np.int32], ...]
    """Per epoch: its units' numbers here."""
    flags: tuple[tuple[int, str], ...]
    """Unit and stable word, as in ``UnitTable``."""


def catalog(thread: Thread) -> Catalog:
    """The thread's units; made once per thread."""
    return thread.once("catalog", lambda: _catalog(thread))


def _catalog(thread: Thread) -> Catalog:
    epochs = thread.epochs
    keys = [epoch.message[epoch.units.first] if len(epoch.message) else epoch.message for epoch in epochs]
    first, inverse = np.unique(np.concatenate(keys) if keys else np.empty(0, np.int32), return_inverse=True)
    count = len(first)
    bounds = np.cumsum([0, *map(len, keys)])
    of_epoch = tuple(read_only(inverse[a:b].astype(np.int32)) for a, b in pairwise(bounds))
    marks = {name: np.zeros(count, np.bool_) for name in ("exchange", "pinned", "user")}
    born = np.full(count, len(thread.calls), np.int32)
    last = np.full(count, -1, np.int32)
    members: list[tuple[int, ...]] = [()] * count
    most = np.zeros(count, np.int64)
    flags: set[tuple[int, str]] = set()
    for epoch, numbers in zip(epochs, of_epoch, strict=True):
        units = epoch.units
        for name, column in marks.items():
            column[numbers] |= getattr(units, name)
        begun = np.searchsorted(units.first, epoch.lengths)
        index = np.arange(len(numbers))
        rising = np.maximum.accumulate(begun)
        falling = np.maximum.accumulate(begun[::-1])
        first_call = epoch.calls[np.minimum(np.searchsorted(rising, index, side="right"), len(begun) - 1)]
        last_call = epoch.calls[::-1][np.minimum(np.searchsorted(falling, index, side="right"), len(begun) - 1)]
        np.minimum.at(born, numbers, first_call.astype(np.int32))
        np.maximum.at(last, numbers, last_call.astype(np.int32))
        ordered = epoch.message[np.argsort(units.unit_of, kind="stable")]
        held = np.bincount(units.unit_of, minlength=len(numbers))
        stops = np.cumsum(held)
        for unit in np.flatnonzero(held > most[numbers]).tolist():  # most units are in an earlier epoch already
            members[numbers[unit]] = tuple(ordered[stops[unit] - held[unit] : stops[unit]].tolist())
        most[numbers] = np.maximum(most[numbers], held)
        flags |= {(int(numbers[unit]), word) for unit, word in units.flags}
    return Catalog(
        first=read_only(first.astype(np.int32)),
        members=tuple(members),
        turn=read_only(np.cumsum(marks["user"]).astype(np.int32)),
        born=read_only(born),
        last=read_only(last),
        of_epoch=of_epoch,
        flags=tuple(sorted(flags)),
        exchange=read_only(marks["exchange"]),
        pinned=read_only(marks["pinned"]),
        user=read_only(marks["user"]),
    )

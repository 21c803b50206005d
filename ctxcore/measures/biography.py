"""The life of one unit under a policy: born, carried from call to call and billed again, edited, dropped, and read again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import IntArray, read_only
from ctxcore.measures.caching import FloatArray
from ctxcore.measures.cost import Cost
from ctxcore.measures.seen import message_fate
from ctxcore.replay import ABSENT, DROPPED, EDITED, Replay
from ctxcore.tool_uses import tool_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Biography:
    """One unit over all calls of its thread; arrays are read-only with one entry per call."""

    unit: int
    """Number in the thread's catalog."""
    size: int
    """Of all its messages as recorded, in the unit of the replay."""
    born: int
    """First call that received it."""
    state: NDArray[np.int8]
    """What became of it, by the codes of ``replay``; ``EDITED`` also where only some of its messages are dropped."""
    sent: IntArray
    """Size of it in what is sent; 0 where it is not."""
    dollars: FloatArray | None
    """Its share of each call's input cost; None without a known price."""
    read_again: tuple[int, ...]
    """Calls whose reply asks for what the unit's own tool call had asked for, after it was edited or dropped."""

    @property
    def calls(self) -> int:
        """Calls that carry it."""
        return int((self.sent > 0).sum())

    @property
    def billed(self) -> int:
        """Sum of its size over the calls that carry it: what it costs to keep it, in the unit of the replay."""
        return int(self.sent.sum())

    def first(self, code: int) -> int | None:
        """First call with a state, None without one."""
        found = np.flatnonzero(self.state == code)
        return int(found[0]) if len(found) else None


def biography(replay: Replay, unit: int, money: Cost | None = None) -> Biography:
    """The life of a unit.

    Args:
        replay: A policy at a budget.
        unit: Number in ``replay.units``.
        money: Of the replay, for the unit's share of it.

    Raises:
        IndexError: No such unit.
    """
    members = replay.units.members[unit]
    fates = np.stack([message_fate(replay, message) for message in members])
    each = replay.sizes.message[list(members)] + replay.sizes.separator
    gone = np.where((fates == ABSENT) | (fates == DROPPED), 0, each[:, None]).sum(axis=0)
    sent = np.where(replay.refused, 0, gone - _freed_inside(replay, set(members), fates))
    state = _state(fates)
    return Biography(
        unit=unit,
        size=int(each.sum()),
        born=int(replay.units.born[unit]),
        state=read_only(state),
        sent=read_only(sent),
        dollars=None if money is None else read_only(_share(replay, sent, money)),
        read_again=_read_again(replay, members, state),
    )


def _state(fates: NDArray[np.int8]) -> NDArray[np.int8]:
    """Of the whole unit: dropped if all of it that was received is, edited if some is."""
    received = fates != ABSENT
    dropped = fates == DROPPED
    some = (dropped | (fates == EDITED)).any(axis=0)
    state = np.where(received.any(axis=0), fates.max(axis=0, where=~dropped, initial=0), ABSENT)
    state = np.where(some, EDITED, state)
    return np.where(received.any(axis=0) & (dropped == received).all(axis=0), DROPPED, state).astype(np.int8)


def _freed_inside(replay: Replay, members: set[int], fates: NDArray[np.int8]) -> IntArray:
    """Per call: what edits inside the unit's messages free."""
    freed = np.zeros(len(replay.thread.calls), np.int64)
    if not (fates == EDITED).any():
        return freed
    for line, fits in zip(replay.timelines, replay.fits, strict=True):
        pieces, columns = line.history.pieces, np.arange(len(line.seen))
        mine = np.flatnonzero(np.isin(line.epoch.message[pieces.message], list(members)))
        for layer in fits.plan(0).layers:
            if layer.action == "drop":
                continue
            for piece in mine[np.isin(mine, layer.items)].tolist():
                message = int(line.epoch.message[pieces.message[piece]])
                held = fates[sorted(members).index(message), line.epoch.calls] == EDITED
                edited = layer.covers(np.full(len(columns), piece), columns) & held
                freed[line.epoch.calls[edited]] += int(layer.freed[layer.rank[piece]])
    return freed


def _share(replay: Replay, sent: IntArray, money: Cost) -> FloatArray:
    """The unit's share of each call's input cost, by size."""
    dollars = np.zeros(len(sent))
    for call in np.flatnonzero(sent > 0).tolist():
        total = int(money.cache.read[call] + money.cache.written[call] + money.cache.plain[call])
        tier = money.call_rates[call].tier(total)
        paid = (
            tier.cache_read * money.cache.read[call] + tier.write(money.hour[call]) * money.cache.written[call] + tier.input * money.cache.plain[call]
        )
        dollars[call] = paid / 1e6 * sent[call] / max(1, int(replay.after[call]))
    return dollars


def _read_again(replay: Replay, members: tuple[int, ...], state: NDArray[np.int8]) -> tuple[int, ...]:
    """Later calls that ask for the same once the unit is no longer whole: same tool, same arguments."""
    uses = tool_uses(replay.thread)
    asked = {(use.tool.name, use.tool.arguments) for use in uses if use.message in members}
    lost = (state == DROPPED) | (state == EDITED)
    again = {use.call for use in uses if use.message not in members and use.message > max(members) and (use.tool.name, use.tool.arguments) in asked}
    return tuple(sorted(call for call in again if call < len(lost) and lost[call]))

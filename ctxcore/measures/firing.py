"""When a policy acts, and whether that helps: firings, thrash, no gain, still over the budget, and what it drops by age and role.

Source: the notes on policies, 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.policies import Insert, Layer
from ctxcore.policies.applied import dropped_positions
from ctxcore.replay import LARGEST, Replay

CLOSE = 3
"""Firings fewer calls apart than this thrash. Source: the notes on policies, 5.2."""

DECILES = 10
"""Steps of age: the first is the oldest tenth of a context's messages."""

ROLES = ("system", "user", "assistant", "tool", "other")
"""Roles of messages, as policies see them; a user message with results is a tool's."""


@dataclass(frozen=True, kw_only=True)
class Firings:
    """When a policy acts; arrays are read-only with one entry per call."""

    fired: BoolArray
    """It edits something that the call before it did not have edited: the prefix of the request changes."""
    thrash: BoolArray
    """It fires fewer than ``CLOSE`` calls after it fired before."""
    no_gain: BoolArray
    """It fires and what is sent is no smaller than what was recorded."""
    still_over: BoolArray
    """It fires and the request is over the budget all the same."""
    regrowth: float | None
    """By how much a request grows from call to call after the first firing, while the policy does not fire (over all calls where it never does), in
    the unit of the replay; None without such calls."""

    @property
    def count(self) -> int:
        """Firings."""
        return int(self.fired.sum())

    @property
    def longest_run(self) -> int:
        """Most calls in a row that it fires at."""
        return max((len(list(run)) for fires, run in groupby(self.fired.tolist()) if fires), default=0)


def firings(replay: Replay) -> Firings:
    """When a policy acts on the calls of a thread.

    Args:
        replay: A policy over all calls of a thread.
    """
    fired = np.zeros(len(replay.thread.calls), np.bool_)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        plan = fits.plan(0)
        marks = np.zeros(len(line.seen), np.bool_)
        for edits in plan.layers:
            marks |= _new_edits(edits)
        for insert in plan.inserts:
            marks |= _new_text(insert)
        for layer in plan.insert_layers:
            marks |= _beyond(layer.start, layer.stop)
        fired[line.epoch.calls] = marks
    over = replay.refused & fired
    after = np.where(replay.refused, min(replay.budget, LARGEST) + replay.missing, replay.after)
    at = np.flatnonzero(fired)
    thrash = np.zeros(len(fired), np.bool_)
    thrash[at[1:][np.diff(at) < CLOSE]] = True
    return Firings(
        fired=read_only(fired),
        thrash=read_only(thrash),
        no_gain=read_only(fired & (after >= replay.before)),
        still_over=read_only(over),
        regrowth=_regrowth(after, fired, replay),
    )


def _new_edits(layer: Layer) -> BoolArray:
    """Per column: the layer edits an item that it did not edit in the column before."""
    if layer.since is None:
        return _beyond(layer.start, layer.stop)
    received = np.searchsorted(np.maximum.accumulate(layer.stop), np.arange(len(layer.items)), side="right")
    begun = np.maximum(layer.since, received)
    found = np.zeros(len(layer.start), np.bool_)
    found[begun[begun < len(found)]] = True
    return found


def _beyond(start: IntArray, stop: IntArray) -> BoolArray:
    """Per column: its stretch is not inside that of the column before."""
    first, last = np.concatenate(([0], start[:-1])), np.concatenate(([0], stop[:-1]))
    fresh: BoolArray = (stop > start) & ~((last > first) & (start >= first) & (stop <= last))
    return fresh


def _new_text(insert: Insert) -> BoolArray:
    """Per column: a summary or marker that was not there before. A notice says what edits do and is no act of its own."""
    if insert.kind == "notice":
        return np.zeros(len(insert.version), np.bool_)
    before = np.concatenate(([-1], insert.version[:-1]))
    fresh: BoolArray = (insert.version >= 0) & (insert.version != before)
    return fresh


def _regrowth(after: IntArray, fired: BoolArray, replay: Replay) -> float | None:
    """Mean growth between calls of one epoch that follow each other, where the policy has acted before and does not at the second."""
    steps: list[IntArray] = []
    acts = bool(fired.any())
    for line in replay.timelines:
        calls = line.epoch.calls
        quiet = ~fired[calls[1:]] & (np.diff(calls) == 1)
        if acts:
            quiet &= calls[1:] > int(fired.argmax())
        steps.append(np.diff(after[calls])[quiet])
    every = np.concatenate(steps) if steps else np.empty(0)
    return float(every.mean()) if len(every) else None


def recency_profile(replay: Replay) -> IntArray:
    """What is dropped, by age and role, summed over all calls that are sent; edits inside messages count with what they free.

    Args:
        replay: A policy over all calls of a thread.

    Returns:
        Shape (roles, deciles), in the unit of the replay: rows as in ``ROLES``, columns from the oldest tenth of a context's messages to the newest.
    """
    table = np.zeros(len(ROLES) * DECILES, np.int64)
    for fits, line in zip(replay.fits, replay.timelines, strict=True):
        history = line.history
        lengths = history.length
        for layer in fits.plan(0).layers:
            for column in np.flatnonzero((layer.counts > 0) & ~fits.refused[0]).tolist():
                items = layer.at(column)
                if layer.action != "drop":
                    gone = dropped_positions(fits.plan(0), column)[0]
                    items = items[~np.isin(history.pieces.message[items], gone)]
                position = items if layer.action == "drop" else history.pieces.message[items]
                place = history.role[position] * DECILES + np.minimum(DECILES * position // lengths[column], DECILES - 1)
                table += np.bincount(place, weights=layer.freed[layer.rank[items]], minlength=len(table)).astype(np.int64)
    return read_only(table.reshape(len(ROLES), DECILES))

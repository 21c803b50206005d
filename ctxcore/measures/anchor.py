"""Task anchor: whether the user's first and newest message stand in each call after a policy. Source: the notes on policies, 5.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.measures.visible import Shown, shown
from ctxcore.replay import Replay


@dataclass(frozen=True, kw_only=True)
class Anchor:
    """Whether the task stands in each call; read-only, one entry per call, False where the call is refused or its recorded context has none."""

    first: BoolArray
    """The first message of the user, whole."""
    latest: BoolArray
    """The newest message of the user in the recorded context, whole."""
    has_task: BoolArray
    """The recorded context holds a message of the user."""
    sent: BoolArray
    """The call is not refused."""

    @property
    def without_first(self) -> int:
        """Calls that are sent without the first one."""
        return int((self.has_task & self.sent & ~self.first).sum())

    @property
    def without_latest(self) -> int:
        """Calls that are sent without the newest one."""
        return int((self.has_task & self.sent & ~self.latest).sum())


def anchor(replay: Replay) -> Anchor:
    """Where the task stands.

    Args:
        replay: A policy over all calls of a thread.
    """
    first, latest, has_task = (np.zeros(len(replay.thread.calls), np.bool_) for _ in range(3))
    for one, line in zip(shown(replay), replay.timelines, strict=True):
        history = line.history
        newest = history.last(history.person)
        persons = np.flatnonzero(history.person)
        task = newest >= 0
        has_task[one.calls] = task
        oldest = np.full(len(newest), int(persons[0]) if len(persons) else 0)
        first[one.calls] = _whole(one, np.where(task, oldest, 0)) & task & one.sent
        latest[one.calls] = _whole(one, np.where(task, newest, 0)) & task & one.sent
    return Anchor(first=read_only(first), latest=read_only(latest), has_task=read_only(has_task), sent=read_only(~replay.refused))


def _whole(one: Shown, position: IntArray) -> BoolArray:
    """Per column: the message at its position is sent as recorded."""
    columns = np.arange(len(position))
    kept = np.ones(len(position), np.bool_)
    for layer in one.drops:
        kept &= ~layer.covers(position, columns)
    for layer in one.edits:
        edited = np.unique(one.places.position[layer.items])
        for column in np.flatnonzero(kept & np.isin(position, edited)).tolist():
            kept[column] = not (one.places.position[layer.at(column)] == position[column]).any()
    return kept

"""Where in each request something stands after a policy: in its first fifth, in the middle, or in its last fifth.

Models read the middle of a long context least well; what stands there alone is at risk although it was sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.measures.needles import BLOCK, Needles, epoch_pairs, in_view, text_needles
from ctxcore.measures.visible import Shown, shown
from ctxcore.policies import Timeline
from ctxcore.replay import Replay

FIRST, MIDDLE, LAST = 1, 2, 4
"""Marks of places; a call that has a value in several carries their sum, 0 is nowhere."""

EDGE = 0.20
"""Share of a request's size that is its beginning or its end. Source: the issue's definition of what is seen."""

CORRECTIONS = 3
"""Newest messages of the user, after the first, that are looked for."""


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where needles stand; read-only."""

    names: tuple[str, ...]
    """Needles."""
    marks: NDArray[np.int8]
    """One row per needle and one column per call: sums of ``FIRST``, ``MIDDLE``, ``LAST``; 0 also where the call is refused."""

    def calls(self, needle: int, mark: int = FIRST | MIDDLE | LAST) -> tuple[int, ...]:
        """Calls that have a needle in one of these places.

        Args:
            needle: Its row.
            mark: Sum of places.
        """
        return tuple(np.flatnonzero(self.marks[needle] & mark).tolist())


def text_places(replay: Replay, *texts: str) -> Places:
    """Where texts stand: any words, the title of a plan step, a value of the state. Capitals and runs of spaces make no difference.

    Args:
        replay: A policy over all calls of a thread.
        *texts: Looked for in texts, results and arguments, bounded: ``12`` is not found in ``123``.
    """
    return places(replay, text_needles(replay.thread, texts))


def places(replay: Replay, needles: Needles) -> Places:
    """Where needles stand.

    A message counts by its middle; tool definitions stand before all messages.

    Args:
        replay: A policy over all calls of a thread.
        needles: Of the same thread.
    """
    marks = np.zeros((len(needles.names), len(replay.thread.calls)), np.int8)
    for one, line in zip(shown(replay), replay.timelines, strict=True):
        marks[:, one.calls] = _epoch(one, line, needles)
    return Places(names=needles.names, marks=read_only(marks))


def _epoch(one: Shown, line: Timeline, needles: Needles) -> NDArray[np.int8]:
    """Marks of needles in the columns of an epoch."""
    needle, piece = epoch_pairs(one, needles)
    position = one.places.position[piece]
    there = np.zeros((len(piece), len(one.calls)), np.int8)
    marks = np.zeros((len(needles.names), len(one.calls)), np.int8)
    put_in = [(key, inside) for key, text in one.put_texts() if (inside := needles.inside(text))]
    for column, place in _columns(one, line):
        held = position < len(place.message)
        there[held, column] = place.message[position[held]]
        for key, inside in put_in:
            marks[list(inside), column] |= place.mark_of(key)
    for start in range(0, len(piece), BLOCK):
        some = slice(start, start + BLOCK)
        np.bitwise_or.at(marks, needle[some], np.where(in_view(one, needles, needle[some], piece[some]), there[some], 0))
    return marks


@dataclass(frozen=True, slots=True)
class _Column:
    """Places in one request."""

    message: NDArray[np.int8]
    """Per position of the context: mark of its message; 0 where dropped."""
    keys: IntArray
    """Per message put in: its key, as of ``Shown.put_texts``."""
    put_in: NDArray[np.int8]
    """Beside ``keys``: its mark."""

    def mark_of(self, key: tuple[int, int]) -> int:
        """Mark of a message put in; 0 where it is not in this request."""
        return int(np.bitwise_or.reduce(self.put_in[(self.keys == key).all(axis=1)], initial=0))


def _columns(one: Shown, line: Timeline) -> Iterator[tuple[int, _Column]]:
    """Requests that are sent, and where their messages stand."""
    history = line.history
    for column in np.flatnonzero(one.sent).tolist():
        length = int(history.length[column])
        size = history.size[:length].astype(np.int64)
        dropped = one.dropped(column)[:length]
        for layer in one.edits:
            items = layer.at(column)
            np.subtract.at(size, history.pieces.message[items], layer.freed[layer.rank[items]])
        size[dropped] = 0
        keys, added, place = one.put_sizes(column)
        place = np.minimum(place, length)
        order = np.argsort(place, kind="stable")
        keys, added, place = keys[order], added[order], place[order]
        upto, before = (np.concatenate(([0], np.cumsum(sizes))) for sizes in (size, added))
        fixed = int(history.fixed[column])
        total = fixed + int(upto[-1]) + int(before[-1])
        middle = fixed + upto[:-1] + before[np.searchsorted(place, np.arange(length), side="right")] + size / 2
        message = np.where(dropped, 0, _marks(middle, total)).astype(np.int8)
        yield column, _Column(message, keys, _marks(fixed + upto[place] + before[:-1] + added / 2, total))


def _marks(middle: NDArray[np.float64], total: int) -> NDArray[np.int8]:
    return np.where(middle < EDGE * total, FIRST, np.where(middle >= (1 - EDGE) * total, LAST, MIDDLE)).astype(np.int8)


@dataclass(frozen=True, slots=True, kw_only=True)
class InTheMiddle:
    """A message of the user that some calls have only in the middle."""

    kind: Literal["goal", "correction"]
    """The first one, or one of the newest after it."""
    message: int
    """Thread message."""
    calls: tuple[int, ...]
    """Calls that have it in the middle only; for a correction, as long as it is among the newest ``CORRECTIONS``."""


def in_the_middle(replay: Replay) -> tuple[InTheMiddle, ...]:
    """Goal and newest corrections that stand only in the middle of some calls; thread order.

    Args:
        replay: A policy over all calls of a thread.
    """
    thread = replay.thread
    persons = [index for index, message in enumerate(thread.messages) if message.is_real_user]
    asked: dict[int, list[int]] = {message: [] for message in persons}
    for one, line in zip(shown(replay), replay.timelines, strict=True):
        history = line.history
        spots = np.flatnonzero(history.person)
        for column, place in _columns(one, line):
            held = spots[spots < history.length[column]]
            for position in {*held[:1].tolist(), *held[1:][-CORRECTIONS:].tolist()}:
                if place.message[position] == MIDDLE:
                    asked[int(line.epoch.message[position])].append(int(one.calls[column]))
    return tuple(
        InTheMiddle(kind="goal" if message == persons[0] else "correction", message=message, calls=tuple(sorted(calls)))
        for message, calls in asked.items()
        if calls
    )


def only_in_the_middle(marks: NDArray[np.int8]) -> BoolArray:
    """Per call: it has the value, and nowhere but in the middle.

    Args:
        marks: One row of ``Places.marks``.
    """
    found: BoolArray = marks == MIDDLE
    return found


def spans(calls: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Runs of calls that follow each other: first and last of each.

    Args:
        calls: Ascending.
    """
    found: list[tuple[int, int]] = []
    for call in calls:
        if found and call == found[-1][1] + 1:
            found[-1] = (found[-1][0], call)
        else:
            found.append((call, call))
    return tuple(found)

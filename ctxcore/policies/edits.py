"""What a policy wants done to the calls of an epoch: edits as columns, each with its reason.

An edit is the same for many calls, so a ``Layer`` states it once: what may be edited, in order, and for each call the stretch of it that is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.policies.history import History

Action = Literal["drop", "mask", "clip", "clear", "strip"]
"""``drop`` a message; put a placeholder (``mask``) or a shorter form (``clip``) in place of a piece's text; ``clear`` a call's arguments; ``strip`` a
piece altogether."""

Source = Literal["", "recorded", "extractive", "opaque"]
"""Where the text of a summary comes from: the session itself, lines taken from what it replaces, or nowhere (a size alone)."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One kind of edit over all calls of an epoch."""

    action: Action
    """What is done."""
    rule: str
    """Why, in words."""
    items: IntArray
    """What may be edited, in the order of going (ascending, but where late results are part of a unit): positions of messages for ``drop``, pieces
    for all others."""
    freed: IntArray
    """Per item: what the edit frees, separator included for ``drop``; may be negative."""
    start: IntArray
    """Per call: index into ``items`` of the first one edited."""
    stop: IntArray
    """Per call: index after the last one edited; all of them stand in the call's context."""
    since: IntArray | None = None
    """Per item: the column from which it is edited, if the edit lasts; then only items whose column has come are edited."""
    text: Callable[[int], str] | None = None
    """Piece → the text in its place; None for ``drop`` and ``strip``."""

    @cached_property
    def rank(self) -> IntArray:
        """Position or piece → its index in ``items``, -1 for all others; ends with the greatest item."""
        found = np.full(int(self.items.max(initial=-1)) + 1, -1, np.int64)
        found[self.items] = np.arange(len(self.items))
        return found

    @property
    def totals(self) -> IntArray:
        """Per call: what is freed."""
        return self._sums(self.freed)

    @property
    def counts(self) -> IntArray:
        """Per call: items edited."""
        return self._sums(np.ones_like(self.freed))

    def _sums(self, values: IntArray) -> IntArray:
        if self.since is None:
            upto = np.concatenate(([0], np.cumsum(values)))
            return np.where(self.stop > self.start, upto[np.maximum(self.stop, self.start)] - upto[self.start], 0)
        steps = np.zeros(len(self.start) + 1, np.int64)
        np.add.at(steps, np.minimum(self.since, len(self.start)), values)
        total: IntArray = np.cumsum(steps[:-1])
        for column in np.flatnonzero(self.stop < np.maximum.accumulate(self.stop)).tolist():  # a shorter context than an earlier call's
            held = int(self.stop[column])
            total[column] = values[:held][self.since[:held] <= column].sum()
        return total

    def at(self, column: int) -> IntArray:
        """Items edited in a call, ascending."""
        first, last = int(self.start[column]), max(int(self.start[column]), int(self.stop[column]))
        if self.since is None:
            return self.items[first:last]
        return self.items[first:last][self.since[first:last] <= column]

    def covers(self, item: IntArray, column: IntArray) -> BoolArray:
        """Whether the layer edits each item in the call beside it.

        Args:
            item: Positions or pieces, as ``items``.
            column: Calls of the epoch, same length.
        """
        if not len(self.items):
            return np.zeros(len(item), np.bool_)
        rank = np.where(item < len(self.rank), self.rank[np.minimum(item, len(self.rank) - 1)], -1)
        if self.since is not None:
            return (rank >= 0) & (rank < self.stop[column]) & (self.since[rank] <= column)
        return (rank >= 0) & (rank >= self.start[column]) & (rank < self.stop[column])


def window(
    history: History,
    action: Action,
    rule: str,
    items: IntArray,
    *,
    stop: IntArray,
    start: IntArray | None = None,
    freed: IntArray | None = None,
    text: Callable[[int], str] | None = None,
) -> Layer:
    """A layer that edits a stretch of items in each call.

    Args:
        history: Of the epoch.
        action: What is done.
        rule: Why.
        items: Positions or pieces, ascending.
        stop: Per call: index after the last item edited.
        start: Per call: index of the first; 0 if left out.
        freed: Per item; may be left out for ``drop`` (the message) and ``strip`` (the piece).
        text: Piece → the text in its place.
    """
    frees = _freed(history, action, items) if freed is None else freed
    first = np.zeros_like(stop) if start is None else start
    return Layer(action=action, rule=rule, items=items, freed=frees, start=read_only(np.minimum(first, stop)), stop=read_only(stop), text=text)


def lasting(
    history: History,
    action: Action,
    rule: str,
    items: IntArray,
    *,
    since: IntArray,
    freed: IntArray | None = None,
    text: Callable[[int], str] | None = None,
) -> Layer:
    """A layer whose edits stay once they are made.

    Args:
        history: Of the epoch.
        action: What is done.
        rule: Why.
        items: Positions or pieces, ascending.
        since: Per item: the first column that edits it; the number of calls where none does.
        freed: As for ``window``.
        text: As for ``window``.
    """
    frees = _freed(history, action, items) if freed is None else freed
    none = np.zeros(len(history.length), np.int64)
    stop = history.begun(items) if action == "drop" else history.begun_pieces(items)
    return Layer(action=action, rule=rule, items=items, freed=frees, start=none, stop=read_only(stop), since=read_only(since), text=text)


def lasts(stop: IntArray, count: int) -> IntArray:
    """Per item: the column from which a stretch that only grows holds it, for ``lasting``.

    Args:
        stop: Per call: index after the last item of the stretch; a smaller number than an earlier one counts as that one.
        count: Number of items.
    """
    return np.searchsorted(np.maximum.accumulate(stop), np.arange(count), side="right").astype(np.int64)


def _freed(history: History, action: Action, items: IntArray) -> IntArray:
    return history.size[items] if action == "drop" else history.pieces.whole[items]


def replaced(history: History, items: IntArray, text: str) -> IntArray:
    """Per piece: what is freed by putting this text in its place.

    Args:
        history: Of the epoch.
        items: Pieces.
        text: The placeholder.
    """
    return history.pieces.size[items] - history.measure.one(text)


def rewritten(history: History, items: IntArray, text: Callable[[int], str]) -> IntArray:
    """Per piece: what is freed by putting a text of its own in its place."""
    return history.pieces.size[items] - np.asarray(history.measure.many([text(piece) for piece in items.tolist()]), np.int64)


@dataclass(frozen=True, kw_only=True)
class Insert:
    """A message that a policy puts into requests; columns hold one entry per call of the epoch."""

    kind: Literal["notice", "summary", "marker"]
    """What it is."""
    role: str
    """Of the inserted message."""
    rule: str
    """Why, in words."""
    size: IntArray
    """With its separator; 0 where nothing is put in."""
    place: IntArray
    """Position of the sequence before which it stands."""
    text: Callable[[int], str]
    """Column → its text; empty where only its size is known."""
    version: IntArray
    """Equal numbers, equal texts; -1 where nothing is put in."""
    source: Source = ""
    """For a summary: where its text comes from."""


@dataclass(frozen=True, kw_only=True)
class InsertLayer:
    """Messages that a policy puts in one after another and that stay the same from call to call."""

    kind: Literal["notice", "summary", "marker"]
    """What they are."""
    role: str
    """Of the inserted messages."""
    rule: str
    """Why, in words."""
    size: IntArray
    """Per item: with its separator."""
    place: IntArray
    """Per item: position of the sequence before which it stands, ascending."""
    start: IntArray
    """Per call: index of the first item that is put in."""
    stop: IntArray
    """Per call: index after the last one."""
    text: Callable[[int], str]
    """Item → its text."""
    source: Source = ""
    """For summaries: where their text comes from."""
    since: None = None
    """What is put in is always a stretch."""

    def at(self, column: int) -> range:
        """Items put into a call."""
        return range(int(self.start[column]), max(int(self.start[column]), int(self.stop[column])))

    @property
    def totals(self) -> IntArray:
        """Per call: what is added."""
        upto = np.concatenate(([0], np.cumsum(self.size)))
        return np.where(self.stop > self.start, upto[np.maximum(self.stop, self.start)] - upto[self.start], 0)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All edits of a policy to the calls of one epoch. In a call, no two layers edit the same piece, and no two drop the same message."""

    layers: tuple[Layer, ...] = ()
    """Edits."""
    inserts: tuple[Insert, ...] = ()
    """Messages put in."""
    insert_layers: tuple[InsertLayer, ...] = ()
    """Messages put in, several to a call."""
    assumed: tuple[str, ...] = ()
    """What the rule's description leaves open and how it is taken here."""

    def added(self, calls: int) -> IntArray:
        """Size of all messages put in, one entry per call.

        Args:
            calls: Of the epoch.
        """
        found = np.zeros(calls, np.int64)
        return sum((*(one.size for one in self.inserts), *(layer.totals for layer in self.insert_layers)), found)

    def fronts(self, column: int) -> list[tuple[int, str]]:
        """Place and role of the first message that each kind of insert puts into a call, in order of place."""
        found = [(int(one.place[column]), one.role) for one in self.inserts if one.size[column]]
        found += [(int(layer.place[layer.start[column]]), layer.role) for layer in self.insert_layers if layer.at(column)]
        return sorted(found)


class Edit(NamedTuple):
    """One edit to one call."""

    action: Action
    """What is done."""
    message: int
    """Thread message."""
    part: int
    """Index into its parts; -1 for the whole message."""
    rule: str
    """Why."""
    text: str
    """What stands in its place; empty for ``drop`` and ``strip``."""


class Inserted(NamedTuple):
    """One message put into one call."""

    kind: Literal["notice", "summary", "marker"]
    """What it is."""
    role: str
    """Of the message."""
    place: int
    """Position of the context before which it stands."""
    size: int
    """With its separator."""
    text: str
    """Empty where only its size is known."""
    rule: str
    """Why."""
    source: Source
    """For a summary: where its text comes from."""

"""What the calls of an epoch still hold after a policy, asked for many places at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import BoolArray, IntArray
from ctxcore.measures.evidence_index import EpochEvidence, Evidence, thread_evidence
from ctxcore.policies import Fits, Insert, Layer
from ctxcore.policies.applied import dropping, editing
from ctxcore.policies.edits import InsertLayer
from ctxcore.replay import Replay


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One epoch of a replay, as far as its evidence goes."""

    evidence: Evidence
    """Of the thread."""
    places: EpochEvidence
    """Of the epoch."""
    calls: IntArray
    """Per column: call of the thread."""
    lengths: IntArray
    """Per column: messages in the recorded context."""
    fits: Fits
    """What the policy does."""

    @cached_property
    def drops(self) -> list[Layer]:
        """Layers that drop messages."""
        return dropping(self.fits.plan(0))

    @cached_property
    def edits(self) -> list[Layer]:
        """Layers that edit inside messages."""
        return editing(self.fits.plan(0))

    @cached_property
    def inserts(self) -> tuple[Insert, ...]:
        """Messages put in."""
        return self.fits.plan(0).inserts

    @cached_property
    def insert_layers(self) -> tuple[InsertLayer, ...]:
        """Messages put in, several to a call."""
        return self.fits.plan(0).insert_layers

    @cached_property
    def sent(self) -> BoolArray:
        """Per column: the call is sent."""
        found: BoolArray = ~self.fits.refused[0]
        return found

    def holds(self, atom: IntArray, piece: IntArray, column: IntArray) -> BoolArray:
        """Whether an atom that stands in a piece is still there in a call; the three go side by side, and each call's context has the piece."""
        kept = np.ones(len(piece), np.bool_)
        for layer in self.drops:
            kept &= ~layer.covers(self.places.position[piece], column)
        for layer in self.edits:
            changed = np.flatnonzero(kept & layer.covers(piece, column))
            kept[changed] = False if layer.text is None else self._in_place(layer, atom[changed], piece[changed])
        return kept

    def intact(self, piece: IntArray, column: IntArray) -> BoolArray:
        """Whether pieces stand in calls as recorded; side by side, and each call's context has the piece."""
        kept = np.ones(len(piece), np.bool_)
        for layer in (*self.drops, *self.edits):
            kept &= ~layer.covers(self.places.position[piece] if layer.action == "drop" else piece, column)
        return kept

    def _in_place(self, layer: Layer, atom: IntArray, piece: IntArray) -> BoolArray:
        """Whether atoms stand in the texts that take the place of pieces."""
        pieces, which = np.unique(piece, return_inverse=True)
        texts = [self.text_of(layer, one) for one in pieces.tolist()]
        found = np.zeros(len(atom), np.bool_)
        some = np.asarray([bool(held) for held in texts], np.bool_)
        for place in np.flatnonzero(some[which]).tolist():
            found[place] = int(atom[place]) in texts[which[place]]
        return found

    def text_of(self, layer: Layer, piece: int) -> frozenset[int]:
        """Atoms in the text that a layer puts in place of a piece."""
        return self.evidence.of_text(layer.text(piece)) if layer.text else frozenset()

    def dropped(self, column: int) -> BoolArray:
        """Per position: its message is left out of a call."""
        marks = np.zeros(len(self.places.begin) - 1, np.bool_)
        for layer in self.drops:
            marks[layer.at(column)] = True
        return marks

    def edited(self, number: int, column: int) -> IntArray:
        """Pieces that an editing layer changes in a call and whose message is sent.

        Args:
            number: Of the layer in ``edits``.
            column: Of the call.
        """
        pieces = self.edits[number].at(column)
        kept: IntArray = pieces[~self.dropped(column)[self.places.position[pieces]]]
        return kept

    def gone(self, column: int) -> BoolArray:
        """Per piece: it is left out of a call, or stands there with another text."""
        marks = self.dropped(column)[self.places.position]
        for layer in self.edits:
            marks[layer.at(column)] = True
        return marks

    def put_in(self, atom: IntArray, column: IntArray) -> BoolArray:
        """Whether atoms stand in a summary, notice or marker that the policy puts into a call."""
        found = np.zeros(len(atom), np.bool_)
        wanted = set(atom.tolist())
        for text, calls in self.texts(column) if wanted else ():
            held = self.evidence.of_text(text) & wanted
            if held:
                there = calls()
                found[there] |= np.isin(atom[there], list(held))
        return found

    def texts(self, column: IntArray) -> Iterator[tuple[str, Callable[[], IntArray]]]:
        """Texts that the policy puts into calls as messages of their own, each with a function to the places of the calls that get it.

        Args:
            column: Calls of the epoch, at least one.
        """
        for insert in self.inserts:
            version = insert.version[column]
            numbers, first = np.unique(version, return_index=True)
            for number, place in zip(numbers.tolist(), first.tolist(), strict=True):
                if number >= 0:
                    yield insert.text(int(column[place])), partial(_equal, version, number)
        for layer in self.insert_layers:
            start, stop = layer.start[column], layer.stop[column]
            some = stop > start
            for item in range(int(start[some].min()), int(stop[some].max())) if some.any() else ():
                yield layer.text(item), partial(_between, start, item, stop)

    def put_texts(self) -> Iterator[tuple[tuple[int, int], str]]:
        """All messages put in anywhere: a key (which insert or layer, which version or item) and the text."""
        for number, insert in enumerate(self.inserts):
            versions, first = np.unique(insert.version, return_index=True)
            yield from (
                ((number, version), insert.text(column)) for version, column in zip(versions.tolist(), first.tolist(), strict=True) if version >= 0
            )
        for number, layer in enumerate(self.insert_layers, len(self.inserts)):
            some = layer.stop > layer.start
            if some.any():
                yield from (((number, item), layer.text(item)) for item in range(int(layer.start[some].min()), int(layer.stop[some].max())))

    def put_sizes(self, column: int) -> tuple[IntArray, IntArray, IntArray]:
        """Messages put into a call: keys, shape (messages, 2), sizes, and positions before which they stand."""
        rows = [
            (n, int(one.version[column]), int(one.size[column]), int(one.place[column])) for n, one in enumerate(self.inserts) if one.size[column]
        ]
        found = [np.asarray(rows, np.int64).reshape(len(rows), 4)]
        for number, layer in enumerate(self.insert_layers, len(self.inserts)):
            items = np.arange(int(layer.start[column]), max(int(layer.start[column]), int(layer.stop[column])))
            found.append(np.stack((np.full(len(items), number), items, layer.size[items], layer.place[items]), axis=1))
        table = np.concatenate(found)
        return table[:, :2], table[:, 2], table[:, 3]

    def removed_by(self, piece: IntArray, column: IntArray) -> list[Layer | None]:
        """The layer that took a piece out of a call, or changed it."""
        found: list[Layer | None] = [None] * len(piece)
        for layer in (*self.edits, *self.drops):
            where = piece if layer.action != "drop" else self.places.position[piece]
            for place in np.flatnonzero(layer.covers(where, column)).tolist():
                found[place] = layer
        return found


ABSENT, INTACT, CHANGED, REFUSED = range(4)
"""What a call has of a part: nothing even as recorded, all of it, another text or nothing because of the policy, nothing because it is refused."""


def part_fates(replay: Replay, rows: IntArray, calls: IntArray) -> NDArray[np.int8]:
    """What calls have of message parts; the arrays go side by side.

    Args:
        replay: A policy over all calls of a thread.
        rows: Rows of the thread's ``Evidence``.
        calls: Of the thread.
    """
    fates = np.full(len(rows), ABSENT, np.int8)
    for one in shown(replay):
        column_of = np.full(len(replay.thread.calls), -1, np.int64)
        column_of[one.calls] = np.arange(len(one.calls))
        piece_of = np.full(len(one.evidence.message), -1, np.int64)
        piece_of[one.places.row] = np.arange(len(one.places.row))
        column, piece = column_of[calls], piece_of[rows]
        here = np.flatnonzero((column >= 0) & (piece >= 0))
        here = here[piece[here] < one.places.begin[one.lengths[column[here]]]]
        fates[here] = np.where(one.sent[column[here]], np.where(one.intact(piece[here], column[here]), INTACT, CHANGED), REFUSED)
    return fates


def _equal(values: IntArray, value: int) -> IntArray:
    return np.flatnonzero(values == value).astype(np.int64)


def _between(start: IntArray, item: int, stop: IntArray) -> IntArray:
    return np.flatnonzero((start <= item) & (item < stop)).astype(np.int64)


def shown(replay: Replay) -> Iterator[Shown]:
    """Epoch by epoch.

    Args:
        replay: A policy over all calls of a thread.
    """
    evidence = thread_evidence(replay.thread)
    for places, fits, line in zip(evidence.epochs, replay.fits, replay.timelines, strict=True):
        yield Shown(evidence=evidence, places=places, calls=line.epoch.calls.astype(np.int64), lengths=line.history.length, fits=fits)

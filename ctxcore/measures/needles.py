"""Values followed through all calls: which calls held them as recorded, and which still do after a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ctxcore.atoms import Atom
from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.measures.evidence_index import Evidence, Pairs, thread_evidence
from ctxcore.measures.searched import searched_text
from ctxcore.measures.visible import Shown, shown
from ctxcore.mentions import Mentions, readable
from ctxcore.model import Thread
from ctxcore.policies import Layer
from ctxcore.replay import Replay

BLOCK = 512
"""Pieces looked at together, over all calls."""


@dataclass(frozen=True, kw_only=True)
class Needles:
    """Values to follow, known by their place."""

    names: tuple[str, ...]
    """For people."""
    standing: Pairs
    """Needle and row of the thread's ``Evidence`` in which it stands, sorted."""
    inside: Callable[[str], frozenset[int]]
    """Needles that stand in any other text."""


@dataclass(frozen=True, kw_only=True)
class Followed:
    """Needles over all calls; tables are read-only with one row per needle and one column per call."""

    needles: Needles
    """Which."""
    held: BoolArray
    """The recorded context holds it."""
    kept: BoolArray
    """So does what is sent; False where the call is refused."""
    sent: BoolArray
    """Per call: it is not refused."""

    @property
    def vanished(self) -> IntArray:
        """Per needle: first call that is sent without it although its recorded context holds it; -1 for none."""
        gone = self.held & ~self.kept & self.sent
        found: IntArray = np.where(gone.any(axis=1), gone.argmax(axis=1) if gone.shape[1] else 0, -1)
        return found

    @property
    def final(self) -> BoolArray:
        """Per needle: the last call that is sent, among those whose recorded context holds it, has it."""
        counts = self.held & self.sent
        if not counts.shape[1]:
            return np.zeros(len(counts), np.bool_)
        last = counts.shape[1] - 1 - counts[:, ::-1].argmax(axis=1)
        kept: BoolArray = counts.any(axis=1) & self.kept[np.arange(len(counts)), last]
        return kept

    def share(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Per call: needles kept as a share of those held; NaN where the call is refused or holds none."""
        held = (self.held & self.sent).sum(axis=0)
        kept = self.kept.sum(axis=0)
        found: np.ndarray[tuple[int], np.dtype[np.float64]] = np.divide(kept, held, out=np.full(len(held), np.nan), where=held > 0)
        return found


def text_needles(thread: Thread, names: Sequence[str]) -> Needles:
    """Texts to follow, wherever they stand bounded; capitals and runs of spaces make no difference. Every message is searched, system ones too.

    Args:
        thread: Of a session.
        names: The texts; blank ones stand nowhere.
    """
    finder = Mentions([Atom("quote", name) for name in names], only=[number for number, name in enumerate(names) if name.strip()])
    pairs = sorted((needle, row) for row, text in enumerate(row_texts(thread)) for needle in finder.found(text))
    return Needles(names=tuple(names), standing=as_pairs(pairs), inside=lru_cache(1 << 12)(lambda text: frozenset(finder.found(readable(text)))))


def atom_needles(evidence: Evidence, atoms: Sequence[int]) -> Needles:
    """Atoms of a thread to follow.

    Args:
        evidence: Of the thread.
        atoms: Places in it, ascending.
    """
    chosen = np.asarray(atoms, np.int64)
    place = np.full(len(evidence.atoms) + 1, -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    needle = place[evidence.standing.left]
    rows = evidence.standing.right[needle >= 0]
    return Needles(
        names=tuple(evidence.atoms[atom].value for atom in chosen.tolist()),
        standing=Pairs(needle[needle >= 0], rows),
        inside=lambda text: frozenset(int(place[atom]) for atom in evidence.of_text(text) if place[atom] >= 0),
    )


def row_texts(thread: Thread) -> Iterator[str]:
    """Searched text of every part of every message, in the order of rows."""
    for message in thread.messages:
        yield from map(searched_text, message.parts)


def as_pairs(pairs: Sequence[tuple[int, int]]) -> Pairs:
    """Two columns."""
    table = np.asarray(pairs, np.int64).reshape(len(pairs), 2)
    return Pairs(read_only(table[:, 0].copy()), read_only(table[:, 1].copy()))


def follow(replay: Replay, needles: Needles) -> Followed:
    """Where needles are before and after a policy.

    Args:
        replay: A policy over all calls of a thread.
        needles: Of the same thread.
    """
    count, calls = len(needles.names), len(replay.thread.calls)
    thread_evidence(replay.thread)
    held, kept = (np.zeros((count, calls), np.bool_) for _ in range(2))
    for one in shown(replay):
        before, after = _epoch(one, needles)
        held[:, one.calls], kept[:, one.calls] = before, after & one.sent
    return Followed(needles=needles, held=read_only(held), kept=read_only(kept), sent=read_only(~replay.refused))


def epoch_pairs(one: Shown, needles: Needles) -> tuple[IntArray, IntArray]:
    """Needles and the pieces of an epoch they stand in, side by side.

    Args:
        one: The epoch.
        needles: Of the thread.
    """
    piece_of = np.full(len(one.evidence.message), -1, np.int64)
    piece_of[one.places.row] = np.arange(len(one.places.row))
    piece = piece_of[needles.standing.right]
    return needles.standing.left[piece >= 0], piece[piece >= 0]


def _epoch(one: Shown, needles: Needles) -> tuple[BoolArray, BoolArray]:
    """Per needle and column of an epoch: held and kept."""
    needle, piece = epoch_pairs(one, needles)
    held, kept = (np.zeros((len(needles.names), len(one.calls)), np.bool_) for _ in range(2))
    limits = one.places.begin[one.lengths]
    for start in range(0, len(needle), BLOCK):
        some, these = needle[start : start + BLOCK], piece[start : start + BLOCK]
        inside = these[:, None] < limits[None, :]
        np.logical_or.at(held, some, inside)
        np.logical_or.at(kept, some, inside & in_view(one, needles, some, these))
    _put_in(one, needles, kept, held)
    return held, kept


def in_view(one: Shown, needles: Needles, needle: IntArray, piece: IntArray) -> BoolArray:
    """Per pair of needle and piece, and per column: the piece stands there as recorded, or with a text that holds the needle.

    Args:
        one: The epoch.
        needles: Of the thread.
        needle: One per pair.
        piece: Beside it; whether a call's context has it is not looked at.

    Returns:
        Shape (pairs, columns).
    """
    columns = np.tile(np.arange(len(one.calls)), len(piece))
    each = np.repeat(piece, len(one.calls))
    view = ~_covered(one.drops, one.places.position[each], columns)
    for layer in one.edits:
        covered = layer.covers(each, columns)
        if covered.any():
            inside = {p: needles.inside(layer.text(p)) for p in np.unique(each[covered]).tolist()} if layer.text else {}
            still = [n in inside.get(p, ()) for n, p in zip(needle.tolist(), piece.tolist(), strict=True)]
            view &= ~covered | np.repeat(np.asarray(still, np.bool_), len(one.calls))
    return view.reshape(len(piece), len(one.calls))


def _covered(layers: Sequence[Layer], items: IntArray, columns: IntArray) -> BoolArray:
    found = np.zeros(len(items), np.bool_)
    for layer in layers:
        found |= layer.covers(items, columns)
    return found


def _put_in(one: Shown, needles: Needles, kept: BoolArray, held: BoolArray) -> None:
    """Note needles in texts that the policy puts in; only those that the recorded context holds count."""
    for text, calls in one.texts(np.arange(len(one.calls))) if len(one.calls) else ():
        for needle in needles.inside(text):
            columns = calls()
            kept[needle, columns] |= held[needle, columns]

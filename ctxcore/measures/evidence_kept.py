"""How much of the evidence in a recorded context is still there after a policy, call by call, and what of the rest is needed later.

A lower bound on harm: what stays to the letter is not thereby understood. Source: the notes on policies, 5.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ctxcore.atoms import TYPES
from ctxcore.columns import BoolArray, IntArray, read_only
from ctxcore.measures.evidence_index import EpochEvidence, Evidence, thread_evidence
from ctxcore.measures.visible import Shown, shown
from ctxcore.replay import Replay


@dataclass(frozen=True, kw_only=True)
class EvidenceKept:
    """Distinct atoms before and after a policy; tables have one row per type of ``TYPES`` and one column per call, -1 where the call is refused."""

    evidence: Evidence
    """Of the thread."""
    held: IntArray
    """Atoms of the recorded context."""
    kept: IntArray
    """Those of them that are still there."""
    gone_at: IntArray
    """Per atom: first call that is sent without it although its recorded context holds it; -1 for none."""

    def share(self, *types: str) -> NDArray[np.float64]:
        """Per call: kept as a share of held; NaN where the call is refused or holds no evidence.

        Args:
            *types: Only atoms of these types; all if left out.
        """
        rows = [TYPES.index(kind) for kind in types or TYPES]
        held, kept = self.held[rows].sum(axis=0), self.kept[rows].sum(axis=0)
        share: NDArray[np.float64] = np.divide(kept, held, out=np.full(len(held), np.nan), where=held > 0)
        return share

    def least(self, *types: str) -> tuple[int, float] | None:
        """The call with the smallest share and that share; None where no call has one."""
        share = self.share(*types)
        return None if np.isnan(share).all() else (int(np.nanargmin(share)), float(np.nanmin(share)))

    def final(self, *types: str) -> float | None:
        """The share at the last call that has one, or None."""
        share = self.share(*types)
        share = share[~np.isnan(share)]
        return float(share[-1]) if len(share) else None

    @property
    def dropped(self) -> int:
        """Atoms that some call is sent without."""
        return int((self.gone_at >= 0).sum())

    @property
    def late(self) -> BoolArray:
        """Per atom: it is used by the call that is first sent without it, or by a later one. An upper bound of what would be missed."""
        found: BoolArray = (self.gone_at >= 0) & (self.evidence.last_use >= self.gone_at)
        return found

    @property
    def late_rate(self) -> float | None:
        """Atoms used again as a share of those dropped: the rest was dead weight. None where nothing is dropped."""
        return float(self.late.sum()) / self.dropped if self.dropped else None

    @property
    def at_risk(self) -> IntArray:
        """Per call: atoms that it is the first to be sent without, and that are used from there on."""
        return np.bincount(self.gone_at[self.late], minlength=len(self.evidence.thread.calls)).astype(np.int64)


def evidence_kept(replay: Replay) -> EvidenceKept:
    """Evidence before and after a policy.

    Args:
        replay: A policy over all calls of a thread.
    """
    evidence = thread_evidence(replay.thread)
    calls = len(replay.thread.calls)
    held, kept = (np.full((len(TYPES), calls), -1, np.int64) for _ in range(2))
    gone = np.full(len(evidence.atoms), calls, np.int64)
    for one in shown(replay):
        tally = _Tally(evidence=evidence, places=one.places)
        for column, change in _changes(one):
            call = int(one.calls[column])
            missing = tally.apply(*change)
            gone[missing] = np.minimum(gone[missing], call)
            held[:, call], kept[:, call] = tally.held, tally.kept
    gone[gone == calls] = -1
    return EvidenceKept(evidence=evidence, held=read_only(held), kept=read_only(kept), gone_at=read_only(gone))


Change = tuple[IntArray, IntArray, IntArray, IntArray, list[frozenset[int]], list[frozenset[int]]]
"""Pieces new in the recorded context, pieces no longer in it, pieces that come into view and that go; texts put in that come and that go."""


def _changes(one: Shown) -> Iterator[tuple[int, Change]]:
    """Column by column, refused ones left out: what is other than in the column before."""
    count = len(one.places.position)
    held, view = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    texts = _Texts(one)
    limits = one.places.begin[one.lengths]
    for column in np.flatnonzero(one.sent).tolist():
        now = np.arange(count) < limits[column]
        seen = now & ~one.gone(column)
        come, went = texts.change(column)
        yield (
            column,
            (np.flatnonzero(now & ~held), np.flatnonzero(held & ~now), np.flatnonzero(seen & ~view), np.flatnonzero(view & ~seen), come, went),
        )
        held, view = now, seen


class _Texts:
    """Texts that stand in place of pieces or are put in, followed from column to column; each is read when it first comes."""

    def __init__(self, one: Shown) -> None:
        self._one = one
        self._edits = [number for number, layer in enumerate(one.edits) if layer.text is not None]
        self._there = {number: np.zeros(len(one.edits[number].items), np.bool_) for number in self._edits}
        self._put_in: set[tuple[int, int]] = set()
        self._read: dict[tuple[int, int], frozenset[int]] = {}
        self._text_of = dict(one.put_texts())

    def change(self, column: int) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
        """Texts that come and that go, as the atoms in them."""
        come: list[frozenset[int]] = []
        went: list[frozenset[int]] = []
        for number in self._edits:
            layer = self._one.edits[number]
            now = np.zeros(len(layer.items), np.bool_)
            now[layer.rank[self._one.edited(number, column)]] = True
            before, self._there[number] = self._there[number], now
            come += [self._one.text_of(layer, piece) for piece in layer.items[now & ~before].tolist()]
            went += [self._one.text_of(layer, piece) for piece in layer.items[before & ~now].tolist()]
        keys = {(number, item) for number, item in self._one.put_sizes(column)[0].tolist() if self._held((number, item))}
        come += [self._held(key) for key in keys - self._put_in]
        went += [self._held(key) for key in self._put_in - keys]
        self._put_in = keys
        return come, went

    def _held(self, key: tuple[int, int]) -> frozenset[int]:
        """Atoms in a message put in."""
        if key not in self._read:
            self._read[key] = self._one.evidence.of_text(self._text_of[key])
        return self._read[key]


@dataclass(kw_only=True)
class _Tally:
    """How often each atom stands in the recorded context and in view, kept up to date by changes."""

    evidence: Evidence
    places: EpochEvidence
    held: IntArray = field(default_factory=lambda: np.zeros(len(TYPES), np.int64))
    kept: IntArray = field(default_factory=lambda: np.zeros(len(TYPES), np.int64))

    def __post_init__(self) -> None:
        order = np.argsort(self.places.piece, kind="stable")
        self._atom = self.places.atom[order]
        self._start = np.searchsorted(self.places.piece[order], np.arange(len(self.places.position) + 1))
        self._in_context, self._in_view = (np.zeros(len(self.evidence.atoms), np.int64) for _ in range(2))

    def apply(self, new: IntArray, old: IntArray, came: IntArray, went: IntArray, come: list[frozenset[int]], go: list[frozenset[int]]) -> IntArray:
        """Note a change; the atoms that are in the context and have just gone out of view."""
        more, less = self._of(new), self._of(old)
        shown_, hidden = self._of(came, come), self._of(went, go)
        touched = np.unique(np.concatenate((more, less, shown_, hidden)))
        before = self._state(touched)
        for counts, atoms, step in (
            (self._in_context, more, 1),
            (self._in_context, less, -1),
            (self._in_view, shown_, 1),
            (self._in_view, hidden, -1),
        ):
            np.add.at(counts, atoms, step)
        after = self._state(touched)
        kinds = self.evidence.type[touched]
        change = [
            np.bincount(kinds[now], minlength=len(TYPES)) - np.bincount(kinds[then], minlength=len(TYPES))
            for now, then in zip(after, before, strict=True)
        ]
        self.held += change[0]
        self.kept += change[1]
        missing: IntArray = touched[after[0] & ~after[1]]
        return missing

    def _state(self, atoms: IntArray) -> BoolArray:
        context = self._in_context[atoms] > 0
        return np.stack((context, context & (self._in_view[atoms] > 0)))

    def _of(self, pieces: IntArray, texts: Iterable[frozenset[int]] = ()) -> IntArray:
        """Atoms of pieces and of texts put in, one entry per place."""
        counts = self._start[pieces + 1] - self._start[pieces]
        index = np.arange(int(counts.sum())) + np.repeat(self._start[pieces] - (np.cumsum(counts) - counts), counts)
        return np.concatenate((self._atom[index], *(np.fromiter(held, np.int64, len(held)) for held in texts)))

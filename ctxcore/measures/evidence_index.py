"""Where the evidence of a thread stands and which calls use it: made once per thread, the same for every policy.

Source: the notes on policies, 5.1 and 5.2. Evidence is searched in texts, results and arguments of calls; not in reasoning, which providers
leave out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctxcore.atoms import TYPES, Atom, atoms
from ctxcore.columns import BoolArray, Epoch, IntArray, read_only
from ctxcore.measures.searched import USED_PARTS, constant_texts, searched_text
from ctxcore.mentions import Mentions, readable
from ctxcore.model import Thread
from ctxcore.units import PINNED_ROLES, catalog

COMMON_SHARE = 0.30
"""An atom in more than this share of all units is a constant and no evidence. Source: the notes on policies, 5.1."""

FEW_UNITS = 20
"""In a thread of fewer units the share says nothing: a source and its uses alone would pass it."""


class Pairs(NamedTuple):
    """Two columns that belong together, sorted by the first."""

    left: IntArray
    """For example atoms."""
    right: IntArray
    """For example rows."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Evidence of a thread; arrays are read-only. A row is one part of one message, counted over the whole thread."""

    thread: Thread
    """As read."""
    atoms: tuple[Atom, ...]
    """All of them but constants; an atom is known by its place here."""
    type: NDArray[np.int8]
    """Per atom: index into ``TYPES``."""
    message: IntArray
    """Per row: thread message."""
    part: IntArray
    """Per row: index into its parts."""
    standing: Pairs
    """Atom and row: the atom stands there; sorted by atom, then row."""
    use: Pairs
    """Call and atom: the reply uses it in a text or in arguments; sorted by call, then atom."""
    first: BoolArray
    """Per use: no earlier call's reply used the atom."""
    constants: int
    """Atoms left out, because they stand in a system message, in the tools, or nearly everywhere."""

    @cached_property
    def mentions(self) -> Mentions:
        """Finds used atoms in any text."""
        return Mentions(self.atoms, only=np.unique(self.use.right).tolist())

    @cached_property
    def inside(self) -> dict[str, frozenset[int]]:
        """Atoms of texts that policies put into requests, as far as they were asked for."""
        return {}

    def of_text(self, text: str) -> frozenset[int]:
        """Atoms of the thread that stand in another text, for example a placeholder or a summary."""
        if text not in self.inside:
            own = {self.number[atom] for atom in atoms(readable(text)) if atom in self.number}
            self.inside[text] = frozenset(own | self.mentions.found(readable(text))) if text.strip() else frozenset()
        return self.inside[text]

    @cached_property
    def number(self) -> dict[Atom, int]:
        """Atom → its place."""
        return {atom: place for place, atom in enumerate(self.atoms)}

    @cached_property
    def used(self) -> BoolArray:
        """Per atom: some call uses it."""
        marks = np.zeros(len(self.atoms), np.bool_)
        marks[self.use.right] = True
        return read_only(marks)

    @cached_property
    def last_use(self) -> IntArray:
        """Per atom: last call that uses it, -1 for none."""
        last = np.full(len(self.atoms), -1, np.int64)
        np.maximum.at(last, self.use.right, self.use.left)
        return read_only(last)

    @cached_property
    def received(self) -> IntArray:
        """Per thread message: first call that received it; the number of calls for none."""
        first = np.full(len(self.thread.messages), len(self.thread.calls), np.int64)
        for epoch in self.thread.epochs:
            longest = np.maximum.accumulate(epoch.lengths) if len(epoch.lengths) else epoch.lengths
            column = np.searchsorted(longest, np.arange(len(epoch.message)), side="right")
            held = column < len(longest)
            np.minimum.at(first, epoch.message[held], epoch.calls[column[held]])
        return read_only(first)

    @cached_property
    def epochs(self) -> tuple[EpochEvidence, ...]:
        """The same, by the positions of each epoch."""
        return tuple(EpochEvidence.of(self, epoch) for epoch in self.thread.epochs)


@dataclass(frozen=True, kw_only=True)
class EpochEvidence:
    """Evidence of one epoch, in its own positions, pieces and columns."""

    begin: IntArray
    """Per position, and one more at the end: number of its first piece."""
    atom: IntArray
    """Per standing atom of the sequence, sorted by atom and piece."""
    piece: IntArray
    """Beside ``atom``: the piece it stands in."""
    position: IntArray
    """Per piece: position of its message."""
    row: IntArray
    """Per piece: row of the thread."""
    column: IntArray
    """Per use of what the call's recorded context holds: column of the call."""
    use: IntArray
    """Beside ``column``: number of the use."""
    low: IntArray
    """Beside ``column``: where the atom's places begin in ``piece``."""
    high: IntArray
    """Beside ``column``: where those end that the call's context holds; always after ``low``."""

    @classmethod
    def of(cls, evidence: Evidence, epoch: Epoch) -> EpochEvidence:
        """Find an epoch's share."""
        counts = np.bincount(evidence.message, minlength=len(evidence.thread.messages))
        held = counts[epoch.message]
        begin = np.concatenate(([0], np.cumsum(held))).astype(np.int64)
        position = np.repeat(np.arange(len(held)), held)
        starts = np.concatenate(([0], np.cumsum(counts)))[epoch.message]
        row = np.repeat(starts - begin[:-1], held) + np.arange(begin[-1])
        piece_of = np.full(len(evidence.message), -1, np.int64)
        piece_of[row] = np.arange(len(row))
        piece = piece_of[evidence.standing.right]
        inside = piece >= 0
        atom, piece = evidence.standing.left[inside], piece[inside]
        order = np.lexsort((piece, atom))
        atom, piece = atom[order], piece[order]
        column_of = np.full(len(evidence.thread.calls), -1, np.int64)
        column_of[epoch.calls] = np.arange(len(epoch.calls))
        column = column_of[evidence.use.left]
        use = np.flatnonzero(column >= 0)
        column = column[use]
        wanted, width = evidence.use.right[use], len(row) + 1
        key = atom * width + piece
        low = np.searchsorted(key, wanted * width)
        high = np.searchsorted(key, wanted * width + begin[epoch.lengths[column]])
        known = high > low
        return cls(
            begin=begin,
            atom=atom,
            piece=piece,
            position=position,
            row=row,
            column=column[known],
            use=use[known],
            low=low[known],
            high=high[known],
        )


def thread_evidence(thread: Thread) -> Evidence:
    """Evidence of a thread; made once per thread."""
    if "evidence" not in thread.memo:
        thread.memo["evidence"] = _evidence(thread)
    made: Evidence = thread.memo["evidence"]
    return made


def has_evidence(thread: Thread) -> bool:
    """Whether ``thread_evidence`` would answer at once."""
    return "evidence" in thread.memo


def _evidence(thread: Thread) -> Evidence:
    rows = [(index, number, part) for index, message in enumerate(thread.messages) for number, part in enumerate(message.parts)]
    texts = ["" if thread.messages[index].role in PINNED_ROLES else searched_text(part) for index, _, part in rows]
    own = [atoms(text) for text in texts]
    uses = _uses(thread, [index for index, _, _ in rows], own)
    every = _sorted({atom for _, atom in uses}.union(*own))
    number = {atom: place for place, atom in enumerate(every)}
    mentions = Mentions(every, only=[number[atom] for atom in {atom for _, atom in uses}])
    standing = [mentions.found(text).union(map(number.__getitem__, found)) for text, found in zip(texts, own, strict=True)]
    message = np.asarray([index for index, _, _ in rows], np.int64)
    pairs = _turned(standing)
    constant = _common(thread, message, pairs, len(every))
    for text in constant_texts(thread):
        constant[[*(number[atom] for atom in atoms(text) if atom in number), *mentions.found(text)]] = True
    place = np.cumsum(~constant) - 1
    use = _pairs([(call, int(place[number[atom]])) for call, atom in uses if not constant[number[atom]]])
    kept = ~constant[pairs.left]
    kinds = [atom for atom, out in zip(every, constant.tolist(), strict=True) if not out]
    return Evidence(
        thread=thread,
        atoms=tuple(kinds),
        type=read_only(np.asarray([TYPES.index(atom.type) for atom in kinds], np.int8)),
        message=read_only(message),
        part=read_only(np.asarray([part for _, part, _ in rows], np.int64)),
        standing=Pairs(read_only(place[pairs.left[kept]]), read_only(pairs.right[kept])),
        use=use,
        first=read_only(_first(use)),
        constants=int(constant.sum()),
    )


def _sorted(every: set[Atom]) -> list[Atom]:
    """Atoms by type and value; the values of each type are compared as texts, which is much quicker than as pairs."""
    values: dict[str, dict[str, Atom]] = {}
    for atom in every:
        values.setdefault(atom.type, {})[atom.value] = atom
    return [values[kind][value] for kind in sorted(values) for value in sorted(values[kind])]


def _uses(thread: Thread, message: list[int], own: list[frozenset[Atom]]) -> list[tuple[int, Atom]]:
    """Calls and atoms that their replies use, in a text or in arguments.

    Args:
        thread: Of a session.
        message: Per row: its message.
        own: Per row: its atoms, so that no reply is read twice.
    """
    start = {index: row for row, index in reversed(list(enumerate(message)))}
    found: list[tuple[int, Atom]] = []
    for call in thread.calls:
        if call.reply is not None:
            parts = thread.messages[call.reply].parts
            rows = [start[call.reply] + number for number, part in enumerate(parts) if isinstance(part, USED_PARTS)]
            found += [(call.index, atom) for atom in frozenset().union(*(own[row] for row in rows))]
    return found


def _pairs(pairs: list[tuple[int, int]]) -> Pairs:
    table = np.asarray(pairs, np.int64).reshape(len(pairs), 2)
    table = table[np.lexsort((table[:, 1], table[:, 0]))]
    return Pairs(read_only(table[:, 0].copy()), read_only(table[:, 1].copy()))


def _turned(standing: list[set[int]]) -> Pairs:
    """Atoms and rows, from the atoms of each row."""
    counts = np.fromiter(map(len, standing), np.int64, len(standing))
    atom = np.fromiter(chain.from_iterable(standing), np.int64, int(counts.sum()))
    row = np.repeat(np.arange(len(standing)), counts)
    order = np.lexsort((row, atom))
    return Pairs(read_only(atom[order]), read_only(row[order]))


def _first(use: Pairs) -> BoolArray:
    """Per use, sorted by call: the atom was not used before."""
    first = np.zeros(len(use.right), np.bool_)
    first[np.unique(use.right, return_index=True)[1]] = True
    return first


def _common(thread: Thread, message: IntArray, pairs: Pairs, count: int) -> BoolArray:
    """Per atom: it stands in more than ``COMMON_SHARE`` of the units."""
    members = catalog(thread).members
    if len(members) < FEW_UNITS:
        return np.zeros(count, np.bool_)
    unit_of = np.full(len(thread.messages), -1, np.int64)
    for unit, held in enumerate(members):
        unit_of[list(held)] = unit
    home = unit_of[message[pairs.right]]
    seen = np.unique(pairs.left[home >= 0] * len(members) + home[home >= 0])
    return np.bincount(seen // len(members), minlength=count) > COMMON_SHARE * len(members)

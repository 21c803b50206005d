"""Cline's context management before its SDK: file reads once, then half or three quarters of the messages behind the first two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.edits import Layer, Plan, lasting, lasts, replaced
from ctxcore.policies.file_reads import file_reads, newer
from ctxcore.policies.history import ASSISTANT, History
from ctxcore.policies.pieces import RESULT, TEXT
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.sides import Sides

READ_AGAIN = "File read again later"
CUT = "In the range that was cut"
ANSWER = "Answer to the first reply, in the range that was cut"
ORPHAN = "Result whose call was cut"
SAYS = "Says that messages are missing"

DUPLICATE = "[[NOTE] This read of the file was removed to save space. See its newest read for how it is now.]"
NOTICE = "[NOTE] Earlier messages of this conversation were removed to keep it within the context window. The first task and the newest stay."
MISSING = "result missing"

RESERVES = {64_000: 27_000, 128_000: 30_000, 200_000: 40_000}
"""Tokens kept free in windows of these sizes. Source: as below."""

NEVER = 2**62


@dataclass(frozen=True, slots=True)
class ClineHalfOrQuarter(PlannedPolicy):
    """The range that was cut is kept, and later cuts extend it."""

    max_allowed: int | None = None
    enough: float = 0.3

    name: ClassVar[str] = "cline-half-or-quarter"
    title: ClassVar[str] = "Cline: half or quarter"
    about: ClassVar[str] = (
        "The budget is the model's window, of which a reserve stays free. Once the call before, with its reply, took that much, all but the "
        "newest read of each file give way to a note. If that does not save enough, half of the messages behind the first two are cut, three "
        "quarters where even half would be too much; all results of one reply count as one message. A note takes the place of the first "
        "reply's text. The original counts the tokens that the provider reports; only structured tool calls are seen as reads here, not files"
        " named in texts."
    )
    source: ClassVar[str] = "Cline at 6eeee7c4, apps/vscode/src/core/context/context-management (removed in June 2026)."
    rejects: ClassVar[str] = (
        "Nothing by its pairs: orphans go, missing results are made up. Later tasks of the user go; the first reply loses its words."
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="max_allowed", type="size", default=None, help="Size from which it acts; the window less upstream's reserve if left out."),
        Parameter(name="enough", type="float", default=0.3, help="Share saved by leaving out file reads from which nothing else is cut."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        sides = Sides(history)
        if len(sides.first) < 4:  # fewer than three messages: nothing can be cut
            return Plan()
        allowed = allowed_of(history, budget) if self.max_allowed is None else float(self.max_allowed)
        return _Cuts(history, sides, allowed, self.enough).plan()


def allowed_of(history: History, window: int) -> float:
    """Size that a request may take in a window."""
    for size, reserve in RESERVES.items():
        if window == history.tokens(size):
            return window - history.tokens(reserve)
    return max(window - history.tokens(40_000), window * 0.8)


class _Cuts:
    """What is cut, call by call."""

    def __init__(self, history: History, sides: Sides, allowed: float, enough: float) -> None:
        self.history, self.sides, self.allowed, self.enough = history, sides, allowed, enough
        self.reads, names = file_reads(history)
        self.newer = newer(self.reads, names, len(history.pieces))
        self.saves = replaced(history, self.reads, DUPLICATE)
        self.read_since = np.full(len(self.reads), NEVER, np.int64)
        self.now = 0
        """Freed by all edits so far."""

    @cached_property
    def held(self) -> BoolArray:
        """Per item of the sides: a message behind the first reply that answers it; it stays with results made up."""
        pieces, sides = self.history.pieces, self.sides
        answers = np.flatnonzero((pieces.kind == RESULT) & (pieces.partner >= 0))
        asked = pieces.message[pieces.partner[answers]]
        low, high = sides.items[sides.first[1]], sides.items[sides.first[2] - 1]
        marks = np.zeros(len(self.history.messages), np.bool_)
        marks[pieces.message[answers[(asked >= low) & (asked <= high)]]] = True
        found = marks[sides.items]
        found[: sides.first[2]] = found[sides.first[3] :] = False
        return found

    @cached_property
    def gone(self) -> IntArray:
        """Per side from which on messages stay: index into the sides' items before which they are cut, from the third side on."""
        found = np.append(self.sides.orphans, len(self.sides.items))
        found[:3] = self.sides.first[2]
        return found

    @cached_property
    def freed(self) -> list[int]:
        """Per side, as ``gone``: size of the messages cut."""
        upto = np.concatenate(([0], np.cumsum(np.where(self.held, 0, self.history.size[self.sides.items]))))
        found: list[int] = (upto[self.gone] - upto[self.sides.first[2]]).tolist()
        return found

    def plan(self) -> Plan:
        """All edits."""
        begin, cut = self._run()
        items = self.sides.items[self.sides.first[2] :]
        stop = np.maximum(self.gone[begin] - self.sides.first[2], 0)
        free = ~self.held[self.sides.first[2] :]
        drop = lasting(self.history, "drop", CUT, items[free], since=lasts(stop, len(items))[free])
        when = int(np.searchsorted(begin > 2, True)) if (begin > 2).any() else NEVER
        layers = (drop, self._first_reply(cut), self._made_up(when), self._reads(when), self.sides.stripped(ORPHAN, np.where(begin > 2, begin, 0)))
        return Plan(
            layers=layers,
            assumed=(
                "A request before the first recorded one of a history is taken as small enough.",
                "An answer to the first reply that was left out as an older read keeps that note when it is cut.",
            ),
        )

    def _run(self) -> tuple[IntArray, int]:
        """Per call: the side from which on messages stay, 2 before any cut; and the column of the first cut."""
        begin, cut, when, before = 2, NEVER, NEVER, 0
        found: list[int] = []
        roles = self.history.role.tolist()
        calls = zip(self.history.length.tolist(), self.history.before.tolist(), self.sides.held.tolist(), strict=True)
        for column, (length, whole, held) in enumerate(calls):
            if column and before >= self.allowed and held > 2:
                if not self._read_once(column, length, begin, whole - self.now):
                    begin, cut = self._next(begin, held, quarter=before / 2 > self.allowed), min(cut, column)
                    when = min(when, column) if begin > 2 else when
                self.now = self._freed(begin, cut, when)
            found.append(min(begin, max(held, 2)))
            reply = int(self.history.size[length]) if length < len(roles) and roles[length] == ASSISTANT else 0
            before = whole - self.now + reply
        return np.asarray(found, np.int64), cut

    def _next(self, begin: int, held: int, *, quarter: bool) -> int:
        """Where messages stay after one more cut: pairs go, and the last to go is a reply."""
        rest = held - begin
        last = begin + (rest * 3 // 8 * 2 if quarter else rest // 4 * 2) - 1
        return last + 1 if self.sides.reply[last] else last

    def _read_once(self, column: int, length: int, begin: int, whole: int) -> bool:
        """Leave out all but the newest read of each file; True if that saves enough."""
        pieces = self.history.pieces
        end = int(np.searchsorted(pieces.message, length))
        place = self.sides.items[self.gone[begin]] if self.gone[begin] < len(self.sides.items) else length
        fresh = (self.newer < end) & (self.read_since == NEVER) & (pieces.message[self.reads] >= place)
        if not fresh.any():
            return False
        self.read_since[fresh] = column
        return int(self.saves[fresh].sum()) >= self.enough * (whole - int(self.history.fixed[column]))

    def _freed(self, begin: int, cut: int, when: int) -> int:
        """What all edits free while messages stay from this side on."""
        pieces, items = self.history.pieces, self.sides.items
        place = items[self.gone[begin]] if self.gone[begin] < len(items) else len(self.history.messages)
        answers = self.answering & (self.read_since < when)
        live = (self.read_since < NEVER) & (answers | (pieces.message[self.reads] >= place))
        said = int(self._first_reply(cut).freed.sum()) if cut < NEVER else 0
        made = int(self._made_up(when).freed.sum()) if when < NEVER else 0
        inside = (pieces.message == place) & (pieces.kind == RESULT) & (begin > 2 and place == self._mixed(begin))
        return self.freed[begin] + int(self.saves[live].sum()) + said + made + int(pieces.whole[inside].sum())

    def _mixed(self, begin: int) -> int:
        """Position at which a side begins whose calls are gone, behind messages that hold nothing but results."""
        side = self.sides.orphans[begin] if begin < len(self.sides.orphans) else 0
        return int(self.sides.items[side]) if begin < len(self.sides.orphans) and side < self.sides.first[begin + 1] else -1

    def _reads(self, when: int) -> Layer:
        """Reads that a newer one outdates; the first reply's results are made up from the cut on, whatever they are."""
        kept = ~self.answering | (self.read_since < when)
        since = np.minimum(self.read_since, len(self.history.length))[kept]
        return lasting(self.history, "mask", READ_AGAIN, self.reads[kept], since=since, freed=self.saves[kept], text=lambda _piece: DUPLICATE)

    @cached_property
    def answers(self) -> IntArray:
        """Results in the messages that stay behind the first reply."""
        marks = np.zeros(len(self.history.messages), np.bool_)
        marks[self.sides.items[self.held]] = True
        return np.flatnonzero((self.history.pieces.kind == RESULT) & marks[self.history.pieces.message]).astype(np.int64)

    @cached_property
    def answering(self) -> BoolArray:
        """Per read: it is one of these results."""
        return np.isin(self.reads, self.answers)

    def _made_up(self, when: int) -> Layer:
        """The first reply's results once they are in the range that is cut; what an earlier note stands for stays."""
        noted = self.reads[self.read_since < when]
        items = np.setdiff1d(self.answers, noted)
        since = np.full(len(items), min(when, len(self.history.length)), np.int64)
        return lasting(self.history, "mask", ANSWER, items, since=since, freed=replaced(self.history, items, MISSING), text=lambda _piece: MISSING)

    def _first_reply(self, cut: int) -> Layer:
        """The first block of the first reply says that messages are missing, if it is a text."""
        pieces = self.history.pieces
        first = int(np.searchsorted(pieces.message, self.sides.items[self.sides.first[1]]))
        items = np.asarray([first] if first < len(pieces) and pieces.kind[first] == TEXT else [], np.int64)
        since = np.full(len(items), min(cut, len(self.history.length)), np.int64)
        return lasting(self.history, "mask", SAYS, items, since=since, freed=replaced(self.history, items, NOTICE), text=lambda _piece: NOTICE)

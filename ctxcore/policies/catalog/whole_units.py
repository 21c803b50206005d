"""The whole-unit rule: drop whole turns, then whole units of the current turn, oldest first, only until the request fits.

Size does not depend on what else is sent, so after any number of dropped candidates it is the total less a prefix sum plus the notice.
All calls and all budgets are therefore array look-ups: two sorted tables, one of turn ends and one of unit ends.
Source: the whole-unit rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import NOTICE_DIGITS, BoolArray, IntArray, UnitTable, first_sums
from ctxcore.policies.edits import Insert, Layer, Plan
from ctxcore.policies.protocol import Fits, Parameter, Timeline
from ctxcore.sizes.characters import notice_message

RULES = (
    "Before the first user message: goes first, as one piece",
    "Earlier user turn: oldest turns go whole",
    "Current turn: oldest units go one at a time",
)
"""Why a unit goes, in the order of the rule."""


POWERS_OF_TEN: IntArray = 10 ** np.arange(NOTICE_DIGITS, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """All that a budget needs to know of a timeline: a call's cut is the first of its turns that frees enough, else the first of its units.

    Gains ascend within the turns, and within the units of one turn.
    """

    turn_gain: IntArray
    """Per earlier turn: the most that cutting up to its end, or an earlier end, frees; less the notice."""
    turn_cut: IntArray
    """Per earlier turn: its cut, the first unit that stays."""
    unit_gain: IntArray
    """Per unit that may go alone: the most that cutting it and all before frees."""
    unit_cut: IntArray
    """Per unit that may go alone: its cut."""
    turn_stop: IntArray
    """Per call: turns that may go are those before this one."""
    unit_start: IntArray
    """Per call: first unit that may go alone."""
    unit_stop: IntArray
    """Per call: behind the last unit that may go alone; not before the first where none may."""


@dataclass(frozen=True, slots=True)
class WholeUnits:
    """The default policy."""

    notice: bool = True
    """Put the omission notice in front of a trimmed request and count it."""

    name: ClassVar[str] = "whole-units"
    title: ClassVar[str] = "Whole turns, then whole units, oldest first"
    about: ClassVar[str] = (
        "Keeps every system and developer message, the current task and the newest unit after it. Drops what stands before the first user "
        "message, then whole user turns, then single units of the current turn, oldest first, only until the request fits. An earlier turn "
        "goes at once, so a request can end far below the budget. A notice in front says how many messages are missing. A request that cannot "
        "fit is refused."
    )
    source: ClassVar[str] = "The whole-unit rule of this project."
    rejects: ClassVar[str] = "Nothing: no exchange is split, the system text, the task and the newest unit always stay."
    needs_summary: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="notice", type="bool", default=True, help="Put the omission notice in front of a trimmed request and count it."),
    )

    def fit(self, timeline: Timeline, budgets: IntArray) -> Fits:
        """See ``Policy.fit``."""
        return whole_unit_search(timeline, notice=self.notice).fit(budgets)


def whole_unit_search(timeline: Timeline, *, notice: bool) -> WholeUnitSearch:
    """The tables of a timeline; made once, for every budget.

    Args:
        timeline: Of any thread.
        notice: Whether the omission notice is put in and counted.
    """
    return timeline.once(("whole-units", notice), lambda: WholeUnitSearch(timeline, notice))


class WholeUnitSearch:
    """Tables of one timeline, shared by all its calls and budgets."""

    def __init__(self, timeline: Timeline, notice: bool) -> None:
        units = timeline.epoch.units
        self.timeline, self.units = timeline, units
        loose = ~units.pinned
        self.size, self.count = np.where(loose, timeline.size, 0), np.where(loose, timeline.count, 0)  # a task that the user keeps is not loose
        self.sizes, self.counts = first_sums(self.size), first_sums(self.count)
        self.exchanges = first_sums(units.exchange & loose)
        self.turns = first_sums(units.user)
        self.notice = timeline.sizes.notice if notice else np.zeros_like(timeline.sizes.notice)
        self.user_at = np.flatnonzero(units.user).astype(np.int64)
        self.big = int(self.sizes[-1]) + int(self.notice.max(initial=0)) + 1
        self._turn_table()
        self._unit_table()
        self._limits()

    def notice_size(self, count: IntArray) -> IntArray:
        """Size of the notice for these message counts, its separator included; 0 for none."""
        return self.notice[np.searchsorted(POWERS_OF_TEN, count, side="right")]

    def _turn_table(self) -> None:
        """Cuts at the first user unit (if anything loose stands before it) and at each later one."""
        ends = self.user_at
        if len(ends) and not self.counts[ends[0]]:
            ends = ends[1:]
        self.turn_ends = ends
        gain = self.sizes[ends] - self.notice_size(self.counts[ends])
        self.turn_gain = np.maximum.accumulate(gain) if len(gain) else gain

    def _unit_table(self) -> None:
        """Cuts after each loose unit that is no user message; gains restart at each turn, so a turn's number leads the key."""
        rows = np.flatnonzero(~self.units.pinned & ~self.units.user).astype(np.int64)
        turn = self.turns[rows]
        task = np.where(turn > 0, self.user_at[np.maximum(turn - 1, 0)], -1) if len(self.user_at) else np.full(len(rows), -1)
        held_size = np.where(task >= 0, self.size[task], 0) if len(rows) else rows
        held_count = np.where(task >= 0, self.count[task], 0) if len(rows) else rows
        gain = self.sizes[rows + 1] - held_size - self.notice_size(self.counts[rows + 1] - held_count)
        self.unit_rows, self.unit_turn = rows, turn
        key = turn * self.big + np.clip(gain, 0, self.big - 1)
        self.unit_keys = np.maximum.accumulate(key) if len(key) else key

    def fit(self, budgets: IntArray) -> Fits:
        """Cuts for every budget (rows) and call (columns)."""
        line = self.timeline
        need = line.before[None, :] - budgets[:, None]
        cut, fits = self.cuts(need)
        last = self.last_cut()
        dropped_size, dropped_count, dropped_exchanges, dropped_turns = self._dropped(cut)
        after = line.before[None, :] - dropped_size + self.notice_size(dropped_count)
        last_size, last_count, _, _ = self._dropped(last[None, :])
        smallest = line.before[None, :] - last_size + self.notice_size(last_count)
        return Fits(
            after=np.where(fits, after, -1),
            refused=~fits,
            missing=np.where(fits, 0, smallest - budgets[:, None]),
            dropped_messages=dropped_count,
            dropped_turns=dropped_turns,
            dropped_exchanges=dropped_exchanges,
            drops=_Drops(line, cut),
            pins=UnitPins(line),
            rules=RULES,
            edited=np.zeros_like(cut),
            plan=lambda row: self.plan(cut[row], dropped_count[row], line.task),
            cut=cut,
        )

    def plan(self, cut: IntArray, count: IntArray, task: IntArray) -> Plan:
        """The cuts of one budget as edits: before the task that stays and behind it.

        Args:
            cut: Per call: all that may go before this unit goes.
            count: Per call: messages that go.
            task: Per call: the user unit that stays where the cut lies behind it; -1 for none.
        """
        line = self.timeline
        loose = np.flatnonzero(~self.units.pinned[self.units.unit_of])
        items = loose[np.argsort(self.units.unit_of[loose], kind="stable")].astype(np.int64)
        upto = np.searchsorted(self.units.unit_of[items], np.arange(len(self.units.first) + 1)).astype(np.int64)
        freed = line.sizes.message[line.epoch.message[items]] + line.sizes.separator
        behind = (task >= 0) & (task < cut)
        none = np.zeros_like(cut)
        older = upto[np.where(behind, task, cut)]
        spans = ((RULES[1], none, older), (RULES[2], np.where(behind, upto[task + 1], 0), np.where(behind, upto[cut], 0)))
        layers = tuple(Layer(action="drop", rule=rule, items=items, freed=freed, start=start, stop=stop) for rule, start, stop in spans)
        return Plan(layers=layers, inserts=(self._notice(count),))

    def _notice(self, count: IntArray) -> Insert:
        return Insert(
            kind="notice",
            role="system",
            rule="Says how many messages are missing",
            size=self.notice_size(count),
            place=np.zeros_like(count),
            text=lambda column: notice_message(int(count[column]))["content"],
            version=np.where(count > 0, count, -1),
        )

    def cuts(self, need: IntArray) -> tuple[IntArray, BoolArray]:
        """The first cut that frees what is needed (0: nothing needed, or nothing frees enough), and whether the request then fits.

        Each entry is looked up in one table only: the most that a call's turns and units can free is known beforehand.
        """
        cut = np.zeros_like(need)
        over = need > 0
        by_turn = over & (need <= self.most_by_turn)
        if by_turn.any():
            cut[by_turn] = self.turn_ends[np.searchsorted(self.turn_gain, need[by_turn])]
        by_unit = over & ~by_turn & (need <= self.most_by_unit)
        if by_unit.any():
            segment = np.broadcast_to(self.segment * self.big, need.shape)[by_unit]
            cut[by_unit] = self.unit_rows[np.searchsorted(self.unit_keys, segment + need[by_unit])] + 1
        return cut, ~over | by_turn | by_unit

    def _limits(self) -> None:
        """Per call: the most that its turns, and then its units, can free; and the last unit that may go."""
        line = self.timeline
        self.segment = self.turns[line.task + 1]
        turns = np.searchsorted(self.turn_ends, line.task, side="right")
        self.turns_before = turns
        self.most_by_turn = np.concatenate(([-1], self.turn_gain))[turns]
        row = np.searchsorted(self.unit_rows, line.newest, side="left")
        self.units_before = row
        self.last_unit = np.concatenate(([-1], self.unit_rows))[row]
        freed = np.concatenate(([-1], self.unit_keys))[row] - self.segment * self.big
        self.most_by_unit = np.where(self.last_unit > line.task, freed, -1)

    def steps(self) -> Steps:
        """The two sorted tables, and for each call the stretch of each that is open to it."""
        return Steps(
            turn_gain=self.turn_gain,
            turn_cut=self.turn_ends,
            unit_gain=self.unit_keys - self.unit_turn * self.big,
            unit_cut=self.unit_rows + 1,
            turn_stop=self.turns_before,
            unit_start=np.searchsorted(self.unit_turn, self.segment, side="left"),
            unit_stop=self.units_before,
        )

    def last_cut(self) -> IntArray:
        """Per call: the cut that drops every candidate."""
        task = self.timeline.task
        return np.where(self.last_unit > task, self.last_unit + 1, np.maximum(task, 0))

    def _dropped(self, cut: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Size, messages, exchanges and turns that a cut drops; the current task stays if the cut lies behind it."""
        task = np.broadcast_to(self.timeline.task, cut.shape)
        behind = (task >= 0) & (cut > task)
        held = np.maximum(task, 0)
        if not len(self.timeline.size):
            return cut, cut, cut, cut
        return (
            self.sizes[cut] - np.where(behind, self.size[held], 0),
            self.counts[cut] - np.where(behind, self.count[held], 0),
            self.exchanges[cut],
            self.turns[cut] - behind,
        )


@dataclass(frozen=True, slots=True)
class _Drops:
    """Units left out, from cuts."""

    timeline: Timeline
    cut: IntArray

    def __call__(self, row: int, column: int) -> tuple[IntArray, IntArray]:
        units: UnitTable = self.timeline.epoch.units
        cut, task = int(self.cut[row, column]), int(self.timeline.task[column])
        gone = np.flatnonzero(~units.pinned[:cut]).astype(np.int64)
        gone = gone[gone != task]
        users = np.flatnonzero(units.user[: max(task, 0) + 1])
        first_user = int(users[0]) if task >= 0 else 0
        rule = np.where(gone > task, 2, np.where(gone < first_user, 0, 1))
        return gone, rule.astype(np.int64)


@dataclass(frozen=True, slots=True)
class UnitPins:
    """Units that stay in a call whatever the budget."""

    timeline: Timeline
    """Of the calls."""

    def __call__(self, column: int) -> IntArray:
        """Unit indexes, ascending; see ``Fits.pins``."""
        line = self.timeline
        marks = line.epoch.units.pinned[: int(line.seen[column])].copy()
        for index in (int(line.task[column]), int(line.newest[column])):
            if index >= 0:
                marks[index] = True
        return np.flatnonzero(marks).astype(np.int64)

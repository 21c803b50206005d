"""The whole-unit rule with a low-water mark: it drops more at once, and then leaves the history alone for a while."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.errors import InputError
from ctxcore.policies.applied import fits_of
from ctxcore.policies.catalog.whole_units import UnitPins, WholeUnitSearch, whole_unit_search
from ctxcore.policies.edits import Plan
from ctxcore.policies.protocol import Fits, Parameter, Timeline


@dataclass(frozen=True, slots=True)
class WholeUnitsSticky:
    """See the module."""

    trim_to: float = 0.7
    """Share of the budget down to which a firing drops."""
    notice: bool = True
    """Put the omission notice in front of a trimmed request and count it."""
    keep_open: bool = False
    """Never drop an exchange that waits for an answer."""

    name: ClassVar[str] = "whole-units-sticky"
    title: ClassVar[str] = "Whole units with a low-water mark"
    about: ClassVar[str] = (
        "As whole-units, in the same order, but a request over the budget is trimmed down to a share of it, and what was dropped stays "
        "dropped until the next firing. Between two firings the history only grows, so that a provider's cache of its beginning holds. Where "
        "the share cannot be reached everything that may go is dropped, and the request is refused only if it is still over the budget."
    )
    source: ClassVar[str] = "The whole-unit rule of this project, with its low-water mark."
    rejects: ClassVar[str] = "Nothing: no exchange is split, the system text, the task and the newest unit always stay."
    needs_summary: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="trim_to", type="float", default=0.7, help="Share of the budget down to which a firing drops, more than 0 and at most 1."),
        Parameter(name="notice", type="bool", default=True, help="Put the omission notice in front of a trimmed request and count it."),
        Parameter(name="keep_open", type="bool", default=False, help="Never drop an exchange that waits for an answer."),
    )

    def __post_init__(self) -> None:
        if not 0 < self.trim_to <= 1:
            raise InputError(f"trim_to is {self.trim_to}; it takes a share of the budget, more than 0 and at most 1.")

    def fit(self, timeline: Timeline, budgets: IntArray) -> Fits:
        """See ``Policy.fit``."""
        line = _with_open_pinned(timeline) if self.keep_open else timeline
        search = whole_unit_search(line, notice=self.notice)
        plans = [_Sticky(search, budget, self.trim_to).plan() for budget in budgets.tolist()]
        return replace(fits_of(timeline.history, plans, budgets), pins=UnitPins(line))


def _with_open_pinned(timeline: Timeline) -> Timeline:
    """The same calls, exchanges without an answer pinned."""
    units = timeline.epoch.units
    pinned = units.pinned.copy()
    pinned[[unit for unit, word in units.flags if word == "open"]] = True
    return replace(timeline.with_units(replace(units, pinned=pinned), kept=pinned), kept=timeline.kept)


class _Sticky:
    """What is dropped at each call of one budget: all that may go before a cut, but for the task of the call that made it."""

    def __init__(self, search: WholeUnitSearch, budget: int, trim_to: float) -> None:
        line = search.timeline
        self.search, self.budget = search, budget
        cut, fits = search.cuts(line.before - max(int(budget * trim_to), 1))
        self.lowest = np.where(fits, cut, search.last_cut()).tolist()
        self.sizes: list[int] = search.sizes.tolist()
        self.counts: list[int] = search.counts.tolist()
        self.size: list[int] = line.size.tolist()
        self.count: list[int] = line.count.tolist()
        self.notice: list[int] = search.notice_size(np.arange(len(line.thread.messages) + 1 if line.thread else 1)).tolist()

    def plan(self) -> Plan:
        """Fires at each call that is still over the budget."""
        line = self.search.timeline
        cut, task, seen_then = 0, -1, 0
        found: list[tuple[int, int]] = []
        for column, (before, seen, now) in enumerate(zip(line.before.tolist(), line.seen.tolist(), line.task.tolist(), strict=True)):
            if seen < seen_then:  # an earlier branch of the history: nothing was dropped there yet
                cut, task, seen_then = 0, -1, 0
            if before - self._freed(cut, task) <= self.budget:
                found.append((cut, task))
                continue
            deeper = (self.lowest[column], now)
            found.append(deeper)
            if before - self._freed(*deeper) <= self.budget:  # a refused call sends nothing, so nothing is dropped for good
                (cut, task), seen_then = deeper, seen
        cuts, tasks = np.asarray(found, np.int64).reshape(len(found), 2).T
        return self.search.plan(cuts, np.asarray([self._gone(*one) for one in found], np.int64), tasks)

    def _gone(self, cut: int, task: int) -> int:
        return self.counts[cut] - (self.count[task] if 0 <= task < cut else 0)

    def _freed(self, cut: int, task: int) -> int:
        return self.sizes[cut] - (self.size[task] if 0 <= task < cut else 0) - self.notice[self._gone(cut, task)]

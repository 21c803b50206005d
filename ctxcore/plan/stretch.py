"""The part of the record that a claim is judged by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ctxcore.columns import IntArray
from ctxcore.plan.outcomes import Outcomes

LOOKED_BACK = 300
"""Tool calls before a claim in which single failures and files are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Tool uses between a step's start and its claim."""

    done: Outcomes
    """Of the thread."""
    low: int
    """First use."""
    high: int
    """Behind the last use."""
    title: str
    """Of the step."""
    open_titles: tuple[str, ...] = ()
    """Of the other steps that are not finished after the claim."""
    own: tuple[int, ...] | None = None
    """The uses that are the step's, in order; None where all are."""

    def amount(self, sums: IntArray) -> int:
        """Of a prefix sum over the uses."""
        return int(sums[self.high] - sums[self.low])

    @property
    def has_succeeded(self) -> bool:
        """Some work of the step did."""
        if self.own is None:
            return self.amount(self.done.good) > 0
        return any(self.done.each[place].ok is True and self.done.each[place].kind != "none" for place in self.own)

    def newest_first(self) -> Iterable[int]:
        """The step's uses from the claim back."""
        return range(self.high - 1, max(self.low, self.high - LOOKED_BACK) - 1, -1) if self.own is None else reversed(self.own)

    def last(self, kinds: tuple[str, ...]) -> int | None:
        """The last use of some kinds whose end is known; None where there is none."""
        if self.own is not None:
            return next((one for one in reversed(self.own) if self.done.each[one].kind in kinds and self.done.each[one].ok is not None), None)
        ends: dict[tuple[str, ...], IntArray] = {("test",): self.done.last_test, ("check",): self.done.last_check}
        place = int(ends.get(kinds, self.done.last_command)[self.high])
        return place if place >= self.low else None

    def last_passed(self, before: int) -> int | None:
        """The last test run that passed before another use."""
        found = (one for one in self.newest_first() if one < before and self.done.each[one].kind == "test" and self.done.each[one].ok is True)
        return next(found, None)

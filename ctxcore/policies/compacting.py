"""Histories that are rewritten once they are too large: when, and up to where. The summary's text is the affair of ``summaries``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.policies.history import ASSISTANT, SYSTEM, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.summaries import RATIO, Firing, Summaries

Measured = Literal["request", "before", "answered"]
"""What a trigger looks at: the request itself, the one before it, or that with its reply, as providers report it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarisingPolicy(PlannedPolicy):
    """A rule whose summaries only a model could write; subclasses are frozen dataclasses of their settings."""

    summary: str = "recorded"
    ratio: float = RATIO

    needs_summary: ClassVar[bool] = True
    role: ClassVar[str] = "user"
    lead: ClassVar[str] = ""

    def summaries(self, history: History, firings: list[Firing], rule: str, *, kept: IntArray, most: int | None = None) -> Summaries:
        """The summaries of these firings.

        Args:
            history: Of the epoch.
            firings: By column.
            rule: Why messages go.
            kept: Positions that stay inside what goes.
            most: Greatest size of a stand-in.
        """
        return Summaries(
            history=history,
            firings=firings,
            rule=rule,
            summary=self.summary,
            ratio=self.ratio,
            most=most,
            role=self.role,
            lead=self.lead,
            kept=kept.tolist(),
        )

    def stand_in(self, history: History, span: int, most: int | None = None) -> int:
        """Size that a summary of so much is taken to have while the next firing is looked for."""
        share = round(span * self.ratio)
        return history.measure.message(self.role, self.lead) + (share if most is None else min(share, most))


class View(NamedTuple):
    """A call before a rule decides on it."""

    column: int
    """Call of the epoch."""
    length: int
    """Messages in its context."""
    done: int
    """Position after what was rewritten earlier."""
    added: int
    """Size of what stands in its place."""
    size: int
    """Of the request as earlier firings leave it."""


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    """Goes through the calls of an epoch and rewrites the beginning of the history where it is too large."""

    history: History
    """Of the epoch."""
    kept: BoolArray
    """Per position: never goes."""
    over: Callable[[int], bool]
    """Whether what is measured is too large."""
    cut: Callable[[View], int]
    """Position after the last message that goes; nothing happens if none goes newly."""
    stand_in: Callable[[int, int], int]
    """Size of what goes and position after it → size of what stands in its place."""
    measured: Measured = "request"
    """What ``over`` looks at."""
    start: int | None = None
    """Position of the first message that goes; the first that is not kept if left out."""

    @cached_property
    def loose(self) -> IntArray:
        """Size of the messages among the first n that are not kept, for n from 0."""
        sizes: IntArray = np.where(self.kept, 0, self.history.size)
        sizes = np.where(np.arange(len(sizes)) < self.first, 0, sizes)
        return np.concatenate(([0], np.cumsum(sizes)))

    @cached_property
    def first(self) -> int:
        """Position of the first message that can go."""
        free = np.flatnonzero(~self.kept)
        return self.start if self.start is not None else int(free[0]) if len(free) else len(self.kept)

    def firings(self) -> list[Firing]:
        """By column."""
        found: list[Firing] = []
        loose, sizes, replies = self.loose.tolist(), self.history.size.tolist(), (self.history.role == ASSISTANT).tolist()
        done, added, last = self.first, 0, -1
        for column, (length, before) in enumerate(zip(self.history.length.tolist(), self.history.before.tolist(), strict=True)):
            size = before - loose[min(done, length)] + added
            if length > done and self._fires(size, last):
                stop = min(self.cut(View(column, length, done, added, size)), length)
                if stop > done:
                    done, added = stop, self.stand_in(loose[stop], stop)
                    found.append(Firing(column, self.first, stop))
                    size = before - loose[done] + added
            last = size + (sizes[length] if self.measured == "answered" and length < len(sizes) and replies[length] else 0)
        return found

    def _fires(self, size: int, last: int) -> bool:
        return self.over(size) if self.measured == "request" else last >= 0 and self.over(last)


def systems(history: History) -> BoolArray:
    """Per position: a system message."""
    found: BoolArray = history.role == SYSTEM
    return found


def whole(view: View) -> int:
    """The cut of rules that summarise everything."""
    return view.length


def boundaries(history: History) -> IntArray:
    """Per position, and one more for the end: the first position from it on at which no exchange is open."""
    units = history.epoch.units
    count = len(history.messages)
    reach = np.full(count + 1, -1, np.int64)
    np.maximum.at(reach, units.first + 1, units.last)
    free = np.maximum.accumulate(reach) < np.arange(count + 1)
    at = np.where(free, np.arange(count + 1), count)
    found: IntArray = np.minimum.accumulate(at[::-1])[::-1]
    return found


def following(marks: BoolArray) -> IntArray:
    """Per position, and one more for the end: the first marked position from it on, the length where there is none."""
    at = np.append(np.where(marks, np.arange(len(marks)), len(marks)), len(marks))
    found: IntArray = np.minimum.accumulate(at[::-1])[::-1]
    return found

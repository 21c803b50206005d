"""A time axis without long pauses: a terminal that was left open for two days takes no more room than a minute."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np

from ctxcore.measures.durations import IDLE_S, UNCERTAIN
from ctxcore.model import Thread
from ctxcore.views.duration import length

PAUSE_SHARE = 0.04
"""Part of the active time that a pause is as wide as."""

TICKS = 6
"""Marks on the axis, about."""

STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 604_800)
"""Seconds between marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeScale:
    """Moments and where they stand; all in seconds."""

    moments: tuple[float, ...]
    """Ascending, Unix seconds."""
    places: tuple[float, ...]
    """Beside them: distance from the first one, pauses shortened."""
    pauses: tuple[tuple[float, float], ...]
    """Start and end of every pause, Unix seconds."""

    @classmethod
    def of(cls, moments: Sequence[float]) -> TimeScale | None:
        """A scale through these moments; None for fewer than two different ones."""
        known = np.unique(np.asarray(moments, np.float64))
        if len(known) < 2:
            return None
        steps = np.diff(known)
        idle = steps > IDLE_S
        short = max(1.0, float(steps[~idle].sum()) * PAUSE_SHARE)
        places = np.concatenate(([0.0], np.cumsum(np.where(idle, short, steps))))
        pauses = tuple((float(known[place]), float(known[place + 1])) for place in np.flatnonzero(idle).tolist())
        return cls(moments=tuple(known.tolist()), places=tuple(places.tolist()), pauses=pauses)

    def place(self, at: float) -> float:
        """Where a moment stands."""
        return float(np.interp(at, self.moments, self.places))

    @property
    def width(self) -> float:
        """Of the whole axis."""
        return self.places[-1]

    def ticks(self, low: float, high: float) -> tuple[list[float], list[str]]:
        """Round clock times (UTC) between two places, about ``TICKS`` of them; the date where it is another than before.

        Args:
            low: Place where the axis begins.
            high: Place where it ends.
        """
        stretches = self._stretches(low, high)
        every = next((step for step in STEPS if sum(len(_rounds(*one, step)) for one in stretches) <= TICKS), STEPS[-1])
        moments = [moment for one in stretches for moment in (_rounds(*one, every) or [one[0]])]
        known = [datetime.fromtimestamp(moment, UTC) for moment in moments]
        days = ["", *(f"{one:%m-%d}" for one in known)]
        form = "%H:%M:%S" if every < 60 else "%H:%M"
        labels = [f"{one:{form}}" + (f"<br>{day}" if day != before else "") for one, before, day in zip(known, days, days[1:], strict=False)]
        return [self.place(moment) for moment in moments], labels

    def _stretches(self, low: float, high: float) -> list[tuple[float, float]]:
        """Times of the axis without its pauses."""
        start, end = (float(np.interp(place, self.places, self.moments)) for place in (low, high))
        edges = [start, *(edge for pause in self.pauses for edge in pause if start < edge < end), end]
        inside = [(left, right) for left, right in pairwise(edges) if (left, right) not in self.pauses]
        return inside or [(start, end)]

    def pause_words(self) -> list[tuple[float, str]]:
        """Middle of each pause, and how long it was."""
        return [((self.place(start) + self.place(end)) / 2, f"pause of {length(end - start)}") for start, end in self.pauses]


def _rounds(start: float, end: float, step: int) -> list[float]:
    """Multiples of a step in a stretch of time, a few more than are ever shown at most."""
    first = math.ceil(start / step)
    return [float(step * number) for number in range(first, min(math.floor(end / step), first + 2 * TICKS) + 1)]


def thread_scale(thread: Thread) -> TimeScale | None:
    """The times of a thread's messages, calls and events; None where they cannot be compared or most calls have none."""
    if any(UNCERTAIN in message.flags for message in thread.messages):
        return None
    timed = [call.at for call in thread.calls if call.at is not None]
    if 2 * len(timed) < len(thread.calls):
        return None
    told = [message.at for message in thread.messages] + [entry.at for entry in thread.journal]
    return TimeScale.of([*timed, *(at for at in told if at is not None)])

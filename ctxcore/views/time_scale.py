"""A time axis without long pauses: a terminal that was left open for two days takes no more room than a minute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ctxcore.measures.durations import IDLE_S, UNCERTAIN
from ctxcore.model import Thread
from ctxcore.views.duration import length

PAUSE_SHARE = 0.04
"""Part of the active time that a pause is as wide as."""

TICKS = 6
"""Marks on the axis, about."""


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

    def ticks(self) -> tuple[list[float], list[str]]:
        """Places for marks, evenly apart, with the clock time there (UTC); the date where it is another."""
        places = np.linspace(0.0, self.width, TICKS).tolist()
        known = [datetime.fromtimestamp(float(np.interp(place, self.places, self.moments)), UTC) for place in places]
        form = "%H:%M" if self.width > 10 * 60 else "%H:%M:%S"
        days = [f"{one:%m-%d}" for one in known]
        is_new = [place == 0 or day != days[place - 1] for place, day in enumerate(days)]
        labels = [f"{one:{form}}" + (f"<br>{day}" if new else "") for one, day, new in zip(known, days, is_new, strict=True)]
        return places, labels

    def pause_words(self) -> list[tuple[float, str]]:
        """Middle of each pause, and how long it was."""
        return [((self.place(start) + self.place(end)) / 2, f"pause of {length(end - start)}") for start, end in self.pauses]


def thread_scale(thread: Thread) -> TimeScale | None:
    """The times of a thread's messages, calls and events; None where they cannot be compared or most calls have none."""
    if any(UNCERTAIN in message.flags for message in thread.messages):
        return None
    timed = [call.at for call in thread.calls if call.at is not None]
    if 2 * len(timed) < len(thread.calls):
        return None
    told = [message.at for message in thread.messages] + [entry.at for entry in thread.journal]
    return TimeScale.of([*timed, *(at for at in told if at is not None)])

"""How long a recording took: the span of its times, and the part of it in which something happened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from ctxcore.model import Call, Thread

IDLE_S = 30 * 60
"""A longer time without an entry is a pause: a terminal was left open, a person was away."""

UNCERTAIN = "zone_not_recorded"
"""A time with this flag can be compared with its like only, not with those that name a zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Durations:
    """Times of a recording; all in seconds, moments as Unix seconds."""

    first: float
    """The earliest moment."""
    last: float
    """The latest moment."""
    active_s: float
    """Sum of the times between entries that follow each other within ``IDLE_S``."""
    pauses: tuple[tuple[float, float], ...]
    """Start and end of every longer time without an entry."""
    zone_recorded: bool = True
    """False where no time of the recording names a zone: the length holds, and the moments are those of the clock it was made by."""

    @property
    def span_s(self) -> float:
        """From the first moment to the last."""
        return self.last - self.first


def durations(threads: Iterable[Thread]) -> Durations | None:
    """Span, active time and pauses of all threads together; None without a comparable time; a single moment has a span of 0.

    Moments are put in order first: entries of a log need not stand in the order of their times. A time without a zone is left out where others
    have one.

    Args:
        threads: Of one session.
    """
    all_threads = list(threads)
    moments = sorted({moment for thread in all_threads for moment in _moments(thread)})
    zone = bool(moments)
    if not zone:
        moments = sorted({message.at for thread in all_threads for message in thread.messages if message.at is not None})
    if not moments:
        return None
    steps = list(pairwise(moments))
    pauses = tuple((start, end) for start, end in steps if end - start > IDLE_S)
    active = sum(end - start for start, end in steps if end - start <= IDLE_S)
    return Durations(first=moments[0], last=moments[-1], active_s=active, pauses=pauses, zone_recorded=zone)


def _moments(thread: Thread) -> Iterable[float]:
    uncertain = any(UNCERTAIN in message.flags for message in thread.messages)
    yield from (message.at for message in thread.messages if message.at is not None and UNCERTAIN not in message.flags)
    if not uncertain:  # a call has the time of a message, which may be one of those
        yield from (call.at for call in thread.calls if call.at is not None)


def zone_recorded(thread: Thread, call: Call) -> bool:
    """False where the time of a call is that of a message whose time names no zone, so that UTC is only assumed.

    Args:
        thread: Of the call.
        call: One of its calls.
    """
    near = (call.reply, *(stop - 1 for _, stop in call.context[-1:]))
    return not any(
        thread.messages[index].at == call.at and UNCERTAIN in thread.messages[index].flags for index in near if index is not None and index >= 0
    )

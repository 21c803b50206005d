"""Which messages went at a compaction, a pruning or a rollback: what the history had by then and the call after it has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ctxcore.model import Event, Thread

Range = tuple[int, int]
"""Half-open, over the messages of a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Went:
    """How two requests in a row differ in their messages; a message that was cut or cleared is another message than before."""

    gone: tuple[Range, ...]
    """Messages of the request before, its reply, and what joined the history behind it unsent, that the request after does not hold; ascending."""
    came: tuple[Range, ...]
    """Messages of the request after that the one before did not hold; ascending. What was put in place of others, and what simply came next."""

    @property
    def gone_count(self) -> int:
        """Messages gone."""
        return sum(stop - start for start, stop in self.gone)

    @property
    def came_count(self) -> int:
        """Messages that came."""
        return sum(stop - start for start, stop in self.came)


NOTHING = Went(gone=(), came=())
"""Where no call stands on one of the two sides."""


def went_at(thread: Thread, event: Event) -> Went:
    """What went at an event, from the contexts of the two calls around it; time grows with their ranges, not with their messages.

    Args:
        thread: That the event belongs to.
        event: Any of its events; where no call follows or none came before, nothing is known to have gone.
    """
    if not 0 < event.call < len(thread.calls):
        return NOTHING
    before, after = thread.calls[event.call - 1], thread.calls[event.call]
    reply = () if before.reply is None else ((before.reply, before.reply + 1),)
    held, holds = _merged((*before.context, *reply)), _merged(after.context)
    came = _without(holds, held)
    return Went(gone=_without(_merged((*held, *_unsent(held, came))), holds), came=came)


def _unsent(held: Sequence[Range], came: Sequence[Range]) -> Iterator[Range]:
    """What joined the history between a reply and what came next, such as the results of its calls: no request ever held it."""
    last = max((stop for _, stop in held), default=0)
    first = next((start for start, _ in came if start >= last), last)
    if first > last:
        yield last, first


def _merged(ranges: Sequence[Range]) -> list[Range]:
    """The same indexes as ascending ranges that do not touch."""
    found: list[Range] = []
    for start, stop in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        elif start < stop:
            found.append((start, stop))
    return found


def _without(ranges: Sequence[Range], others: Sequence[Range]) -> tuple[Range, ...]:
    """Indexes of the first that are not in the second; both ascending and apart."""
    edges = [0, *(edge for stretch in others for edge in stretch), max((stop for _, stop in ranges), default=0)]
    gaps = list(zip(edges[::2], edges[1::2], strict=True))
    return tuple(_common(ranges, gaps))


def _common(ranges: Sequence[Range], others: Sequence[Range]) -> Iterator[Range]:
    """Stretches in both; both ascending and apart."""
    mine = other = 0
    while mine < len(ranges) and other < len(others):
        start, stop = max(ranges[mine][0], others[other][0]), min(ranges[mine][1], others[other][1])
        if start < stop:
            yield start, stop
        if ranges[mine][1] < others[other][1]:
            mine += 1
        else:
            other += 1

"""Sizes of a compaction: before and after on one basis, and the requests that the line of calls shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxcore.columns import IntArray
from ctxcore.measures.breakdown import breakdown, call_basis
from ctxcore.model import Basis, Event, Thread
from ctxcore.sizes.measure import thread_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Tokens before and after, counted in one way."""

    before: int
    """Tokens before."""
    after: int
    """Tokens after."""
    basis: Basis
    """Of both."""

    @property
    def ratio(self) -> float | None:
        """After over before; None where nothing was there."""
        return self.after / self.before if self.before else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSizes:
    """A recorded compaction's sizes: the log's own numbers where it has them, else counted on the messages."""

    before: int | None
    """Tokens before; None where neither the log nor its messages say."""
    before_basis: Basis
    """Of it."""
    after: int
    """Tokens after; where what stayed is not known, of what is there."""
    after_basis: Basis
    """Of it."""
    compared: Change | None
    """Both on one basis, which alone makes a ratio: as recorded where both are, else both counted; None where one side is not known."""


def recorded_sizes_of(thread: Thread, event: Event, before: Sequence[int], left: Sequence[int], *, whole: bool, original: bool) -> RecordedSizes:
    """Sizes of a recorded compaction.

    Args:
        thread: Of the event.
        event: The compaction.
        before: Messages before it.
        left: Messages that stand for them.
        whole: What is left can be read, and is all that is left.
        original: What was replaced is in the log.
    """
    basis = call_basis(thread.calls[min(event.call, len(thread.calls) - 1)], thread_sizes(thread, "tokens")) if thread.calls else "estimate"
    counted = Change(before=message_tokens(thread, before), after=message_tokens(thread, left), basis=basis)
    recorded = None
    if event.before_tokens is not None and event.after_tokens is not None:
        recorded = Change(before=event.before_tokens, after=event.after_tokens, basis="recorded")
    old = event.before_tokens if event.before_tokens is not None or not original else counted.before
    return RecordedSizes(
        before=old,
        before_basis=basis if event.before_tokens is None else "recorded",
        after=counted.after if event.after_tokens is None else event.after_tokens,
        after_basis=basis if event.after_tokens is None else "recorded",
        compared=recorded or (counted if whole and original else None),
    )


def request_tokens(thread: Thread) -> IntArray:
    """Tokens of each recorded request, tools included, as every page counts it; made once per thread.

    Args:
        thread: Of a session.
    """
    return thread.once("request_tokens", lambda: breakdown(thread, thread_sizes(thread, "tokens")).sum(axis=1))


def message_tokens(thread: Thread, which: Sequence[int]) -> int:
    """Tokens of messages.

    Args:
        thread: Of a session.
        which: Their indexes.
    """
    return int(thread_sizes(thread, "tokens").message[list(which)].sum())

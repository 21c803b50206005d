"""Each stretch in which a step was worked on: where it began and ended, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxcore.model import Thread
from ctxcore.plan.claims import Claim
from ctxcore.plan.review import PlanReview
from ctxcore.plan.values import Revision, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try at one step."""

    step: int
    """Row in ``PlanHistory.steps``."""
    number: int
    """Ordinal among the step's attempts, from 1."""
    start: int
    """Call from whose reply on it ran; where that is not recorded, that of the write before its end."""
    end: int | None
    """Call whose reply ended it; None where it never ended."""
    status: Status
    """The step's after it; in progress where it never ended."""
    started: bool
    """The start is recorded."""
    claim: Claim | None = None
    """Where it ended with the step called done."""
    start_at: float | None = None
    """Unix seconds, where the record has a time."""
    end_at: float | None = None
    """Unix seconds, where the record has a time."""


def attempts(thread: Thread, review: PlanReview) -> tuple[Attempt, ...]:
    """All attempts, by step and in order.

    Args:
        thread: That the review is of.
        review: Of its plan.
    """
    counts: dict[int, int] = {}
    found = []
    for step, start, end, status, started, claim in sorted(_stretches(review), key=lambda one: (one[0], -1 if one[1] is None else one[1].index)):
        counts[step] = counts.get(step, 0) + 1
        found.append(
            Attempt(
                step=step,
                number=counts[step],
                start=start.call if start is not None else 0,
                end=None if end is None else end.call,
                status=status,
                started=started,
                claim=claim,
                start_at=_at(thread, start) if start is not None else thread.calls[0].at if thread.calls else None,
                end_at=None if end is None else _at(thread, end),
            )
        )
    return tuple(found)


Stretch = tuple[int, Revision | None, Revision | None, Status, bool, Claim | None]


def _stretches(review: PlanReview) -> Iterator[Stretch]:
    """Step, revisions at both ends (the first is None before the first write), status after it, whether its start is recorded, and its claim."""
    claims = {(claim.revision, claim.step): claim for claim in review.claims}
    begun: dict[int, Revision] = {}
    before: Revision | None = None
    for revision in review.history.revisions:
        for change in revision.changes:
            claim = claims.get((revision.index, change.step))
            if change.step in begun and change.after != "in_progress":
                yield change.step, begun.pop(change.step), revision, change.after, True, claim
            elif claim is not None:
                yield change.step, before, revision, change.after, False, claim
            elif change.after == "in_progress":
                begun.setdefault(change.step, revision)
        before = revision if revision.changes else before
    for step, start in begun.items():
        yield step, start, None, "in_progress", True, None


def _at(thread: Thread, revision: Revision) -> float | None:
    """The record's own time, else that of its call."""
    if revision.at is not None:
        return revision.at
    return thread.calls[revision.call].at if revision.call < len(thread.calls) else None

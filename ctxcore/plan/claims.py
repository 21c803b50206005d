"""What the record says between a step's start and the moment it was called done.

A claim is *contradicted* only where the record says so itself: tests or a build that failed and were not run again with success, a tool whose failure
nothing made good, a last command with a bad exit, or nothing but failures. Where the start of a step is not recorded, single failures count for no
step. Where a step looks for failures, only a file that could not be written is one; where it stands in the record only as done, nothing contradicts
it. It is *supported* where at least one tool call succeeded and none of this holds: support means that something was done, not that it was the right
thing. All else is *unsupported*.

A test run that passed at the end speaks for what it covers, and tests that failed elsewhere are no step's own (``ctxcore.plan.covering``).

Steps that are called done at once and share one stretch of the record are judged by those tool calls that name their words, each by its own
(``ctxcore.plan.attribution``). A claim for which none does is unsupported, whatever else was done; where nothing at all succeeded, what failed and
names none of them is against all that have nothing of their own.

Source: the planner's rules, "From recordings".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ctxcore.plan.attribution import attributed, told_apart
from ctxcore.plan.evidence import Fact, facts, facts_apart
from ctxcore.plan.outcomes import Outcomes
from ctxcore.plan.stretch import LOOKED_BACK, Stretch
from ctxcore.plan.values import IN_PROGRESS, PENDING, PlanHistory, Revision

Verdict = Literal["supported", "contradicted", "unsupported"]
"""Of a claim."""

EXPECTS_FAILURE = re.compile(
    r"reproduc|\bfailing\b|\bfailures?\b|\bred\b"
    r"|investigat|analy[sz]|explor|understand|diagnos|identif|research|root cause|review|inspect|audit|locate"
    r"|复现|重现|分析|调查|排查|定位|研究|阅读|了解|查看",
    re.IGNORECASE,
)
"""Titles of steps that are done although, or because, a test fails: the failure is what they look for."""

ACCEPTED_BY = "step_ended"
"""The event of our planner behind which its three gates stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One moment at which a step was called done."""

    step: int
    """Row in ``PlanHistory.steps``."""
    revision: int
    """That says so."""
    call: int
    """The revision's."""
    start: int
    """Call from which the step was in progress; where that is not recorded, call of the write before."""
    started: bool
    """The start is recorded."""
    uses: tuple[int, int]
    """Half-open range of tool uses between start and claim."""
    verdict: Verdict
    """What the record makes of it."""
    facts: tuple[Fact, ...]
    """Most telling first."""

    @property
    def against(self) -> tuple[Fact, ...]:
        """What contradicts it."""
        return tuple(fact for fact in self.facts if fact.against)


def claims(history: PlanHistory, done: Outcomes) -> tuple[Claim, ...]:
    """Every claim of a history, in order of revisions."""
    return tuple(_claims(history, done))


def as_if_done(history: PlanHistory, done: Outcomes, steps: Sequence[int], at: Revision) -> tuple[Claim, ...]:
    """What the record would say to a claim that nobody wrote into the plan.

    Args:
        history: Of the plan.
        done: Of the same thread.
        steps: Rows that are open.
        at: Stands for the write that was not made; its call and its number of tool uses count.
    """
    starts = _Starts(history)
    for revision in history.revisions:
        if revision.call <= at.call and revision.uses <= at.uses:
            starts.take(revision)
    return tuple(_of_revision(history, at, [starts.made(step, absent=False) for step in steps], done))


def _claims(history: PlanHistory, done: Outcomes) -> Iterator[Claim]:
    starts = _Starts(history)
    for revision in history.revisions:
        claimed = (
            change for change in revision.changes if change.after == "completed" and change.before != "completed" and change.kind != "returned"
        )
        yield from _of_revision(history, revision, [starts.made(change.step, absent=change.before == "absent") for change in claimed], done)
        starts.take(revision)


@dataclass(slots=True)
class _Starts:
    """Where the steps began, while the revisions are read."""

    history: PlanHistory
    begun: dict[int, Revision] = field(default_factory=dict)
    """Of the steps in progress."""
    newest: dict[str, Revision] = field(default_factory=dict)
    """Last write of each family."""

    def take(self, revision: Revision) -> None:
        """Read one."""
        for change in revision.changes:
            if change.after == "in_progress":
                self.begun.setdefault(change.step, revision)
            else:
                self.begun.pop(change.step, None)
            self.newest[self.history.steps[change.step].family] = revision

    def made(self, step: int, *, absent: bool) -> _Made:
        """A claim as it would be made now."""
        start = self.begun.get(step, self.newest.get(self.history.steps[step].family))
        return _Made(step=step, absent=absent, start=start, started=step in self.begun)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """A claim before it is judged."""

    step: int
    absent: bool
    """It was never in the record before."""
    start: Revision | None
    started: bool

    def span(self, revision: Revision) -> tuple[int, int]:
        """Tool uses between start and claim."""
        low = self.start.uses if self.start is not None else 0
        return min(low, revision.uses), revision.uses


def _of_revision(history: PlanHistory, revision: Revision, made: Sequence[_Made], done: Outcomes) -> Iterator[Claim]:
    """The claims of one write; those with the same stretch of the record are judged together."""
    groups: dict[tuple[int, int], list[_Made]] = {}
    for one in made:
        groups.setdefault(one.span(revision), []).append(one)
    judged: dict[int, Claim] = {}
    still_open = _open_titles(history, revision) if made else ()
    for group in groups.values():
        parts = [_stretch(history, one, revision, done, still_open) for one in group]
        together = len(group) > 1 and revision.tool != ACCEPTED_BY
        judged.update(zip((one.step for one in group), (_apart if together else _alone)(revision, group, parts), strict=True))
    yield from (judged[one.step] for one in made)


def _stretch(history: PlanHistory, made: _Made, revision: Revision, done: Outcomes, still_open: tuple[str, ...]) -> Stretch:
    low, high = made.span(revision)
    return Stretch(done=done, low=low, high=high, title=history.steps[made.step].title, open_titles=still_open)


def _open_titles(history: PlanHistory, revision: Revision) -> tuple[str, ...]:
    """Of the steps that the plan still has to do after a write."""
    if revision.call >= history.status.shape[1]:
        return ()
    rows = np.flatnonzero(np.isin(history.status[:, revision.call], (PENDING, IN_PROGRESS))).tolist()
    return tuple(history.steps[row].title for row in rows)


def _alone(revision: Revision, group: Sequence[_Made], parts: Sequence[Stretch]) -> Iterator[Claim]:
    for one, part in zip(group, parts, strict=True):
        yield _claim(one, revision, part, facts(part, revision.call))


def _apart(revision: Revision, group: Sequence[_Made], parts: Sequence[Stretch]) -> Iterator[Claim]:
    """Each step by the tool calls that name it; where nothing succeeded and none names it, by those that name no other."""
    places = range(max(parts[0].low, parts[0].high - LOOKED_BACK), parts[0].high)
    named = told_apart([part.title for part in parts])
    own = [attributed(part.done, places, part.title, words) for part, words in zip(parts, named, strict=True)]
    nobodys = tuple(place for place in sorted(set(places).difference(*own)) if parts[0].done.each[place].kind != "none")
    alone = not parts[0].has_succeeded
    is_idle = not parts[0].amount(parts[0].done.work)
    for one, part, mine in zip(group, parts, own, strict=True):
        if is_idle or (alone and not mine and nobodys):
            rest = replace(part, own=nobodys)
            yield _claim(one, revision, rest, facts(rest, revision.call))
        else:
            named_ones = replace(part, own=mine)
            yield _claim(one, revision, named_ones, facts_apart(named_ones, revision.call, len(group) - 1, alone=alone))


def _claim(made: _Made, revision: Revision, part: Stretch, found: tuple[Fact, ...]) -> Claim:
    is_done = part.has_succeeded
    if made.absent:
        found = tuple(replace(fact, against=False) for fact in found)
    elif EXPECTS_FAILURE.search(part.title):
        found = tuple(replace(fact, against=fact.against and _is_unwritten(part.done, fact)) for fact in found)
    if not made.started and is_done and part.own is None:  # a failure in between may be of another step
        found = tuple(replace(fact, against=fact.against and fact.kind != "failure") for fact in found)
    if revision.tool == ACCEPTED_BY:
        found = (Fact(kind="accepted", call=revision.call, what=f"accepted by the program's check: {revision.note[:200]}".rstrip(": ")), *found)
    against = any(fact.against for fact in found)
    return Claim(
        step=made.step,
        revision=revision.index,
        call=revision.call,
        start=made.start.call if made.start is not None else 0,
        started=made.started,
        uses=made.span(revision),
        verdict="contradicted" if against else "supported" if is_done or revision.tool == ACCEPTED_BY else "unsupported",
        facts=found,
    )


def _is_unwritten(done: Outcomes, fact: Fact) -> bool:
    """A file was not written: no step looks for that."""
    return fact.kind == "failure" and fact.use >= 0 and done.each[fact.use].kind == "edit"

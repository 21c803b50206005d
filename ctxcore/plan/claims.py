"""What the record says between a step's start and the moment it was called done.

A claim is *contradicted* only where the record says so itself: tests or a build that failed and were not run again with success, a tool whose failure
nothing made good, a last command with a bad exit, or nothing but failures. Where the start of a step is not recorded, single failures count for no
step. Where a step looks for failures, only a file that could not be written is one; where it stands in the record only as done, nothing contradicts
it. It is *supported* where at least one tool call succeeded and none of this holds: support means that something was done, not that it was the right
thing. All else is *unsupported*.

Steps that are called done at once and share one stretch of the record are judged by those tool calls that name their words, each by its own
(``ctxcore.plan.attribution``). A claim for which none does is unsupported, whatever else was done; where nothing at all succeeded, that is against
all.

Source: the planner's rules, "From recordings".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ctxcore.counted import count
from ctxcore.plan.attribution import attributed, told_apart
from ctxcore.plan.commands import found_nothing
from ctxcore.plan.outcomes import Outcomes
from ctxcore.plan.reports import failures
from ctxcore.plan.values import PlanHistory, Revision

Verdict = Literal["supported", "contradicted", "unsupported"]
"""Of a claim."""

FactKind = Literal["nothing", "accepted", "work", "test", "check", "command", "failure", "looked", "file", "together"]
"""What a fact is about."""

EXPECTS_FAILURE = re.compile(
    r"reproduc|\bfailing\b|\bfailures?\b|\bred\b"
    r"|investigat|analy[sz]|explor|understand|diagnos|identif|research|root cause|review|inspect|audit|locate"
    r"|复现|重现|分析|调查|排查|定位|研究|阅读|了解|查看",
    re.IGNORECASE,
)
"""Titles of steps that are done although, or because, a test fails: the failure is what they look for."""

ACCEPTED_BY = "step_ended"
"""The event of our planner behind which its three gates stand."""

MOST_FILES, MOST_FAILURES, LOOKED_BACK = 12, 5, 300
"""Files and failures that are listed for a claim; tool calls before it in which they are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing the record says about a claim."""

    kind: FactKind
    """Stable word."""
    call: int
    """Model call that asked for it; of the claim where there is nothing."""
    what: str
    """In a few words; session text in it is as recorded."""
    against: bool = False
    """It speaks against the claim."""
    use: int = -1
    """Tool use in ``tool_uses``; -1 for none."""


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


def _claims(history: PlanHistory, done: Outcomes) -> Iterator[Claim]:
    begun: dict[int, Revision] = {}
    newest: dict[str, Revision] = {}
    for revision in history.revisions:
        made = [
            _Made(step=change.step, absent=change.before == "absent", start=begun.get(change.step, newest.get(family)), started=change.step in begun)
            for change in revision.changes
            if change.after == "completed" and change.before != "completed" and change.kind != "returned"
            for family in (history.steps[change.step].family,)
        ]
        yield from _of_revision(history, revision, made, done)
        for change in revision.changes:
            if change.after == "in_progress":
                begun.setdefault(change.step, revision)
            else:
                begun.pop(change.step, None)
            newest[history.steps[change.step].family] = revision


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
    for span, group in groups.items():
        facts = tuple(sorted(_facts(done, *span, revision.call), key=lambda fact: not fact.against))
        succeeded = int(done.good[span[1]] - done.good[span[0]]) > 0
        if len(group) == 1 or not succeeded or revision.tool == ACCEPTED_BY:
            judged.update((one.step, _claim(history, one, revision, done, facts, is_done=succeeded)) for one in group)
            continue
        places = range(max(span[0], span[1] - LOOKED_BACK), span[1])
        titles = [history.steps[one.step].title for one in group]
        for one, title, named in zip(group, titles, told_apart(titles), strict=True):
            own = attributed(done, places, title, named)
            facts, is_done = _facts_apart(done, own, revision, len(group) - 1)
            judged[one.step] = _claim(history, one, revision, done, facts, is_done=is_done, apart=True)
    yield from (judged[one.step] for one in made)


def _claim(
    history: PlanHistory, made: _Made, revision: Revision, done: Outcomes, facts: tuple[Fact, ...], *, is_done: bool, apart: bool = False
) -> Claim:
    if made.absent:
        facts = tuple(replace(fact, against=False) for fact in facts)
    elif EXPECTS_FAILURE.search(history.steps[made.step].title):
        facts = tuple(replace(fact, against=fact.against and _is_unwritten(done, fact)) for fact in facts)
    if not made.started and is_done and not apart:  # a failure in between may be of another step
        facts = tuple(replace(fact, against=fact.against and fact.kind != "failure") for fact in facts)
    if revision.tool == ACCEPTED_BY:
        facts = (Fact(kind="accepted", call=revision.call, what=f"accepted by the program's check: {revision.note[:200]}".rstrip(": ")), *facts)
    against = any(fact.against for fact in facts)
    return Claim(
        step=made.step,
        revision=revision.index,
        call=revision.call,
        start=made.start.call if made.start is not None else 0,
        started=made.started,
        uses=made.span(revision),
        verdict="contradicted" if against else "supported" if is_done or revision.tool == ACCEPTED_BY else "unsupported",
        facts=facts,
    )


def _is_unwritten(done: Outcomes, fact: Fact) -> bool:
    """A file was not written: no step looks for that."""
    return fact.kind == "failure" and fact.use >= 0 and done.each[fact.use].kind == "edit"


def _facts_apart(done: Outcomes, own: Sequence[int], revision: Revision, others: int) -> tuple[tuple[Fact, ...], bool]:
    """What the tool calls of one step say where others were called done with it, and whether one of them succeeded."""
    high = revision.uses
    good = [place for place in own if done.each[place].ok is True and done.each[place].kind != "none"]
    found = [*_ends_among(done, own, high), *_failures(done, own[::-1], high, alone=False), *_files(done, own[::-1])]
    named = f"; {count(len(own), 'tool call')} in between {'names' if len(own) == 1 else 'name'} its words" if own else "; not attributable"
    lacks = ", none known to have succeeded" if own and not good else ""
    together = Fact(kind="together", call=revision.call, what=f"claimed together with {count(others, 'other')}{named}{lacks}")
    return (*sorted(found, key=lambda fact: not fact.against), together), bool(good)


def _facts(done: Outcomes, low: int, high: int, call: int) -> Iterator[Fact]:
    """What happened in a range of tool uses."""
    work, good, bad = (int(sums[high] - sums[low]) for sums in (done.work, done.good, done.bad))
    if not work:
        yield Fact(kind="nothing", call=call, what="no tool call between the start and the claim")
        return
    yield from _ends(done, low, high)
    newest_first = range(high - 1, max(low, high - LOOKED_BACK) - 1, -1)
    yield from _failures(done, newest_first, high, alone=good == 0)
    yield from _files(done, newest_first)
    open_ends = work - good - bad
    ends = [f"{good:,} succeeded", f"{bad:,} failed", f"{open_ends:,} without a known end"]
    told = ", ".join(words for words, amount in zip(ends, (good, bad, open_ends), strict=True) if amount)
    told = ("it succeeded" if work == 1 else "all succeeded") if good == work else told
    first = int(np.searchsorted(done.work, done.work[low] + 1)) - 1
    yield Fact(kind="work", call=done.uses[first].call, what=f"{count(work, 'tool call')}, {told}", use=first)


def _ends(done: Outcomes, low: int, high: int) -> Iterator[Fact]:
    """How the last tests, the last build or linter, and the last command ended."""
    told = set()
    for kind, last in (("test", done.last_test), ("check", done.last_check), ("command", done.last_command)):
        place = int(last[high])
        if place < low or place in told:
            continue
        told.add(place)
        yield _end(done, place, high, "command" if kind == "command" else "check" if kind == "check" else "test")


def _ends_among(done: Outcomes, places: Sequence[int], high: int) -> Iterator[Fact]:
    """The same among some tool calls."""
    told: set[int] = set()
    names: tuple[tuple[FactKind, tuple[str, ...]], ...] = (("test", ("test",)), ("check", ("check",)), ("command", ("test", "check", "command")))
    for name, kinds in names:
        place = next((one for one in reversed(places) if done.each[one].kind in kinds and done.each[one].ok is not None), None)
        if place is not None and place not in told:
            told.add(place)
            yield _end(done, place, high, name)


def _end(done: Outcomes, place: int, high: int, kind: FactKind) -> Fact:
    one, use = done.each[place], done.uses[place]
    failed = one.ok is False and int(done.repaired[place]) >= high
    name = {"test": "tests", "check": "a build or check"}.get(kind, "the last command")
    number = failures(use.result.text) if failed and kind == "test" and use.result else ""
    words = f"{name} failed{number and f' ({number})'}" if failed else f"{name} passed" if kind != "command" else f"{name} succeeded"
    return Fact(kind=kind, call=use.call, what=f"{words}: {one.what}", against=failed, use=place)


def _failures(done: Outcomes, places: Iterable[int], high: int, *, alone: bool) -> Iterator[Fact]:
    """Failures that nothing made good before the claim. One that only looked is none against it, unless nothing else happened."""
    found = 0
    for place in places:
        one = done.each[place]
        if one.ok is not False or int(done.repaired[place]) < high or one.kind in ("test", "check", "command", "none"):
            continue
        hard = one.kind in ("edit", "other") or alone
        found += 1
        words = "failed" if one.kind == "look" and not alone else "failed and was not made good"
        words = "found nothing" if found_nothing(done.uses[place]) else words
        yield Fact(kind="failure" if hard else "looked", call=done.uses[place].call, what=f"{_named(done, place)} {words}", against=hard, use=place)
        if found == MOST_FAILURES:
            return


def _named(done: Outcomes, place: int) -> str:
    name, what = done.uses[place].tool.name, done.each[place].what
    return name if what == name else f"{name} {what}"


def _files(done: Outcomes, places: Iterable[int]) -> Iterator[Fact]:
    """Files changed, newest first."""
    seen: set[str] = set()
    for place in places:
        one = done.each[place]
        if one.kind == "edit" and one.ok and one.what not in seen and len(seen) < MOST_FILES:
            seen.add(one.what)
            yield Fact(kind="file", call=done.uses[place].call, what=f"changed {one.what}", use=place)

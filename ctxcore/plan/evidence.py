"""What the record says about one claim: how tests and commands ended, which failures nothing made good, which files were changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ctxcore.counted import count
from ctxcore.plan.commands import found_nothing
from ctxcore.plan.covering import failed_elsewhere, makes_good
from ctxcore.plan.later_runs import open_failures
from ctxcore.plan.outcomes import Outcomes
from ctxcore.plan.reports import failures
from ctxcore.plan.stretch import LOOKED_BACK, Stretch
from ctxcore.plan.suites import target

FactKind = Literal["nothing", "accepted", "work", "test", "check", "command", "failure", "looked", "file", "together"]
"""What a fact is about."""

MOST_FILES, MOST_FAILURES = 12, 5
"""Files and failures that are listed for a claim."""

ENDS: tuple[tuple[FactKind, tuple[str, ...], str], ...] = (
    ("test", ("test",), "tests"),
    ("check", ("check",), "a build or check"),
    ("command", ("test", "check", "command"), "the last command"),
)
"""Kinds of ends: which tool calls are looked at for the last one, and how they are named."""


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


def facts(part: Stretch, call: int) -> tuple[Fact, ...]:
    """What happened in a stretch, most telling first.

    Args:
        part: Of the record.
        call: Of the claim.
    """
    if not part.amount(part.done.work):
        return (Fact(kind="nothing", call=call, what="no tool call between the start and the claim"),)
    return _against_first((*_told(part, alone=not part.amount(part.done.good)), _work(part)))


def facts_apart(part: Stretch, call: int, others: int, *, alone: bool) -> tuple[Fact, ...]:
    """The same of the tool calls that are one step's, where others were called done with it.

    Args:
        part: With ``own`` uses.
        call: Of the claim.
        others: How many.
        alone: Nothing at all succeeded.
    """
    own = part.own or ()
    lacks = ", none known to have succeeded" if own and not part.has_succeeded else ""
    named = f"; {count(len(own), 'tool call')} in between {'names' if len(own) == 1 else 'name'} its words" if own else "; not attributable"
    together = Fact(kind="together", call=call, what=f"claimed together with {count(others, 'other')}{named}{lacks}")
    return _against_first((*_told(part, alone=alone), together))


def _against_first(found: Sequence[Fact]) -> tuple[Fact, ...]:
    return tuple(sorted(found, key=lambda fact: not fact.against))


def _told(part: Stretch, *, alone: bool) -> Iterator[Fact]:
    yield from _ends(part)
    yield from _failures(part, alone=alone)
    yield from _files(part)


def _work(part: Stretch) -> Fact:
    """How many tool calls there were, and how they ended."""
    done = part.done
    work, good, bad = (part.amount(sums) for sums in (done.work, done.good, done.bad))
    open_ends = work - good - bad
    ends = [f"{good:,} succeeded", f"{bad:,} failed", f"{open_ends:,} without a known end"]
    told = ", ".join(words for words, amount in zip(ends, (good, bad, open_ends), strict=True) if amount)
    told = ("it succeeded" if work == 1 else "all succeeded") if good == work else told
    first = int(np.searchsorted(done.work, done.work[part.low] + 1)) - 1
    return Fact(kind="work", call=done.uses[first].call, what=f"{count(work, 'tool call')}, {told}", use=first)


def _ends(part: Stretch) -> Iterator[Fact]:
    """How the last tests, the last build or linter, and the last command ended; of tests that failed elsewhere also the last that passed."""
    told: set[int] = set()
    for kind, kinds, name in ENDS:
        place = part.last(kinds)
        if place is None or place in told:
            continue
        told.add(place)
        elsewhere = kind == "test" and _is_failure(part, place) and failed_elsewhere(part, place)
        passed = part.last_passed(place) if elsewhere else None
        if passed is not None:
            yield _end(part, passed, kind, name)
        yield _end(part, place, kind, name, elsewhere=elsewhere)
        if kind == "test":
            yield from _wider(part, place)


def _wider(part: Stretch, last: int) -> Iterator[Fact]:
    """Tests that failed before the last run and that no later run covers; told once, by the newest such run."""
    mine = set(part.newest_first())
    for place in reversed(open_failures(part.done, max(part.low, part.high - LOOKED_BACK), last + 1)):
        if place != last and place in mine and not failed_elsewhere(part, place):
            fact = _end(part, place, "test", "tests")
            yield replace(fact, what=f"{fact.what}; no later run covers what failed", against=True)
            return


def _is_failure(part: Stretch, place: int) -> bool:
    return part.done.each[place].ok is False and int(part.done.repaired[place]) >= part.high


def _end(part: Stretch, place: int, kind: FactKind, name: str, *, elsewhere: bool = False) -> Fact:
    one, use = part.done.each[place], part.done.uses[place]
    failed = _is_failure(part, place)
    number = failures(use.result.text) if failed and kind == "test" and use.result else ""
    words = f"{name} failed{number and f' ({number})'}" if failed else f"{name} succeeded" if kind == "command" else f"{name} passed"
    narrowed = f" {target(use)}" if one.kind == "test" and one.what == use.tool.name and target(use) else ""
    aside = "; none of them is this step's" if elsewhere else ""
    return Fact(kind=kind, call=use.call, what=f"{words}: {one.what}{narrowed}{aside}", against=failed and not elsewhere, use=place)


def _failures(part: Stretch, *, alone: bool) -> Iterator[Fact]:
    """Failures that nothing made good before the claim. One that only looked is none against it, unless nothing else happened."""
    found = 0
    for place in part.newest_first():
        one = part.done.each[place]
        hard = one.kind in ("edit", "other") or alone
        if not _is_failure(part, place) or one.kind in ("test", "check", "command", "none") or (hard and makes_good(part, place)):
            continue
        found += 1
        words = "failed" if one.kind == "look" and not alone else "failed and was not made good"
        words = "found nothing" if found_nothing(part.done.uses[place]) else words
        what = f"{_named(part.done, place)} {words}"
        yield Fact(kind="failure" if hard else "looked", call=part.done.uses[place].call, what=what, against=hard, use=place)
        if found == MOST_FAILURES:
            return


def _named(done: Outcomes, place: int) -> str:
    name, what = done.uses[place].tool.name, done.each[place].what
    return name if what == name else f"{name} {what}"


def _files(part: Stretch) -> Iterator[Fact]:
    """Files changed, newest first."""
    seen: set[str] = set()
    for place in part.newest_first():
        one = part.done.each[place]
        if one.kind == "edit" and one.ok and one.what not in seen and len(seen) < MOST_FILES:
            seen.add(one.what)
            yield Fact(kind="file", call=part.done.uses[place].call, what=f"changed {one.what}", use=place)

"""A plan beside its evidence: claims with their verdicts, and everything a reader should look at."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctxcore.model import Event, JournalEntry, Json, Thread
from ctxcore.plan.claims import Claim, Verdict, claims
from ctxcore.plan.families import JOURNAL
from ctxcore.plan.history import plan_history
from ctxcore.plan.matching import plain_title
from ctxcore.plan.outcomes import outcomes
from ctxcore.plan.said_done import said_done
from ctxcore.plan.values import IN_PROGRESS, PENDING, Change, Finding, PlanHistory, Revision

FORGETS = ("compaction", "microcompaction", "history_changed", "rollback")
"""Events after which the model no longer has what it had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReview:
    """A history and what the record says about it."""

    history: PlanHistory
    """As written."""
    claims: tuple[Claim, ...]
    """Every time a step was called done, in order of revisions."""
    findings: tuple[Finding, ...]
    """Those of the history and of the review, in order of calls."""

    def newest(self) -> dict[int, Claim]:
        """The last claim of each step that was ever called done."""
        return {claim.step: claim for claim in self.claims}

    def count(self, kind: str) -> int:
        """How many findings of a kind."""
        return sum(finding.kind == kind for finding in self.findings)

    def verdicts(self) -> Counter[Verdict]:
        """Steps that were called done, by the verdict of their last claim."""
        return Counter(claim.verdict for claim in self.newest().values())


def plan_review(thread: Thread) -> PlanReview:
    """The plan of a thread beside its evidence; made once per thread.

    Args:
        thread: Of a session; its sub-agents have threads and plans of their own.
    """
    return thread.once("plan_review", lambda: _review(thread))


def _review(thread: Thread) -> PlanReview:
    history = plan_history(thread)
    made = claims(history, outcomes(thread)) if history.revisions else ()
    found = [*history.findings, *_of_claims(history, made), *_resurrected(thread, history), *_drifted(thread, history), *said_done(thread, history)]
    return PlanReview(history=history, claims=made, findings=tuple(sorted(found, key=lambda f: (f.call, f.revision))))


def _of_claims(history: PlanHistory, made: tuple[Claim, ...]) -> Iterator[Finding]:
    """Claims without any action, and claims that the record contradicts."""
    for claim in made:
        name = history.steps[claim.step].label
        place: dict[str, Any] = {"revision": claim.revision, "call": claim.call, "steps": (claim.step,)}
        if claim.verdict == "contradicted":
            fact = claim.against[0]
            yield Finding(kind="contradicted", note=f"{name} was called done, but {fact.what} at call #{fact.call}.", **place)
        elif claim.verdict == "unsupported" and any(fact.kind == "nothing" for fact in claim.facts):
            yield Finding(kind="no_action", note=f"{name} was called done without any tool call since it {_since(claim)}.", **place)


def _since(claim: Claim) -> str:
    return f"was started at call #{claim.start}" if claim.started else f"was written at call #{claim.start}"


def _resurrected(thread: Thread, history: PlanHistory) -> Iterator[Finding]:
    """Steps that were done and are open again, the same or new under the same title, with a recorded compaction in between.

    A compaction that only a drop in size tells is none here, and a list that the user's next task begins is another list.
    """
    events = sorted((event for event in thread.events if event.kind in FORGETS and not event.inferred), key=lambda event: event.call)
    if not events:
        return
    done: dict[tuple[str, str], Revision] = {}
    for revision in history.revisions:
        for change in revision.changes:
            step = history.steps[change.step]
            key = (step.family, plain_title(step.title))
            if change.after in ("pending", "in_progress") and change.before in ("absent", "completed") and key in done:
                before = done.pop(key)
                event = _between(events, before.call, revision)
                if event is not None and not (revision.turn > before.turn and _begins_anew(history, revision, change)):
                    since = f"after the {event.kind.replace('_', ' ')} before call #{event.call}"
                    note = f"{history.steps[change.step].label} was done at call #{before.call} and is open again {since}."
                    yield Finding(kind="resurrected", revision=revision.index, call=revision.call, steps=(change.step,), note=note)
            elif change.after == "completed":
                done[key] = revision


def _begins_anew(history: PlanHistory, revision: Revision, change: Change) -> bool:
    """The step is a new one of an old title, or nothing of its plan was open any more."""
    if change.kind == "added":
        return True
    family = [row for row, step in enumerate(history.steps) if step.family == history.steps[change.step].family]
    return not np.isin(history.status[family, max(0, revision.call - 1)], (PENDING, IN_PROGRESS)).any()


def _between(events: list[Event], done: int, revision: Revision) -> Event | None:
    """The last event after one call and at or before another."""
    place = bisect_left([event.call for event in events], revision.call + 1) - 1
    return events[place] if place >= 0 and events[place].call > done else None


def _drifted(thread: Thread, history: PlanHistory) -> Iterator[Finding]:
    """Tool outcomes of a planner's run that its task state has no entry for: those it found itself, and those its last state lacks."""
    told = 0
    uses: list[JournalEntry] = []
    for entry in thread.journal:
        facts = entry.facts
        if entry.event == "finding" and facts.get("kind") == "state_drift":
            told += 1
            yield _drift(history, entry, str(facts.get("note", "")))
        elif entry.event == "tool" and isinstance(facts.get("evidence"), str):
            uses.append(entry)
        elif entry.event == "run_ended" and isinstance(facts.get("state"), dict) and not told:
            known = _references(facts["state"])
            for one in uses:
                if one.facts["evidence"] not in known:
                    yield _drift(history, one, f"The tool outcome {one.facts['evidence']} has no entry in the task state at the end.")


def _drift(history: PlanHistory, entry: JournalEntry, note: str) -> Finding:
    """The finding at an entry, of the newest step with the entry's id."""
    rows = [row for row, step in enumerate(history.steps) if step.id and step.id == entry.facts.get("step") and step.family == JOURNAL.name]
    return Finding(kind="state_drift", revision=-1, call=max(0, entry.call - 1), steps=tuple(rows[-1:]), note=note)


def _references(state: dict[str, Json]) -> set[str]:
    lists = (value for value in state.values() if isinstance(value, list))
    return {str(entry["evidence"]) for value in lists for entry in value if isinstance(entry, dict) and "evidence" in entry}

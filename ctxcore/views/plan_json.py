"""Plans as JSON and as tables of the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType

from ctxcore.model import Thread
from ctxcore.plan.review import PlanReview, plan_review
from ctxcore.plan.values import STATUSES, Finding, FindingKind
from ctxcore.views.plan import final_words, plan_counters, step_name
from ctxcore.views.terminal import plain
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.visible import one_line, short_paths, shortened

TOLD: tuple[FindingKind, ...] = (
    *("reopened", "vanished", "two_in_progress", "no_action", "contradicted", "resurrected", "goal_changed", "state_drift"),
)
"""Kinds of ``findings``; all others are ``notes``."""

FACTS = 3
"""Facts of a step's claim in a table."""

TITLE_CHARS, FACT_CHARS = 60, 110
"""Of a title and of a fact in a table."""


def plan_json(threads: Sequence[Thread]) -> dict[str, Any]:
    """``ctxscope.plan/1``: steps, revisions and findings of every thread with a plan; ``call`` is a call's index in its thread.

    ``statuses`` has an entry for each call at which a step's status changed; ``verdict`` is of the step's last claim, null where nobody called it
    done; a write that was refused is a revision whose ``why`` says so; ``step`` is a step's id, null where a finding is about no step.
    ``notes`` holds what else is odd, each with a sentence in ``text``: ``said_done``, ``renumbered``, ``duplicate_id``, ``unknown_id``,
    ``unknown_status``, ``failed_write``, ``malformed_write``.
    """
    reviews = [(thread, plan_review(thread)) for thread in threads]
    return {"schema": "ctxscope.plan/1", "threads": [_thread(thread, review) for thread, review in reviews if review.history.revisions]}


def step_ids(review: PlanReview) -> list[str]:
    """A name for each step, unique in its thread: the recorded id, or its row where that is missing or taken."""
    known = Counter(step.id for step in review.history.steps)
    return [step.id if step.id and known[step.id] == 1 else f"step-{row}" for row, step in enumerate(review.history.steps, 1)]


def _thread(thread: Thread, review: PlanReview) -> dict[str, Any]:
    ids, newest, history = step_ids(review), review.newest(), review.history
    steps = [
        {
            "id": ids[row],
            "title": step.title,
            "statuses": list(_statuses(history.status[row])),
            "verdict": newest[row].verdict if row in newest else None,
            "evidence": [{"call": fact.call, "what": fact.what} for fact in newest[row].facts] if row in newest else [],
        }
        for row, step in enumerate(history.steps)
    ]
    return {
        "id": thread.id,
        "steps": steps,
        "revisions": [{"call": r.call, "why": r.note} for r in history.revisions if r.changes or not r.applied],
        "findings": [entry for finding in review.findings if finding.kind in TOLD for entry in _entries(finding, ids)],
        "notes": [{**entry, "text": finding.note} for finding in review.findings if finding.kind not in TOLD for entry in _entries(finding, ids)],
    }


def _entries(finding: Finding, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """One for each step that it is about."""
    for row in finding.steps or (None,):
        yield {"kind": finding.kind, "call": finding.call, "step": None if row is None else ids[row]}


def _statuses(codes: np.ndarray[tuple[int], np.dtype[np.int8]]) -> Iterator[dict[str, Any]]:
    """The calls at which the status changed, the first one on included."""
    before = 0
    for call in [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()] if len(codes) else []:
        if codes[call] != before:
            before = int(codes[call])
            yield {"call": int(call), "status": STATUSES[before]}


def plan_report(threads: Sequence[Thread]) -> RenderableType:
    """The same for people: counters, a table of steps, and the findings."""
    reviews = [(thread, plan_review(thread)) for thread in threads]
    parts = [part for thread, review in reviews if review.history.revisions for part in _parts(thread, review)]
    return Group(*parts) if parts else plain("No plan in this session: no tool call, reply or event writes one that is known.")


def _parts(thread: Thread, review: PlanReview) -> Iterator[RenderableType]:
    yield plain(f"Thread {thread.id}: {plan_counters(review)}")
    yield _steps_table(review)
    for finding in review.findings[:MOST_FINDINGS]:
        yield plain(f"Call #{finding.call:,}, {finding.kind.replace('_', ' ')}: {short_paths(finding.note)}")
    if len(review.findings) > MOST_FINDINGS:
        yield plain(f"{len(review.findings) - MOST_FINDINGS:,} further findings are left out; --json lists all.")


MOST_FINDINGS = 300
"""Of a thread that are printed."""

MOST_STEPS = 500
"""Rows of the table; the newest stay."""

COLUMNS = (
    Column(name="step", text=True, least=16, wraps=True),
    Column(name="at the end", text=True),
    Column(name="verdict", text=True),
    Column(name="what the record says (#: call)", text=True, least=30, rank=1, wraps=True),
)


def _steps_table(review: PlanReview) -> FittedTable:
    rows: list[tuple[str, ...]] = []
    newest = review.newest()
    first = max(0, len(review.history.steps) - MOST_STEPS)
    for row, step in enumerate(review.history.steps[first:], first):
        claim = newest.get(row)
        said = "; ".join(f"#{fact.call:,} {shortened(short_paths(one_line(fact.what)), FACT_CHARS)}" for fact in claim.facts[:FACTS]) if claim else ""
        rows.append((shortened(step_name(step), TITLE_CHARS), final_words(step), claim.verdict if claim else "", said))
    notes = (f"The first {first:,} steps are left out; --json lists all.",) if first else ()
    return FittedTable(title="Steps", columns=COLUMNS, rows=rows, notes=notes)

"""How a scenario went, as JSON and as tables."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from ctxcore.counted import count
from ctxcore.runtime.planning.values import PlanResult, PlanRevision, StepRecord
from ctxcore.runtime.scenario.play import Played
from ctxcore.views.terminal import plain
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.visible import shortened

REASON_CHARS = 80
"""Of a reason in a table."""


STEP_COLUMNS = (
    Column(name="id", text=True, least=6),
    Column(name="title", text=True, least=24),
    Column(name="status", text=True, least=13),
    Column(name="attempts", rank=1),
    Column(name="evidence or reason", text=True, least=20),
)
"""Of a plan."""


def run_json(played: Played, record: Path | None) -> dict[str, Any]:
    """Status, reports and, for a plan, its steps; sizes in characters."""
    return {
        "schema": "ctxscope.run/1",
        "status": played.status,
        "reason": played.reason,
        "calls": played.calls,
        "record": None if record is None else str(record),
        "reports": [asdict(report) for report in played.reports],
        "plan": None if played.plan is None else _plan(played.plan),
    }


def _plan(plan: PlanResult) -> dict[str, Any]:
    return {
        "goal": plan.goal,
        "error": plan.error,
        "phase": plan.phase,
        "attempts": plan.attempts,
        "checkpoints": plan.checkpoints,
        "steps": [{**step.as_json(), **_record(record)} for step, record in zip(plan.steps, plan.records, strict=True)],
        "revisions": [_revision(revision) for revision in plan.revisions],
        "findings": [asdict(finding) for finding in plan.findings],
        "state": plan.state.as_json(),
    }


def _record(record: StepRecord) -> dict[str, Any]:
    return {
        "status": record.status,
        "attempts": record.attempts,
        "evidence": record.evidence,
        "reason": record.reason,
        "started": record.started,
        "ended": record.ended,
        "calls": list(record.calls),
    }


def _revision(revision: PlanRevision) -> dict[str, Any]:
    return {
        "checkpoint": revision.checkpoint,
        "after": revision.after,
        "triggers": list(revision.triggers),
        "why": revision.why,
        "replaced": [step.id for step in revision.replaced],
        "added": [step.id for step in revision.added],
    }


def run_tables(played: Played, record: Path | None) -> RenderableType:
    """The same for people."""
    parts: list[RenderableType] = [plain(f"{played.status}, {count(played.calls, 'call')}. {played.reason}".strip())]
    if played.plan is not None:
        rows = [
            (step.id, step.title, kept.status, kept.attempts, shortened(kept.evidence or kept.reason, REASON_CHARS))
            for step, kept in zip(played.plan.steps, played.plan.records, strict=True)
        ]
        parts.append(FittedTable(title="Steps", columns=STEP_COLUMNS, rows=rows))
    if played.reports:
        dropped = sum(report.dropped_messages > 0 or report.edited > 0 for report in played.reports)
        most = max(report.after for report in played.reports)
        parts.append(plain(f"Requests: {len(played.reports):,}, trimmed {dropped:,}, the largest {most:,} chars."))
    if record is not None:
        parts.append(plain(f"Recorded in {record}."))
    return Group(*parts)

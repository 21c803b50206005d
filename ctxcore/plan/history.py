"""The plan of a recorded thread, from everything that wrote it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctxcore.columns import read_only
from ctxcore.model import Thread
from ctxcore.plan.sources import Written, written
from ctxcore.plan.track import Track
from ctxcore.plan.values import STATUSES, Finding, PlanHistory, Revision


def plan_history(thread: Thread) -> PlanHistory:
    """Steps, revisions and findings of every plan of the thread; made once per thread.

    A status counts from the call whose reply holds the write, an event's from the call before it. A write that the tool refused changes nothing
    and is listed as such.

    Args:
        thread: Of a session; its sub-agents have threads and plans of their own.
    """
    return thread.once("plan_history", lambda: _history(thread))


def _history(thread: Thread) -> PlanHistory:
    track = Track()
    revisions: list[Revision] = []
    for place in written(thread):
        revision = _revise(track, place, len(revisions))
        if revision.changes or place.message is not None:  # a state or an end of a run that only repeats the plan is no write
            revisions.append(revision)
    return PlanHistory(
        steps=tuple(row.step() for row in track.rows),
        revisions=tuple(revisions),
        findings=tuple(track.findings),
        goals=tuple(dict.fromkeys(goal for goal in track.goals.values() if goal)),
        status=_matrix(len(track.rows), len(thread.calls), revisions),
    )


def _revise(track: Track, place: Written, index: int) -> Revision:
    """Apply a write to the plan, or say why not."""
    note, applied, use = place.write.note, True, place.use
    if use is not None and (use.failed or use.says_failed) and use.result is not None and _is_its_own(use.tool.arguments):
        applied, note = False, f"The tool refused it: {use.result.text.strip()[:200]}"
        track.findings.append(Finding(kind="failed_write", revision=index, call=place.call, steps=(), note=f"A plan write was not applied. {note}"))
    elif place.write.fault:
        applied, note = False, place.write.fault
        track.findings.append(Finding(kind="malformed_write", revision=index, call=place.call, steps=(), note=f"A plan write cannot be read. {note}"))
    return Revision(
        index=index,
        call=place.call,
        message=place.message,
        uses=place.uses,
        turn=place.turn,
        tool=place.tool,
        source=place.source,
        at=place.at,
        applied=applied,
        note=note,
        changes=track.apply(place.family, place.write, index, place.call) if applied else (),
    )


def _is_its_own(arguments: str) -> bool:
    """False where the plan only rides along in a call of another tool, whose failure says nothing about it."""
    return '"task_progress"' not in arguments


def _matrix(steps: int, calls: int, revisions: Sequence[Revision]) -> np.ndarray[tuple[int, int], np.dtype[np.int8]]:
    """Status codes, shape (steps, calls)."""
    status = np.zeros((steps, calls), np.int8)
    written_at = np.zeros((steps, calls), np.int32)
    for revision in sorted(revisions, key=lambda r: (r.call, r.index)):
        if revision.call < calls:
            for change in revision.changes:
                status[change.step, revision.call] = STATUSES.index(change.after)
                written_at[change.step, revision.call] = revision.call
    np.maximum.accumulate(written_at, axis=1, out=written_at)
    return read_only(np.take_along_axis(status, written_at, axis=1))

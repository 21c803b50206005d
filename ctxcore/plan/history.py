"""The plan of a recorded thread, from the tool calls that wrote it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctxcore.columns import read_only
from ctxcore.model import Thread
from ctxcore.plan.families import FAMILIES
from ctxcore.plan.track import Track
from ctxcore.plan.values import STATUSES, Finding, PlanHistory, Revision, Write
from ctxcore.tool_uses import ToolUse, tool_uses


def plan_history(thread: Thread) -> PlanHistory:
    """Steps, revisions and findings of every plan that tool calls of the thread wrote; made once per thread.

    A status counts from the call whose reply holds the tool call. A write that the tool refused changes nothing and is listed as such.

    Args:
        thread: Of a session; its sub-agents have threads and plans of their own.
    """
    return thread.once("plan_history", lambda: _history(thread))


def _history(thread: Thread) -> PlanHistory:
    track = Track()
    revisions: list[Revision] = []
    for use in tool_uses(thread):
        for family in FAMILIES:
            write = family.read(use)
            if write is not None:
                revisions.append(_revise(track, family.name, write, use, len(revisions)))
                break
    return PlanHistory(
        steps=tuple(row.step() for row in track.rows),
        revisions=tuple(revisions),
        findings=tuple(track.findings),
        status=_matrix(len(track.rows), len(thread.calls), revisions),
    )


def _revise(track: Track, family: str, write: Write, use: ToolUse, index: int) -> Revision:
    """Apply a write to the plan, or say why not."""
    note, applied = write.note, True
    if (use.failed or use.says_failed) and use.result is not None:
        applied, note = False, f"The tool refused it: {use.result.text.strip()[:200]}"
        track.findings.append(Finding(kind="failed_write", revision=index, call=use.call, steps=(), note=f"A plan write was not applied. {note}"))
    elif write.fault:
        applied, note = False, write.fault
        track.findings.append(Finding(kind="malformed_write", revision=index, call=use.call, steps=(), note=f"A plan write cannot be read. {note}"))
    changes = track.apply(family, write, index, use.call) if applied else ()
    return Revision(
        index=index,
        call=use.call,
        message=use.message,
        turn=use.turn,
        tool=use.tool.name,
        source=use.source,
        applied=applied,
        note=note,
        changes=changes,
    )


def _matrix(steps: int, calls: int, revisions: Sequence[Revision]) -> np.ndarray[tuple[int, int], np.dtype[np.int8]]:
    """Status codes, shape (steps, calls)."""
    status = np.zeros((steps, calls), np.int8)
    for revision in sorted(revisions, key=lambda r: (r.call, r.index)):
        for change in revision.changes:
            status[change.step, revision.call :] = STATUSES.index(change.after)
    return read_only(status)

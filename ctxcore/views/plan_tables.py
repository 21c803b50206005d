"""The changes and the steps of a plan as tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from ctxcore.counted import count
from ctxcore.plan.review import PlanReview
from ctxcore.plan.values import STATUSES, Change, Finding, FindingKind, PlanHistory, Revision
from ctxcore.views.plan import STATUS_WORDS, final_words, step_name
from ctxcore.views.plan_looks import VERDICT_MARKS
from ctxcore.views.visible import one_line, short_paths, shortened, visible


def changes_table(review: PlanReview) -> pd.DataFrame:
    """Each change of a step, and each write that was not applied or is odd, in order; ``call`` is where it counts from."""
    found: dict[int, list[Finding]] = defaultdict(list)
    for finding in review.findings:
        found[finding.revision].append(finding)
    rows = [row for revision in review.history.revisions for row in _revision_rows(review.history, revision, found[revision.index])]
    rows += [_loose_row(finding) for finding in found[-1]]
    rows.sort(key=lambda row: row["call"])
    return pd.DataFrame(rows, columns=["call", "step", "change", "from", "to", "finding", "source", "turn", "tool"])


def _loose_row(finding: Finding) -> dict[str, Any]:
    """A finding that belongs to no write."""
    blank = dict.fromkeys(("step", "from", "to", "source", "tool"), "")
    return {**blank, "call": finding.call, "change": "note", "finding": visible(finding.note), "turn": None}


def changes_note(history: PlanHistory, rows: int) -> str:
    """Under the table of changes: how many rows, and how many writes it leaves out because they only repeat the plan."""
    found = {f.revision for f in history.findings}
    same = sum(revision.applied and not revision.changes and revision.index not in found for revision in history.revisions)
    left_out = f" {count(same, 'write that changed no step is', 'writes that changed no step are')} left out." if same else ""
    return f"{count(rows, 'row')}. A row opens its call on the page Calls.{left_out}"


def _revision_rows(history: PlanHistory, revision: Revision, findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    common = {"call": revision.call, "turn": revision.turn, "tool": shortened(revision.tool, 40), "source": visible(str(revision.source))}
    for change in revision.changes:
        yield {
            **common,
            "step": step_name(history.steps[change.step]),
            "change": change_words(change),
            "from": "" if change.before == "absent" else STATUS_WORDS[change.before],
            "to": visible(change.word) if change.after == "unknown" else STATUS_WORDS[change.after],
            "finding": _kinds(f.kind for f in findings if change.step in f.steps),
        }
    loose = [f.note for f in findings if not any(change.step in f.steps for change in revision.changes)]
    if loose or not revision.applied:
        words = "note" if revision.applied else "not applied"
        yield {**common, "step": "", "change": words, "from": "", "to": "", "finding": visible(" ".join(loose))}


def _kinds(kinds: Iterable[FindingKind]) -> str:
    """Kinds of findings in words, each with its count where there are several."""
    words = Counter(kind.replace("_", " ") for kind in kinds)
    return ", ".join(f"{word} ×{times}" if times > 1 else word for word, times in words.items())


def change_words(change: Change) -> str:
    """What a revision did to a step."""
    match change.kind:
        case "reworded":
            return f"reworded, was: {visible(change.detail)}"
        case "renumbered":
            return f"renumbered, was: {visible(change.detail)}"
        case "returned":
            return "came back"
        case kind:
            return str(kind)


def steps_table(review: PlanReview) -> pd.DataFrame:
    """One row per step: title, status at the end, verdict on its last claim, calls of its first and last change, earlier titles, findings."""
    history, newest = review.history, review.newest()
    kinds: dict[int, list[FindingKind]] = defaultdict(list)
    for finding in review.findings:
        for row in finding.steps:
            kinds[row].append(finding.kind)
    rows = [
        {
            "number": row + 1,
            "step": step_name(step),
            "id": visible(step.id),
            "status": final_words(step),
            "verdict": f"{VERDICT_MARKS[newest[row].verdict]} {newest[row].verdict}" if row in newest else "",
            "record": shortened(short_paths(one_line(newest[row].facts[0].what)), 90) if row in newest else "",
            "first call": history.revisions[step.first].call,
            "last change": history.revisions[step.last].call,
            "calls in progress": int((history.status[row] == STATUSES.index("in_progress")).sum()),
            "earlier titles": " ← ".join(visible(title) for title in reversed(step.titles[:-1])),
            "findings": _kinds(kinds[row]),
        }
        for row, step in enumerate(history.steps)
    ]
    return pd.DataFrame(rows)

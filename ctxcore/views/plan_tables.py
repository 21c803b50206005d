"""The changes and the steps of a plan as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import pandas as pd

from ctxcore.counted import count
from ctxcore.plan.values import STATUSES, Change, FindingKind, PlanHistory, PlanStep
from ctxcore.views.plan import STATUS_WORDS, step_name
from ctxcore.views.visible import shortened, visible


def changes_table(history: PlanHistory) -> pd.DataFrame:
    """Each change of a step, and each write that was not applied or is odd, in order; ``call`` is where it counts from."""
    rows = [row for revision in history.revisions for row in _revision_rows(history, revision.index)]
    return pd.DataFrame(rows, columns=["call", "step", "change", "from", "to", "finding", "source", "turn", "tool"])


def changes_note(history: PlanHistory, rows: int) -> str:
    """Under the table of changes: how many rows, and how many writes it leaves out because they only repeat the plan."""
    found = {f.revision for f in history.findings}
    same = sum(revision.applied and not revision.changes and revision.index not in found for revision in history.revisions)
    left_out = f" {count(same, 'write that changed no step is', 'writes that changed no step are')} left out." if same else ""
    return f"{count(rows, 'row')}. A row opens its call on the page Calls.{left_out}"


def _revision_rows(history: PlanHistory, index: int) -> Iterator[dict[str, object]]:
    revision = history.revisions[index]
    findings = [f for f in history.findings if f.revision == index]
    common = {"call": revision.call, "turn": revision.turn, "tool": shortened(revision.tool, 40), "source": visible(str(revision.source))}
    for change in revision.changes:
        yield {
            **common,
            "step": step_name(history.steps[change.step]),
            "change": _change_words(change),
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


def _change_words(change: Change) -> str:
    match change.kind:
        case "reworded":
            return f"reworded, was: {visible(change.detail)}"
        case "renumbered":
            return f"renumbered, was: {visible(change.detail)}"
        case "returned":
            return "came back"
        case kind:
            return str(kind)


def steps_table(history: PlanHistory) -> pd.DataFrame:
    """One row per step: title, status at the end, calls of its first and last change, earlier titles, findings."""
    rows = [
        {
            "number": row + 1,
            "step": step_name(step),
            "id": visible(step.id),
            "status": visible(step.word) if step.status == "unknown" else _final_words(step),
            "first call": history.revisions[step.first].call,
            "last change": history.revisions[step.last].call,
            "calls in progress": int((history.status[row] == STATUSES.index("in_progress")).sum()),
            "earlier titles": " ← ".join(visible(title) for title in reversed(step.titles[:-1])),
            "findings": _kinds(f.kind for f in history.findings if row in f.steps),
        }
        for row, step in enumerate(history.steps)
    ]
    return pd.DataFrame(rows)


def _final_words(step: PlanStep) -> str:
    return f"{STATUS_WORDS[step.before_removal]}, then removed" if step.status == "absent" else STATUS_WORDS[step.status]

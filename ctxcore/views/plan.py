"""A plan in plain words: its steps, where they stand, and what is odd in its history."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ctxcore.counted import count
from ctxcore.measures.plan_sight import INSIDE, REFUSED
from ctxcore.model import Session
from ctxcore.plan.claims import Verdict
from ctxcore.plan.families import FAMILIES, JOURNAL, TEXT_FAMILIES
from ctxcore.plan.history import plan_history
from ctxcore.plan.review import PlanReview
from ctxcore.plan.values import IN_PROGRESS, STATUSES, FindingKind, PlanHistory, PlanStep, Status
from ctxcore.views.visible import one_line, short_paths, shortened, visible
from ctxcore.views.words import number, percent

STATUS_WORDS: dict[Status, str] = {
    "pending": "pending",
    "in_progress": "in progress",
    "completed": "completed",
    "cancelled": "cancelled",
    "unknown": "unknown status",
    "absent": "removed",
    "failed": "failed",
    "blocked": "blocked",
}
"""Statuses for people."""


OTHER_WORDS: dict[FindingKind, tuple[str, str]] = {
    "unknown_status": ("1 status word is not known", "{} status words are not known"),
    "duplicate_id": ("1 id stands twice in one write", "{} ids stand twice in one write"),
    "renumbered": ("step numbers changed once", "step numbers changed {} times"),
    "failed_write": ("1 write was refused by the tool", "{} writes were refused by the tool"),
    "unknown_id": ("1 change is to a step that was never created here", "{} changes are to steps that were never created here"),
    "malformed_write": ("1 write cannot be read", "{} writes cannot be read"),
    "goal_changed": ("the goal changed once", "the goal changed {} times"),
    "resurrected": ("1 done step was open again after a compaction", "{} done steps were open again after a compaction"),
    "state_drift": ("1 tool outcome is missing in the task state", "{} tool outcomes are missing in the task state"),
    "said_done": ("once a reply said that all is done while steps were open", "{} times a reply said that all is done while steps were open"),
}
"""The other findings, for one and for several."""


def step_name(step: PlanStep) -> str:
    """A step's title, or what is known of one whose creation is not recorded."""
    return visible(step.title) if step.title else f"(step {visible(step.id)}, created outside this recording)"


def final_words(step: PlanStep) -> str:
    """Where a step stands at the end; of a removed one also where it stood before."""
    if step.status == "unknown":
        return visible(step.word)
    return f"{STATUS_WORDS[step.before_removal]}, then removed" if step.status == "absent" else STATUS_WORDS[step.status]


PROGRESS: tuple[Status, ...] = ("completed", "in_progress", "pending", "failed", "blocked", "cancelled", "unknown", "absent")
"""Statuses in the order in which a sentence names them."""


def plan_progress(history: PlanHistory) -> str:
    """How many steps there were, and where they stand at the end: ``3 steps in all; at the end 2 completed, 1 cancelled.``."""
    if not history.steps:
        return "The plan never had a step."
    counts = Counter(step.status for step in history.steps)
    parts = [f"{number(counts[status])} {STATUS_WORDS[status]}" for status in PROGRESS if status != "absent" and counts[status]]
    if counts["absent"]:
        done = sum(step.status == "absent" and step.before_removal == "completed" for step in history.steps)
        parts.append(f"{number(counts['absent'])} removed ({number(done)} of them completed before)")
    return f"{count(len(history.steps), 'step')} in all; at the end {', '.join(parts)}."


def plan_at(history: PlanHistory, call: int) -> str:
    """Where the plan stands after the reply of a call: which steps are in progress, how many are completed, pending and so on."""
    codes = history.status[:, call] if history.steps and call >= 0 else np.zeros(0, np.int8)
    if not codes.any():
        return f"At call #{number(max(0, call))}: {'the plan is empty' if _is_begun(history, call) else 'no plan yet'}."
    counts = Counter(STATUSES[code] for code in codes.tolist())
    busy = np.flatnonzero(codes == IN_PROGRESS).tolist()
    parts = [_busy_words(history, busy)] if busy else []
    parts += [f"{number(counts[status])} {STATUS_WORDS[status]}" for status in PROGRESS if status not in ("in_progress", "absent") and counts[status]]
    return f"At call #{number(call)}: {', '.join(parts)}."


def _is_begun(history: PlanHistory, call: int) -> bool:
    return any(revision.call <= call and revision.applied for revision in history.revisions)


def _busy_words(history: PlanHistory, rows: list[int]) -> str:
    if len(rows) == 1:
        return f"step {rows[0] + 1} in progress ({shortened(step_name(history.steps[rows[0]]), 60)})"
    return f"steps {', '.join(str(row + 1) for row in rows[:-1])} and {rows[-1] + 1} in progress"


VERDICTS: tuple[Verdict, ...] = ("supported", "unsupported", "contradicted")
"""In the order in which a sentence names them."""

NAMED = 3
"""Contradictions, and steps left in progress, that the counters name."""

SHORT = re.compile(r"(?: \(\d+\))?: .*$| and was not made good$", re.DOTALL)
"""What a short form of a fact leaves out: how many tests, the command."""


def plan_counters(review: PlanReview) -> str:
    """What was called done and what the record says to it.

    For example ``7 claimed done, 5 supported, 1 unsupported, 1 contradicted: tests failed at call #41.``
    """
    counts = review.verdicts()
    if not counts:
        return f"No step was claimed done.{_left_open(review)}"
    parts = [f"{number(counts[verdict])} {verdict}" for verdict in VERDICTS if counts[verdict] and verdict != "contradicted"]
    if counts["contradicted"]:
        parts.append(f"{number(counts['contradicted'])} contradicted: {_contradictions(review)}")
    idle = sum(claim.verdict == "unsupported" and claim.facts[0].kind == "nothing" for claim in review.newest().values())
    tail = f" {count(idle, 'step was', 'steps were')} claimed done without any tool call." if idle else ""
    return f"{number(counts.total())} claimed done, {', '.join(parts)}.{tail}{_left_open(review)}"


def _left_open(review: PlanReview) -> str:
    """Steps that are in progress where the thread ends, the first few of them by name."""
    names = [f"“{shortened(step_name(step), 60)}”" for step in review.history.steps if step.status == "in_progress"]
    more = f" and {number(len(names) - NAMED)} more" if len(names) > NAMED else ""
    return f" Left in progress: {', '.join(names[:NAMED])}{more}." if names else ""


def _contradictions(review: PlanReview) -> str:
    """What contradicts the last claims, the first few of them."""
    against = [claim.against[0] for claim in review.newest().values() if claim.verdict == "contradicted"]
    told = tuple(dict.fromkeys(f"{shortened(short_paths(SHORT.sub('', fact.what)), 60)} at call #{number(fact.call)}" for fact in against))
    return "; ".join([*told[:NAMED], *([f"and {number(len(told) - NAMED)} more"] if len(told) > NAMED else [])])


def plan_sentence(review: PlanReview) -> str:
    """How often the plan was written and what is odd in its history, counted, in plain words."""
    history = review.history
    reopened, vanished, busy = (review.count(kind) for kind in ("reopened", "vanished", "two_in_progress"))
    times = len(history.revisions)
    words = [f"The plan was written {'once' if times == 1 else f'{number(times)} times'}.", plan_progress(history)]
    odd = []
    if reopened:
        odd.append("1 step was reopened" if reopened == 1 else f"steps were reopened {reopened} times")
    if vanished:
        odd.append("1 step was removed without completion" if vanished == 1 else f"{vanished} steps were removed without completion")
    if busy:
        odd.append("once two or more steps were in progress" if busy == 1 else f"{busy} times two or more steps were in progress")
    for kind, (one, many) in OTHER_WORDS.items():
        if times := review.count(kind):
            odd.append(one if times == 1 else many.format(times))
    words.append((", ".join(odd) + ".").capitalize() if odd else "No step was reopened, none was removed unfinished, never two in progress at once.")
    return " ".join(words)


def plan_goals(review: PlanReview) -> str:
    """What the plans are for, where the record says it."""
    goals = review.history.goals
    return f"Goal: {'; '.join(shortened(one_line(goal), 200) for goal in goals)}" if goals else ""


def sight_sentence(sight: NDArray[np.int8], policy: str) -> str:
    """How often calls had the text of the open plan, counted over steps and calls."""
    counts = np.bincount(sight.ravel(), minlength=5)
    total = int(counts[1:].sum())
    if not total:
        return "No step was in the plan before any call."
    inside, removed, never, refused = (int(one) for one in counts[INSIDE : REFUSED + 1])
    words = [(removed, f"removed by {policy}"), (never, "not in the recorded request"), (refused, "in a call that is refused")]
    lost = ", ".join(f"{percent(amount, total)} {what}" for amount, what in words if amount)
    return f"Of all steps in all calls that followed them, the text was in the context for {percent(inside, total)}{f'; {lost}' if lost else ''}."


def plan_tools() -> tuple[str, ...]:
    """What is looked for, one line per family."""
    return (*(family.tools for family in FAMILIES), *(family.tools for family in TEXT_FAMILIES), JOURNAL.tools)


def other_plans(session: Session, thread_id: str) -> tuple[tuple[str, str], ...]:
    """Other threads of the session that have a plan: id, and a line of words."""
    found = []
    for thread in session.threads:
        if thread.id != thread_id and (history := plan_history(thread)).revisions:
            parent = f", started by call #{thread.parent_call}" if thread.parent_call is not None else ""
            found.append((thread.id, f"{shortened(thread.title or thread.id, 60)}{parent}: {plan_progress(history)}"))
    return tuple(found)

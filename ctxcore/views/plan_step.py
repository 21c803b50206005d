"""One step of a plan: what became of it, what the record says to each claim, and what changed it."""

from __future__ import annotations

import pandas as pd

from ctxcore.counted import count
from ctxcore.model import Thread
from ctxcore.plan.review import PlanReview
from ctxcore.plan.values import STATUSES
from ctxcore.views.plan import STATUS_WORDS, step_name
from ctxcore.views.plan_looks import SIGHT_LOOKS, VERDICT_MARKS
from ctxcore.views.plan_tables import change_words
from ctxcore.views.visible import one_line, short_paths, shortened, visible
from ctxcore.views.words import number

EXCERPT = 160
"""Characters of a message."""


def step_choices(review: PlanReview) -> list[str]:
    """A line for each step, to choose one from: its number, the verdict on its last claim, and its title."""
    newest = review.newest()
    signs = {row: f" {VERDICT_MARKS[claim.verdict]}" for row, claim in newest.items()}
    return [f"{row + 1}.{signs.get(row, '')} {shortened(step_name(step), 80)}" for row, step in enumerate(review.history.steps)]


def step_sentence(review: PlanReview, step: int, call: int) -> str:
    """How often the step was claimed done, and where it stands after the reply of a call."""
    mine = [claim for claim in review.claims if claim.step == step]
    code = int(review.history.status[step, call]) if call >= 0 else 0
    now = STATUS_WORDS[STATUSES[code]] if code else "not in the plan"
    told = f"claimed done {'once' if len(mine) == 1 else f'{number(len(mine))} times'}" if mine else "never claimed done"
    last = f", last {mine[-1].verdict}" if mine else ""
    return f"{step_name(review.history.steps[step])}: {told}{last}. After call #{number(max(0, call))} it is {now}."


def sight_words(code: int) -> str:
    """What the picked call has of a step's text."""
    return "not in the plan before this call" if code not in SIGHT_LOOKS else SIGHT_LOOKS[code][0]


def facts_table(review: PlanReview, step: int) -> pd.DataFrame:
    """What the record says to each claim of the step, newest claim first."""
    rows = [
        {
            "call": fact.call,
            "what": visible(short_paths(one_line(fact.what))),
            "against": "against it" if fact.against else "",
            "claim": claim.call,
            "verdict": f"{VERDICT_MARKS[claim.verdict]} {claim.verdict}",
            "since": f"{'' if claim.started else 'about '}#{claim.start:,}",
        }
        for claim in reversed(review.claims)
        if claim.step == step
        for fact in claim.facts
    ]
    return pd.DataFrame(rows, columns=["call", "what", "against", "claim", "verdict", "since"])


def step_changes(thread: Thread, review: PlanReview, step: int) -> pd.DataFrame:
    """Every change of the step with the message that made it; ``message`` is -1 where an event did."""
    rows = [
        {
            "call": revision.call,
            "change": change_words(change),
            "from": "" if change.before == "absent" else STATUS_WORDS[change.before],
            "to": visible(change.word) if change.after == "unknown" else STATUS_WORDS[change.after],
            "said": _said(thread, revision.message, revision.note),
            "tool": shortened(revision.tool, 40),
            "message": -1 if revision.message is None else revision.message,
        }
        for revision in review.history.revisions
        for change in revision.changes
        if change.step == step
    ]
    return pd.DataFrame(rows, columns=["call", "change", "from", "to", "said", "tool", "message"])


def _said(thread: Thread, message: int | None, note: str) -> str:
    """The model's explanation, else what it wrote beside the change."""
    text = note or (thread.messages[message].text if message is not None else "")
    return shortened(one_line(text.strip()), EXCERPT)


def claims_note(frame: pd.DataFrame) -> str:
    """Under the table of facts."""
    return f"{count(len(frame), 'fact')}. A row opens its call on the page Calls."

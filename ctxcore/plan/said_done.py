"""Replies that say all is done while the plan has open steps, and what the record says about these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ctxcore.counted import count
from ctxcore.model import Text, Thread
from ctxcore.plan.claims import as_if_done
from ctxcore.plan.outcomes import outcomes
from ctxcore.plan.values import IN_PROGRESS, PENDING, Finding, PlanHistory, Revision
from ctxcore.tool_uses import message_calls, tool_uses

ALL_DONE = re.compile(
    r"\b(?:all|everything|every (?:step|task|item))\b[^.!?\n]{0,60}\b(?:done|finished|completed?|implemented)\b"
    r"|全部(?:都)?(?:已经|已)?(?:完成|做完)|都(?:已经|已)?(?:完成|做完)了|任务(?:已经|已)?(?:全部)?完成",
    re.IGNORECASE,
)
"""A reply that says the work is over."""

NOT_DONE = re.compile(
    r"\b(?:not|never|once|when|until|after|before|if|unless|almost|nearly|except|remaining)\b|n't\b|(?:没有?|未|尚|还差|除了)", re.IGNORECASE
)
"""Words beside it after which it says something else."""


def said_done(thread: Thread, history: PlanHistory) -> Iterator[Finding]:
    """Last replies of a turn that say all is done while the plan has open steps."""
    if not history.steps or not thread.calls:
        return
    calls = message_calls(thread)
    for index, message in enumerate(thread.messages):
        ends = index + 1 == len(thread.messages) or thread.messages[index + 1].is_real_user
        if message.role != "assistant" or message.calls or not ends:
            continue
        open_steps = np.flatnonzero(np.isin(history.status[:, calls[index]], (PENDING, IN_PROGRESS))).tolist()
        if open_steps and any(_says_done(part.text) for part in message.parts if isinstance(part, Text)):
            note = f"The reply says that all is done; the plan still has {count(len(open_steps), 'open step')}: {history.steps[open_steps[0]].label}."
            told = _record_says(thread, history, open_steps, _as_write(thread, index, calls[index]))
            yield Finding(kind="said_done", revision=-1, call=calls[index], steps=tuple(open_steps), note=f"{note} {told}")


def _as_write(thread: Thread, message: int, call: int) -> Revision:
    """The reply as if it had written the plan."""
    uses = sum(use.message < message for use in tool_uses(thread))
    return Revision(index=-1, call=call, message=message, uses=uses, turn=0, tool="message", source=thread.messages[message].source)


def _record_says(thread: Thread, history: PlanHistory, steps: Sequence[int], at: Revision) -> str:
    """What the record says to the one open step, or how many it speaks for."""
    made = as_if_done(history, outcomes(thread), steps, at)
    if len(made) > 1:
        counts = Counter(claim.verdict for claim in made)
        words = [f"{counts[verdict]} {verdict}" for verdict in ("supported", "unsupported", "contradicted") if counts[verdict]]
        return f"The record says of them: {', '.join(words)}."
    fact = made[0].facts[0]
    name = f"{tool_uses(thread)[fact.use].tool.name} at " if fact.use >= 0 else ""
    speaks = {"supported": "supports it", "contradicted": "contradicts it", "unsupported": "does not support it"}[made[0].verdict]
    return f"The record {speaks}: {fact.what} ({name}call #{fact.call})."


def _says_done(text: str) -> bool:
    for match in ALL_DONE.finditer(text[-20_000:]):
        around = text[-20_000:][max(0, match.start() - 40) : match.end()]
        if not NOT_DONE.search(around):
            return True
    return False

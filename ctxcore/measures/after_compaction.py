"""What the calls after a recorded compaction needed of what it took away, and what was asked for again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ctxcore.measures.evidence_index import Evidence, thread_evidence
from ctxcore.measures.repeats import repeats
from ctxcore.measures.tool_settings import only_set
from ctxcore.model import Thread
from ctxcore.tool_uses import tool_uses

FOLLOWED = 40
"""Calls after a compaction that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Evidence of replaced messages that the next calls used."""

    calls: int
    """Calls looked at."""
    used: int
    """Distinct values of replaced messages that replies of these calls use."""
    standing: int
    """Of them: what is left still has them."""
    fetched_again: tuple[str, ...]
    """Not left, and in the context again by the time they are used."""
    missing: tuple[str, ...]
    """Not left and nowhere in the context when they are used: from reasoning that was not recorded, or a guess."""
    rereads: int
    """Tool calls in these calls that repeat one from before the compaction."""


def needed_after(thread: Thread, call: int, replaced: Sequence[int], text: str) -> Needed:
    """What the next calls needed.

    Args:
        thread: Of a session.
        call: First call after the compaction.
        replaced: Thread messages that went.
        text: What stands for them.
    """
    evidence = thread_evidence(thread)
    stop = min(call + FOLLOWED, len(thread.calls))
    standing = evidence.of_text(text)
    gone = _held(evidence, replaced)
    fetched: dict[int, None] = {}
    missing: dict[int, None] = {}
    used: set[int] = set()
    for at in range(call, stop):
        first, last = np.searchsorted(evidence.use.left, [at, at + 1])
        wanted = _needed(evidence, at, {atom for atom in evidence.use.right[first:last].tolist() if atom in gone})
        used |= wanted
        lost = wanted - standing
        there = _held(evidence, thread.calls[at].messages()) if lost else set()
        fetched.update(dict.fromkeys(sorted(lost & there)))
        missing.update(dict.fromkeys(sorted(lost - there - fetched.keys())))
    uses = tool_uses(thread)
    return Needed(
        calls=stop - call,
        used=len(used),
        standing=len(used & standing),
        fetched_again=tuple(evidence.atoms[atom].value for atom in fetched if atom not in missing),
        missing=tuple(evidence.atoms[atom].value for atom in missing),
        rereads=sum(uses[one.earlier].call < call <= one.call < stop for one in repeats(thread)),
    )


def _needed(evidence: Evidence, call: int, used: set[int]) -> set[int]:
    """Of the values that a call's reply uses, those that are more than a setting of its tools."""
    reply = evidence.thread.calls[call].reply
    return used if reply is None else used - only_set(evidence.thread.messages[reply], {atom: evidence.atoms[atom] for atom in used})


def _held(evidence: Evidence, messages: Sequence[int]) -> set[int]:
    """Atoms that stand in messages."""
    inside = np.zeros(len(evidence.thread.messages), np.bool_)
    inside[list(messages)] = True
    return set(evidence.standing.left[inside[evidence.message[evidence.standing.right]]].tolist())

"""Key fields: values that must not get lost, and in which calls they still stand after a policy.

A lower bound on harm: a value that stays may still be overlooked. Source: the notes on policies, 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.atoms import atoms
from ctxcore.measures.evidence_index import thread_evidence
from ctxcore.measures.needles import Followed, Needles, atom_needles, follow
from ctxcore.measures.searched import searched_text, used_text
from ctxcore.model import Message, Thread
from ctxcore.replay import Replay


@dataclass(frozen=True, kw_only=True)
class Survival:
    """What is followed and where it is still there."""

    followed: Followed
    """One row each."""

    @property
    def least(self) -> tuple[int, float] | None:
        """The call with the smallest share and that share; None where no call has one."""
        share = self.followed.share()
        return None if np.isnan(share).all() else (int(np.nanargmin(share)), float(np.nanmin(share)))

    @property
    def final(self) -> float | None:
        """The share at the last call that has one, or None."""
        share = self.followed.share()
        share = share[~np.isnan(share)]
        return float(share[-1]) if len(share) else None

    @property
    def vanished(self) -> tuple[tuple[str, int], ...]:
        """What some call is sent without, and the first such call; in order of calls."""
        found = zip(self.followed.needles.names, self.followed.vanished.tolist(), strict=True)
        return tuple(sorted(((name, call) for name, call in found if call >= 0), key=lambda one: one[1]))


def key_fields(replay: Replay, wanted: Needles | None = None) -> Survival:
    """Whether key fields are there.

    Args:
        replay: A policy over all calls of a thread.
        wanted: From ``fields.wanted_fields``; if left out, the evidence of the user's messages and of the final answer.
    """
    return Survival(followed=follow(replay, default_fields(replay.thread) if wanted is None else wanted))


def default_fields(thread: Thread) -> Needles:
    """Evidence of the user's messages and of the final answer; made once per thread."""
    if "default_fields" not in thread.memo:
        evidence = thread_evidence(thread)
        texts = [searched_text(part) for message in thread.messages if message.is_real_user for part in message.parts]
        answer = final_answer(thread)
        texts += list(used_text(answer)) if answer is not None else []
        known = {evidence.number[atom] for text in texts for atom in atoms(text) if atom in evidence.number}
        thread.memo["default_fields"] = atom_needles(evidence, sorted(known))
    made: Needles = thread.memo["default_fields"]
    return made


def final_answer(thread: Thread) -> Message | None:
    """The last reply that says something and asks for no tool, or None."""
    for call in reversed(thread.calls):
        reply = None if call.reply is None else thread.messages[call.reply]
        if reply is not None and not reply.calls and reply.text.strip():
            return reply
    return None

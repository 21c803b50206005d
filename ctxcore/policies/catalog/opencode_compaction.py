"""opencode's compaction: a summary, and the newest turns by size."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, View, following, systems
from ctxcore.policies.edits import Insert, Plan
from ctxcore.policies.history import TOOL, History
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS, Summaries

RULE = "Summarised when the last answer had filled the window"

QUESTION = "What did we do so far?"
"""Stands before the summary, which is an answer there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpencodeCompaction(SummarisingPolicy):
    """Whole turns stay while they fit, and of the next one its end."""

    reserved: int | None = None
    max_output: int = 0
    preserve: int | None = None

    name: ClassVar[str] = "opencode-compaction"
    title: ClassVar[str] = "opencode: compaction"
    about: ClassVar[str] = (
        "The budget is the model's input limit. Once the call before, with its reply, took the limit less a reserve, everything but the newest turns "
        "becomes a summary, into which an earlier one is merged. Turns stay whole from the newest back while they fit a quarter of what is usable "
        "(2,000 to 15,000 tokens); the first that does not fit keeps its end, from a message on that is no result. If all would fit, nothing stays. "
        "The original counts JSON characters / 4."
    )
    source: ClassVar[str] = "opencode, packages/opencode/src/session/compaction.ts and overflow.ts at 31e22f65."
    rejects: ClassVar[str] = "Nothing by its pairs. A task whose turn is split is in the summary only."
    role: ClassVar[str] = "assistant"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="reserved", type="size", default=None, help="Kept free of the limit; upstream 20,000 tokens, or the maximum output if less."),
        Parameter(name="max_output", type="size", default=0, help="Maximum output, where the budget is the whole window and no input limit."),
        Parameter(name="preserve", type="size", default=None, help="Size of the turns that stay; upstream as said above."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        most = history.tokens(20_000) if not self.max_output else min(history.tokens(20_000), self.max_output)
        usable = budget - self.max_output - (most if self.reserved is None else self.reserved)
        quarter = max(history.tokens(2_000), min(history.tokens(15_000), usable // 4))
        kept = systems(history)
        asked = history.measure.message("user", QUESTION)
        tail = _Tail(history, quarter if self.preserve is None else self.preserve)
        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size >= usable,
            cut=tail.begin,
            stand_in=lambda span, _stop: self.stand_in(history, span) + asked,
            measured="answered",
        )
        made = self.summaries(history, rewriting.firings(), RULE, kept=np.flatnonzero(kept))
        return Plan(
            layers=(made.layer,),
            inserts=(question(made, asked), made.insert),
            assumed=("While the next firing is looked for, a summary is taken to have its share of what went.",),
        )


def question(made: Summaries, size: int) -> Insert:
    """The message to which a summary is the answer."""
    return Insert(
        kind="marker",
        role="user",
        rule="Asks for the summary",
        size=np.where(made.which >= 0, size, 0).astype(np.int64),
        place=made.insert.place,
        text=lambda _column: QUESTION,
        version=np.minimum(made.which, 0),
    )


class _Tail:
    """Where what stays begins."""

    def __init__(self, history: History, room: int) -> None:
        self.upto = history.upto.tolist()
        self.persons = np.flatnonzero(history.person).tolist()
        self.messages = following(history.role != TOOL).tolist()
        self.room = room

    def begin(self, view: View) -> int:
        """Position of the first message that stays; the end where nothing stays."""
        low, high = bisect_left(self.persons, view.done), bisect_left(self.persons, view.length)
        end, room, keep = view.length, self.room, view.length
        for person in reversed(self.persons[low:high]):
            size = self.upto[end] - self.upto[person]
            if size > room:
                return self._split(person, end, room, keep)
            keep, end, room = person, person, room - size
        return view.length if keep <= view.done else keep

    def _split(self, person: int, end: int, room: int, keep: int) -> int:
        """The earliest message of a turn, its first left out, from which the rest of the turn fits."""
        first = self.messages[max(person + 1, bisect_left(self.upto, self.upto[end] - room))]
        return first if first < end else keep

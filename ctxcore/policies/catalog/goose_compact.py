"""Goose's auto-compaction: a summary, words to go on, and the user's latest text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.compacting import Rewriting, SummarisingPolicy, systems, whole
from ctxcore.policies.edits import Insert, Plan, lasting
from ctxcore.policies.history import History
from ctxcore.policies.pieces import TEXT
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.summaries import SUMMARY_PARAMETERS, Firing, Summaries

RULE = "Summarised when the session was too large"

GO_ON = "The earlier conversation was summarised to make room. I go on from the summary without mentioning it."


@dataclass(frozen=True, slots=True, kw_only=True)
class GooseCompact(SummarisingPolicy):
    """Everything else goes, the newest results too."""

    threshold: float = 0.8

    name: ClassVar[str] = "goose-compact"
    title: ClassVar[str] = "Goose: auto-compact"
    about: ClassVar[str] = (
        "The budget is the model's window. Once the call before, with its reply, took more than a share of it, all messages become a summary in the "
        "user's role; behind it the agent says that it goes on, and the latest message of the user that is plain text stands once more."
    )
    source: ClassVar[str] = "Goose, crates/goose/src/context_mgmt/mod.rs at 0036b819."
    rejects: ClassVar[str] = "Nothing. A huge latest message of the user comes back whole, so a request can stay too large."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="threshold", type="float", default=0.8, help="Share of the window over which it acts; 0 or 1 and more: never."),
        *SUMMARY_PARAMETERS,
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        if not 0 < self.threshold < 1:
            return Plan()
        latest = _latest_texts(history)
        kept = systems(history)
        said = history.measure.message("assistant", GO_ON)
        rewriting = Rewriting(
            history=history,
            kept=kept,
            over=lambda size: size > self.threshold * budget,
            cut=whole,
            stand_in=lambda span, stop: self.stand_in(history, span) + said + _size(history, int(latest[stop])),
            measured="answered",
        )
        firings = rewriting.firings()
        made = self.summaries(history, firings, RULE, kept=np.flatnonzero(kept))
        since = _since(history, firings, latest)
        items = np.flatnonzero(~kept & (since < len(history.length))).astype(np.int64)
        place = np.asarray([*(int(latest[f.stop]) if latest[f.stop] >= 0 else f.start for f in firings), 0], np.int64)[made.which]
        return Plan(
            layers=(lasting(history, "drop", RULE, items, since=since[items]),),
            inserts=(replace(made.insert, place=place), _go_on(made, place, said)),
            assumed=("While the next firing is looked for, a summary is taken to have its share of what went.",),
        )


def _size(history: History, position: int) -> int:
    return int(history.size[position]) if position >= 0 else 0


def _latest_texts(history: History) -> IntArray:
    """Per length: position of the latest real user message that is text alone, -1 without one."""
    other = np.bincount(history.pieces.message[history.pieces.kind != TEXT], minlength=len(history.messages)) > 0
    marks = history.person & ~other
    return np.maximum.accumulate(np.concatenate(([-1], np.where(marks, np.arange(len(marks)), -1)))).astype(np.int64)


def _since(history: History, firings: list[Firing], latest: IntArray) -> IntArray:
    """Per position: the call from which it is left out; the latest text goes only when a later compaction finds a newer one."""
    since = np.full(len(history.messages), len(history.length), np.int64)
    for firing in firings:
        fresh = np.flatnonzero(since[: firing.stop] == len(history.length))
        since[fresh[fresh != latest[firing.stop]]] = firing.column
    return since


def _go_on(made: Summaries, place: IntArray, size: int) -> Insert:
    return Insert(
        kind="marker",
        role="assistant",
        rule="Says that the agent goes on",
        size=np.where(made.which >= 0, size, 0).astype(np.int64),
        place=place,
        text=lambda _column: GO_ON,
        version=np.minimum(made.which, 0),
    )

"""Histories of which a summary stands for all but the newest messages; each summary takes in the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Insert, Plan, Source
from ctxcore.policies.history import History
from ctxcore.policies.summaries import Firing, Summaries, Writer


@dataclass(frozen=True, slots=True)
class Stand:
    """What stands in for summaries, as the parameters of a rule say."""

    summary: str
    """See ``Summaries``."""
    ratio: float
    """See ``Summaries``."""
    lead: str = ""
    """Text in front."""
    role: str = "user"
    """Of the summary message."""
    most: int | None = None
    """Greatest size."""


class Summarised:
    """The summaries of one epoch, written as the rule goes through its calls."""

    def __init__(self, history: History, stand: Stand, *, rule: str, kept: Sequence[int]) -> None:
        self.asked = Summaries(
            history=history,
            firings=(),
            rule=rule,
            summary=stand.summary,
            ratio=stand.ratio,
            most=stand.most,
            role=stand.role,
            lead=stand.lead,
            kept=tuple(kept),
        )
        self.writer = Writer(self.asked)
        self.firings: list[Firing] = []
        self.written: list[tuple[int, str, Source]] = []

    def __len__(self) -> int:
        """Summaries written so far."""
        return len(self.firings)

    @property
    def size(self) -> int:
        """Of the summary message in force; 0 without one."""
        return self.written[-1][0] if self.written else 0

    def write(self, column: int, start: int, stop: int) -> None:
        """From this call on, a summary stands for a stretch of positions.

        Args:
            column: Call.
            start: First position.
            stop: Position after the last one.
        """
        firing = Firing(column, start, stop)
        self.firings.append(firing)
        self.written.append(self.writer.write(firing))

    @property
    def which(self) -> IntArray:
        """Per call: the summary in force, -1 before the first."""
        return replace(self.asked, firings=tuple(self.firings), written=()).which

    def plan(self, place: IntArray | None = None, assumed: tuple[str, ...] = ()) -> Plan:
        """What goes and the summaries.

        Args:
            place: Per call: the position before which the summary stands at least.
            assumed: See ``Plan``.
        """
        made = replace(self.asked, firings=tuple(self.firings), written=tuple(self.written))
        insert: Insert = made.insert if place is None else replace(made.insert, place=np.maximum(made.insert.place, place))
        return Plan(layers=(made.layer,), inserts=(insert,), assumed=assumed)

"""No trimming: every call as it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan
from ctxcore.policies.protocol import Fits, Parameter, Timeline

EMPTY: IntArray = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class NoTrim:
    """Sends everything; a call over the budget is refused."""

    name: ClassVar[str] = "none"
    title: ClassVar[str] = "No trimming"
    about: ClassVar[str] = "Every request goes out whole. A request larger than the budget is refused, nothing is dropped."
    source: ClassVar[str] = "Baseline."
    rejects: ClassVar[str] = "Nothing that the recording itself did not hold; requests over the model's window."
    needs_summary: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def fit(self, timeline: Timeline, budgets: IntArray) -> Fits:
        """See ``Policy.fit``."""
        over = np.maximum(timeline.before[None, :] - budgets[:, None], 0)
        refused = over > 0
        zeros = np.zeros_like(over)
        pinned = np.flatnonzero(timeline.epoch.units.pinned).astype(np.int64)
        return Fits(
            after=np.where(refused, -1, np.broadcast_to(timeline.before, over.shape)),
            refused=refused,
            missing=over,
            dropped_messages=zeros,
            dropped_turns=zeros,
            dropped_exchanges=zeros,
            drops=lambda _row, _column: (EMPTY, EMPTY),
            pins=lambda column: pinned[pinned < timeline.seen[column]],
            rules=(),
            edited=zeros,
            plan=lambda _row: Plan(),
            cut=zeros,
        )

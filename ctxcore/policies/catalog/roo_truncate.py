"""Roo Code's sliding window truncation: half of the visible messages behind the first are hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.columns import NOTICE_DIGITS, IntArray
from ctxcore.policies.edits import InsertLayer, Plan, lasting, lasts
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import share
from ctxcore.policies.sides import Sides

RULE = "Hidden by the sliding window"
ORPHAN = "Result whose call is hidden"


@dataclass(frozen=True, slots=True)
class RooTruncate(PlannedPolicy):
    """What is hidden stays hidden."""

    fraction: float = 0.5
    buffer: float = 0.1
    max_output: int | None = None

    name: ClassVar[str] = "roo-truncate"
    title: ClassVar[str] = "Roo Code: sliding window truncation"
    about: ClassVar[str] = (
        "The budget is the model's window. Once a request is over the window less a buffer and the output reserve, half of the visible "
        "messages behind the first are hidden (an even number of them, all results of one reply counting as one message), a line in their "
        "place says how many, and results whose call is hidden are left out. It does so once before a call, whether that is enough or not. "
        "Where Roo Code condenses, this is what it falls back to."
    )
    source: ClassVar[str] = "Roo Code, src/core/context-management/index.ts at cb836567, truncateConversation."
    rejects: ClassVar[str] = "Nothing by its pairs; a task that is not the first message can go, and a request can stay over the window."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="fraction", type="float", default=0.5, help="Share of the visible messages behind the first that is hidden at once."),
        Parameter(name="buffer", type="float", default=0.1, help="Share of the window that stays free."),
        Parameter(name="max_output", type="size", default=None, help="Reserved for the reply; upstream 8,192 tokens where the model names none."),
    )

    def __post_init__(self) -> None:
        share("fraction", self.fraction)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        sides = Sides(history)
        if len(sides.items) < 2:
            return Plan()
        reserve = history.tokens(8_192) if self.max_output is None else self.max_output
        hidden = _Hidden(history, sides, budget * (1 - self.buffer) - reserve, self.fraction)
        first, made = hidden.run()
        items = sides.items[sides.first[1] :]
        gone = np.maximum(hidden.gone[first] - sides.first[1], 0)
        drop = lasting(history, "drop", RULE, items, since=lasts(gone, len(items)))
        return Plan(
            layers=(drop, sides.stripped(ORPHAN, np.where(first > 1, first, 0))),
            insert_layers=(_markers(history, sides, hidden.truncations, made),),
        )


class _Hidden:
    """Which side is the first visible one behind the first, call by call."""

    def __init__(self, history: History, sides: Sides, allowed: float, fraction: float) -> None:
        self.history, self.sides, self.allowed, self.fraction = history, sides, allowed, fraction
        self.truncations: list[tuple[int, int]] = []
        """Per truncation: the first side that stayed visible, and how many were hidden."""
        self.gone = np.append(sides.orphans, len(sides.items))
        self.gone[:2] = sides.first[1]
        self.marker = [0, *(history.measure.message("user", marker(10**digits)) for digits in range(NOTICE_DIGITS))]

    def run(self) -> tuple[IntArray, IntArray]:
        """Per call: the first visible side behind the first, and how many truncations there were; none of them is taken back."""
        freed = np.concatenate(([0], np.cumsum(self.history.size[self.sides.items])))
        freed = (freed[self.gone] - freed[self.sides.first[1]]).tolist()
        first, told, found = 1, 0, []
        for before, held in zip(self.history.before.tolist(), self.sides.held.tolist(), strict=True):
            count = int((held - first) * self.fraction) // 2 * 2
            if before - freed[min(first, held)] + told > self.allowed and count > 0:
                first += count
                told += self.marker[len(str(count))]
                self.truncations.append((first, count))
            found.append((first, len(self.truncations)))
        firsts, made = np.asarray(found, np.int64).T
        return firsts, made


def marker(count: int) -> str:
    """Stands in place of hidden messages."""
    return f"[Sliding window truncation: {count} messages hidden to reduce context]"


def _markers(history: History, sides: Sides, truncations: list[tuple[int, int]], made: IntArray) -> InsertLayer:
    """A line for each truncation, where the visible messages began then."""
    begins = np.append(sides.items, len(history.messages))[sides.first[np.asarray([first for first, _ in truncations], np.int64)]]
    return InsertLayer(
        kind="marker",
        role="user",
        rule="Says how many messages are hidden",
        size=np.asarray([history.measure.message("user", marker(count)) for _, count in truncations], np.int64),
        place=begins.astype(np.int64),
        start=np.zeros_like(made),
        stop=made,
        text=lambda item: marker(truncations[item][1]),
    )

"""Semantic Kernel's truncation reducer: the last messages by number, cut once there are clearly more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Plan, window
from ctxcore.policies.history import SYSTEM, TOOL, USER, History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.settings import at_least

RULE = "Older than the last messages that the reducer keeps"


class Reduced(NamedTuple):
    """What is left of a history: a system message put in front (-1: none), then all from a position on."""

    front: int
    """Position of the system message."""
    cut: int
    """Position of the first other message."""


@dataclass(frozen=True, slots=True)
class SemanticKernelTruncation(PlannedPolicy):
    """The reducer runs before each call on what the last one left; a context shorter than the one before starts anew."""

    target_count: int = 40
    threshold_count: int = 10

    name: ClassVar[str] = "semantic-kernel-truncation"
    title: ClassVar[str] = "Semantic Kernel: truncation"
    about: ClassVar[str] = (
        "Once there are more messages than target and threshold together, only about the last target_count stay. The cut moves back to the beginning "
        "of a row of calls and results, and on to a user message where one stands within the threshold. The first system message takes one place and "
        "is put back in front. What is cut stays cut. Sizes do not matter: the budget only tells which requests are refused."
    )
    source: ClassVar[str] = "semantic-kernel 1.45.0, ChatHistoryTruncationReducer."
    rejects: ClassVar[str] = "With target_count 1 and a system message, requests of the system text alone; later system messages and the task go."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="target_count", type="int", default=40, help="Messages kept, system message included, at least 1; upstream has no default."),
        Parameter(name="threshold_count", type="int", default=10, help="How many more there may be before it acts (upstream 0)."),
    )

    def __post_init__(self) -> None:
        at_least("target_count", self.target_count, 1)

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        marks = Marks(history)
        states = np.asarray(list(self._states(marks, history.length.tolist())), np.int64).reshape(-1, 2)
        front, cut = states[:, 0], states[:, 1]
        items = np.arange(len(history.role), dtype=np.int64)
        before = np.where(front < 0, cut, front)
        layers = (
            window(history, "drop", RULE, items, stop=before),
            window(history, "drop", RULE, items, start=np.where(front < 0, cut, front + 1), stop=cut),
        )
        return Plan(layers=layers)

    def _states(self, marks: Marks, lengths: list[int]) -> Iterator[Reduced]:
        state, before = Reduced(-1, 0), 0
        for length in lengths:
            state = self.reduced(marks, Reduced(-1, 0) if length < before else state, length)
            before = length
            yield state

    def reduced(self, marks: Marks, state: Reduced, length: int) -> Reduced:
        """What one run of the reducer leaves.

        Args:
            marks: Of the history.
            state: What the run before it left.
            length: Messages in the context.
        """
        held = int(state.front >= 0)
        count = held + length - state.cut
        if count <= self.target_count + self.threshold_count:
            return state
        system = state.front if held else marks.next_system[state.cut]
        system = system if system < length else -1
        saved = system >= 0 and (bool(held) or system < length - self.target_count)
        target = self.target_count - saved
        if target <= 0:
            return Reduced(system, length)
        cut = marks.safe(state.cut, length - target, length - target - self.threshold_count)
        return Reduced(system if 0 <= system < cut else -1, cut)


class Marks:
    """Look-up tables of one sequence, as lists: each call asks for a few entries."""

    def __init__(self, history: History) -> None:
        index = np.arange(len(history.role) + 1)
        self.inside = history.asks | history.answers | (history.role == TOOL)
        inside = np.append(self.inside, [False])
        begins = inside & ~np.concatenate(([False], inside[:-1])) | ~inside
        self.row: list[int] = np.maximum.accumulate(np.where(begins, index, 0)).tolist()
        self.last_user: list[int] = _last(history.role == USER).tolist()
        self.next_system: list[int] = _next(history.role == SYSTEM).tolist()

    def safe(self, least: int, cut: int, earliest: int) -> int:
        """Back to the beginning of a row of calls and results, then to a user message that is not earlier than the threshold allows.

        Args:
            least: The cut may not lie before it.
            cut: Where to begin.
            earliest: The first position at which a user message may be.
        """
        begin = max(self.row[cut], least)
        user = self.last_user[begin]
        return user if user >= max(earliest, least) else begin


def _last(marks: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IntArray:
    """Per position: the last marked one up to it, -1 without one; ends with one more entry."""
    every = np.append(marks, [False])
    return np.maximum.accumulate(np.where(every, np.arange(len(every)), -1)).astype(np.int64)


def _next(marks: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IntArray:
    """Per position: the first marked one from it on, the number of messages without one; ends with one more entry."""
    size = len(marks)
    every = np.append(np.where(marks, np.arange(size), size), [size])
    return np.minimum.accumulate(every[::-1])[::-1].astype(np.int64)

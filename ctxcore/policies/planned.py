"""Policies that state a plan of edits; sizes, counts and refusals are the engine's affair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from ctxcore.columns import IntArray
from ctxcore.policies.applied import fits_of, spared
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Fits, Parameter, Timeline


class PlannedPolicy(ABC):
    """A policy written as one function from columns to a plan; subclasses are frozen dataclasses of their settings."""

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    source: ClassVar[str]
    rejects: ClassVar[str]
    needs_summary: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    @abstractmethod
    def plan(self, history: History, budget: int) -> Plan:
        """What to do to every call of an epoch.

        Args:
            history: Messages, pieces and calls of the epoch.
            budget: In the unit of the history's sizes, at least 1.
        """

    def fit(self, timeline: Timeline, budgets: IntArray) -> Fits:
        """See ``Policy.fit``."""
        history = timeline.history
        plans = [self.plan(history, budget) for budget in budgets.tolist()]
        return fits_of(history, plans if timeline.kept is None else [spared(history, plan, timeline.kept) for plan in plans], budgets, timeline.kept)

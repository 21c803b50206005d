"""Policies that state a plan of edits; sizes, counts and refusals are the engine's affair."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from typing import ClassVar

from ctxcore.columns import IntArray
from ctxcore.policies.applied import fits_of, spared
from ctxcore.policies.edits import Plan
from ctxcore.policies.history import History
from ctxcore.policies.protocol import Fits, Parameter, Timeline

NOT_STATED = "Not stated."
"""Where a policy of the user's own says nothing."""


def hyphened(name: str) -> str:
    """``KeepLast`` as ``keep-last``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+", "-", name.strip("_")).lower()


class PlannedPolicy(ABC):
    """A policy written as one function from columns to a plan.

    All else has a default: the name is that of the class in small letters with hyphens, title and description are its docstring. One with settings
    is a frozen dataclass of them and lists them as ``parameters``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    source: ClassVar[str]
    rejects: ClassVar[str]
    needs_summary: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    unsaid: ClassVar[frozenset[str]] = frozenset()
    """Words about itself that the class leaves to the defaults."""

    def __init_subclass__(cls) -> None:
        """Fill in what the class does not say of itself; what a parent class said holds."""
        super().__init_subclass__()
        about = inspect.cleandoc(vars(cls).get("__doc__") or "") or "Not described."
        default = {"name": hyphened(cls.__name__), "title": about.partition(".")[0], "about": about, "source": NOT_STATED, "rejects": NOT_STATED}
        said = vars(cls).keys() - vars(cls).get("unsaid", frozenset())
        lacking = {name for name in default if name not in said and (name in cls.unsaid or not hasattr(cls, name))}
        cls.unsaid = frozenset(lacking)
        for name in lacking:
            setattr(cls, name, default[name])

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

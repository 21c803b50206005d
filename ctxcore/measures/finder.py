"""Budget finder: the smallest budget at which every call is sent in a form that its provider takes and loses nothing, the knee, the best policy.

What is lost need not fall evenly with the budget. So a fixed row of budgets is looked at, and the gap between the smallest that passes and the one
before it, which does not, is halved down to one unit. One unit less than the answer fails; a larger budget that was looked at and fails is told.
The answer is the same every time. No lost reference is a lower bound on harm, no promise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ctxcore.counted import count
from ctxcore.errors import InputError
from ctxcore.measures.references import references
from ctxcore.measures.validity import validity
from ctxcore.model import Thread
from ctxcore.policies import POLICIES, Policy, make_policy
from ctxcore.replay import replay, sweep
from ctxcore.sizes.measure import Unit

STEPS = 16
"""Budgets looked at between the smallest that refuses nothing and the largest request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPoint:
    """A policy at one budget."""

    budget: int
    """In the unit of the finding."""
    lost: int
    """Lost references."""
    lost_first: int
    """Lost references at first use."""
    refused: int
    """Calls that do not fit: nothing of them is sent."""
    rejected: int
    """Calls that the thread's provider would reject for the form in which the policy leaves them."""
    sent: int
    """Sum of the sizes of all calls that fit."""

    @property
    def lossless(self) -> bool:
        """Nothing refused, nothing lost."""
        return not self.refused and not self.lost


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What budgets do for a policy."""

    policy: Policy
    """With its settings."""
    unit: str
    """Of all sizes."""
    smallest: BudgetPoint | None
    """The smallest budget found with no refusal, no lost reference and as few rejected calls as any such budget has; None where none passes."""
    fails_above: tuple[int, ...]
    """Budgets looked at above the smallest that do not pass, ascending; mostly none."""
    enough: int | None
    """The smallest budget with no refusal; None where even the largest request's size refuses some."""
    knee: BudgetPoint | None
    """Where more budget stops helping much: the point of the curve farthest below the line from its first to its last; None without a curve."""
    curve: tuple[BudgetPoint, ...]
    """Budgets looked at, ascending."""

    @property
    def why(self) -> str:
        """In words, where there is no smallest budget; else empty."""
        if self.smallest is not None:
            return ""
        if self.enough is None:
            return "Refuses some calls even at the size of the largest request."
        least = min(self.curve, key=lambda point: (point.lost_first, point.lost))
        told = f"{count(least.lost_first, 'reference')} ({least.lost:,} with later uses)"
        return f"Loses at least {told} at every budget looked at: it drops without regard to the budget."


def find_budget(thread: Thread, policy: str | Policy = "whole-units", unit: Unit = "chars", **parameters: Any) -> Finding:
    """What budgets do for a policy on a thread.

    Args:
        thread: Of a session.
        policy: A name, or a policy object.
        unit: As for ``replay``.
        **parameters: Settings of a policy given by name.

    Raises:
        InputError: As for ``replay``.
    """
    chosen = make_policy(policy, **parameters) if isinstance(policy, str) else policy
    trial = _Trial(thread=thread, policy=chosen, unit=unit)
    enough = _enough(trial)
    if enough is None:
        return Finding(policy=chosen, unit=trial.name, smallest=None, fails_above=(), enough=None, knee=None, curve=(trial.at(trial.largest),))
    budgets = sorted({round(budget) for budget in np.geomspace(enough, trial.largest, STEPS).tolist()} | {enough, trial.largest})
    curve = tuple(trial.at(budget) for budget in budgets)
    smallest = _smallest(trial, curve)
    above = _fails_above(trial, smallest) if smallest else ()
    return Finding(policy=chosen, unit=trial.name, smallest=smallest, fails_above=above, enough=enough, knee=knee(curve), curve=curve)


@dataclass(kw_only=True)
class _Trial:
    """A policy tried at budgets, each once."""

    thread: Thread
    policy: Policy
    unit: Unit
    known: dict[int, BudgetPoint] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = replay(self.thread, "none", 1, self.unit)
        self.name = first.unit
        self.largest = max(1, int(first.before.max(initial=1)))

    def at(self, budget: int) -> BudgetPoint:
        """What happens at a budget."""
        if budget not in self.known:
            after = replay(self.thread, self.policy, budget, self.unit)
            found = references(after)
            self.known[budget] = BudgetPoint(
                budget=budget,
                lost=found.total,
                lost_first=found.total_first,
                refused=int(after.refused.sum()),
                rejected=int(validity(after).rejected.sum()),
                sent=int(after.after[~after.refused].sum()),
            )
        return self.known[budget]


def _enough(trial: _Trial) -> int | None:
    """The smallest budget with no refusal: from a row of budgets, then by halving."""
    budgets = np.unique(np.geomspace(1, trial.largest, 4 * STEPS).round().astype(np.int64))
    passes: list[bool] = [not row.any() for row in sweep(trial.thread, budgets.tolist(), trial.policy, trial.unit).refused]
    if not passes[-1]:
        return None
    first = passes.index(True)
    return _halved(
        int(budgets[first - 1]) if first else 0,
        int(budgets[first]),
        lambda budget: not sweep(trial.thread, [budget], trial.policy, trial.unit).refused.any(),
    )


def _smallest(trial: _Trial, curve: tuple[BudgetPoint, ...]) -> BudgetPoint | None:
    """The smallest budget of a row that passes, made smaller by halving; with as few rejected calls as any lossless one of the row has."""
    rejected = min((point.rejected for point in curve if point.lossless), default=None)
    if rejected is None:
        return None
    place = next(number for number, point in enumerate(curve) if _passes(point, rejected))
    if place == 0:
        return curve[0]
    return trial.at(_halved(curve[place - 1].budget, curve[place].budget, lambda budget: _passes(trial.at(budget), rejected)))


def _passes(point: BudgetPoint, rejected: int) -> bool:
    return point.lossless and point.rejected <= rejected


def _fails_above(trial: _Trial, smallest: BudgetPoint) -> tuple[int, ...]:
    """Budgets tried above one that do not pass as it does."""
    above = (point for point in trial.known.values() if point.budget > smallest.budget)
    return tuple(sorted(point.budget for point in above if not _passes(point, smallest.rejected)))


def _halved(low: int, high: int, passes: Callable[[int], bool]) -> int:
    """A budget that passes where one less does not, by halving between one that does not (``low``) and one that does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def knee(curve: tuple[BudgetPoint, ...]) -> BudgetPoint | None:
    """The point of a curve farthest below the line from its first to its last point, both axes taken from 0 to 1; the first where none is below.

    Source: Satopää et al., "Finding a Kneedle in a Haystack" (2011), for a falling curve without smoothing.
    """
    if not curve:
        return None
    budgets, lost = (np.asarray([getattr(point, name) for point in curve], np.float64) for name in ("budget", "lost"))
    if len(curve) < 3 or np.ptp(budgets) == 0 or np.ptp(lost) == 0:
        return curve[0]
    across, up = (budgets - budgets[0]) / np.ptp(budgets), (lost - lost.min()) / np.ptp(lost)
    below = up[0] + (up[-1] - up[0]) * across - up
    return curve[int(below.argmax())] if below.max() > 0 else curve[0]


def best_policies(thread: Thread, unit: Unit = "chars", policies: Iterable[str | Policy] | None = None) -> tuple[Finding, ...]:
    """Findings of several policies, best first: fewest rejected calls, smallest budget, least sent at it, name; those without a smallest budget last.

    Args:
        thread: Of a session.
        unit: As for ``replay``.
        policies: Names or objects; all deterministic ones that ship, with their own settings, if left out.

    Raises:
        InputError: As for ``replay``.
    """
    chosen = [kind.name for kind in POLICIES if not kind.needs_summary] if policies is None else list(policies)
    found = [one for policy in chosen if (one := _tried(thread, policy, unit)) is not None]
    return tuple(sorted(found, key=_rank))


def _tried(thread: Thread, policy: str | Policy, unit: Unit) -> Finding | None:
    """A finding, or None for a policy that cannot count in the unit."""
    try:
        return find_budget(thread, policy, unit)
    except InputError:
        if isinstance(unit, str):
            raise
        return None


def _rank(found: Finding) -> tuple[bool, int, int, int, str]:
    point, name = found.smallest, found.policy.name
    return (True, 0, 0, 0, name) if point is None else (False, point.rejected, point.budget, point.sent, name)

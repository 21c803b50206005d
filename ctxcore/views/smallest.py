"""The smallest budgets at which policies refuse and lose nothing, for programs and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import RenderableType

from ctxcore.measures.finder import BudgetPoint, Finding
from ctxcore.views.finding import cautions
from ctxcore.views.settings import setting_text
from ctxcore.views.terminal_table import Column, FittedTable

COLUMNS = (
    Column(name="policy", text=True, least=24),
    Column(name="smallest"),
    Column(name="sent at it"),
    Column(name="rejected at it"),
    Column(name="knee"),
    Column(name="lost there"),
    Column(name="no refusal from", rank=1),
)
"""All but what is lost in the unit of the budget."""

READING = (
    "smallest: the smallest budget found, to the unit, at which no call is refused, no reference lost (later uses counted as well) and no call "
    "rejected by the provider, or as few as can be. Looked for in a row of budgets, then by halving. "
    "knee: below it losses grow fastest; those there count first uses. No lost reference is a lower bound on harm, no promise."
)
"""How to read the table."""


def smallest_json(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """One object a policy, in the order asked for."""
    return [
        {
            "name": one.policy.name,
            "parameters": {p.name: getattr(one.policy, p.name, p.default) for p in one.policy.parameters},
            "unit": one.unit,
            "smallest": _point(one.smallest),
            "fails_above": list(one.fails_above),
            "knee": _point(one.knee),
            "no_refusal_from": one.enough,
            "why": one.why or None,
        }
        for one in found
    ]


def _point(point: BudgetPoint | None) -> dict[str, Any] | None:
    return None if point is None else asdict(point)


def smallest_table(found: Sequence[Finding], thread: str) -> RenderableType:
    """The same for a terminal; why there is none stands below.

    Args:
        found: Of one thread, all in one unit; at least one.
        thread: Its id.
    """
    why = tuple(f"{one.policy.name}: {told}" for one in found if (told := " ".join(filter(None, (one.why, *cautions(one))))))
    rows = [_cells(one) for one in found]
    return FittedTable(title=f"Smallest budgets on {thread}, in {found[0].unit}", columns=COLUMNS, rows=rows, notes=(*why, READING))


def _cells(one: Finding) -> tuple[object, ...]:
    smallest = ("none", "", "") if one.smallest is None else (one.smallest.budget, one.smallest.sent, one.smallest.rejected)
    knee = ("none", "") if one.knee is None else (one.knee.budget, one.knee.lost_first)
    return _named(one), *smallest, *knee, "none" if one.enough is None else one.enough


def _named(one: Finding) -> str:
    """With the settings that are not the default's."""
    set_to = ((p, getattr(one.policy, p.name, p.default)) for p in one.policy.parameters)
    told = ", ".join(f"{p.name}={setting_text(value)}" for p, value in set_to if value != p.default)
    return f"{one.policy.name} ({told})" if told else one.policy.name

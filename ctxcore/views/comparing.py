"""Comparisons for programs and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from ctxcore.measures.compare import Compared
from ctxcore.views.visible import visible

CAVEAT = (
    "The recording fixes what the agent did: sizes are those of the recorded path; lost references are at risk, not failed, and a lower bound on "
    "harm. Refused calls send nothing and are left out of sizes, money and losses. Summaries are stand-ins where no recorded one covers the same "
    "messages."
)
"""What a comparison cannot claim."""


def compare_json(rows: Sequence[Compared], budget: int, unit: str) -> dict[str, Any]:
    """``ctxscope.compare/1``: one thread under several policies.

    Args:
        rows: In the order asked for.
        budget: In ``unit``.
        unit: ``chars`` or ``tokens``.
    """
    thread = rows[0].replay.thread.id if rows else ""
    return {
        "schema": "ctxscope.compare/1",
        "budget": budget,
        "unit": unit,
        "thread": thread,
        "policies": [_row(row) for row in rows],
        "caveat": CAVEAT,
    }


def _row(row: Compared) -> dict[str, Any]:
    money = row.cost
    return {
        "name": row.name,
        "parameters": {key: list(value) if isinstance(value, tuple) else value for key, value in row.parameters.items()},
        "tokens": row.size,
        "cost_usd": None if money is None else round(money.total, 6),
        "lost_references": int(row.lost_per_call.sum()),
        "rejected_calls": row.rejected_calls,
        "refused_calls": row.refused_calls,
        "worst_call": row.worst_call,
        "basis": row.basis,
        "prices": None if money is None else money.rates.source,
        "cache": None if money is None else {"rules": money.rules.model, "clock": money.clock},
        "assumed": list(row.replay.assumed),
    }


def compare_table(rows: Sequence[Compared], budget: int, unit: str) -> Table:
    """The same for a terminal."""
    table = Table(title=f"Policies at {budget:,} {unit}", caption=CAVEAT)
    table.add_column("policy")
    for heading in (unit, "dollars", "lost references", "rejected", "refused", "worst call"):
        table.add_column(heading, justify="right")
    table.add_column("basis")
    for row in rows:
        money = "unknown price" if row.cost is None else f"{row.cost.total:,.4f}"
        worst = "" if row.worst_call is None else f"#{row.worst_call:,}"
        cells = (f"{row.size:,}", money, f"{int(row.lost_per_call.sum()):,}", f"{row.rejected_calls:,}", f"{row.refused_calls:,}", worst)
        table.add_row(Text(visible(row.name)), *map(Text, cells), Text(row.basis))
    return table

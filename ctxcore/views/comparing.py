"""Comparisons for programs and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType

from ctxcore.measures.breakdown import weakest
from ctxcore.measures.compare import Compared
from ctxcore.model import Session
from ctxcore.views.terminal import plain
from ctxcore.views.terminal_replay import budget_words, footnotes
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.uncounted import uncounted_json

CAVEAT = (
    "The recording fixes what the agent did: sizes are those of the recorded path; lost references are at risk, not failed, and a lower bound on "
    "harm. Refused calls send nothing and are left out of sizes, money and losses. Dollars are an estimate. Summaries are stand-ins where no "
    "recorded one covers the same messages."
)
"""What a comparison cannot claim."""


COLUMNS = (
    Column(name="policy", text=True, least=24),
    Column(name="sent"),
    Column(name="dollars", rank=1),
    Column(name="lost references"),
    Column(name="rejected"),
    Column(name="refused"),
    Column(name="worst call", rank=3),
    Column(name="basis", text=True, least=13, rank=2),
)
"""Of the comparison; ``sent`` is in the unit of the budget, which the title says."""


def compare_json(session: Session, rows: Sequence[Compared]) -> dict[str, Any]:
    """``ctxscope.compare/1``: one thread under several policies.

    Args:
        session: Of the thread.
        rows: In the order asked for, all at one budget; at least one.
    """
    first = rows[0].replay
    return {
        "schema": "ctxscope.compare/1",
        "budget": first.budget,
        "unit": first.unit,
        "counter": first.sizes.counter,
        "thread": first.thread.id,
        "uncounted": uncounted_json([first.thread], session.not_recorded),
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


def compare_tables(session: Session, rows: Sequence[Compared]) -> RenderableType:
    """The same for a terminal."""
    first = rows[0].replay
    title = f"Policies on {first.thread.id}, {budget_words(first.budget, first.sizes, weakest(row.basis for row in rows))}"
    told = footnotes([row.replay for row in rows], session.not_recorded)
    return Group(FittedTable(title=title, columns=COLUMNS, rows=[_cells(row) for row in rows]), *told, plain(CAVEAT, "dim"))


def _cells(row: Compared) -> tuple[object, ...]:
    money = "unknown" if row.cost is None else f"{row.cost.total:,.4f}"
    worst = "" if row.worst_call is None else f"#{row.worst_call:,}"
    return row.name, row.size, money, int(row.lost_per_call.sum()), row.rejected_calls, row.refused_calls, worst, row.basis

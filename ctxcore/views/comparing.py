"""Comparisons for programs and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType

from ctxcore.counted import count
from ctxcore.measures.compare import Baseline, Compared, by_merit
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
    Column(name="policy", text=True, least=31),
    Column(name="sent"),
    Column(name="dollars"),
    Column(name="lost"),
    Column(name="rejected"),
    Column(name="refused"),
    Column(name="worst call", rank=3),
    Column(name="basis", text=True, least=13, rank=2),
)
"""Of the comparison; ``sent`` is in the unit of the budget, which the title says."""

READING = (
    "lost: lost references at first use. First the policies that send every call, least lost on top; then those with refused or rejected calls, "
    "whose sums leave calls out. Weigh dollars and sizes against nothing trimmed, which is counted and priced as the policies are; as recorded is "
    "the provider's own count at list prices."
)
"""How to read the table."""


def compare_json(session: Session, base: Baseline, rows: Sequence[Compared]) -> dict[str, Any]:
    """``ctxscope.compare/1``: one thread under several policies; ``size`` is in the unit of the budget, ``tokens`` are tokens in any.

    Args:
        session: Of the thread.
        base: Of the thread.
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
        "baseline": _base(base),
        "policies": [_row(row) for row in rows],
        "caveat": CAVEAT,
    }


def _base(base: Baseline) -> dict[str, Any]:
    money = base.counted.cost
    sizes = {"size": base.counted.size, "tokens": base.counted.tokens}
    counted = {**sizes, "cost_usd": None if money is None else round(money.total, 6), "basis": base.counted.basis}
    recorded = {
        "input_tokens": base.input_tokens,
        "cost_usd": None if base.dollars is None else round(base.dollars, 6),
        "calls_with_recorded_input": base.calls_with_input,
        "calls_with_recorded_output": base.calls_with_output,
        "basis": "recorded",
    }
    return {"nothing_trimmed": counted, "as_recorded": recorded}


def _row(row: Compared) -> dict[str, Any]:
    money = row.cost
    return {
        "name": row.name,
        "parameters": {key: list(value) if isinstance(value, tuple) else value for key, value in row.parameters.items()},
        "size": row.size,
        "tokens": row.tokens,
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


def compare_tables(session: Session, base: Baseline, rows: Sequence[Compared], *, notes: bool = False) -> RenderableType:
    """The same for a terminal, best first.

    Args:
        session: Of the thread.
        base: Of the thread.
        rows: As for ``compare_json``.
        notes: With what policies assume.
    """
    first = rows[0].replay
    title = f"Policies on {first.thread.id}, {budget_words(first.budget, first.sizes, (row.basis for row in rows))}"
    told = footnotes([row.replay for row in rows], session.not_recorded, assumed=notes)
    priced = [row.cost.total for row in (base.counted, *rows) if row.cost is not None]
    digits = 2 if max(priced, default=0) >= 1 else 4
    cells = [*_base_cells(base, first.unit, digits), *(_cells(row, digits) for row in by_merit(rows))]
    notes_below = [plain(line, "dim") for line in filter(None, (*told_of_money(base), READING, CAVEAT))]
    return Group(FittedTable(title=title, columns=COLUMNS, rows=cells), *told, *notes_below)


def told_of_money(base: Baseline) -> tuple[str, str]:
    """Which prices are in force, and what of the recorded tokens is missing; each may be empty."""
    money = base.counted.cost
    return "" if money is None else f"Prices: {money.models} by {money.rates.source}.", recorded_gaps(base)


def recorded_gaps(base: Baseline) -> str:
    """What the sums of recorded tokens leave out; empty where that is nothing, or all."""
    calls, some = len(base.counted.replay.before), base.calls_with_input
    if not some:
        return ""
    gaps = []
    if some < calls:
        gaps.append(f"the input of {count(calls - some, 'call')} of {calls:,}, which are left out altogether")
    if base.calls_with_output < some:
        gaps.append(f"the output of {count(some - base.calls_with_output, 'call')}, whose replies cost nothing here")
    return f"As recorded: the log does not have {', nor '.join(gaps)}." if gaps else ""


def _cells(row: Compared, digits: int) -> tuple[object, ...]:
    worst = "" if row.worst_call is None else f"#{row.worst_call:,}"
    money = _dollars(None if row.cost is None else row.cost.total, digits)
    return row.name, row.size, money, int(row.lost_per_call.sum()), row.rejected_calls, row.refused_calls, worst, row.basis


def _base_cells(base: Baseline, unit: str, digits: int) -> list[tuple[object, ...]]:
    """What is no policy, as the first rows: what the provider counted, in tokens whatever the unit, and what we count."""
    tokens = None if unit != "tokens" else base.input_tokens
    basis = base.counted.basis
    counted = (f"nothing trimmed ({basis})", *_cells(base.counted, digits)[1:3], "", "", "", "", basis)
    calls, some = len(base.counted.replay.before), base.calls_with_input
    recorded = (
        "as recorded (provider's count)" if some == calls else f"as recorded ({some:,} of {calls:,} calls)",
        "in tokens" if tokens is None else tokens,
        _dollars(base.dollars, digits),
        "",
        "",
        "",
        "",
        "recorded",
    )
    return [counted] if base.input_tokens is None else [recorded, counted]


def _dollars(value: float | None, digits: int) -> str:
    return "unknown" if value is None else f"{value:,.{digits}f}"

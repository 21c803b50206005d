"""What a gate found, for programs and for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType

from ctxcore.counted import count
from ctxcore.measures.compare import Compared
from ctxcore.model import Session
from ctxcore.views.gate import LIMITS, Failure, Gate, Verdict, measured, number_text
from ctxcore.views.terminal import plain
from ctxcore.views.terminal_replay import budget_words, footnotes
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.uncounted import uncounted_json


def gate_json(session: Session, gate: Gate, row: Compared, found: Sequence[Failure]) -> dict[str, Any]:
    """``ctxscope.check/1``: what was measured, and every limit that does not hold."""
    return {
        "schema": "ctxscope.check/1",
        "file": session.name,
        "policy": gate.policy,
        "parameters": gate.parameters,
        "budget": gate.budget,
        "unit": gate.unit,
        "basis": row.basis,
        "uncounted": uncounted_json([row.replay.thread], session.not_recorded),
        "passed": not found,
        "measured": measured(row),
        "failures": [_failure(one) for one in found],
    }


def _failure(one: Failure) -> dict[str, Any]:
    return {"limit": one.limit, "allowed": one.allowed, "found": one.found, "call": one.call, "verdict": one.verdict, "why": str(one)}


def gates_json(each: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """``ctxscope.checks/1``: several files, each as ``ctxscope.check/1``, or with its ``file`` and ``error``."""
    return {"schema": "ctxscope.checks/1", "passed": all(one.get("passed", False) for one in each), "files": list(each)}


COLUMNS = (Column(name="limit", text=True, least=15), Column(name="allowed"), Column(name="found"), Column(name="verdict", text=True, least=15))
"""Of the table for a terminal."""


def gate_tables(session: Session, gate: Gate, row: Compared, found: Sequence[Failure]) -> RenderableType:
    """The same for a terminal; the last line is the verdict."""
    title = f"{gate.policy} on {row.replay.thread.id}, {budget_words(gate.budget, row.replay.sizes, [row.basis])}"
    verdicts: dict[str, Verdict] = {one.limit: one.verdict for one in found}
    table = FittedTable(title=title, columns=COLUMNS, rows=[_cells(gate, row, limit, verdicts.get(limit, "held")) for limit in LIMITS])
    return Group(table, *footnotes([row.replay], session.not_recorded), plain(_verdict(gate, found), "bold"))


def _cells(gate: Gate, row: Compared, limit: str, verdict: Verdict) -> tuple[str, ...]:
    value = measured(row)[limit]
    found = "unknown" if value is None else number_text(value)
    if limit not in gate.limits:
        return LIMITS[limit], "no limit", found, ""
    return LIMITS[limit], number_text(gate.limits[limit]), found, verdict


def _verdict(gate: Gate, found: Sequence[Failure]) -> str:
    if not found:
        return f"Passed: {count(len(gate.limits), 'limit holds', 'limits hold')}."
    unknown = sum(one.verdict == "unknown" for one in found)
    broken = len(found) - unknown
    parts = [f"{broken} of {count(len(gate.limits), 'limit')} exceeded"] if broken else []
    parts += [f"{unknown} of {count(len(gate.limits), 'limit')} unknown"] if unknown else []
    return f"Failed: {', '.join(parts)}. {' '.join(map(str, found))}"

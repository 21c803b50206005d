"""A gate for continuous integration: a policy must keep a recorded session within limits."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from ctxcore.errors import InputError, shown
from ctxcore.measures.compare import Compared

LIMITS = {
    "max_lost_references": "lost references",
    "max_refused_calls": "refused calls",
    "max_rejected_calls": "rejected calls",
    "max_cost_usd": "dollars",
}
"""Limits that a gate may set, and what each counts."""

MOST = 2**53
"""Greatest budget or limit."""

KEYS = ("policy", "budget", "unit", "parameters", "limits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What a session is held to."""

    policy: str
    """Name."""
    budget: int
    """In ``unit``."""
    unit: str = "tokens"
    """``chars`` or ``tokens``."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Settings of the policy."""
    limits: dict[str, float] = field(default_factory=dict)
    """Of ``LIMITS``: the most that is allowed."""


def read_gate(path: str | Path) -> Gate:
    """A gate from its file.

    Args:
        path: A TOML file with ``policy``, ``budget``, ``unit`` and the tables ``parameters`` and ``limits``.

    Raises:
        InputError: It cannot be read, or says something that no gate has.
    """
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"The configuration {path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"The configuration {path} is not TOML: {error}.") from error
    return _gate(table, str(path))


def _gate(table: dict[str, Any], where: str) -> Gate:
    unknown = sorted(set(table) - set(KEYS))
    if unknown:
        raise InputError(f"The configuration {where} has {shown(unknown[0])}; it takes {', '.join(KEYS)}.")
    budget, limits = table.get("budget"), table.get("limits", {})
    if isinstance(budget, bool) or not isinstance(budget, int) or not 1 <= budget <= MOST:
        raise InputError(f"The configuration {where} needs budget, a whole number of at least 1.")
    if not isinstance(limits, dict) or not limits or set(limits) - set(LIMITS) or not all(_number(v) for v in limits.values()):
        raise InputError(f"The configuration {where} needs a table limits with numbers for some of {', '.join(LIMITS)}.")
    parameters, policy, unit = table.get("parameters", {}), table.get("policy", "whole-units"), table.get("unit", "tokens")
    if not isinstance(parameters, dict) or not isinstance(policy, str) or not isinstance(unit, str):
        raise InputError(f"The configuration {where} takes policy and unit as texts and parameters as a table.")
    return Gate(policy=policy, budget=budget, unit=unit, parameters=parameters, limits={key: float(value) for key, value in limits.items()})


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A limit that was passed."""

    limit: str
    """Of ``LIMITS``."""
    allowed: float
    """The most."""
    found: float | None
    """What there is; None where it cannot be known."""
    call: int | None
    """The worst call, where one is to blame."""

    def __str__(self) -> str:
        """One sentence."""
        found = "an unknown number of" if self.found is None else f"{self.found:,.6g}"
        where = f", most at call #{self.call:,}" if self.call is not None else ""
        return f"{found} {LIMITS[self.limit]}{where}, allowed are {self.allowed:,.6g}."


def failures(gate: Gate, row: Compared) -> tuple[Failure, ...]:
    """Limits that a session passes, in the order of ``LIMITS``.

    Args:
        gate: What it is held to.
        row: The session's thread under the gate's policy.
    """
    found = _measured(row)
    worst = {"max_lost_references": row.worst_call}
    return tuple(
        Failure(limit=limit, allowed=gate.limits[limit], found=found[limit], call=worst.get(limit))
        for limit in LIMITS
        if limit in gate.limits and _passes(found[limit], gate.limits[limit])
    )


def _measured(row: Compared) -> dict[str, float | None]:
    return {
        "max_lost_references": float(row.lost_per_call.sum()),
        "max_refused_calls": float(row.refused_calls),
        "max_rejected_calls": float(row.rejected_calls),
        "max_cost_usd": None if row.cost is None else row.cost.total,
    }


def _passes(found: float | None, allowed: float) -> bool:
    """Over the limit; what cannot be known is never within it."""
    return found is None or not found <= allowed


def gate_text(gate: Gate) -> str:
    """The gate as the file that ``read_gate`` reads."""
    lines = [f'policy = "{gate.policy}"', f"budget = {gate.budget}", f'unit = "{gate.unit}"', "", "[parameters]"]
    lines += [f"{key} = {_toml(value)}" for key, value in gate.parameters.items() if value is not None]
    return "\n".join([*lines, "", "[limits]", *(f"{key} = {value:g}" for key, value in gate.limits.items()), ""])


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(_toml(one) for one in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # a JSON text is a TOML text
    return str(value)


def gate_json(gate: Gate, row: Compared, found: Sequence[Failure]) -> dict[str, Any]:
    """``ctxscope.check/1``: what was measured, and every limit that was passed."""
    return {
        "schema": "ctxscope.check/1",
        "policy": gate.policy,
        "parameters": gate.parameters,
        "budget": gate.budget,
        "unit": gate.unit,
        "passed": not found,
        "measured": {limit: _measured(row)[limit] for limit in LIMITS},
        "failures": [{"limit": one.limit, "allowed": one.allowed, "found": one.found, "call": one.call, "why": str(one)} for one in found],
    }


def gate_table(gate: Gate, row: Compared, found: Sequence[Failure]) -> Table:
    """The same for a terminal."""
    verdict = "passed" if not found else f"failed: {' '.join(map(str, found))}"
    table = Table(title=f"{gate.policy} at {gate.budget:,} {gate.unit}", caption=verdict)
    for heading in ("limit", "allowed", "found"):
        table.add_column(heading)
    for limit, words in LIMITS.items():
        measured = _measured(row)[limit]
        allowed = f"{gate.limits[limit]:,.6g}" if limit in gate.limits else "no limit"
        table.add_row(words, allowed, "unknown" if measured is None else f"{measured:,.6g}")
    return table

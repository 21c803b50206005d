"""A gate for continuous integration: a policy must keep a recorded session within limits."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from ctxcore.counted import count
from ctxcore.errors import InputError, shown
from ctxcore.measures.compare import Compared
from ctxcore.model import Session
from ctxcore.views.budget import parse_whole
from ctxcore.views.terminal import plain
from ctxcore.views.terminal_replay import budget_words, footnotes
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.uncounted import uncounted_json

LIMITS = {
    "max_lost_references": "lost references",
    "max_refused_calls": "refused calls",
    "max_rejected_calls": "rejected calls",
    "max_cost_usd": "dollars",
}
"""Limits that a gate may set, and what each counts."""

MOST = 2**53
"""Greatest budget or limit."""

COUNTS = tuple(limit for limit in LIMITS if limit != "max_cost_usd")
"""Those that are whole numbers."""

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
    """Of ``LIMITS``: the most that is allowed; whole numbers but for money."""


def read_gate(path: str | Path) -> Gate:
    """A gate from its file.

    Args:
        path: A TOML file with ``policy``, ``budget``, ``unit`` and the tables ``parameters`` and ``limits``. A budget or a limit may be a text as
            people write numbers, such as ``"60k"``.

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
    budget, limits = _whole(table.get("budget")), table.get("limits")
    if not isinstance(budget, int) or not 1 <= budget <= MOST:
        raise InputError(f'The configuration {where} needs budget, a whole number of at least 1, such as 60000 or "60k".')
    if not isinstance(limits, dict) or not limits or set(limits) - set(LIMITS):
        raise InputError(f"The configuration {where} needs a table limits with numbers for some of {', '.join(LIMITS)}.")
    parameters, policy, unit = table.get("parameters", {}), table.get("policy", "whole-units"), table.get("unit", "tokens")
    if not isinstance(parameters, dict) or not isinstance(policy, str) or not isinstance(unit, str):
        raise InputError(f"The configuration {where} takes policy and unit as texts and parameters as a table.")
    read = {name: _limit(name, value, where) for name, value in limits.items()}
    return Gate(policy=policy, budget=budget, unit=unit, parameters=parameters, limits=read)


def _whole(value: object) -> object:
    """A number, where a text is one as people write it; anything else as it is, also true and false, which are no numbers here."""
    if isinstance(value, bool):
        return None
    try:
        return parse_whole(value) if isinstance(value, str) else value
    except InputError:
        return value


def _limit(name: str, value: object, where: str) -> float:
    number = _whole(value)
    whole = name in COUNTS
    if not isinstance(number, (int, float)) or not 0 <= number <= MOST or (whole and number != int(number)):
        raise InputError(f"The configuration {where} limits {name} to {shown(value)}; it takes a {'whole ' if whole else ''}number of at least 0.")
    return int(number) if whole else float(number)


def number_text(value: float) -> str:
    """A limit or what was found, for people: counts in full, dollars to six digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A limit that was exceeded."""

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
        found = "An unknown number of" if self.found is None else number_text(self.found)
        noun = LIMITS[self.limit].removesuffix("s") if self.found == 1 else LIMITS[self.limit]
        where = f", most of them at call #{self.call:,}" if self.call is not None and self.found != 1 else ""
        return f"{found} {noun}{where}; the limit is {number_text(self.allowed)}."


def failures(gate: Gate, row: Compared) -> tuple[Failure, ...]:
    """Limits that a session exceeds, in the order of ``LIMITS``.

    Args:
        gate: What it is held to.
        row: The session's thread under the gate's policy.
    """
    found = _measured(row)
    worst = {"max_lost_references": row.worst_call}
    return tuple(
        Failure(limit=limit, allowed=gate.limits[limit], found=found[limit], call=worst.get(limit))
        for limit in LIMITS
        if limit in gate.limits and _exceeds(found[limit], gate.limits[limit])
    )


def _measured(row: Compared) -> dict[str, float | None]:
    return {
        "max_lost_references": int(row.lost_per_call.sum()),
        "max_refused_calls": row.refused_calls,
        "max_rejected_calls": row.rejected_calls,
        "max_cost_usd": None if row.cost is None else row.cost.total,
    }


def _exceeds(found: float | None, allowed: float) -> bool:
    """Over the limit; what cannot be known is never within it."""
    return found is None or not found <= allowed


def gate_text(gate: Gate) -> str:
    """The gate as the file that ``read_gate`` reads."""
    lines = [f'policy = "{gate.policy}"', f"budget = {gate.budget}", f'unit = "{gate.unit}"', "", "[parameters]"]
    lines += [f"{key} = {_toml(value)}" for key, value in gate.parameters.items() if value is not None]
    return "\n".join([*lines, "", "[limits]", *(f"{key} = {_toml(value)}" for key, value in gate.limits.items()), ""])


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(_toml(one) for one in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # a JSON text is a TOML text
    return str(value)


def gate_json(session: Session, gate: Gate, row: Compared, found: Sequence[Failure]) -> dict[str, Any]:
    """``ctxscope.check/1``: what was measured, and every limit that was exceeded."""
    return {
        "schema": "ctxscope.check/1",
        "policy": gate.policy,
        "parameters": gate.parameters,
        "budget": gate.budget,
        "unit": gate.unit,
        "basis": row.basis,
        "uncounted": uncounted_json([row.replay.thread], session.not_recorded),
        "passed": not found,
        "measured": _measured(row),
        "failures": [{"limit": one.limit, "allowed": one.allowed, "found": one.found, "call": one.call, "why": str(one)} for one in found],
    }


COLUMNS = (Column(name="limit", text=True, least=15), Column(name="allowed"), Column(name="found"), Column(name="verdict", text=True, least=15))
"""Of the table for a terminal."""


def gate_tables(session: Session, gate: Gate, row: Compared, found: Sequence[Failure]) -> RenderableType:
    """The same for a terminal; the last line is the verdict."""
    title = f"{gate.policy} on {row.replay.thread.id}, {budget_words(gate.budget, row.replay.sizes, row.basis)}"
    exceeded = {one.limit for one in found}
    table = FittedTable(title=title, columns=COLUMNS, rows=[_cells(gate, row, limit, exceeded) for limit in LIMITS])
    return Group(table, *footnotes([row.replay], session.not_recorded), plain(_verdict(gate, found), "bold"))


def _cells(gate: Gate, row: Compared, limit: str, exceeded: AbstractSet[str]) -> tuple[str, ...]:
    measured = _measured(row)[limit]
    found = "unknown" if measured is None else number_text(measured)
    if limit not in gate.limits:
        return LIMITS[limit], "no limit", found, ""
    return LIMITS[limit], number_text(gate.limits[limit]), found, "exceeded" if limit in exceeded else "held"


def _verdict(gate: Gate, found: Sequence[Failure]) -> str:
    if not found:
        return f"Passed: {count(len(gate.limits), 'limit holds', 'limits hold')}."
    return f"Failed: {len(found)} of {count(len(gate.limits), 'limit')} exceeded. {' '.join(map(str, found))}"

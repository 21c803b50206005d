"""A gate for continuous integration: a policy must keep a recorded session within limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ctxcore.errors import InputError, did_you_mean, shown
from ctxcore.measures.compare import Compared
from ctxcore.toml_text import toml_file
from ctxcore.views.budget import parse_whole

LIMITS = {
    "max_lost_references": "lost references",
    "max_refused_calls": "refused calls",
    "max_rejected_calls": "rejected calls",
    "max_cost_usd": "dollars",
    "min_calls": "calls",
}
"""Limits that a gate may set, and what each counts."""

LEAST = "min_calls"
"""The one that is a least; all others are a most."""

Verdict = Literal["held", "exceeded", "too few", "unknown"]
"""What became of a limit; ``unknown`` is no pass."""

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
    return _gate(toml_file(path, f"The configuration {path}"), str(path))


def _gate(table: dict[str, Any], where: str) -> Gate:
    _known(table, KEYS, f"{where} has")
    budget, limits = _whole(table.get("budget")), table.get("limits")
    if not isinstance(budget, int) or not 1 <= budget <= MOST:
        raise InputError(f'The configuration {where} needs budget, a whole number of at least 1, such as 60000 or "60k".')
    if not isinstance(limits, dict) or not limits:
        raise InputError(f"The configuration {where} needs a table limits with numbers for some of {', '.join(LIMITS)}.")
    _known(limits, LIMITS, f"{where} limits")
    parameters, policy, unit = table.get("parameters", {}), table.get("policy", "whole-units"), table.get("unit", "tokens")
    if not isinstance(parameters, dict) or not isinstance(policy, str) or not isinstance(unit, str):
        raise InputError(f"The configuration {where} takes policy and unit as texts and parameters as a table.")
    read = {name: _limit(name, value, where) for name, value in limits.items()}
    return Gate(policy=policy, budget=budget, unit=unit, parameters=parameters, limits=read)


def _known(table: Mapping[str, object], keys: Iterable[str], has: str) -> None:
    """Raise for the first key that no gate has."""
    for key in sorted(set(table) - set(keys)):
        raise InputError(f"The configuration {has} {shown(key)}; it takes {', '.join(keys)}.{did_you_mean(key, keys)}")


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
    """A limit that does not hold, or of which nobody knows."""

    limit: str
    """Of ``LIMITS``."""
    allowed: float
    """The most; of ``min_calls`` the least."""
    found: float | None
    """What there is; None where it cannot be known."""
    call: int | None
    """The worst call, where one is to blame."""

    @property
    def verdict(self) -> Verdict:
        """In a word."""
        return "unknown" if self.found is None else "too few" if self.limit == LEAST else "exceeded"

    def __str__(self) -> str:
        """One sentence."""
        if self.found is None:
            return (
                f"The price of this model is not known (--prices gives it), so nor is whether the limit of {number_text(self.allowed)} dollars holds."
            )
        noun = LIMITS[self.limit].removesuffix("s") if self.found == 1 else LIMITS[self.limit]
        where = f", most of them at call #{self.call:,}" if self.call is not None and self.found != 1 else ""
        return f"{number_text(self.found)} {noun}{where}; the {'least' if self.limit == LEAST else 'limit'} is {number_text(self.allowed)}."


def failures(gate: Gate, row: Compared) -> tuple[Failure, ...]:
    """Limits that a session does not hold, in the order of ``LIMITS``; one that cannot be known is never held.

    Args:
        gate: What it is held to.
        row: The session's thread under the gate's policy.

    Raises:
        InputError: The thread has no model call, so that every limit would hold and mean nothing.
    """
    if not row.replay.thread.calls:
        raise InputError("This recording holds no model call, so there is nothing to hold to limits.")
    found = measured(row)
    worst = {"max_lost_references": row.worst_call}
    return tuple(
        Failure(limit=limit, allowed=gate.limits[limit], found=found[limit], call=worst.get(limit))
        for limit in LIMITS
        if limit in gate.limits and not _holds(limit, found[limit], gate.limits[limit])
    )


def measured(row: Compared) -> dict[str, float | None]:
    """What limits are held against."""
    return {
        "max_lost_references": int(row.lost_per_call.sum()),
        "max_refused_calls": row.refused_calls,
        "max_rejected_calls": row.rejected_calls,
        "max_cost_usd": None if row.cost is None else row.cost.total,
        LEAST: len(row.replay.thread.calls),
    }


def _holds(limit: str, found: float | None, allowed: float) -> bool:
    return found is not None and (found >= allowed if limit == LEAST else found <= allowed)


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

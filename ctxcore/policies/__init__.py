"""Rules that fit a context to a budget: one file and one line of ``POLICIES`` each."""

from __future__ import annotations

from typing import Any

from ctxcore.errors import InputError
from ctxcore.policies.none import NoTrim
from ctxcore.policies.protocol import Fits, Parameter, Policy, Timeline
from ctxcore.policies.whole_units import WholeUnits

POLICIES: tuple[type[Policy], ...] = (WholeUnits, NoTrim)
"""Every policy that ships, default first."""


def make_policy(name: str, **parameters: Any) -> Policy:
    """A policy by its name.

    Raises:
        InputError: No such policy, or a parameter that it does not have.
    """
    for kind in POLICIES:
        if kind.name == name:
            known = {p.name for p in kind.parameters}
            if unknown := sorted(set(parameters) - known):
                raise InputError(f"Policy {name} has no parameter {', '.join(unknown)}; it has: {', '.join(sorted(known)) or 'none'}.")
            return kind(**parameters)
    raise InputError(f"No policy {name!r}. Choose one of: {', '.join(kind.name for kind in POLICIES)}.")


__all__ = ["POLICIES", "Fits", "NoTrim", "Parameter", "Policy", "Timeline", "WholeUnits", "make_policy"]

"""Rules that fit a context to a budget: one file of ``catalog`` and one line of ``POLICIES`` each."""

from __future__ import annotations

from typing import Any

from ctxcore.errors import InputError, did_you_mean, shown
from ctxcore.policies.catalog import POLICIES
from ctxcore.policies.catalog.none import NoTrim
from ctxcore.policies.catalog.whole_units import WholeUnits
from ctxcore.policies.edits import Edit, Insert, Layer, Plan
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.plugins import all_policies, fitted, load_plugin, made
from ctxcore.policies.protocol import Fits, Parameter, Policy, Timeline

MOST = 2**53
"""Greatest number that a setting takes: beyond any recording, and exact as a float."""

TYPES: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (int, float), "str": (str,), "size": (int,), "names": (tuple, list)}
"""Types of values by the word of a parameter."""


def make_policy(name: str, /, **parameters: Any) -> Policy:
    """A policy by its name; the settings may have any names, ``name`` too.

    Raises:
        InputError: No such policy, a parameter that it does not have, or a value of another type.
    """
    kind = policy_named(name)
    known = {p.name: p for p in kind.parameters}
    if unknown := sorted(set(parameters) - set(known)):
        near = did_you_mean(unknown[0], known)
        raise InputError(f"Policy {name} has no parameter {', '.join(unknown)}; it has: {', '.join(sorted(known)) or 'none'}.{near}")
    return made(kind, {key: _value(name, known[key], value) for key, value in parameters.items()})


def policy_named(name: str) -> type[Policy]:
    """The class of a policy.

    Raises:
        InputError: No such policy.
    """
    for kind in all_policies():
        if kind.name == name:
            return kind
    near = did_you_mean(name, [kind.name for kind in all_policies()])
    raise InputError(f"No policy {shown(name)}.{near} ctxscope policies lists them all.")


def _value(policy: str, parameter: Parameter, value: Any) -> Any:
    """A setting as the policy takes it: lists of names become tuples."""
    if value is None and parameter.default is None:
        return None
    right = isinstance(value, TYPES[parameter.type]) and (parameter.type == "bool" or not isinstance(value, bool))
    if parameter.type == "names":
        right = right and all(isinstance(item, str) for item in value)
    if not right or (parameter.type in ("int", "size", "float") and not 0 <= value <= MOST):
        most = f" and at most {MOST:,}" if right and parameter.type in ("int", "size", "float") and value > MOST else ""
        raise InputError(f"Parameter {parameter.name} of policy {policy} is {shown(value)}; it takes {TYPE_WORDS[parameter.type]}{most}.")
    return tuple(value) if parameter.type == "names" else value


TYPE_WORDS = {
    "bool": "true or false",
    "int": "a whole number of at least 0",
    "float": "a number of at least 0",
    "str": "a text",
    "size": "a size in the unit of the budget",
    "names": "a list of names",
}
"""What a parameter takes, in words."""


__all__ = [
    "POLICIES",
    "TYPE_WORDS",
    "Edit",
    "Fits",
    "History",
    "Insert",
    "Layer",
    "NoTrim",
    "Parameter",
    "Plan",
    "PlannedPolicy",
    "Policy",
    "Timeline",
    "WholeUnits",
    "all_policies",
    "fitted",
    "load_plugin",
    "make_policy",
    "policy_named",
]

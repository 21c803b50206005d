"""Rules over the whole state: plain functions that raise where something does not go together."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType

from ctxcore.errors import CtxscopeError, InputError, PluginError
from ctxcore.foreign_code import line_in, loading
from ctxcore.installed import load_point
from ctxcore.model import Json

GROUP = "ctxscope.business_rules"
"""Entry points of other packages: a name and a function."""

RISK_LIMITS: Mapping[str, float] = MappingProxyType({"conservative": 5.0, "moderate": 10.0, "aggressive": float("inf")})
"""Percent a year above which a product is too risky for a profile that names no limit of its own. Source: our own, round numbers."""

Values = Mapping[str, Json]
"""Fields that have a value."""

Rule = Callable[[Values], None]
"""Raises `BusinessRuleError` where the state breaks it."""


class BusinessRuleError(CtxscopeError):
    """A state breaks a rule.

    Attributes:
        code: Stable.
        fields: Fields that do not go together.
    """

    def __init__(self, code: str, message: str, *fields: str) -> None:
        super().__init__(message)
        self.code, self.fields = code, fields


def return_after_departure(state: Values) -> None:
    """The return is at least one day after the departure."""
    leave, back = _day(state.get("departure_date")), _day(state.get("return_date"))
    if leave and back and (back - leave).days < 1:
        raise BusinessRuleError(
            "BUSINESS_RULE_RETURN_DATE", f"The return on {back} is not after the departure on {leave}.", "departure_date", "return_date"
        )


def risk_matches(state: Values) -> None:
    """No recommended product promises more than the user's limit, or than the user's profile goes with."""
    offered = state.get("recommended_return")
    limit = state.get("max_annual_return")
    if limit is None:
        limit = RISK_LIMITS.get(str(state.get("risk_profile")))
    if isinstance(offered, (int, float)) and isinstance(limit, (int, float)) and offered > limit:
        raise BusinessRuleError(
            "BUSINESS_RULE_RISK_MISMATCH", f"A recommended return of {offered:g} % is above the limit of {limit:g} %.", "recommended_return"
        )


_SHIPPED: tuple[Rule, ...] = (return_after_departure, risk_matches)

_LOADED: dict[str, Rule] = {}


def load_rules(path: str | Path) -> tuple[str, ...]:
    """Run a Python file and add its rules: every function in its list `RULES`. Only for paths that stand on the command line.

    Raises:
        InputError: It cannot be read or run, or has no such list.
    """
    with loading(f"The file of rules {path}", (str(path),)):
        names = runpy.run_path(str(path))
    rules = names.get("RULES")
    if not isinstance(rules, (list, tuple)) or not all(callable(rule) and hasattr(rule, "__name__") for rule in rules):
        raise InputError(f"{path} gives no rules: it needs a list RULES of functions.")
    added = {rule.__name__: rule for rule in rules}
    _LOADED.update(added)
    return tuple(added)


def rule_named(name: str) -> Rule:
    """A rule that ships, was loaded, or is installed.

    Raises:
        InputError: No such rule.
    """
    found = _LOADED.get(name) or next((rule for rule in _SHIPPED if rule.__name__ == name), None) or _installed(name)
    if found is None:
        raise InputError(f"No business rule {name!r:.80}. Give the file that has it with --rules, or install its package.")
    return found


@cache
def _installed(name: str) -> Rule | None:
    point = next(iter(entry_points(group=GROUP, name=name)), None)
    rule: Rule | None = load_point(point, "rule") if point else None
    return rule


def broken_rules(names: Sequence[str], state: Values) -> Iterator[BusinessRuleError]:
    """What each rule says against the state.

    Raises:
        PluginError: A rule raised anything else.
    """
    for name in names:
        rule = rule_named(name)
        try:
            rule(state)
        except BusinessRuleError as error:
            yield error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _fault(name, rule, error) from error


def _fault(name: str, rule: Rule, error: BaseException) -> PluginError:
    file = getattr(getattr(rule, "__code__", None), "co_filename", "")
    return PluginError(file or str(getattr(rule, "__module__", "")), name, type(error).__name__, line_in(error, (file,)), part="rule")


def _day(value: Json) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None

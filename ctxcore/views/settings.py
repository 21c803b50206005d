"""Settings of a policy and what the user keeps, as people type them and as an address says them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ctxcore.errors import InputError, did_you_mean, shown
from ctxcore.keep import Keep
from ctxcore.policies import TYPE_WORDS, all_policies, make_policy
from ctxcore.policies.protocol import Parameter, Policy
from ctxcore.views.budget import parse_whole

YES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
"""How people write a switch."""

MOST_CHARS = 2_000
"""Characters of settings or wishes in an address."""


def parameters_of(policy: str) -> tuple[Parameter, ...]:
    """Settings of a policy by its name; none for an unknown one."""
    return next((kind.parameters for kind in all_policies() if kind.name == policy), ())


def policy_of(name: str, texts: Sequence[str]) -> Policy:
    """A policy with the settings that were typed.

    Args:
        name: Of the policy.
        texts: As for ``settings_of_each``.

    Raises:
        InputError: No such policy, or settings that it does not take.
    """
    return make_policy(name, **policy_settings(name, texts))


def policy_settings(policy: str, texts: Sequence[str]) -> dict[str, Any]:
    """Settings of one policy as it takes them.

    Args:
        policy: Its name.
        texts: As for ``settings_of_each``.

    Raises:
        InputError: As for ``settings_of_each``.
    """
    return settings_of_each([policy], texts)[policy]


def settings_of_each(policies: Sequence[str], texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Settings of several policies, by the policy's name.

    Args:
        policies: Names, at least one.
        texts: As typed: ``policy.name=value``, or ``name=value`` where there is one policy.

    Raises:
        InputError: No ``=`` or nothing before it, a policy that is not among them, or a value of another type; what a policy does not have is
            left for ``make_policy`` to refuse.
    """
    found: dict[str, dict[str, Any]] = {policy: {} for policy in policies}
    for text in texts:
        place, mark, value = text.partition("=")
        if not mark:
            raise InputError(f"Setting {shown(text)} has no value. Write name=value, for example keep_results=5.")
        policy, name = _whose(place, policies)
        kinds = {p.name: p.type for p in parameters_of(policy)}
        found[policy][name] = setting_value(name, value.strip(), kinds.get(name, "str"))
    return found


def _whose(place: str, policies: Sequence[str]) -> tuple[str, str]:
    """Policy and name of a setting from what stands before its ``=``."""
    policy, dot, name = (part.strip() for part in place.rpartition("."))
    if not name:
        raise InputError(f"Setting {shown(f'{place}=')} has no name. Write name=value, for example keep_results=5.")
    if not dot and len(policies) > 1:
        raise InputError(f"Setting {shown(name)} does not say of which policy. Write policy.name=value, for example {policies[0]}.{name}=….")
    if dot and policy not in policies:
        raise InputError(f"Setting {shown(place)} is of a policy that is not asked for.{did_you_mean(policy, policies)} Name it with --policy.")
    return policy or policies[0], name


def setting_value(name: str, text: str, kind: str) -> Any:
    """One setting from its text; an empty text is None for a size.

    Args:
        name: Of the setting.
        text: As typed.
        kind: Type of the parameter.

    Raises:
        InputError: It does not fit.
    """
    try:
        match kind:
            case "bool":
                return YES[text.lower()]
            case "int" | "size":
                return parse_whole(text) if text or kind == "int" else None
            case "float":
                return float(text)
            case "names":
                return tuple(filter(None, (part.strip() for part in text.split(","))))
    except (KeyError, ValueError) as error:
        raise InputError(f"Setting {name}={text} does not fit: it takes {TYPE_WORDS[kind]}.") from error
    return text


def setting_text(value: object) -> str:
    """A setting as it is typed: names with commas between, empty for None."""
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def changed_settings(policy: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Only those that differ from the policy's defaults."""
    defaults = {p.name: p.default for p in parameters_of(policy)}
    return {name: value for name, value in values.items() if name in defaults and value != defaults[name]}


def settings_query(settings: Mapping[str, Any]) -> str:
    """Settings as an address says them: compact JSON, empty for none."""
    return json.dumps(dict(settings), ensure_ascii=False, separators=(",", ":"), sort_keys=True) if settings else ""


def read_settings(policy: str, text: str) -> dict[str, Any]:
    """Settings from an address.

    Raises:
        InputError: Not an object, or not what the policy takes.
    """
    values = _object(text)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    make_policy(policy, **values)
    return changed_settings(policy, values)


def keep_query(keep: Keep) -> str:
    """What the user keeps, as an address says it; empty for nothing."""
    wishes = {"units": keep.units, "tools": keep.tools, "texts": keep.texts}
    return settings_query({name: list(values) for name, values in wishes.items() if values})


def read_keep(text: str) -> Keep:
    """What the user keeps, from an address.

    Raises:
        InputError: Not an object of lists.
    """
    values = _object(text)
    units, tools, texts = (values.get(name, []) for name in ("units", "tools", "texts"))
    if set(values) - {"units", "tools", "texts"} or not _are(units, int) or not _are(tools, str) or not _are(texts, str):
        raise InputError("What is kept is a JSON object with lists: units (numbers), tools and texts.")
    return Keep(units=tuple(units), tools=tuple(filter(None, tools)), texts=tuple(filter(None, texts)))


def _are(values: object, kind: type) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


def _object(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text) if len(text) <= MOST_CHARS else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InputError(f"{shown(text)} is no JSON object.")
    return value

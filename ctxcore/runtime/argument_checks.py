"""Arguments against a tool's JSON Schema, with a time limit on its patterns: a schema may come from a file or a server of somebody else.

Source: JSON Schema draft 2020-12, Validation 6.3.3 (``pattern``) and Core 10.3.2 (``patternProperties``, ``additionalProperties``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import regex
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

PATTERN_S = 0.5
"""Seconds for one pattern over one text."""

PATTERN_NAMES, LEFT_OVER = "patternProperties", "unevaluatedProperties"


class TooSlow(ValueError):
    """A pattern went on after its time; what it would have said is not known."""


def _holds(pattern: str, text: str) -> bool:
    """The pattern is somewhere in the text.

    Raises:
        TooSlow: It could not be told in time.
        ValidationError: It is no pattern.
    """
    try:
        return regex.search(pattern, text, timeout=PATTERN_S) is not None
    except TimeoutError as error:
        raise TooSlow(f"The pattern {pattern!r:.80} could not be checked within {PATTERN_S:g} seconds.") from error
    except regex.error as error:
        raise ValidationError(f"the tool's own pattern {pattern!r:.80} cannot be read: {error}") from error


def _named(patterns: Mapping[str, Any], instance: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names in the instance and what the patterns that they match ask of their values."""
    return [(name, wanted) for pattern, wanted in patterns.items() for name in instance if _holds(pattern, name)]


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _holds(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, wanted in _named(patterns, instance):
            yield from validator.descend(instance[name], wanted, path=name)


def _additional_properties(validator: Any, wanted: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
    """As it is, but with the names that patterns match put beside those that are listed, so that it looks at no pattern itself."""
    if PATTERN_NAMES in schema and isinstance(instance, dict):
        listed = {**schema.get("properties", {}), **dict(_named(schema[PATTERN_NAMES], instance))}
        schema = {**{key: value for key, value in schema.items() if key != PATTERN_NAMES}, "properties": listed}
    yield from Draft202012Validator.VALIDATORS["additionalProperties"](validator, wanted, instance, schema)


ArgumentValidator = extend(
    Draft202012Validator, {"pattern": _pattern, PATTERN_NAMES: _pattern_properties, "additionalProperties": _additional_properties}
)
"""``Draft202012Validator`` whose patterns have a time limit."""


def cannot_be_limited(schema: object) -> bool:
    """A schema that asks for what is left over beside patterns of names: those patterns would be looked at without a limit."""
    keys: set[str] = set()
    left = [schema]
    while left:
        one = left.pop()
        keys |= set(one) if isinstance(one, dict) else set()
        left += list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []
    return {PATTERN_NAMES, LEFT_OVER} <= keys

"""What is wrong in a file of a user, in words of people: the checks of pydantic speak of models and instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxcore.errors import shown

KINDS = {
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "dict_type": "keys with values",
    "string_type": "a text",
    "tuple_type": "a list",
    "list_type": "a list",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number that is not endless",
}
"""What must stand there, by pydantic's type of error."""

WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "union_tag_not_found": "needs {discriminator}",
    "union_tag_invalid": "{discriminator} is {tag}; it must be one of {expected_tags}",
    "literal_error": "must be {expected}, not {given}",
    "string_pattern_mismatch": "{given} must match {pattern}",
}
"""Other faults by the same; names stand for the facts that pydantic gives."""

KEY = "[key]"
"""Last part of a place where not the value but its name is at fault."""


def plain_fault(error: Mapping[str, Any]) -> str:
    """Place and fault as a clause.

    Args:
        error: One of ``ValidationError.errors()``.
    """
    parts = [str(part) for part in error["loc"] if part != KEY]
    what = _what(error)
    return f"{'.'.join(parts)}: {f'its name {what}' if KEY in error['loc'] else what}" if parts else what


def _what(error: Mapping[str, Any]) -> str:
    kind, given = error["type"], shown(error["input"])
    if kind in KINDS:
        return f"must be {KINDS[kind]}, not {given}"
    if kind in WORDS:
        return WORDS[kind].format(given=given, **{name: shown(fact) if name == "tag" else fact for name, fact in error.get("ctx", {}).items()})
    return str(error["msg"]).removeprefix("Value error, ").replace("Input should", "must").replace("String should", "must")

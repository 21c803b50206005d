"""Schema of fields: what is not allowed is not stored, and says so by a stable code."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

import regex
from pydantic import Field, TypeAdapter, ValidationError

from ctxcore.model import Json
from ctxcore.state.domain import FieldForm

PATTERN_S = 0.05
"""Seconds for one pattern over one text."""

_TYPES: dict[str, Any] = {
    "text": Annotated[str, Field(min_length=1, max_length=2_000, strict=True)],
    "number": Annotated[float, Field(allow_inf_nan=False, strict=True)],
    "money": Annotated[float, Field(allow_inf_nan=False, strict=True)],
    "date": Annotated[str, Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?(/\d{4}-\d{2}(-\d{2})?)?$", strict=True)],
    "list": list[Any],
    "object": dict[str, Any],
    "flag": Annotated[bool, Field(strict=True)],
}
"""What pydantic checks values of each type with; whole numbers are numbers too."""


TYPE_WORDS = {
    "text": "a text of 1 to 2,000 characters",
    "number": "a number",
    "money": "an amount",
    "date": "a date as 2025-03-10, or two with a slash between",
    "list": "a list",
    "object": "an object",
    "flag": "true or false",
    "enum": "one of its values",
}
"""What a value of each type is, for people."""


@cache
def field_model(kind: str, values: tuple[str, ...], over: float | None, under: float | None) -> TypeAdapter[Any]:
    """The model of a field, built from what its form says."""
    form: Any = Literal[values] if kind == "enum" else _TYPES[kind]
    bounds: dict[str, Any] = {name: value for name, value in (("gt", over), ("lt", under)) if value is not None}
    return TypeAdapter(Annotated[form, Field(**bounds)] if bounds else form)


def fault(name: str, form: FieldForm, value: Json) -> str:
    """Stable code of what is wrong with a value; empty for a good one."""
    kind = _wrong(form, value)
    return _coded(form.code or name.upper().replace(".", "_"), kind, form) if kind else ""


def expected(form: FieldForm, value: Json) -> str:
    """A clause that says what a value must be that a field refuses; empty for a good one."""
    kind = _wrong(form, value)
    told = {
        "": "",
        "less_than": f"it must be below {form.under or 0:,g}",
        "greater_than": f"it must be above {form.over or 0:,g}",
        "literal_error": f"it must be one of {', '.join(form.values)}",
        "pattern": f"it must match {form.pattern}",
        "slow": f"it could not be held against {form.pattern} within {PATTERN_S:g} seconds",
    }
    return told.get(kind, f"it must be {TYPE_WORDS[form.type]}")


def as_typed(form: FieldForm, value: Json) -> Json:
    """Words that a pattern caught, as the number that their field asks for; as they are where they are none."""
    return plain_number(value) if form.type in ("number", "money") and isinstance(value, str) else value


def plain_number(words: str) -> Json:
    """A plain number as it stands, thousands with or without commas; the words where they are none."""
    try:
        value = float(words.replace(",", ""))
    except ValueError:
        return words
    return int(value) if value.is_integer() else value


def _wrong(form: FieldForm, value: Json) -> str:
    """Kind of what is wrong, a type of pydantic's errors or one of our own; empty for a good value."""
    try:
        field_model(form.type, form.values, form.over, form.under).validate_python(value)
    except ValidationError as error:
        return error.errors()[0]["type"]
    return _mismatch(form.pattern, value) if form.pattern and isinstance(value, str) else ""


def _coded(code: str, kind: str, form: FieldForm) -> str:
    match kind:
        case "less_than":
            return f"VALIDATION_ERROR_{code}_EXCEEDS_LIMIT"
        case "greater_than":
            return f"VALIDATION_ERROR_{code}_{'NOT_POSITIVE' if form.over == 0 else 'BELOW_LIMIT'}"
        case "literal_error":
            return f"VALIDATION_ERROR_{code}_NOT_ALLOWED"
        case "slow":
            return f"VALIDATION_ERROR_{code}_PATTERN_TOO_SLOW"
        case _:
            return f"VALIDATION_ERROR_{code}"


def _mismatch(pattern: str, value: str) -> str:
    try:
        return "" if regex.fullmatch(pattern, value, timeout=PATTERN_S) is not None else "pattern"
    except TimeoutError:
        return "slow"

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


@cache
def field_model(kind: str, values: tuple[str, ...], over: float | None, under: float | None) -> TypeAdapter[Any]:
    """The model of a field, built from what its form says."""
    form: Any = Literal[values] if kind == "enum" else _TYPES[kind]
    bounds: dict[str, Any] = {name: value for name, value in (("gt", over), ("lt", under)) if value is not None}
    return TypeAdapter(Annotated[form, Field(**bounds)] if bounds else form)


def fault(name: str, form: FieldForm, value: Json) -> str:
    """Stable code of what is wrong with a value; empty for a good one."""
    code = form.code or name.upper().replace(".", "_")
    try:
        field_model(form.type, form.values, form.over, form.under).validate_python(value)
    except ValidationError as error:
        return _coded(code, error.errors()[0]["type"], form)
    if form.pattern and isinstance(value, str) and not _matches(form.pattern, value):
        return f"VALIDATION_ERROR_{code}"
    return ""


def _coded(code: str, kind: str, form: FieldForm) -> str:
    match kind:
        case "less_than":
            return f"VALIDATION_ERROR_{code}_EXCEEDS_LIMIT"
        case "greater_than":
            return f"VALIDATION_ERROR_{code}_{'NOT_POSITIVE' if form.over == 0 else 'BELOW_LIMIT'}"
        case "literal_error":
            return f"VALIDATION_ERROR_{code}_NOT_ALLOWED"
        case _:
            return f"VALIDATION_ERROR_{code}"


def _matches(pattern: str, value: str) -> bool:
    try:
        return regex.fullmatch(pattern, value, timeout=PATTERN_S) is not None
    except TimeoutError:
        return False

"""Tool definitions in the form of one API, from whichever form they were recorded in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctxcore.model import Json
from ctxcore.report.request_parts import Notes


class Definition(NamedTuple):
    """One tool of the client's."""

    name: str
    description: str
    schema: Json


def same_tools(definitions: Sequence[Json], form: str) -> bool:
    """All definitions stand in this form already."""
    if form == "openai":
        return all(isinstance(one, dict) and isinstance(one.get("function"), dict) for one in definitions)
    return all(
        isinstance(one, dict) and "function" not in one and "parameters" not in one and ("input_schema" in one or "name" in one)
        for one in definitions
    )


def tools_as(definitions: Sequence[Json], form: str, notes: Notes) -> list[Json]:
    """Definitions written anew.

    Args:
        definitions: As recorded.
        form: ``openai`` or ``anthropic``.
        notes: Hears of tools that the provider itself runs.
    """
    return [_as(found, form) for one in definitions for found in _read(one, notes)]


def _as(found: Definition, form: str) -> dict[str, Any]:
    if form == "anthropic":
        return {"name": found.name, "description": found.description, "input_schema": found.schema}
    return {"type": "function", "function": {"name": found.name, "description": found.description, "parameters": found.schema}}


def _read(value: Json, notes: Notes) -> Iterator[Definition]:
    one: Mapping[str, Any] = value if isinstance(value, dict) else {}
    declared = one.get("functionDeclarations") or one.get("function_declarations")
    if isinstance(declared, list):
        for inner in declared:
            yield from _read(inner, notes)
        return
    inner = one["function"] if isinstance(one.get("function"), dict) else one
    schema = next(
        (inner[key] for key in ("parameters", "input_schema", "inputSchema", "parametersJsonSchema") if isinstance(inner.get(key), dict)), None
    )
    if isinstance(inner.get("name"), str) and (schema is not None or "type" not in one or one["type"] in ("function", "custom")):
        yield Definition(inner["name"], str(inner.get("description") or ""), schema or {"type": "object", "properties": {}})
    else:
        notes.add(f"A tool that the provider itself runs ({str(one.get('type') or one.get('name') or 'of unknown form')[:60]}) is left out.")

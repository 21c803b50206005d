"""Schemas of the desks' tools."""

from __future__ import annotations

from typing import Any


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    """JSON Schema of an object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}

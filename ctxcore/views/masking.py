"""JSON that is printed, masked as pages are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxcore.redaction.masking import MASK, masked, masked_part

__all__ = ["MASK", "masked", "masked_json", "masked_part"]


def masked_json(value: Any) -> Any:
    """A JSON value with every text in it masked; names of fields stay."""
    match value:
        case str():
            return masked(value)
        case list() | tuple():
            return [masked_json(one) for one in value]
        case Mapping():
            return {key: masked_json(one) for key, one in value.items()}
        case _:
            return value

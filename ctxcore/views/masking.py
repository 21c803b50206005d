"""Secrets and personal data in text that is shown: the value becomes dots, its name stays. Sizes and searches use the record itself.

What is hidden is what ``ctxcore.redaction`` finds and is sure of; here nothing is numbered, since a page shows text piece by piece.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxcore.redaction.finding import find
from ctxcore.redaction.rules import RULES

MASK = "••••••"
"""Stands for what is hidden."""

SURE = tuple(rule for rule in RULES if rule.sure)
"""Rules whose findings are never shown."""


def masked(text: str) -> str:
    """The text with every secret and personal number or address in it replaced by dots."""
    spans = find(text, SURE) if len(text) > 5 else ()
    if not spans:
        return text
    pieces, done = [], 0
    for span in spans:
        pieces += [text[done : span.start], MASK]
        done = span.stop
    return "".join((*pieces, text[done:]))


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

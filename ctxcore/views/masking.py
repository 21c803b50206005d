"""Secrets and personal data in text that is shown: the value becomes dots, its name stays. Sizes and searches use the record itself.

What is hidden is what ``ctxcore.redaction`` finds and is sure of; here nothing is numbered, since a page shows text piece by piece.
"""

from __future__ import annotations

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

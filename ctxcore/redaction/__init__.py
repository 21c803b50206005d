"""Secrets and personal data in recorded text: found by rules, listed for review, replaced the same way everywhere."""

from __future__ import annotations

from ctxcore.redaction.finding import Span, find
from ctxcore.redaction.replacing import Redactor
from ctxcore.redaction.review import Finding, findings
from ctxcore.redaction.rules import RULES, Rule

__all__ = ["RULES", "Finding", "Redactor", "Rule", "Span", "find", "findings"]

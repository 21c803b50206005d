"""Where in a text something to hide stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ctxcore.redaction.escapes import NO_WIDTH, mapped
from ctxcore.redaction.rules import RULES, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One stretch of a text that a rule names."""

    rule: Rule
    """Which."""
    start: int
    """First character."""
    stop: int
    """After the last one."""


def find(text: str, rules: Sequence[Rule] = RULES) -> tuple[Span, ...]:
    """Everything in a text that rules name: no two overlap, ascending.

    Args:
        text: Any; takes linear time.
        rules: Earlier ones have precedence.
    """
    if text.isascii():
        return _found(text, rules)
    narrow = text.translate(NARROW) if WIDE.search(text) else text
    if not NO_WIDTH.search(narrow):
        return _found(narrow, rules)
    seen = mapped(narrow, NO_WIDTH, lambda _: "")
    return tuple(replace(span, start=seen.origin(span.start), stop=seen.origin(span.stop - 1) + 1) for span in _found(seen.text, rules))


WIDE = re.compile(r"[\uff01-\uff5e\u3000]")
"""Letters as wide as Chinese ones."""

NARROW = {0x3000: 0x20} | {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Their narrow forms, one for one. Source: Unicode, "Halfwidth and Fullwidth Forms"."""


def _found(text: str, rules: Sequence[Rule]) -> tuple[Span, ...]:
    taken, small = list[Span](), text.lower()
    for rule in rules:
        if not rule.needles or any(needle in small for needle in rule.needles):
            taken += _matches(text, rule)
    return _apart(taken)


def _matches(text: str, rule: Rule) -> Iterator[Span]:
    group = "value" if "value" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(text):
        if match.end(group) > match.start(group) and rule.check(match[group]):
            yield Span(rule=rule, start=match.start(group), stop=match.end(group))


def _apart(spans: list[Span]) -> tuple[Span, ...]:
    """Spans without those that meet one of an earlier rule, or of the same rule further left."""
    order = {id(rule): place for place, rule in enumerate(RULES)}
    covered: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, order.get(id(one.rule), len(order)), -one.stop)):
        last = covered[-1] if covered else None
        if last is None or span.start >= last.stop:
            covered.append(span)
        elif order.get(id(span.rule), 0) < order.get(id(last.rule), 0):
            covered[-1] = Span(rule=span.rule, start=last.start, stop=max(last.stop, span.stop))
        elif span.rule.sure and span.stop > last.stop:
            covered[-1] = Span(rule=last.rule, start=last.start, stop=span.stop)
    return tuple(covered)

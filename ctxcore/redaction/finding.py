"""Where in a text something to hide stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    taken: list[Span] = []
    for rule in rules:
        if rule.needles and not any(needle in text for needle in rule.needles):
            continue
        taken += [span for span in _matches(text, rule) if not rule.sure or span.stop > span.start]
    return _apart(taken)


def _matches(text: str, rule: Rule) -> Iterator[Span]:
    group = "value" if "value" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(text):
        if rule.check(match[group]):
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

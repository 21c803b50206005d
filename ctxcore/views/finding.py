"""What the search for a budget found, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ctxcore.counted import count
from ctxcore.measures.finder import Finding

NAMED = 4
"""Budgets that a sentence names, at most."""


def finding_sentence(found: Finding) -> str:
    """All of it: the smallest budget, the one from which nothing is refused, and the knee."""
    unit, words = found.unit, [smallest_sentence(found)]
    if found.enough is not None:
        fitful = any(point.refused for point in found.curve)
        words.append(f"At {found.enough:,} {unit} no call is refused." if fitful else f"From {found.enough:,} {unit} on, no call is refused.")
    if found.knee is not None:
        words.append(f"The knee, below which losses grow fastest, is at {found.knee.budget:,} {unit}.")
    return " ".join(words)


def smallest_sentence(found: Finding) -> str:
    """The smallest budget and what speaks against it, or why there is none."""
    point = found.smallest
    if point is None:
        return found.why
    where = f"At {point.budget:,} {found.unit}" if found.fails_above else f"From {point.budget:,} {found.unit} on"
    sound = "" if point.rejected else ", no call is rejected by the provider"
    return " ".join((f"{where}, no call is refused{sound} and no reference is lost.", *cautions(found)))


def cautions(found: Finding) -> tuple[str, ...]:
    """What somebody who takes the smallest budget has to know, a sentence each; mostly nothing."""
    point = found.smallest
    if point is None:
        return ()
    told = []
    if point.rejected:
        calls = count(point.rejected, "call")
        told.append(
            f"But the provider would reject {calls} for the form that the policy leaves, no fewer at any budget looked at that loses nothing."
        )
    if found.fails_above:
        verb = "does" if len(found.fails_above) == 1 else "do"
        told.append(f"A larger budget need not do as well: {_listed(found.fails_above)} {found.unit} {verb} not.")
    return tuple(told)


def _listed(budgets: Sequence[int]) -> str:
    told = ", ".join(f"{budget:,}" for budget in budgets[:NAMED])
    return told if len(budgets) <= NAMED else f"{told} and {len(budgets) - NAMED:,} more"

"""Input tokens that a provider counted and whose text the log does not hold: what a budget over the recorded part leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from statistics import median

from ctxcore.measures.breakdown import breakdown, call_basis, weakest
from ctxcore.model import Basis, Thread
from ctxcore.sizes.measure import thread_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncounted:
    """The recorded input of calls beyond their counted text."""

    tokens: int
    """Median over those calls, rounded down; below zero where the provider received less than the log holds."""
    calls: int
    """Calls that have a recorded input count."""
    of: int
    """All calls."""
    basis: Basis
    """Of the counted text, which the difference rests on."""


def uncounted(threads: Iterable[Thread]) -> Uncounted | None:
    """How much of the recorded input the counted text leaves out; None where no call has a recorded count.

    Args:
        threads: Of one session.
    """
    threads = tuple(threads)
    found = [pair for thread in threads for pair in thread.once("uncounted", partial(_differences, thread))]
    if not found:
        return None
    return Uncounted(
        tokens=int(median(tokens for tokens, _ in found) // 1),
        calls=len(found),
        of=sum(len(thread.calls) for thread in threads),
        basis=weakest(basis for _, basis in found),
    )


def _differences(thread: Thread) -> list[tuple[int, Basis]]:
    """Recorded input less counted text, and the basis of the text, of each call that has a recorded count."""
    recorded = [(place, call.usage.input_tokens) for place, call in enumerate(thread.calls) if call.usage and call.usage.input_tokens is not None]
    if not recorded:
        return []  # without counting the tokens of a long thread for nothing
    sizes = thread_sizes(thread, "tokens")
    counted = breakdown(thread, sizes).sum(axis=1).tolist()
    return [(tokens - counted[place], call_basis(thread.calls[place], sizes)) for place, tokens in recorded]

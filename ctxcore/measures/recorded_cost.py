"""What a thread did cost by the provider's own counts, and how well the cache's rules predict them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.measures.cost import call_rates, cost, thread_rates
from ctxcore.measures.prices import Overrides, Rates
from ctxcore.model import Call, Thread, Usage
from ctxcore.replay import replay


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCost:
    """Money of the calls whose input tokens are recorded."""

    dollars: float
    """At list prices."""
    calls: int
    """Of the thread."""
    priced: int
    """Calls with recorded input tokens; the others are left out."""
    replies: int
    """Priced calls with recorded output tokens; the replies of the others are left out."""

    @property
    def complete(self) -> bool:
        """Nothing is left out."""
        return self.replies == self.calls


def recorded_cost(thread: Thread, own: Overrides | None = None) -> RecordedCost | None:
    """What the thread did cost by its recorded usage, as far as it goes; None without any, or without a price.

    Args:
        thread: Of a session.
        own: Prices of the user's, looked at first.
    """
    priced = thread_rates(thread, own)
    used = with_input(thread)
    if priced is None or not used:
        return None
    each = call_rates(thread, priced, own)
    return RecordedCost(
        dollars=sum(_dollars(usage, prices) for call, prices in zip(thread.calls, each, strict=True) if (usage := _counted(call)) is not None),
        calls=len(thread.calls),
        priced=len(used),
        replies=sum(usage.output_tokens is not None for usage in used),
    )


def with_input(thread: Thread) -> list[Usage]:
    """Usage of the calls whose input tokens are recorded."""
    return [usage for call in thread.calls if (usage := _counted(call)) is not None]


def _counted(call: Call) -> Usage | None:
    return call.usage if call.usage is not None and call.usage.input_tokens is not None else None


def recorded_dollars(thread: Thread, own: Overrides | None = None) -> float | None:
    """As ``recorded_cost``; None also where a call has no recorded input."""
    found = recorded_cost(thread, own)
    return found.dollars if found is not None and found.priced == found.calls else None


def _dollars(usage: Usage, priced: Rates) -> float:
    total, read, written = usage.input_tokens or 0, usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    tier = priced.tier(total)
    plain = max(0, total - read - written)
    write = tier.write(min(1.0, (usage.cache_write_1h_tokens or 0) / written) if written else 0.0)
    return (tier.input * plain + tier.cache_read * read + write * written + tier.output * (usage.output_tokens or 0)) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How well the cache's rules predict what was recorded."""

    calls: int
    """Calls with recorded cached tokens."""
    median_error: float
    """Median of |predicted - recorded| / input tokens."""


def calibration(thread: Thread, own: Overrides | None = None) -> Calibration | None:
    """Predicted against recorded cached tokens of the thread as it was sent; None without recorded ones or prices."""
    if own is not None:
        return _calibration(thread, own)
    return thread.once("calibration", lambda: _calibration(thread, None))


def _calibration(thread: Thread, own: Overrides | None) -> Calibration | None:
    whole = cost(replay(thread, "none", 2**62, "tokens"), own=own)
    if whole is None:
        return None
    errors: list[float] = []
    for call in thread.calls:
        usage = call.usage
        if usage is not None and usage.cache_read_tokens is not None and usage.input_tokens:
            errors.append(abs(int(whole.cache.read[call.index]) - usage.cache_read_tokens) / usage.input_tokens)
    return Calibration(calls=len(errors), median_error=float(np.median(errors))) if errors else None

"""What a thread would have cost under a policy: the provider's cache, its prices, and what an edit breaks.

The recorded replies are taken as they are. Money rests on tokens whatever the unit of the budget: the policy's edits are measured in tokens, and a
request that nothing is taken from has the input tokens of the log, where it has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ctxcore.columns import read_only
from ctxcore.measures.caching import Cached, CacheRules, Clock, FloatArray, Requests, cache_rules, cached
from ctxcore.measures.in_tokens import in_tokens
from ctxcore.measures.prefix import Prefix, prefix
from ctxcore.measures.prices import Overrides, Rates, rates
from ctxcore.measures.sent_tokens import fitted_tokens, hour_shares, sent_requests
from ctxcore.measures.starts import HISTORY, SAME
from ctxcore.model import Basis, Thread
from ctxcore.replay import Replay

BROKEN_SHARE, BROKEN_TOKENS = 0.05, 2_000
"""A cache counts as broken where a call reads less than the prefix before it by more than both. Source: pydantic-ai, cache health."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Money of a thread's calls under a policy; arrays are read-only with one entry per call, 0 for refused calls."""

    dollars: FloatArray
    """Of each call, its recorded reply and summaries included."""
    cache: Cached
    """Tokens by what the cache does with them."""
    summaries: FloatArray
    """Dollars of model calls that write summaries, a part of ``dollars``."""
    broken: tuple[str, ...]
    """Per call: the rule that broke the cache, or empty."""
    hour: FloatArray
    """Per call: share of what it writes to the cache that is kept for an hour, at the price of that."""
    rates: Rates
    """Prices of the model that answered most calls."""
    call_rates: tuple[Rates, ...]
    """Per call: prices of its own model, where they are known."""
    rules: CacheRules
    """Of the cache."""
    clock: Clock
    """When entries expire."""
    basis: Basis
    """``estimate``: what a cache would have done is never recorded for a request that was not sent."""

    @property
    def models(self) -> str:
        """Models whose prices are in force, for people; that of most calls first."""
        return ", ".join(dict.fromkeys((self.rates.model, *(rates.model for rates in self.call_rates))))

    @property
    def total(self) -> float:
        """Dollars of all calls."""
        return float(self.dollars.sum())


def cost(replay: Replay, *, own: Overrides | None = None, clock: Clock | None = None) -> Cost | None:
    """What a thread would have cost; None where its model has no known price.

    Args:
        replay: A policy at a budget.
        own: Prices of the user's, looked at first.
        clock: When cache entries expire; by the recorded times where all calls have one, else never.
    """
    thread = replay.thread
    priced = thread_rates(thread, own)
    if priced is None:
        return None
    each = call_rates(thread, priced, own)
    sized, model = in_tokens(replay), thread_model(thread)
    shared = prefix(sized)
    requests = sent_requests(sized, shared)
    timed = clock or ("recorded" if not np.isnan(requests.at).any() else "warm")
    rules = cache_rules(model) if _caches(thread) else CacheRules(model="none")
    found = cached(rules, requests, timed)
    summaries = _summaries(sized, priced)
    return Cost(
        dollars=read_only(_dollars(thread, requests, found, each) + summaries),
        cache=found,
        summaries=read_only(summaries),
        broken=_broken(shared, found, requests),
        hour=hour_shares(thread),
        rates=priced,
        call_rates=each,
        rules=rules,
        clock=timed,
        basis="estimate",
    )


def thread_model(thread: Thread) -> str:
    """The model that answered most calls."""
    names = [call.model for call in thread.calls if call.model]
    return max(dict.fromkeys(names), key=names.count, default="")


def thread_rates(thread: Thread, own: Overrides | None) -> Rates | None:
    """Prices of the thread's model on the day of its first call; None where no table knows it."""
    at = next((call.at for call in thread.calls if call.at is not None), None)
    return rates(thread_model(thread), at, own)


def call_rates(thread: Thread, priced: Rates, own: Overrides | None) -> tuple[Rates, ...]:
    """Per call: prices of the model that answered it; those of the thread's where it has no name or no price.

    Args:
        thread: Of a session.
        priced: As ``thread_rates``.
        own: As for ``cost``.
    """
    at = next((call.at for call in thread.calls if call.at is not None), None)
    known = {name: rates(name, at, own) or priced for name in {call.model for call in thread.calls if call.model}}
    return tuple(known.get(call.model, priced) for call in thread.calls)


def _caches(thread: Thread) -> bool:
    """False where the log counts cached tokens and none ever was."""
    read = [call.usage.cache_read_tokens for call in thread.calls if call.usage is not None and call.usage.cache_read_tokens is not None]
    return not read or any(read)


def _dollars(thread: Thread, requests: Requests, found: Cached, priced: Sequence[Rates]) -> FloatArray:
    output = [call.usage.output_tokens if call.usage is not None and call.usage.output_tokens else 0 for call in thread.calls]
    dollars = np.zeros(len(output))
    for call in np.flatnonzero(requests.total > 0).tolist():
        tier = priced[call].tier(int(requests.total[call]))
        read, written, plain = int(found.read[call]), int(found.written[call]), int(found.plain[call])
        write = tier.write(requests.hour_of(call))
        dollars[call] = (tier.cache_read * read + write * written + tier.input * plain + tier.output * output[call]) / 1e6
    return dollars


def _summaries(replay: Replay, priced: Rates) -> FloatArray:
    """Dollars of the calls that write summaries: what they replace is sent once more without a cache, the summary is the output."""
    dollars, scale = np.zeros(len(replay.before)), fitted_tokens(replay.thread).scale
    for line, fits in zip(replay.timelines, replay.fits, strict=True):
        plan = fits.plan(0)
        gone = sum((layer.totals for layer in plan.layers if layer.action == "drop"), np.zeros(len(line.seen), np.int64))
        for one in (one for one in plan.inserts if one.kind == "summary"):
            fresh = np.flatnonzero((one.version >= 0) & (np.diff(one.version, prepend=-1) != 0))
            for column in fresh.tolist():
                call = int(line.epoch.calls[column])
                before = int(gone[column - 1] - one.size[column - 1]) if column else 0
                span = max(0, int(gone[column]) - before) * scale[call]
                tier = priced.tier(int(span))
                dollars[call] += (tier.input * span + tier.output * one.size[column] * scale[call]) / 1e6
    return dollars


def _broken(shared: Prefix, found: Cached, requests: Requests) -> tuple[str, ...]:
    """Per call: what broke the cache, by the rule of the field."""
    causes: list[str] = []
    established = 0
    for call, cause in enumerate(shared.cause):
        short = established - int(found.read[call])
        broken = requests.total[call] > 0 and short > max(BROKEN_SHARE * established, BROKEN_TOKENS)
        lost = EXPIRED if found.expired[call] else OUT_OF_REACH if cause == SAME else cause or HISTORY
        causes.append(lost if broken else "")
        established = int(requests.total[call]) or established
    return tuple(causes)


EXPIRED, OUT_OF_REACH = "the cache entry had expired", "no entry was within reach of the end"
"""Reasons that are no edit: time, and more messages since the last entry than a lookup goes back."""


def break_even(priced: Rates, *, freed: int, tail: int, hour: float = 0) -> float | None:
    """Calls after which an edit has paid for the cache that it broke: (write - read) × tail / (read × freed); None where it never does.

    Args:
        priced: Prices.
        freed: Tokens that it frees from every later request.
        tail: Tokens behind the edit, which are written to the cache anew.
        hour: Share of them that is written for an hour.

    Source: the rules of prompt caching; without a cache every edit pays from its first call on.
    """
    tier = priced.tiers[0]
    if freed <= 0:
        return None
    return max(0.0, (tier.write(hour) - tier.cache_read) * tail / (tier.cache_read * freed)) if tier.cache_read else None

"""What a thread would have cost under a policy: the provider's cache, its prices, and what an edit breaks.

The recorded replies are taken as they are. Sizes are those of the replay; where the log holds a call's input tokens, what the log does not hold
(provider framing, a system text) is added to every request, since it would have been sent as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ctxcore.columns import IntArray, read_only
from ctxcore.measures.caching import Cached, CacheRules, Clock, FloatArray, Requests, cache_rules, cached
from ctxcore.measures.prefix import FIRST, HISTORY, SAME, Prefix, prefix
from ctxcore.measures.prices import Overrides, Rates, rates
from ctxcore.model import Basis, Thread
from ctxcore.replay import Replay, replay
from ctxcore.sizes.measure import thread_sizes

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
    rates: Rates
    """Prices."""
    rules: CacheRules
    """Of the cache."""
    clock: Clock
    """When entries expire."""
    basis: Basis
    """``estimate``: what a cache would have done is never recorded for a request that was not sent."""

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
    priced = _rates(thread, own)
    if priced is None:
        return None
    model = thread_model(thread)
    shared = prefix(replay)
    requests = _requests(replay, shared)
    timed = clock or ("recorded" if not np.isnan(requests.at).any() else "warm")
    rules = cache_rules(model) if _caches(thread) else CacheRules(model="none")
    found = cached(rules, requests, timed)
    summaries = _summaries(replay, priced)
    return Cost(
        dollars=read_only(_dollars(thread, requests, found, priced) + summaries),
        cache=found,
        summaries=read_only(summaries),
        broken=_broken(shared, found, requests),
        rates=priced,
        rules=rules,
        clock=timed,
        basis="estimate",
    )


def thread_model(thread: Thread) -> str:
    """The model that answered most calls."""
    names = [call.model for call in thread.calls if call.model]
    return max(dict.fromkeys(names), key=names.count, default="")


def _rates(thread: Thread, own: Overrides | None) -> Rates | None:
    at = next((call.at for call in thread.calls if call.at is not None), None)
    return rates(thread_model(thread), at, own)


def _caches(thread: Thread) -> bool:
    """False where the log counts cached tokens and none ever was."""
    read = [call.usage.cache_read_tokens for call in thread.calls if call.usage is not None and call.usage.cache_read_tokens is not None]
    return not read or any(read)


def _requests(replay: Replay, shared: Prefix) -> Requests:
    """The sent requests in tokens."""
    thread = replay.thread
    scale, hidden = _tokens_per_unit(replay), hidden_tokens(thread)
    sent = ~replay.refused
    follows = sent & np.asarray([cause != FIRST for cause in shared.cause])  # what the log does not hold stands in front, so it comes back
    columns = {
        "total": np.where(sent, replay.after * scale + hidden, 0),
        "shared": np.where(follows, shared.shared * scale + hidden, 0),
        "system": np.where(sent, shared.system * scale + hidden, 0),
    }
    counts = np.asarray([call.message_count for call in thread.calls], np.int64) - replay.dropped_messages
    at = np.asarray([np.nan if call.at is None else call.at for call in thread.calls], np.float64)
    return Requests(messages=counts, at=at, **{name: np.rint(column).astype(np.int64) for name, column in columns.items()})


def _tokens_per_unit(replay: Replay) -> FloatArray:
    """Per call: tokens of one unit of the replay, from the call as recorded."""
    if replay.unit == "tokens":
        return np.ones(len(replay.before))
    return whole_tokens(replay.thread) / np.maximum(replay.before, 1)


def whole_tokens(thread: Thread) -> IntArray:
    """Per call: tokens of the recorded context, by the thread's counter."""
    thread_sizes(thread, "tokens")
    return replay(thread, "none", 2**62, "tokens").before


def hidden_tokens(thread: Thread) -> IntArray:
    """Per call: input tokens that the log counts beyond the messages it holds; for a call without a count, as the call before."""
    counted = [call.usage.input_tokens if call.usage is not None else None for call in thread.calls]
    known = whole_tokens(thread).tolist()
    hidden, last = np.zeros(len(counted), np.int64), 0
    for call, (total, size) in enumerate(zip(counted, known, strict=True)):
        last = last if total is None else max(0, total - size)
        hidden[call] = last
    return hidden


def _dollars(thread: Thread, requests: Requests, found: Cached, priced: Rates) -> FloatArray:
    output = [call.usage.output_tokens if call.usage is not None and call.usage.output_tokens else 0 for call in thread.calls]
    dollars = np.zeros(len(output))
    for call in np.flatnonzero(requests.total > 0).tolist():
        tier = priced.tier(int(requests.total[call]))
        read, written, plain = int(found.read[call]), int(found.written[call]), int(found.plain[call])
        dollars[call] = (tier.cache_read * read + tier.cache_write * written + tier.input * plain + tier.output * output[call]) / 1e6
    return dollars


def _summaries(replay: Replay, priced: Rates) -> FloatArray:
    """Dollars of the calls that write summaries: what they replace is sent once more without a cache, the summary is the output."""
    dollars, scale = np.zeros(len(replay.before)), _tokens_per_unit(replay)
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


def recorded_dollars(thread: Thread, own: Overrides | None = None) -> float | None:
    """What the thread did cost by its recorded usage; None where a call has none, or without a price."""
    priced = _rates(thread, own)
    if priced is None or any(call.usage is None or call.usage.input_tokens is None for call in thread.calls):
        return None
    return sum(_recorded(call.usage, priced) for call in thread.calls if call.usage is not None)


def _recorded(usage: object, priced: Rates) -> float:
    total, read, written, output = (
        getattr(usage, name) or 0 for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    )
    tier = priced.tier(total)
    plain = max(0, total - read - written)
    return float(tier.input * plain + tier.cache_read * read + tier.cache_write * written + tier.output * output) / 1e6


def break_even(priced: Rates, *, freed: int, tail: int) -> float | None:
    """Calls after which an edit has paid for the cache that it broke: (write - read) × tail / (read × freed); None where it never does.

    Args:
        priced: Prices.
        freed: Tokens that it frees from every later request.
        tail: Tokens behind the edit, which are written to the cache anew.

    Source: the rules of prompt caching; without a cache every edit pays from its first call on.
    """
    tier = priced.tiers[0]
    if freed <= 0:
        return None
    return max(0.0, (tier.cache_write - tier.cache_read) * tail / (tier.cache_read * freed)) if tier.cache_read else None

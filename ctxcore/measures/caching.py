"""What a provider's prompt cache would have read and written for each call, by the provider's published rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import IntArray, read_only
from ctxcore.sizes.models import claude_version, family, model_key
from ctxcore.sizes.provider import provider_of

FloatArray = NDArray[np.float64]

Model = Literal["none", "entry", "block"]
"""``none``: nothing is cached. ``entry``: exact prefixes written at breakpoints. ``block``: the longest common prefix in whole blocks."""

Clock = Literal["recorded", "warm", "cold"]
"""When entries expire: by the recorded times, never, or always before the next call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRules:
    """How a model's prompts are cached. Source: the providers' documentation of prompt caching, October 2026."""

    model: Model
    """Which kind."""
    minimum: int = 0
    """Tokens below which a prefix is not cached."""
    block: int = 1
    """Tokens that reads are rounded down to."""
    seconds: float = 300
    """How long an entry lives after its last use. A use counts from the start of its request, of which a log knows the bounds."""
    reach: int | None = None
    """Messages that a breakpoint looks back over for an entry; None for all."""


ANTHROPIC_MINIMUM = (((5, 0), 512), ((4, 8), 1_024), ((4, 7), 2_048), ((4, 6), 4_096), ((4, 5), 4_096))
"""Opus from a version on; see ``_anthropic_minimum`` for the other lines."""

_NEW_OPENAI = family(r"gpt-(5\.[6-9]|[6-9]|[1-9]\d)")


def cache_rules(model: str) -> CacheRules:
    """Rules of a model by its name as recorded; ``none`` for one whose rules are not known."""
    match provider_of(model):
        case "anthropic":
            return CacheRules(model="entry", minimum=_anthropic_minimum(model), seconds=300, reach=20)
        case "openai" if _NEW_OPENAI.search(model_key(model)):
            return CacheRules(model="entry", minimum=1_024, seconds=1_800, reach=80)
        case "openai":
            return CacheRules(model="block", minimum=1_024, block=128, seconds=600)
        case "gemini":
            return CacheRules(model="block", minimum=2_048 if "2.5" in model else 4_096, seconds=300)
    return CacheRules(model="block", minimum=1_024, block=64, seconds=3_600) if "deepseek" in model_key(model) else CacheRules(model="none")


def _anthropic_minimum(model: str) -> int:
    version, key = claude_version(model) or (0, 0), model_key(model)
    if "haiku" in key:
        return 512 if version >= (5, 5) else 4_096 if version >= (4, 5) else 2_048
    if "sonnet" in key:
        return 512 if version >= (5, 5) else 1_024
    return next((minimum for start, minimum in ANTHROPIC_MINIMUM if version >= start), 1_024)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached:
    """Tokens of each call by what the cache does with them; arrays are read-only, one entry per call; a row sums to the request."""

    read: IntArray
    """Read from the cache."""
    written: IntArray
    """Written to it."""
    plain: IntArray
    """Neither."""
    expired: IntArray
    """Shared with an earlier call, but no longer in the cache."""


KEPT_ENTRIES = 80
"""Newest entries that a lookup goes through. Source: OpenAI, "Prompt caching": the latest 80 breakpoints."""


HOUR = 3_600.0
"""Seconds that an entry written for an hour lives after its last use. Source: Anthropic, "Prompt caching"."""


@dataclass(slots=True)
class _Entry:
    length: int
    """Tokens."""
    used: float
    """Seconds."""
    messages: int
    """Messages before its end."""
    seconds: float
    """How long it lives after its last use."""
    model: int
    """That wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """What a cache sees of a thread's calls; arrays hold one entry per call."""

    total: IntArray
    """Tokens of each request; 0 where nothing is sent."""
    shared: IntArray
    """Tokens that it begins with as the sent call before it did."""
    system: IntArray
    """Tokens of tools and system text, in front."""
    messages: IntArray
    """Messages sent."""
    at: FloatArray
    """Seconds at which each is known to have been answered, so used an entry at the latest; NaN where unknown, which never expires anything."""
    begun: FloatArray | None = None
    """Seconds before which none can have begun; ``at`` for None."""
    branch: IntArray | None = None
    """An earlier call whose request each begins more alike with than with the one before it; -1 for none."""
    branch_shared: IntArray | None = None
    """Tokens that it begins with as that one did."""
    hour: FloatArray | None = None
    """Share of what it writes that is kept for an hour; None for nothing."""
    model: IntArray | None = None
    """Number of its model, each of which has a cache of its own; None for one model."""

    def moment(self, call: int, before: float) -> tuple[float, float]:
        """When a call looks for an entry, at the earliest, and when it used it, at the latest; as the call before it where unknown."""
        at = float(self.at[call])
        if np.isnan(at):
            return before, before
        return (at if self.begun is None else min(at, float(self.begun[call]))), at

    def alike(self, call: int) -> Iterator[tuple[int, int]]:
        """Of earlier calls other than the one before: which, and how many tokens a call begins with as it did."""
        if self.branch is not None and self.branch_shared is not None and self.branch[call] >= 0:
            yield int(self.branch[call]), int(self.branch_shared[call])

    @property
    def branches(self) -> frozenset[int]:
        """Calls that later ones go back to."""
        return frozenset() if self.branch is None else frozenset(self.branch[self.branch >= 0].tolist())

    def model_of(self, call: int) -> int:
        """Number of a call's model."""
        return 0 if self.model is None else int(self.model[call])

    def hour_of(self, call: int) -> float:
        """Share of what a call writes that is kept for an hour."""
        return 0.0 if self.hour is None else float(self.hour[call])


def cached(rules: CacheRules, requests: Requests, clock: Clock = "recorded") -> Cached:
    """What the cache does with each call of a thread, in order.

    Args:
        rules: Of the model.
        requests: Of the thread.
        clock: When entries expire.
    """
    read, expired = np.zeros_like(requests.total), np.zeros_like(requests.total)
    if clock != "cold" and rules.model != "none":
        (_read_entries if rules.model == "entry" else _read_blocks)(rules, requests, clock, read, expired)
    written = np.where(requests.total >= rules.minimum, requests.total - read, 0) if rules.model == "entry" else np.zeros_like(read)
    plain = requests.total - read - written
    return Cached(read=read_only(read), written=read_only(written), plain=read_only(plain), expired=read_only(expired))


def _read_blocks(rules: CacheRules, requests: Requests, clock: Clock, read: IntArray, expired: IntArray) -> None:
    """Whole blocks of what a call shares with the newest live request that its model answered, on either way back."""
    now = -np.inf
    held: dict[int, tuple[int, float]] = {}  # per model: tokens shared, last use
    kept: dict[int, dict[int, tuple[int, float]]] = {}
    branches = requests.branches
    for call in np.flatnonzero(requests.total > 0).tolist():
        begun, now = requests.moment(call, now)
        model, shared = requests.model_of(call), int(requests.shared[call])
        held = {other: (min(length, shared), used) for other, (length, used) in held.items()}
        ways = [held.get(model, (0, now))]
        for earlier, alike in requests.alike(call) if branches else ():
            ways += [(min(length, alike), used) for other, (length, used) in kept[earlier].items() if other == model]
        for length, used in sorted(ways):
            whole = length // rules.block * rules.block
            if whole >= max(rules.minimum, 1):
                live = clock == "warm" or not begun - used > rules.seconds
                (read if live else expired)[call] = whole
        if read[call]:
            expired[call] = 0
        held[model] = (int(requests.total[call]), now)
        if call in branches:
            kept[call] = dict(held)


def _read_entries(rules: CacheRules, requests: Requests, clock: Clock, read: IntArray, expired: IntArray) -> None:
    """The longest entry that a call begins with; it writes one at the end of its system text and one at its own end."""
    chain: list[_Entry] = []
    kept: dict[int, list[_Entry]] = {}
    branches = requests.branches
    now = -np.inf
    for call in np.flatnonzero(requests.total > 0).tolist():
        begun, now = requests.moment(call, now)
        total, messages, system = int(requests.total[call]), int(requests.messages[call]), int(requests.system[call])
        fitting = _fitting(chain, kept, requests, call)
        model = requests.model_of(call)
        live = [one for one in fitting if clock == "warm" or not begun - one.used > one.seconds]
        near = [one for one in live if one.model == model and (rules.reach is None or messages - one.messages <= rules.reach or one.length == system)]
        if near:
            near[-1].used = now
            read[call] = near[-1].length
        elif fitting and not live:
            expired[call] = fitting[-1].length
        share = requests.hour_of(call)
        ends = ((system, 0, share > 0), (total, messages, share == 1))  # what is kept longer stands in front
        fresh = [_Entry(length, now, held, HOUR if long else rules.seconds, model) for length, held, long in ends if length >= max(rules.minimum, 1)]
        known = {one.length for one in fresh}
        others = [one for one in live if one.length not in known or one.model != model]
        chain = sorted([*others, *fresh], key=lambda one: one.length)[-KEPT_ENTRIES:]
        if call in branches:
            kept[call] = chain


def _fitting(chain: list[_Entry], kept: dict[int, list[_Entry]], requests: Requests, call: int) -> list[_Entry]:
    """Entries that a call begins with, shortest first: of those before the last call, and of those before one that it goes back to."""
    found = [one for one in chain if one.length <= requests.shared[call]]
    for earlier, alike in requests.alike(call) if kept else ():
        own = {id(one) for one in found}
        found += [one for one in kept[earlier] if one.length <= alike and id(one) not in own]
        found.sort(key=lambda one: (one.length, one.used))
    return found

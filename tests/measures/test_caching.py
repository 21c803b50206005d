"""The cache rules against a toy whose results are published with the rules, and against small cases by hand.

The toy: a system text of 10,000 tokens and 60 calls, each of which adds a tool call of 300 and a result of 3,000; limit 100,000. The published
figures are the input's cost against no trimming under the same rules, and the tokens sent.
Source: the rules of the field, "What it does to trimming".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ctxcore.measures.caching import CacheRules, Requests, cache_rules, cached

SYSTEM, CALL, RESULT, PLACEHOLDER, LIMIT, KEEP = 10_000, 300, 3_000, 20, 100_000, 3
ENTRY = CacheRules(model="entry", minimum=1_024, reach=None)
BLOCK = CacheRules(model="block", minimum=1_024, block=128)


def toy(kind: str) -> tuple[list[int], list[int]]:
    """Tokens of each request, and what it shares with the one before."""
    total: list[int] = []
    shared: list[int] = []
    cleared = dropped = 0
    for call in range(1, 61):
        before, gone = cleared, dropped
        size = SYSTEM + (CALL + RESULT) * (call - dropped) - cleared * (RESULT - PLACEHOLDER)
        whole = SYSTEM + (CALL + RESULT) * call
        if (kind == "rolling" and whole > LIMIT) or (kind == "batch" and size > LIMIT):
            cleared = call - KEEP
        if kind == "drop" and size > LIMIT:
            dropped += -((LIMIT - size) // (CALL + RESULT))
        size = SYSTEM + (CALL + RESULT) * (call - dropped) - cleared * (RESULT - PLACEHOLDER)
        same = SYSTEM + before * (CALL + PLACEHOLDER) + CALL if cleared != before else SYSTEM if dropped != gone else (total or [0])[-1]
        total.append(size)
        shared.append(same if total[:-1] else 0)
    return total, shared


def dollars(kind: str, rules: CacheRules, read: float, write: float) -> float:
    """With an input price of 1."""
    total, shared = (np.asarray(column, np.int64) for column in toy(kind))
    nothing = np.full(len(total), np.nan)
    found = cached(
        rules, Requests(total=total, shared=shared, system=np.full(len(total), SYSTEM), messages=np.ones(len(total), np.int64), at=nothing)
    )
    return float((found.read * read + found.written * write + found.plain).sum())


@pytest.mark.parametrize(("kind", "millions"), [("whole", 6.64), ("rolling", 2.61), ("batch", 3.46), ("drop", 4.79)])
def test_the_toy_sends_what_is_published(kind: str, millions: float) -> None:
    assert sum(toy(kind)[0]) / 1e6 == pytest.approx(millions, abs=0.005)


@pytest.mark.parametrize(
    ("rules", "read", "write", "published"),
    [
        (CacheRules(model="none"), 0.1, 1.25, {"rolling": -61, "batch": -48, "drop": -28}),
        (ENTRY, 0.1, 1.25, {"rolling": 38, "batch": -31, "drop": 340}),
        (ENTRY, 0.05, 1.25, {"rolling": 100, "batch": -20, "drop": 568}),
        (BLOCK, 0.1, 1.0, {"rolling": -23, "batch": -34, "drop": 276}),
    ],
    ids=["no cache", "entries", "entries, cheap reads", "blocks"],
)
def test_the_toy_costs_what_is_published(rules: CacheRules, read: float, write: float, published: dict[str, int]) -> None:
    whole = dollars("whole", rules, read, write)
    found = {kind: round(100 * (dollars(kind, rules, read, write) / whole - 1)) for kind in published}
    assert found == pytest.approx(published, abs=1.5)


def requests(total: list[int], shared: list[int], at: list[float]) -> Requests:
    columns = (np.asarray(column, np.int64) for column in (total, shared, [1_500] * len(total), range(1, len(total) + 1)))
    names = ("total", "shared", "system", "messages")
    return Requests(**dict(zip(names, columns, strict=True)), at=np.asarray(at, np.float64))


def test_an_entry_is_gone_after_its_time_and_each_use_renews_it() -> None:
    """Entries live 300 s: call 1 at 200 s reads; call 2 at 450 s is 250 s after that use and reads; call 3 at 800 s is 350 s after and does not."""
    found = cached(cache_rules("claude-sonnet-4-5"), requests([2_000, 3_000, 4_000, 5_000], [0, 2_000, 3_000, 4_000], [0, 200, 450, 800]))
    assert found.read.tolist() == [0, 2_000, 3_000, 0]
    assert found.written.tolist() == [2_000, 1_000, 1_000, 5_000]
    assert found.expired.tolist() == [0, 0, 0, 4_000]


def test_time_counts_from_the_start_of_a_request_as_far_as_the_log_bounds_it() -> None:
    """Call 1 is answered 310 s after call 0; its newest message came 295 s after: it may have begun in time. Call 2 began 301 s later at least."""
    asked = requests([2_000, 3_000, 4_000], [0, 2_000, 3_000], [0, 310, 640])
    begun = replace(asked, begun=np.asarray([0, 295, 611], np.float64))
    assert cached(cache_rules("claude-sonnet-4-5"), asked).read.tolist() == [0, 0, 0]
    assert cached(cache_rules("claude-sonnet-4-5"), begun).read.tolist() == [0, 2_000, 0]


@pytest.mark.parametrize(("model", "read"), [("claude-sonnet-4-5", [0, 0, 2_000]), ("gpt-5", [0, 0, 1_920])])
def test_a_request_reads_what_an_earlier_one_than_the_last_left(model: str, read: list[int]) -> None:
    """Call 1 is a side call with nothing in common; call 2 goes on from call 0, whose 2,000 tokens are 15 blocks of 128."""
    asked = requests([2_000, 1_600, 4_000], [0, 0, 0], [0, 1, 2])
    back = replace(asked, branch=np.asarray([-1, -1, 0]), branch_shared=np.asarray([0, 0, 2_000]))
    assert cached(cache_rules(model), asked).read.tolist() == [0, 0, 0]
    assert cached(cache_rules(model), back).read.tolist() == read


@pytest.mark.parametrize(("model", "read"), [("claude-sonnet-4-5", 1_500), ("gpt-5", 1_536)])
def test_where_the_longer_prefix_has_expired_the_live_one_is_read(model: str, read: int) -> None:
    """Call 2 shares 2,000 with call 0, too long ago, and 1,600 with call 1, a moment ago: its system text of 1,500, or 12 blocks of 128."""
    asked = requests([2_000, 2_400, 4_000], [0, 1_600, 1_600], [0, 1_000, 1_001])
    back = replace(asked, branch=np.asarray([-1, -1, 0]), branch_shared=np.asarray([0, 0, 2_000]))
    assert int(cached(cache_rules(model), back).read[2]) == read


def test_an_entry_written_for_an_hour_lives_for_an_hour() -> None:
    """Call 1 comes 3,000 s after call 0, call 2 3,700 s after that."""
    asked = requests([2_000, 3_000, 4_000], [0, 2_000, 3_000], [0, 3_000, 6_700])
    assert cached(cache_rules("claude-sonnet-4-5"), replace(asked, hour=np.ones(3))).read.tolist() == [0, 2_000, 0]
    assert cached(cache_rules("claude-sonnet-4-5"), asked).read.tolist() == [0, 0, 0]


def test_of_two_lifetimes_the_longer_stands_in_front() -> None:
    """Half is kept for an hour: the system text of 1,500, not the end of the request. Source: Anthropic, longer lifetimes come first."""
    asked = replace(requests([3_000, 4_000], [0, 3_000], [0, 1_000]), hour=np.full(2, 0.5))
    assert cached(cache_rules("claude-sonnet-4-5"), asked).read.tolist() == [0, 1_500]


@pytest.mark.parametrize(("model", "read"), [("claude-sonnet-4-5", [0, 0, 2_000]), ("gpt-5", [0, 0, 1_920])])
def test_each_model_has_a_cache_of_its_own(model: str, read: list[int]) -> None:
    """Call 1 is another model's and reads nothing; call 2 is the first one's again, whose last request it goes on from."""
    asked = replace(requests([2_000, 3_000, 4_000], [0, 2_000, 3_000], [0, 1, 2]), model=np.asarray([0, 1, 0]))
    assert cached(cache_rules(model), asked).read.tolist() == read


def test_a_changed_prefix_reads_the_entry_before_the_change() -> None:
    """Call 2 shares 1,700 with call 1: of the entries at 1,500 (system), 2,000 and 3,000 only the first lies before the change."""
    found = cached(cache_rules("claude-sonnet-4-5"), requests([2_000, 3_000, 2_500], [0, 2_000, 1_700], [0, 1, 2]))
    assert found.read.tolist() == [0, 2_000, 1_500]


def test_blocks_are_read_where_the_prefix_ends() -> None:
    """1,700 is 13 blocks of 128, 1,664 tokens; 1,000 is below the least prefix of 1,024."""
    found = cached(cache_rules("gpt-5"), requests([2_000, 3_000, 2_500], [0, 1_700, 1_000], [0, 1, 2]))
    assert found.read.tolist() == [0, 1_664, 0]
    assert found.written.tolist() == [0, 0, 0]


def test_a_short_prefix_is_never_cached() -> None:
    found = cached(cache_rules("claude-opus-4-6"), requests([2_000, 4_000, 5_000], [0, 2_000, 4_000], [0, 1, 2]))
    assert found.read.tolist() == [0, 0, 0]
    assert found.plain.tolist() == [2_000, 4_000, 0]


@pytest.mark.parametrize(
    ("model", "kind", "minimum"),
    [
        ("claude-opus-4-8", "entry", 1_024),
        ("claude-opus-4-7", "entry", 2_048),
        ("claude-opus-4-5-20251101", "entry", 4_096),
        ("claude-opus-4-1", "entry", 1_024),
        ("claude-haiku-4-5", "entry", 4_096),
        ("claude-sonnet-4-6", "entry", 1_024),
        ("claude-opus-5-5", "entry", 512),
        ("gpt-5.5", "block", 1_024),
        ("gpt-5.6-sol", "entry", 1_024),
        ("gpt-6.1-sol", "entry", 1_024),
        ("gemini-2.5-pro", "block", 2_048),
        ("some-local-model", "none", 0),
    ],
)
def test_rules_by_model(model: str, kind: str, minimum: int) -> None:
    """Source: the table of minimum prefixes in the rules of the field."""
    found = cache_rules(model)
    assert (found.model, found.minimum) == (kind, minimum)

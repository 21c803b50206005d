"""When a policy acts: derived by hand, and what is dropped by age sums to what is saved, under every policy."""

from __future__ import annotations

import numpy as np
import pytest

from ctxcore import replay
from ctxcore.measures.firing import ROLES, firings, recency_profile
from ctxcore.policies import POLICIES, make_policy
from tests.measures.conversations import thread_of
from tests.measures.test_references import STORY
from tests.policies.samples import SAMPLES, sample_thread

BIG = make_policy("langchain-clear-tool-uses", trigger=0, keep_results=0, placeholder="x" * 500)


def test_a_policy_that_acts_at_every_call_thrashes() -> None:
    """Contexts of 1, 3, 5, 7 and 9 messages, the newest two kept: from call 1 on more goes each time."""
    found = firings(replay(thread_of(*STORY), "autogen-buffered", 10_000, buffer_size=2))
    assert found.fired.tolist() == [False, True, True, True, True]
    assert found.thrash.tolist() == [False, False, True, True, True]
    assert (found.count, found.longest_run, found.regrowth) == (4, 4, None)
    assert not found.no_gain.any()
    assert not found.still_over.any()


def test_a_policy_that_does_nothing_never_fires() -> None:
    after = replay(thread_of(*STORY), "none", 10_000)
    found = firings(after)
    assert found.count == 0
    assert found.regrowth == pytest.approx(np.diff(after.before).mean())


def test_a_placeholder_that_is_longer_than_the_result_gains_nothing() -> None:
    found = firings(replay(thread_of(*STORY), BIG, 100_000))
    assert found.no_gain.tolist() == [False, True, True, True, True]


def test_a_request_may_be_over_the_budget_all_the_same() -> None:
    after = replay(thread_of(*STORY), BIG, 500)
    found = firings(after)
    assert found.still_over.tolist() == (after.refused & [False, True, True, True, True]).tolist()
    assert found.still_over.any()


def test_the_oldest_message_is_in_the_first_tenth() -> None:
    after = replay(thread_of(*STORY), "autogen-buffered", 10_000, buffer_size=2)
    table = recency_profile(after)
    assert table[ROLES.index("user")].tolist() == [4 * (after.sizes.message[0] + 1)] + [0] * 9
    assert table[:, 8:].sum() == 0  # of 9 messages the last two stay


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_dropped_by_age_sums_to_what_is_saved(policy: str, sample: str) -> None:
    after = replay(sample_thread(sample), policy, 8_000)
    put_in = sum(int(fits.plan(0).added(fits.refused.shape[1])[~fits.refused[0]].sum()) for fits in after.fits)
    sent = ~after.refused
    assert recency_profile(after).sum() == (after.before - after.after)[sent].sum() + put_in

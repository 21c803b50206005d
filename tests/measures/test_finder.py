"""Budget finder: against every budget one by one, a knee by hand, and real sessions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import replay
from ctxcore.columns import IntArray
from ctxcore.measures.finder import BudgetPoint, best_policies, find_budget, knee
from ctxcore.measures.references import references
from ctxcore.measures.validity import validity
from ctxcore.model import Thread
from ctxcore.policies import POLICIES, Fits, NoTrim, Policy, Timeline, make_policy
from ctxcore.views.finding import finding_sentence
from tests.measures.conversations import asks, conversations, corpus_thread, result, says, thread_of, user
from tests.measures.test_references import STORY


def clean(thread: Thread, policy: str, budget: int) -> bool:
    after = replay(thread, policy, budget)
    return not after.refused.any() and references(after).total == 0


def test_the_smallest_budget_is_that_of_trying_all() -> None:
    thread = thread_of(*STORY)
    largest = int(replay(thread, "none", 10_000).before.max())
    first = next(budget for budget in range(1, largest + 1) if clean(thread, "whole-units", budget))
    found = find_budget(thread)
    assert found.smallest is not None
    assert 1 < first == found.smallest.budget < largest
    assert (found.smallest.rejected, found.fails_above) == (0, ())
    assert found.enough == next(budget for budget in range(1, largest + 1) if not replay(thread, "whole-units", budget).refused.any())
    assert found.why == ""


def well(thread: Thread, policy: Policy, budget: int, rejected: int) -> bool:
    """No call refused, no reference lost, and no more calls rejected than allowed."""
    if not budget:
        return False
    after = replay(thread, policy, budget)
    return not after.refused.any() and references(after).total == 0 and validity(after).rejected.sum() <= rejected


# The last reply uses nothing that was there before. A cut between the two messages of the exchange loses no evidence then, but leaves a tool
# result without its call, which every provider rejects.
PARTED = (user("Count it all."), asks("a", "count", of="all"), result("a", "so many " * 30), says("Many."), user("Thanks."), says("Gladly."))


def test_a_budget_at_which_calls_are_rejected_is_not_the_smallest_where_another_loses_nothing() -> None:
    """Trimmed by messages, some budgets below the largest request send the result without its call."""
    thread = thread_of(*PARTED)
    budgets = range(1, int(replay(thread, "none", 10_000).before.max()) + 1)
    policy = make_policy("langchain-trim")
    assert any(well(thread, policy, budget, 9) and not well(thread, policy, budget, 0) for budget in budgets)
    found = find_budget(thread, policy)
    assert found.smallest is not None
    assert found.smallest.rejected == 0
    assert well(thread, policy, found.smallest.budget, 0)
    assert not well(thread, policy, found.smallest.budget - 1, 0)
    assert "no call is rejected by the provider" in finding_sentence(found)


def test_rejected_calls_that_no_budget_avoids_are_said_with_the_smallest() -> None:
    """The newest message alone is once a result without its call, whatever the budget."""
    found = find_budget(thread_of(*PARTED), "autogen-buffered", buffer_size=1)
    assert found.smallest is not None
    assert {point.rejected for point in found.curve} == {1}
    assert found.smallest.rejected == 1
    assert "would reject 1 call" in finding_sentence(found)
    assert "no call is rejected" not in finding_sentence(found)


class Fitful(NoTrim):
    """A policy of a user's that refuses all calls at a band of budgets and trims nothing at any other."""

    def fit(self, timeline: Timeline, budgets: IntArray) -> Fits:
        return super().fit(timeline, np.where((budgets >= 200) & (budgets < 600), 1, 10_000))


def test_a_larger_budget_that_fails_is_told() -> None:
    thread = thread_of(*STORY)
    found = find_budget(thread, Fitful())
    assert found.smallest is not None
    assert found.fails_above
    assert all(200 <= budget < 600 for budget in found.fails_above)
    assert f"At {found.smallest.budget:,} chars, no call" in finding_sentence(found)
    assert "on, no call is refused" not in finding_sentence(found)
    assert "A larger budget need not do as well" in finding_sentence(found)


def test_a_rule_without_regard_to_the_budget_has_none() -> None:
    """The newest two messages lose two references at any budget, see the derivation of the story."""
    found = find_budget(thread_of(*STORY), "autogen-buffered", buffer_size=2)
    assert found.smallest is None
    assert {point.lost for point in found.curve} == {2}
    assert "at least 1 reference (2 with later uses)" in found.why


def test_without_trimming_the_largest_request_is_the_budget() -> None:
    thread = thread_of(*STORY)
    largest = int(replay(thread, "none", 10_000).before.max())
    found = find_budget(thread, "none")
    assert found.smallest is not None
    assert found.enough == found.smallest.budget == largest


def test_policies_are_ordered_by_their_budgets() -> None:
    found = best_policies(thread_of(*STORY))
    assert {one.policy.name for one in found} == {kind.name for kind in POLICIES if not kind.needs_summary}
    budgets = [one.smallest.budget for one in found if one.smallest]
    assert budgets == sorted(budgets)
    assert [one.smallest is None for one in found] == sorted(one.smallest is None for one in found)


def points(*lost: int) -> tuple[BudgetPoint, ...]:
    return tuple(BudgetPoint(budget=place, lost=count, lost_first=0, refused=0, rejected=0, sent=0) for place, count in enumerate(lost))


@pytest.mark.parametrize(
    ("lost", "budget"),
    [
        ((10, 3, 1, 0, 0), 1),  # below the line from (0, 1) to (1, 0) by 0, 0.45, 0.4, 0.25, 0
        ((10, 9, 8, 1, 0), 3),  # by 0, -0.15, -0.3, 0.15, 0
        ((4, 3, 2, 1, 0), 0),  # a straight line has no knee
        ((5, 5, 5), 0),
        ((7,), 0),
    ],
)
def test_the_knee_is_where_more_budget_stops_helping_much(lost: tuple[int, ...], budget: int) -> None:
    found = knee(points(*lost))
    assert found is not None
    assert found.budget == budget


@settings(max_examples=15)
@given(conversations(), st.sampled_from([kind.name for kind in POLICIES if not kind.needs_summary]))
def test_what_is_found_passes_and_is_found_again(thread: Thread, policy: str) -> None:
    found = find_budget(thread, policy)
    assert found.smallest == find_budget(thread, policy).smallest
    if found.smallest is not None:
        assert clean(thread, policy, found.smallest.budget)
        assert not well(thread, found.policy, found.smallest.budget - 1, found.smallest.rejected)
        assert not any(well(thread, found.policy, budget, found.smallest.rejected) for budget in found.fails_above)
        assert found.smallest.rejected <= min(point.rejected for point in found.curve if point.lossless)
    if found.enough is not None:
        assert not replay(thread, policy, found.enough).refused.any()
        assert found.enough == 1 or replay(thread, policy, found.enough - 1).refused.any()


def test_budgets_of_a_real_session(shared: Path) -> None:
    """Less than the largest request loses nothing under the whole-unit rule; the knee lies below."""
    thread = corpus_thread(shared, "v1_gpt5_monai-5416_4.6MB.traj")
    found = find_budget(thread)
    largest = int(replay(thread, "none", 1 << 40).before.max())
    assert found.smallest is not None
    assert found.knee is not None
    assert found.enough is not None
    assert found.enough < found.knee.budget < found.smallest.budget < largest
    assert clean(thread, "whole-units", found.smallest.budget)
    assert not clean(thread, "whole-units", found.smallest.budget - 1)

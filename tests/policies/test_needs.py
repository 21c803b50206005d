"""What is said of a refused call adds up, whatever the policy does to it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest

from ctxcore import replay
from ctxcore.keep import Keep
from ctxcore.policies import History, Plan, PlannedPolicy, all_policies
from tests.policies.samples import sample_thread


@pytest.mark.parametrize("unit", ["chars", "tokens"])
def test_the_parts_of_a_refused_call_add_up(unit: str) -> None:
    """Each part as far as the policy leaves it: one that drops the system text does not need room for it."""
    thread = sample_thread("coding-agent.jsonl")
    for kind in all_policies():
        result = replay(thread, kind.name, 300, unit)
        for call in np.flatnonzero(result.refused).tolist():
            needs = result.needs(call)
            assert needs is not None
            total, budget, *parts = (int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?=[ ,.:])", str(needs)))
            assert (total, budget) == (300 + result.missing[call], 300)
            assert len(parts) == 5
            assert sum(parts) == total, kind.name
            assert min(parts) >= 0, kind.name


@dataclass(frozen=True)
class Nothing(PlannedPolicy):
    """Takes nothing out."""

    name = "nothing-at-all"
    title = about = source = rejects = "Nothing."

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        return Plan()


def test_what_a_policy_leaves_is_named_and_the_advice_fits() -> None:
    thread = sample_thread("coding-agent.jsonl")
    needs = replay(thread, Nothing(), 300, "chars").needs(len(thread.calls) - 1)
    assert needs is not None
    assert needs.rest > needs.tools
    assert str(needs).endswith(f"rest {needs.rest:,}. Raise the budget or choose a policy that drops more.")


def test_a_task_that_the_user_keeps_counts_once() -> None:
    thread = sample_thread("coding-agent.jsonl")
    last = len(thread.calls) - 1
    plain = replay(thread, "whole-units", 300, "chars").needs(last)
    units = replay(thread, "whole-units", 300, "chars").units
    kept = replay(thread, "whole-units", 300, "chars", Keep(units=tuple(range(len(units.first))))).needs(last)
    assert plain is not None
    assert kept is not None
    assert kept.task == plain.task > 0
    assert kept.rest >= 0

"""Policies side by side say what each replay says."""

from __future__ import annotations

import numpy as np

from ctxcore import replay
from ctxcore.measures.compare import compared, first_difference
from ctxcore.measures.references import references
from ctxcore.measures.validity import validity
from ctxcore.policies import all_policies
from tests.policies.samples import sample_thread


def test_every_policy_that_needs_no_summary_is_compared() -> None:
    thread = sample_thread("coding-agent.jsonl")
    rows = list(compared(thread, 6_000, "tokens"))
    assert [row.name for row in rows] == [kind.name for kind in all_policies() if not kind.needs_summary]
    for row in rows[:8]:
        alone = replay(thread, row.name, 6_000, "tokens")
        sent = [int(size) for size, refused in zip(alone.after, alone.refused, strict=True) if not refused]
        assert row.size == sum(sent)
        assert row.refused_calls == len(thread.calls) - len(sent)
        assert row.rejected_calls == int(validity(alone).rejected.sum())
        assert row.lost_per_call.tolist() == references(alone).first_per_call.tolist()


def test_the_worst_call_loses_most_else_it_is_the_largest() -> None:
    thread = sample_thread("coding-agent.jsonl")
    (whole,) = compared(thread, 10**9, "chars", ["none"])
    assert whole.worst_call == int(np.argmax(whole.replay.before))
    (trimmed,) = compared(thread, 9_000, "chars", ["whole-units"])
    assert trimmed.lost_per_call.sum() > 0
    assert trimmed.worst_call == int(np.argmax(trimmed.lost_per_call))
    (nothing,) = compared(thread, 1, "chars", ["none"])
    assert nothing.worst_call is None


def test_calls_that_differ_are_those_that_are_sent_differently() -> None:
    thread = sample_thread("parallel")
    one, other = (replay(thread, name, 9_000) for name in ("whole-units", "langchain-trim"))
    expected = [
        call
        for call in range(len(thread.calls))
        if (one.after[call], one.refused[call], one.edits(call)) != (other.after[call], other.refused[call], other.edits(call))
    ]
    found = first_difference(one, other).tolist()
    assert found == [call for call in expected if not (one.refused[call] and other.refused[call])]
    assert found
    assert not len(first_difference(one, one))

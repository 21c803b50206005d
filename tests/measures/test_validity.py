"""Faults that rules of the field are known for show by themselves; derived by hand beside each case."""

from __future__ import annotations

import numpy as np

from ctxcore import replay
from ctxcore.measures.validity import call_faults, validity
from tests.chat import thread_of
from tests.policies.samples import sample_thread


def kinds(policy: str, call: int, budget: int = 10_000, **parameters: object) -> list[tuple[str, int | None]]:
    """Positions in the thread: 0 system, 1 user, then call and result of each exchange."""
    thread = thread_of("Look around.", *(("look", {"n": n}, f"place {n} " * 30) for n in range(5)))
    return [(fault.kind, fault.message) for fault in call_faults(replay(thread, policy, budget, **parameters), call)]


def test_a_list_cut_between_call_and_result_begins_with_an_orphan() -> None:
    """At the last call 12 messages stand: system, user, 5 × (call, result). Of these the limit keeps system and the newest 3: result 4 (message 7),
    call 5 (8)... so the list is cut so that a result stands first.
    """
    thread = thread_of("Look around.", *(("look", {"n": n}, f"place {n} " * 30) for n in range(5)))
    sizes = replay(thread, "none", 100_000).sizes.message + 1
    keep_from = 7  # the result of the third exchange; its call is message 6
    budget = int(sizes[0] + sizes[keep_from:12].sum()) + len('{"messages":[],"tools":[]}') - 1
    result = replay(thread, "langchain-trim", budget)
    last = len(thread.calls) - 1
    assert [fault.kind for fault in call_faults(result, last)] == ["orphan_result", "first_role", "task_lost"]
    assert call_faults(result, last)[0].message == keep_from
    found = validity(result)
    assert found.rejected[last]
    assert found.counts["orphan_result"][last] == 1


def test_start_on_human_leaves_the_system_text_alone() -> None:
    """The only user message is older than what fits, so every message goes: known from running the original."""
    assert kinds("langchain-trim", 5, budget=1_200, start_on=("human",)) == [("empty_request", None), ("task_lost", 1)]


def test_masking_breaks_nothing() -> None:
    thread = sample_thread("anthropic-thinking")
    found = validity(replay(thread, "langchain-clear-tool-uses", 6_000))
    assert all(not column.any() for column in found.counts.values())


def test_the_whole_unit_rule_breaks_nothing_at_any_budget() -> None:
    for sample in ("coding-agent.jsonl", "travel-desk-zh.jsonl", "parallel", "anthropic-thinking", "responses"):
        thread = sample_thread(sample)
        for budget in (1_500, 4_000, 12_000):
            found = validity(replay(thread, "whole-units", budget))
            assert not any(column.any() for column in found.counts.values())


def test_all_calls_say_what_each_call_says() -> None:
    for sample in ("parallel", "responses", "anthropic-thinking"):
        thread = sample_thread(sample)
        for policy in ("langchain-trim", "autogen-buffered"):
            result = replay(thread, policy, 7_000)
            found = validity(result)
            for call in range(len(thread.calls)):
                listed = [fault.kind for fault in call_faults(result, call)]
                assert {kind: int(column[call]) for kind, column in found.counts.items() if column[call]} == {k: listed.count(k) for k in set(listed)}


def test_a_recorded_session_is_never_called_invalid() -> None:
    thread = sample_thread("coding-agent.jsonl")
    found = validity(replay(thread, "none", 2**60))
    assert not np.any([column.any() for column in found.counts.values()])

"""Laws of the whole-unit rule, and equality with the same rule written the slow way."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import ContextBudgetError, fit_context, fit_messages, read_session, replay, sweep
from tests import naive

TEXT = st.text(alphabet='ab 资料"\\\n😀é', min_size=1, max_size=60)


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Lists that keep the protocol and hold at least one user message that is not blank."""
    messages: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["system", "user", "answer", "exchange", "exchange", "developer"]))
        if kind == "exchange":
            ids = [f"c{number}_{k}" for k in range(draw(st.integers(1, 3)))]
            calls = [{"id": i, "type": "function", "function": {"name": "read", "arguments": draw(TEXT)}} for i in ids]
            messages.append({"role": "assistant", "content": draw(st.none() | TEXT), "tool_calls": calls})
            messages += [{"role": "tool", "tool_call_id": i, "content": draw(TEXT)} for i in draw(st.permutations(ids))]
        else:
            messages.append({"role": "assistant" if kind == "answer" else kind, "content": "x" + draw(TEXT)})
    position = draw(st.sampled_from([i for i in range(len(messages) + 1) if i == len(messages) or messages[i]["role"] != "tool"]))
    messages.insert(position, {"role": "user", "content": "task " + draw(TEXT)})
    return messages


TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]


@settings(max_examples=150, deadline=None)
@given(conversations(), st.integers(1, 1500))
def test_fit_context_equals_the_slow_rule(messages: list[dict[str, Any]], budget: int) -> None:
    expected = naive.fit(messages, TOOLS, budget)
    if expected["after"] is None:
        with pytest.raises(ContextBudgetError) as refusal:
            fit_context(messages, TOOLS, max_characters=budget)
        assert (refusal.value.kind, refusal.value.missing) == ("over_budget", expected["missing"])
    else:
        report = fit_context(messages, TOOLS, max_characters=budget).report
        assert (report.before, report.after, report.dropped_messages, report.dropped_turns, report.dropped_exchanges) == tuple(
            expected[k] for k in ("before", "after", "messages", "turns", "exchanges")
        )


@settings(max_examples=150, deadline=None)
@given(conversations(), st.integers(1, 1500))
def test_a_fitted_request_keeps_every_promise(messages: list[dict[str, Any]], budget: int) -> None:
    """Within budget, order kept, pinned kept, pairs whole, a second fit changes nothing, the input stays as it was."""
    untouched = copy.deepcopy(messages)
    try:
        fitted = fit_context(messages, TOOLS, max_characters=budget)
    except ContextBudgetError:
        return
    assert messages == untouched
    assert naive.size(fitted.messages, TOOLS) == fitted.report.after <= budget
    kept = fitted.messages[1:] if fitted.report.dropped_messages else fitted.messages
    rest = iter(messages)
    assert all(any(k == m for m in rest) for k in kept), "order is kept and nothing is invented"
    for message in messages:
        assert message["role"] not in ("system", "developer") or message in kept
    assert next(m for m in reversed(messages) if m["role"] == "user") in kept
    asked = [c["id"] for m in kept for c in m.get("tool_calls") or []]
    answered = [m["tool_call_id"] for m in kept if m["role"] == "tool"]
    assert sorted(asked) == sorted(answered)
    again = fit_context(fitted.messages, TOOLS, max_characters=budget)
    assert again.messages == fitted.messages


@settings(max_examples=100, deadline=None)
@given(conversations(), st.lists(st.integers(1, 2000), min_size=1, max_size=8))
def test_replay_and_sweep_equal_the_slow_rule_at_every_call(messages: list[dict[str, Any]], budgets: list[int]) -> None:
    """For a call whose context is a protocol-keeping prefix with a task, replay and the slow rule agree."""
    thread = read_session(json.dumps({"messages": messages, "tools": TOOLS}).encode(), "case.json").threads[0]
    swept = sweep(thread, budgets)
    for row, budget in enumerate(budgets):
        once = replay(thread, budget=budget)
        for call in thread.calls:
            columns = (once.after, once.missing, once.dropped_messages, once.dropped_turns, once.dropped_exchanges)
            rows = (swept.after, swept.missing, swept.dropped_messages, swept.dropped_turns, swept.dropped_exchanges)
            assert [int(c[call.index]) for c in columns] == [int(r[row, call.index]) for r in rows]
            context = [messages[i] for i in call.messages()]
            if not any(m["role"] == "user" for m in context):
                continue
            expected = naive.fit(context, TOOLS, budget)
            assert int(once.before[call.index]) == expected["before"]
            assert int(once.missing[call.index]) == expected["missing"]
            assert int(once.after[call.index]) == (-1 if expected["after"] is None else expected["after"])


@settings(max_examples=60, deadline=None)
@given(conversations(), st.integers(1, 1200))
def test_what_a_replay_lists_adds_up(messages: list[dict[str, Any]], budget: int) -> None:
    """Listed drops, marks per unit and marks per message tell the same as the counts, and the fates per unit follow from them."""
    thread = read_session(json.dumps({"messages": messages, "tools": TOOLS}).encode(), "case.json").threads[0]
    result = replay(thread, budget=budget)
    first, times = result.first_dropped()
    seen_first: dict[int, int] = {}
    seen_times: dict[int, int] = {}
    for call in thread.calls:
        drops = result.drops(call.index)
        assert sum(len(d.messages) for d in drops) == result.dropped_messages[call.index]
        assert {d.unit for d in drops} == {u for u, s in enumerate(result.status(call.index)) if s == 3}
        assert int((result.message_status(call.index) == 3).sum()) == result.dropped_messages[call.index]
        for drop in drops:
            seen_first.setdefault(drop.unit, call.index)
            seen_times[drop.unit] = seen_times.get(drop.unit, 0) + 1
    assert {u: int(t) for u, t in enumerate(times) if t} == seen_times
    assert {u: int(f) for u, f in enumerate(first) if f >= 0} == seen_first


def test_without_a_task_the_newest_unit_stays_and_the_oldest_goes_first() -> None:
    """Lenient rule: no real user message, so every unpinned unit is a candidate of its own."""
    messages = [{"role": "assistant", "content": letter * 40} for letter in "abcd"]
    fitted = fit_messages(messages, 100, _Letters(), notice=False)
    assert (fitted.kept, fitted.before, fitted.after) == ((2, 3), 160, 80)
    alone = fit_messages(messages, 39, _Letters(), notice=False)
    assert (alone.refused, alone.missing, alone.kept) == ("over_budget", 1, ())


class _Letters:
    """Counts letters of the content, nothing else."""

    def size(self, message: dict[str, Any]) -> int:
        return len(message["content"])

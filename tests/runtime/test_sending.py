"""Any policy in front of a live model: what is sent is within the budget, a valid request, and still has its task."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import BudgetedModel, ContextBudgetError, InputError, fit_context
from ctxcore.policies import POLICIES, make_policy
from ctxcore.policies.strict import check_request
from ctxcore.runtime.loop import run_agent
from ctxcore.runtime.models import ScriptedModel
from ctxcore.runtime.tools import Tool
from ctxcore.sending import fit_by_policy
from ctxcore.sizes.characters import request_chars

NAMES = [kind.name for kind in POLICIES if kind.name != "openai-compaction"]  # of its summary only the size is known
TOOLS = [{"type": "function", "function": {"name": "look", "description": "Look it up.", "parameters": {"type": "object"}}}]


def call(number: int) -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A system message, some turns with exchanges, and an unfinished last turn."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Look things up."}]
    number = 0
    for turn in range(draw(st.integers(1, 4))):
        messages.append({"role": "user", "content": f"Task {turn} " + "问" * draw(st.integers(0, 60))})
        for _ in range(draw(st.integers(0, 4))):
            asked = [call(number + n) for n in range(draw(st.integers(1, 3)))]
            number += len(asked)
            messages.append({"role": "assistant", "content": None, "tool_calls": asked})
            messages += [{"role": "tool", "tool_call_id": one["id"], "content": "x" * draw(st.integers(0, 700))} for one in asked]
        messages.append({"role": "assistant", "content": "Done."})
    return messages[:-1]


@given(conversations(), st.integers(200, 4_000), st.sampled_from(NAMES))
@settings(max_examples=150)
def test_a_live_request_keeps_budget_form_and_task_whatever_the_policy(messages: list[dict[str, Any]], budget: int, policy: str) -> None:
    before = deepcopy(messages)
    refused = ""
    task = next(m["content"] for m in reversed(messages) if m["role"] == "user")
    try:
        fitted = fit_by_policy(messages, TOOLS, make_policy(policy), max_characters=budget, required_task=task)
    except ContextBudgetError as refusal:
        refused = refusal.kind
    assert messages == before
    if refused:
        # the last: a summary in the user role stands behind the task
        assert refused in ("over_budget", "orphan_result", "missing_result", "result_mismatch", "task_mismatch")
        return
    assert request_chars(fitted.messages, TOOLS) == fitted.report.after <= budget
    assert fitted.report.before == request_chars(messages, TOOLS)
    check_request(fitted.messages, TOOLS, budget, None)
    assert {"role": "user", "content": task} in fitted.messages


@given(conversations(), st.integers(150, 4_000))
@settings(max_examples=150)
def test_the_whole_unit_rule_is_the_same_by_its_name_as_without_one(messages: list[dict[str, Any]], budget: int) -> None:
    def outcome(fit: Any) -> Any:
        try:
            return fit()
        except ContextBudgetError as refusal:
            return refusal.kind, refusal.missing

    assert outcome(lambda: fit_by_policy(messages, TOOLS, make_policy("whole-units"), max_characters=budget)) == outcome(
        lambda: fit_context(messages, TOOLS, max_characters=budget)
    )


def long_run(policy: str, budget: int) -> tuple[BudgetedModel, ScriptedModel, Any]:
    """Twelve results of 400 characters, then the answer."""
    replies = [{"role": "assistant", "content": None, "tool_calls": [call(n)]} for n in range(12)]
    script = ScriptedModel([*replies, {"role": "assistant", "content": "Done."}])
    model = BudgetedModel(script, max_characters=budget, required_task="Look.", policy=policy)
    look = Tool(name="look", description="Look it up.", parameters={"type": "object"}, function=lambda: "x" * 400)
    return model, script, asyncio.run(run_agent(model, [{"role": "user", "content": "Look."}], [look]))


def test_a_policy_that_edits_sends_placeholders_and_says_how_many() -> None:
    """By hand: with the defaults of the rule (trigger 100,000) nothing is cleared; with a budget below, it is refused. See the parameters."""
    policy = make_policy("langchain-clear-tool-uses", trigger=2_000, keep_results=3)
    replies = [{"role": "assistant", "content": None, "tool_calls": [call(n)]} for n in range(12)]
    script = ScriptedModel([*replies, {"role": "assistant", "content": "Done."}])
    model = BudgetedModel(script, max_characters=16_000, policy=policy)
    look = Tool(name="look", description="Look it up.", parameters={"type": "object"}, function=lambda: "x" * 400)
    result = asyncio.run(run_agent(model, [{"role": "user", "content": "Look."}], [look]))
    assert result.status == "complete"
    last = [m["content"] for m in script.requests[-1].messages if m["role"] == "tool"]
    assert [content.startswith('{"result"') for content in last] == [False] * 9 + [True] * 3
    assert (model.reports[-1].edited, model.reports[-1].dropped_messages) == (9, 0)
    assert all("x" * 400 in m["content"] for m in result.messages if m["role"] == "tool"), "the conversation itself stays whole"


def test_without_a_policy_that_trims_a_long_run_is_refused_and_fails() -> None:
    model, script, result = long_run("none", 2_000)
    assert (result.status, result.cause.kind) == ("failed", "over_budget")
    assert all(request_chars(r.messages, r.tools) <= 2_000 for r in script.requests)
    assert model.calls == len(script.requests) < 13


def test_reports_are_told_before_the_model_is_asked() -> None:
    told: list[Any] = []
    script = ScriptedModel([lambda _m, _t: {"role": "assistant", "content": f"{len(told)}"}])
    answer = asyncio.run(BudgetedModel(script, on_report=told.append).complete([{"role": "user", "content": "x"}], []))
    assert answer["content"] == "1"


def test_a_policy_that_is_not_known_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="No policy"):
        BudgetedModel(ScriptedModel([]), policy="shorten")


def test_a_request_that_breaks_the_protocol_is_refused_by_its_kind_whatever_the_policy() -> None:
    orphan = [{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "c", "content": json.dumps(1)}]
    with pytest.raises(ContextBudgetError) as refusal:
        fit_by_policy(orphan, [], make_policy("none"))
    assert refusal.value.kind == "orphan_result"


def test_a_summary_of_which_only_the_size_is_known_is_not_sent() -> None:
    """Over the budget OpenAI's server would put in an encrypted summary: nobody else can write it."""
    messages = [{"role": "user", "content": "Count."}]
    for number in range(12):
        messages += [{"role": "assistant", "content": "x" * 400}, {"role": "user", "content": f"More, {number}."}]
    with pytest.raises(InputError, match="only the size is known"):
        fit_by_policy(messages, [], make_policy("openai-compaction"), max_characters=3_000)

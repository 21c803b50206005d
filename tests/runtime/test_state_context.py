"""A live run is given the part of the state that its action needs, and the budget counts it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ctxcore.errors import ContextBudgetError, InputError
from ctxcore.runtime import state_context
from ctxcore.runtime.budgeted import BudgetedModel
from ctxcore.runtime.loop import RunResult, run_agent
from ctxcore.runtime.memory.memory import Memory
from ctxcore.runtime.models import ScriptedModel
from ctxcore.runtime.state_context import StateModel
from ctxcore.runtime.tools import Tool
from ctxcore.sizes.characters import request_chars
from ctxcore.state.domains import domain_named
from ctxcore.state.injection import LOOP, context_for
from ctxcore.state.text_rules import read_text
from tests.runtime.scripts import says, uses

SHOP, TRAVEL = domain_named("shop"), domain_named("travel")

ASKED = [
    {"role": "system", "content": "Sell."},
    {"role": "user", "content": "预算2000元，要黑色的"},
    {"role": "assistant", "content": "好的。"},
    {"role": "user", "content": "预算改为3000元"},
]


def budget_fragment(amount: int) -> str:
    return f"<order_context>\n  <budget_constraint>\n    <max_amount>{amount} CNY</max_amount>\n  </budget_constraint>\n</order_context>"


def run(model: Any, messages: list[dict[str, Any]] = ASKED, **more: Any) -> RunResult:
    return asyncio.run(run_agent(model, messages, **more))


SEARCH = Tool(name="search", description="Search.", parameters={"type": "object"}, function=lambda max_price: f"Nothing under {max_price}.")


def test_every_request_of_a_run_gets_one_fragment_before_its_last_user_message() -> None:
    script = ScriptedModel([uses("search", max_price=3000), says("没有。")])
    model = StateModel(script, SHOP, "process_order")
    done = run(model, tools=[SEARCH])
    assert done.status == "complete"
    for request in script.requests:
        roles = [message["role"] for message in request.messages]
        tags = [place for place, message in enumerate(request.messages) if "<order_context>" in str(message["content"])]
        last_user = max(place for place, role in enumerate(roles) if role == "user")
        assert tags == [last_user - 1]
        assert roles[tags[0]] == "system"
        assert "<max_amount>3000 CNY</max_amount>" in request.messages[tags[0]]["content"]
    assert not any("order_context" in str(message) for message in done.messages), "the conversation itself stays as it is"


def test_a_text_that_was_read_for_an_earlier_request_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noting(text: str, **more: Any) -> Any:
        read.append(text)
        return read_text(text, **more)

    monkeypatch.setattr(state_context, "read_text", noting)
    model = StateModel(ScriptedModel([says("好。"), says("好。")]), SHOP, "process_order")
    for last in ("要红色的", "预算4000元"):
        asyncio.run(model.complete([*ASKED, {"role": "assistant", "content": "嗯。"}, {"role": "user", "content": last}], []))
    assert sorted(read) == sorted(set(read))
    assert model.state is not None
    assert model.state.value("budget_max") == 4000


def test_a_missing_field_is_told_with_its_question() -> None:
    model = StateModel(ScriptedModel([says("哪一款？")]), SHOP, "process_order")
    assert model.fragment is None
    run(model)
    assert model.fragment is not None
    assert (model.fragment.missing, model.fragment.questions) == (("product_context.id",), ("您想要哪一款商品？",))
    assert "budget_max" in model.fragment.fields


def test_the_fragment_counts_against_the_budget() -> None:
    """The request with its fragment fits exactly; one character less, and the run fails before the model is asked."""
    plain = ScriptedModel([says("好")])
    run(StateModel(plain, SHOP, "process_order"))
    size = request_chars(plain.requests[0].messages, [])
    assert size > request_chars(ASKED, [])
    task = [ASKED[-1]]
    small = ScriptedModel([says("好")])
    alone = request_chars([*task], [])
    fragment = request_chars([{"role": "system", "content": budget_fragment(3000)}, *task], [])
    exact = BudgetedModel(small, max_characters=fragment)
    assert run(StateModel(exact, SHOP, "process_order"), task).status == "complete"
    assert small.requests[0].messages[0]["content"] == budget_fragment(3000)
    refused = run(StateModel(BudgetedModel(small, max_characters=fragment - 1), SHOP, "process_order"), task)
    assert refused.status == "failed"
    assert isinstance(refused.cause, ContextBudgetError)
    assert alone < fragment - 1, "without the fragment it would have fitted"


def test_history_is_dropped_for_the_fragment() -> None:
    long = [ASKED[0], {"role": "user", "content": "预算2000元。" + "好" * 800}, ASKED[2], ASKED[3]]
    script = ScriptedModel([says("好")])
    budgeted = BudgetedModel(script, max_characters=900)
    assert run(StateModel(budgeted, SHOP, "process_order"), long).status == "complete"
    sent = script.requests[0].messages
    assert [message["content"] for message in sent if message["role"] == "user"][-1] == "预算改为3000元"
    assert not any("好好好" in str(message["content"]) for message in sent)
    assert any(message["content"] == budget_fragment(3000) for message in sent)
    assert budgeted.reports[0].after <= 900


def test_a_fragment_that_came_back_into_the_conversation_is_not_doubled() -> None:
    script = ScriptedModel([says("一"), says("二")])
    model = StateModel(script, SHOP, "process_order")
    run(model)
    again = [*script.requests[0].messages, {"role": "assistant", "content": "一"}, {"role": "user", "content": "继续"}]
    run(model, again)
    assert sum("<order_context>" in str(message["content"]) for message in script.requests[1].messages) == 1
    assert LOOP in [item.code for entry in model.log for item in entry.items]


def test_an_action_is_chosen_by_the_state_or_none() -> None:
    script = ScriptedModel([says("a"), says("b")])
    model = StateModel(script, SHOP, lambda state: "resolve_complaint" if state.value("complaint_summary") else None)
    run(model)
    assert script.requests[0].messages == ASKED
    run(model, [{"role": "user", "content": "我要投诉，送货太慢"}])
    assert "<complaint_context>" in script.requests[1].messages[0]["content"]


def test_relative_dates_are_read_by_the_clock_of_the_run() -> None:
    model = StateModel(ScriptedModel([says("ok")]), TRAVEL, "book_trip", now=lambda: datetime(2025, 3, 10, 9, tzinfo=UTC))
    run(model, [{"role": "user", "content": "我明天从上海出发去北京"}])
    assert model.state is not None
    assert model.state.value("departure_date") == "2025-03-11"


def test_the_log_keeps_injections_by_round_until_their_retention_is_over() -> None:
    clock = [datetime(2025, 1, 1, tzinfo=UTC)]
    model = StateModel(ScriptedModel([says("一"), says("二")]), SHOP, "process_order", now=lambda: clock[0])
    run(model, ASKED[:2])
    clock[0] += timedelta(days=100)
    run(model)
    told = [(entry.round, item.field, item.value) for entry in model.log for item in entry.items if item.kind == "injected"]
    assert (1, "budget_max", 2000) in told
    assert (2, "budget_max", 3000) in told
    clock[0] += timedelta(days=100)
    assert [entry.round for entry in model.log] == [2], "200 and 100 days old, 180 are kept"
    clock[0] += timedelta(days=100)
    assert model.log == ()


def test_what_is_remembered_is_not_read_as_said() -> None:
    with Memory() as memory:
        memory.semantic.put("budget", "预算9000元", core=True)
        script = ScriptedModel([says("好")])
        model = StateModel(BudgetedModel(script), SHOP, "process_order")
        assert run(model, memory=memory).status == "complete"
        assert model.state is not None
        assert model.state.value("budget_max") == 3000
        assert "9000" in script.requests[0].messages[-1]["content"]
        assert any("order_context" in str(message["content"]) for message in script.requests[0].messages)


def test_a_fragment_is_the_one_that_the_state_gives() -> None:
    script = ScriptedModel([says("好")])
    model = StateModel(script, SHOP, "process_order")
    run(model)
    assert model.state is not None
    assert script.requests[0].messages[-2]["content"] == context_for(SHOP, model.state, "process_order").text


def test_nonsense_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="process_orders"):
        StateModel(ScriptedModel([]), SHOP, "process_orders")
    with pytest.raises(InputError, match="retention"):
        StateModel(ScriptedModel([]), SHOP, "process_order", retention_days=0)

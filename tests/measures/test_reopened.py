"""Decisions that are opened again, derived by hand."""

from __future__ import annotations

from ctxcore import read_session
from ctxcore.measures.reopened import reopened
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from tests.conftest import ROOT
from tests.state.talk import Line, talk, tool


def found(domain: str, *lines: Line) -> list[tuple[str, object, object, str, str, int, int | None]]:
    thread, form = talk(*lines), domain_named(domain)
    return [(one.field, one.old, one.new, one.why, one.settled, one.message, one.call) for one in reopened(thread, form, edit(thread, form))]


def test_a_value_that_nobody_took_up_may_change_freely() -> None:
    assert found("shop", "u: 预算2000元", "a: 好", "u: 预算改为3000元", "a: 嗯") == []


def test_a_value_that_the_assistant_repeated_was_confirmed() -> None:
    changed = ("budget_max", 2000, 3000, "user_correction", "confirmed", 2, 1)
    assert found("shop", "u: 预算2000元", "a: 好，预算2000元。", "u: 预算改为3000元", "a: 嗯") == [changed]


def test_a_value_that_a_tool_got_was_acted_on() -> None:
    """Messages: 0 user, 1 call, 2 result, 3 reply, 4 user; the third call answers message 4."""
    lines = ("u: 预算2000元", *tool("search_products", {"items": []}, max_price=2000), "a: 没有找到。", "u: 预算改为3000元", "a: 嗯")
    assert found("shop", *lines) == [("budget_max", 2000, 3000, "user_correction", "acted on", 4, 2)]


def test_the_same_value_again_and_a_refusal_by_the_assistant_open_nothing() -> None:
    assert found("shop", "u: 预算2000元", "a: 预算2000元。", "u: 对，预算2000元", "a: 嗯") == []
    assert found("open", "u: 总价800元", "a: 总价800元。", "u: 总价改成500元", "a: 抱歉，不能改成500元。", "u: 继续", "a: 嗯") == [
        ("总价", 800, 500, "user_correction", "confirmed", 2, 1)
    ]


def test_the_samples() -> None:
    """The order's colour was black, asked about and confirmed, then red, then black again; its intent moves by design."""
    thread, form = read_session(ROOT / "sample_sessions" / "shop-order-zh.jsonl").threads[0], domain_named("shop")
    told = [(one.field, one.old, one.new) for one in reopened(thread, form, edit(thread, form))]
    assert ("product_context.attrs.color", "black", "red") in told
    assert "user_intent" not in {field for field, _, _ in told}

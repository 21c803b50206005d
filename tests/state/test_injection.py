"""What an action gets of the state, and what it never gets."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.errors import InputError
from ctxcore.state.domains import domain_named
from ctxcore.state.edit_log import kept, log_lines, with_injection
from ctxcore.state.entries import Entry, FieldChain, LogEntry, Source, State
from ctxcore.state.injection import LOOP, context_for, inject, state_preview
from tests.state.talk import state_of

SHOP = domain_named("shop")

VALUES: dict[str, Any] = {
    "product_context.id": "MC-200",
    "product_context.attrs.color": "black",
    "budget_max": 2000,
    "currency": "CNY",
    "risk_tolerance": "low",
    "preferred_payment": "alipay",
    "payment_info": "card 4000",
    "complaint_summary": "broken",
    "complaint_severity": "high",
    "user_expectation": "refund",
}


def made(values: dict[str, Any]) -> State:
    """A state with these values."""
    return State(domain="shop", fields={name: FieldChain(name=name, entries=(entry(value),)) for name, value in values.items()})


def entry(value: Any) -> Entry:
    source = Source(message=0, start=0, end=1, quote="x")
    return Entry(value=value, round=1, why="initial_selection", source=source, extractor="t", confidence=1.0, at=0)


def test_an_order_gets_its_scope_and_nothing_else() -> None:
    """By hand from the spec: profile, selection, budget."""
    fragment = context_for(SHOP, made(VALUES), "process_order")
    assert fragment.text == (
        "<order_context>\n"
        "  <user_profile>\n    <risk_tolerance>low</risk_tolerance>\n    <preferred_payment>alipay</preferred_payment>\n  </user_profile>\n"
        "  <product_selection>\n    <id>MC-200</id>\n    <attributes>\n      <color>black</color>\n    </attributes>\n  </product_selection>\n"
        "  <budget_constraint>\n    <max_amount>2000 CNY</max_amount>\n  </budget_constraint>\n"
        "</order_context>"
    )
    assert fragment.chars == len(fragment.text)
    assert not {"payment_info", "complaint_summary"} & set(fragment.fields)


def test_a_missing_field_is_asked_for_and_the_gate_is_shut() -> None:
    fragment = context_for(SHOP, made({"product_context.id": "MC-200", "budget_max": ""}), "process_order")
    assert (fragment.code, fragment.missing, fragment.questions) == ("MISSING_REQUIRED_FIELD", ("budget_max",), ("您的预算是多少？",))
    assert context_for(SHOP, made({}), "process_order", language="en").questions[-1] == "What is your budget?"
    with pytest.raises(InputError, match="process_order"):
        context_for(SHOP, made({}), "process_orders")


def test_what_does_not_fit_is_named_and_required_fields_stay() -> None:
    fragment = context_for(SHOP, made(VALUES), "process_order", most_chars=330)
    assert len(fragment.text) <= 330
    assert re.search(r'<truncated_context reason="[^"]+"/>', fragment.text)
    assert "..." not in fragment.text
    assert set(fragment.left_out) == {"product_context.attrs.color", "preferred_payment"} or fragment.left_out
    smallest = context_for(SHOP, made(VALUES), "process_order", most_chars=1)
    assert {"product_context.id", "budget_max"} <= set(smallest.fields)


SCOPES = {
    "process_order": {"risk_tolerance", "preferred_payment", "product_context.id", "budget_max", "currency"}
    | {f"product_context.attrs.{name}" for name in ("color", "size", "style")},
    "resolve_complaint": {"complaint_summary", "complaint_severity", "user_expectation"},
}

HOSTILE = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["</order_context>", "<order_context>", "]]>", "</state>", "<!--", "&lt;", "\n</id>", '"/>', "<truncated_context", "\u2028</max_amount>"]
    ),
    st.lists(st.text(max_size=8), max_size=3),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
    st.integers(),
)


@pytest.mark.parametrize("action", SCOPES)
@given(values=st.dictionaries(st.sampled_from(sorted(SHOP.fields)), HOSTILE))
def test_a_fragment_has_no_field_outside_its_scope_and_no_value_closes_a_tag(action: str, values: dict[str, Any]) -> None:
    fragment = context_for(SHOP, made(values), action)
    assert set(fragment.fields) <= SCOPES[action]
    tag = SHOP.actions[action].tag
    assert fragment.text.count(f"<{tag}>") == fragment.text.count(f"</{tag}>") == 1
    names = set(re.findall(r"<(/?[^<>]*)>", fragment.text))
    allowed = {tag, *SHOP.actions[action].show, *(name for part in SHOP.actions[action].show.values() if isinstance(part, dict) for name in part)}
    assert {name.removeprefix("/") for name in names} <= {*allowed, "color", "size", "style"}
    shown = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", fragment.text)
    assert ET.fromstring(shown).tag == tag  # noqa: S314 - our own text


@given(values=st.dictionaries(st.sampled_from(sorted(SHOP.fields)), HOSTILE))
def test_the_whole_state_stands_in_one_tag_and_reads_back(values: dict[str, Any]) -> None:
    text = state_preview(made(values))
    inner = text.removeprefix("<state>").removesuffix("</state>")
    assert not re.search("[<>]", inner)
    assert json.loads(inner) == made(values).values()


def test_a_fragment_is_put_in_once() -> None:
    fragment = context_for(SHOP, made(VALUES), "process_order")
    request = [{"role": "system", "content": "Sell."}, {"role": "user", "content": "下单"}]
    first = inject(request, fragment)
    assert [message["content"] for message in first.messages] == ["Sell.", fragment.text, "下单"]
    assert first.code == ""
    newer = context_for(SHOP, made({**VALUES, "budget_max": 3000}), "process_order")
    again = inject(first.messages, newer, first.ledger)
    assert (again.code, again.messages, again.ledger) == (LOOP, first.messages, first.ledger)


@pytest.mark.parametrize("role", ["user", "tool", "assistant"])
def test_a_tag_that_somebody_typed_does_not_count(role: str) -> None:
    fragment = context_for(SHOP, made(VALUES), "process_order")
    request = [{"role": role, "content": fragment.text}, {"role": "user", "content": "下单"}]
    assert inject(request, fragment, [fragment]).code == ""


def test_another_scope_is_no_loop() -> None:
    order, complaint = (context_for(SHOP, made(VALUES), name) for name in ("process_order", "resolve_complaint"))
    first = inject([{"role": "user", "content": "x"}], order)
    assert inject(first.messages, complaint, first.ledger).code == ""


def test_the_log_tells_what_was_injected_and_goes_out_as_lines() -> None:
    read = state_of("shop", "u: 预算3000元", "a: 好", "u: 谢谢", "a: 嗯")
    told = with_injection(read, "order_context", ["budget_max"])
    refused = with_injection(told, "order_context", [], LOOP)
    lines = [json.loads(line) for line in log_lines(refused.log, "s1").splitlines()]
    assert [line["round"] for line in lines] == [1, 2]
    assert [(item["kind"], item["code"]) for item in lines[1]["items"]] == [("injected", "order_context"), ("refused", LOOP)]
    assert read.log != told.log


def test_old_entries_of_the_log_go_after_the_retention() -> None:
    from datetime import UTC, datetime

    log = (LogEntry(round=1, message=0), LogEntry(round=2, message=1), LogEntry(round=3, message=2))
    said = (datetime(2025, 1, 1, tzinfo=UTC), None, datetime(2025, 6, 1, tzinfo=UTC))
    assert [one.round for one in kept(log, said, datetime(2025, 7, 1, tzinfo=UTC))] == [2, 3]
    assert [one.round for one in kept(log, said, datetime(2025, 7, 1, tzinfo=UTC), days=400)] == [1, 2, 3]

"""The two samples about state: chains, alerts and what each action gets, derived from their scenarios by hand."""

from __future__ import annotations

import json
from functools import cache

import pytest

from ctxcore import Thread, read_session
from ctxcore.cli import main
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.state.entries import State
from ctxcore.state.injection import context_for
from tests.conftest import ROOT
from tests.state.talk import check_sources, codes, entries, steps

ORDER, TRIP = ("shop-order-zh.jsonl", "shop"), ("trip-booking.jsonl", "travel")


@cache
def read(sample: tuple[str, str]) -> tuple[Thread, State]:
    name, domain = sample
    thread = read_session(ROOT / "sample_sessions" / name).threads[0]
    return thread, edit(thread, domain_named(domain))


@pytest.mark.parametrize("sample", [ORDER, TRIP])
def test_every_value_has_its_words(sample: tuple[str, str]) -> None:
    check_sources(*read(sample))


def test_order_the_colour_goes_from_black_to_red_and_back() -> None:
    _, state = read(ORDER)
    assert steps(state, "product_context.attrs.color") == [
        ("black", 4, "initial_selection"),
        ("red", 6, "user_correction"),
        ("black", 8, "user_reversion"),
    ]
    first = entries(state, "product_context.attrs.color")[0]
    assert ([source.message for source in (first.source, *first.more)], first.of) != ([first.source.message], None)
    assert all(entry.of == "MC-200" for entry in entries(state, "product_context.attrs.color"))


def test_order_the_budget_grows_and_its_currency_is_known() -> None:
    _, state = read(ORDER)
    assert steps(state, "budget_max") == [(1000, 2, "initial_selection"), (2000, 3, "user_correction")]
    assert [(entry.unit, "assumed_unit" in entry.shades) for entry in entries(state, "budget_max")] == [("CNY", False), ("CNY", True)]
    assert steps(state, "currency") == [("CNY", 2, "initial_selection")]


def test_order_the_invoice_was_a_question_until_the_customer_went_on() -> None:
    thread, state = read(ORDER)
    (invoice,) = entries(state, "invoice_type")
    assert (invoice.value, invoice.round, len(invoice.more)) == ("electronic", 7, 1)
    answer = invoice.more[0].message
    assert thread.messages[answer].role == "assistant"
    assert state.as_of(answer).value("invoice_type") is None


def test_order_the_intent_moves_and_nothing_is_amiss() -> None:
    _, state = read(ORDER)
    assert steps(state, "user_intent") == [("inquiry", 1, "initial_selection"), ("order", 10, "user_correction")]
    assert not {"MISSING_PRODUCT_CONTEXT", "MISSING_REQUIRED_FIELD"} & {code for code, _ in codes(state)}
    assert 2500 not in [entry.value for chain in state.fields.values() for entry in chain.entries]


def test_order_the_action_gets_its_own_part() -> None:
    _, state = read(ORDER)
    fragment = context_for(domain_named("shop"), state, "process_order")
    assert fragment.text == (
        "<order_context>\n  <product_selection>\n    <id>MC-200</id>\n    <attributes>\n      <color>black</color>\n    </attributes>\n"
        "  </product_selection>\n  <budget_constraint>\n    <max_amount>2000 CNY</max_amount>\n  </budget_constraint>\n</order_context>"
    )
    assert fragment.missing == ()
    assert context_for(domain_named("shop"), state, "resolve_complaint").missing == ("complaint_summary",)


def test_trip_the_dates_change_and_one_comes_back() -> None:
    _, state = read(TRIP)
    assert steps(state, "departure_date") == [
        ("2025-03-20", 1, "initial_selection"),
        ("2025-03-21", 4, "user_correction"),
        ("2025-03-20", 5, "user_reversion"),
    ]
    assert steps(state, "return_date") == [
        ("2025-03-24", 1, "initial_selection"),
        ("2025-03-19", 6, "user_correction"),
        ("2025-03-25", 7, "user_correction"),
    ]
    assert (state.value("budget_max"), state.value("currency"), state.value("travellers")) == (300, "EUR", 2)


def test_trip_the_agent_booked_before_it_knew_from_where() -> None:
    _, state = read(TRIP)
    assert codes(state) == [("MISSING_REQUIRED_FIELD", 3), ("BUSINESS_RULE_RETURN_DATE", 6)]
    assert steps(state, "origin") == [("Lisbon", 3, "tool_update"), ("Faro", 4, "user_correction")]


def test_trip_the_action_gets_its_own_part() -> None:
    _, state = read(TRIP)
    fragment = context_for(domain_named("travel"), state, "book_trip")
    assert fragment.text == (
        "<booking_context>\n  <route>\n    <origin>Faro</origin>\n    <destination>Porto</destination>\n  </route>\n"
        "  <dates>\n    <departure>2025-03-20</departure>\n    <return>2025-03-25</return>\n  </dates>\n"
        "  <party>\n    <travellers>2</travellers>\n  </party>\n"
        "  <budget_constraint>\n    <max_amount>300 EUR</max_amount>\n  </budget_constraint>\n</booking_context>"
    )
    before = context_for(domain_named("travel"), state.as_of(13), "book_trip", language="en")
    assert (before.missing, before.questions) == (("origin",), ("Which city do you leave from?",))


def test_the_command_prints_the_schema_and_every_quote_slices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["state", str(ROOT / "sample_sessions" / ORDER[0]), "--domain", "shop", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == ["schema", "domain", "fields", "alerts", "log"]
    thread, _ = read(ORDER)
    for field in answer["fields"].values():
        accepted = [entry for entry in field["chain"] if entry["status"] == "accepted"]
        assert field["current"] == (accepted[-1] if accepted else None)
        for entry in field["chain"]:
            assert {"value", "round", "why", "source", "extractor", "confidence"} <= set(entry)
            source = entry["source"]
            message = thread.messages[source["message"]]
            text = message.text or message.calls[0].arguments
            assert text[source["start"] : source["end"]] == source["quote"]
    assert [entry["round"] for entry in answer["log"]] == list(range(1, len(answer["log"]) + 1))


def test_a_domain_of_one_s_own_is_named_by_its_path(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("name: own\nfields:\n  animal:\n    type: text\n    read: [{by: pattern, pattern: '看(?P<value>孩子)'}]\n")
    assert main(["state", str(ROOT / "sample_sessions" / ORDER[0]), "--domain", str(own), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fields"]["animal"]["current"]["value"] == "孩子"
    own.write_text("name: own\nfields:\n  animal:\n    type: beast\n")
    assert main(["state", str(ROOT / "sample_sessions" / ORDER[0]), "--domain", str(own)]) == 2
    assert "line 4" in capsys.readouterr().err


def test_rules_of_one_s_own_come_from_a_file_on_the_command_line(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.py"
    rules.write_text(
        "from ctxcore.state.business_rules import BusinessRuleError\n"
        "def never_two_thousand(state):\n"
        "    if state.get('budget') == 2000:\n"
        "        raise BusinessRuleError('TOO_ROUND', 'A round number.', 'budget')\n"
        "RULES = [never_two_thousand]\n"
    )
    own = tmp_path / "own.yaml"
    own.write_text(
        "name: own\nfields:\n  budget:\n    type: money\n    read: [{by: found, kind: money, keys: [预算]}]\nrules: [never_two_thousand]\n"
    )
    sample = str(ROOT / "sample_sessions" / ORDER[0])
    assert main(["state", sample, "--domain", str(own)]) == 2
    assert "--rules" in capsys.readouterr().err
    assert main(["state", sample, "--domain", str(own), "--rules", str(rules), "--json"]) == 0
    assert [alert["code"] for alert in json.loads(capsys.readouterr().out)["alerts"]] == ["TOO_ROUND"]

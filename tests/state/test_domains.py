"""Domain files: those that ship, and strangers' with the line of every fault."""

from __future__ import annotations

import pytest

from ctxcore.errors import InputError
from ctxcore.state.business_rules import rule_named
from ctxcore.state.domain_file import MOST_BYTES, DomainError, parse_domain
from ctxcore.state.domains import NAMES, domain_named, shipped_domain
from ctxcore.state.validation import fault

SMALL = """\
name: small
fields:
  budget:
    type: money
    purposes: [order]
actions:
  order:
    tag: order_context
    purpose: order
    show:
      money: budget
"""


def faults(text: str) -> tuple[tuple[int, str], ...]:
    with pytest.raises(DomainError) as refused:
        parse_domain(text.encode(), "own.yaml")
    return refused.value.faults


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_domain_reads_and_its_rules_are_there(name: str) -> None:
    domain = shipped_domain(name)
    assert domain.name == name
    assert all(callable(rule_named(rule)) for rule in domain.rules)


@pytest.mark.parametrize("name", NAMES)
def test_a_required_field_has_a_question_that_its_own_patterns_hear(name: str) -> None:
    from ctxcore.state.answering import heard

    domain = shipped_domain(name)
    for action in domain.actions.values():
        for field, question in action.required.items():
            assert field in heard(domain, question.zh)
            assert field in heard(domain, question.en)


def test_shop_has_the_fields_that_it_promises() -> None:
    promised = (
        "user_intent product_context.id product_context.attrs.color product_context.attrs.size product_context.attrs.style "
        "budget_max currency payment_info preferred_payment risk_tolerance invoice_type resolution_status "
        "complaint_summary complaint_severity user_expectation"
    )
    assert set(promised.split()) == set(shipped_domain("shop").fields)
    assert shipped_domain("shop").fields["user_intent"].values == ("inquiry", "complaint", "order", "return")


def test_a_small_domain_reads() -> None:
    assert parse_domain(SMALL.encode(), "own.yaml").fields["budget"].type == "money"


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("type: money", "type: gold"), 4, "type"),
        (("    type: money", "    colour: red\n    type: money"), 4, "colour"),
        (("money: budget", "money: price"), 10, "price"),
        (("purpose: order", "purpose: invoice"), 10, "list it as shared"),
        (("fields:", "about: 3\nfields:"), 2, "about: must be a text, not 3"),
        (("  budget:\n", "  price: [money]\n  budget:\n"), 3, "fields.price: must be keys with values, not ['money']"),
        (("    type: money", "    core: true"), 3, "fields.budget.type: is missing"),
        (("    type: money", "    type: gold"), 4, "must be 'text', 'number', 'money', 'date', 'enum', 'list', 'object' or 'flag', not 'gold'"),
        (("    type: money", "    type: money\n    read:\n      - by: pattern\n        pattern: '('"), 7, "no pattern"),
        (("    type: money", "    type: money\n    read:\n      - {by: tool_result, tool: t, path: '$['}"), 6, "no JSONPath"),
        (("    type: money", "    type: money\n    read:\n      - {by: magic}"), 6, "magic"),
        (("name: small", "name: small\nname: big"), 2, "'name' stands there already, in line 1"),
        (("    type: money", "    type: money\n    type: text"), 5, "'type' stands there already, in line 4"),
        (("    type: money", "    type: money\n    read:\n      - {by: words, by: pattern}"), 6, "'by' stands there already, in line 6"),
        (("name: small", "name: [small"), 2, ""),
        (("name: small", "name: &a small\nabout: *a"), 2, "aliases"),
        (("name: small", "name: !!python/object/apply:os.system [echo]"), 1, "python"),
    ],
)
def test_a_fault_tells_its_line(change: tuple[str, str], line: int, words: str) -> None:
    found = faults(SMALL.replace(*change))
    assert any(at == line and words in what for at, what in found), found


def test_several_faults_are_told_at_once() -> None:
    assert len(faults(SMALL.replace("type: money", "type: gold").replace("tag: order_context", "tag: '<x>'"))) == 2


def test_a_domain_file_has_a_cap_and_a_depth() -> None:
    assert "at most" in faults("#" * (MOST_BYTES + 1))[0][1]
    assert "deeply" in faults("name: " + "[" * 50 + "]" * 50)[0][1]
    assert "empty" in faults("")[0][1]


def test_a_domain_that_is_not_there_says_which_are() -> None:
    with pytest.raises(InputError, match="shop"):
        domain_named("shopp")
    with pytest.raises(InputError, match=r"gone\.yaml"):
        domain_named("/nowhere/gone.yaml")


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("budget_max", 5000, ""),
        ("budget_max", 999_999.99, ""),
        ("budget_max", 50_000_000, "VALIDATION_ERROR_BUDGET_EXCEEDS_LIMIT"),
        ("budget_max", 1_000_000, "VALIDATION_ERROR_BUDGET_EXCEEDS_LIMIT"),
        ("budget_max", 0, "VALIDATION_ERROR_BUDGET_NOT_POSITIVE"),
        ("budget_max", -3, "VALIDATION_ERROR_BUDGET_NOT_POSITIVE"),
        ("budget_max", "many", "VALIDATION_ERROR_BUDGET"),
        ("budget_max", True, "VALIDATION_ERROR_BUDGET"),
        ("budget_max", float("nan"), "VALIDATION_ERROR_BUDGET"),
        ("currency", "CNY", ""),
        ("currency", "yuan", "VALIDATION_ERROR_CURRENCY"),
        ("currency", "cny", "VALIDATION_ERROR_CURRENCY"),
        ("user_intent", "browse", "VALIDATION_ERROR_USER_INTENT_NOT_ALLOWED"),
    ],
)
def test_a_value_is_checked_by_its_field(field: str, value: object, code: str) -> None:
    assert fault(field, shipped_domain("shop").fields[field], value) == code

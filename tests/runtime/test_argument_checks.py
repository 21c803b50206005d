"""Arguments are checked against a tool's schema within a time, whatever patterns stand in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ctxcore import InputError
from ctxcore.runtime.argument_checks import ArgumentValidator
from ctxcore.runtime.tools import BadArguments, Tool

SLOW = "^(a|a)+$"
TEXT = "a" * 60 + "!"


def tool(schema: dict[str, Any]) -> Tool:
    return Tool(name="look", description="", parameters={"type": "object", **schema}, function=lambda **_: None)


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"a": {"type": "string", "pattern": SLOW}}}, {"a": TEXT}),
        ({"properties": {"a": {"items": {"anyOf": [{"pattern": SLOW}, {"type": "number"}]}}}}, {"a": [TEXT] * 1_000}),
        ({"patternProperties": {SLOW: {"type": "number"}}}, {TEXT: 1}),
        ({"patternProperties": {SLOW: True}, "additionalProperties": False}, {TEXT: 1}),
        ({"additionalProperties": False, "patternProperties": {SLOW: True}}, {TEXT: 1}),
        ({"propertyNames": {"pattern": SLOW}}, {TEXT: 1}),
    ],
    ids=["text", "list", "names", "names first", "additional first", "property names"],
)
def test_a_pattern_without_end_is_given_up(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    with pytest.raises(BadArguments, match=r"The pattern '\^\(a\|a\)\+\$' could not be checked within"):
        tool(schema).parse(json.dumps(arguments))


def test_a_pattern_of_names_beside_what_is_left_over_is_refused_from_the_start() -> None:
    with pytest.raises(InputError, match="both patternProperties and unevaluatedProperties"):
        tool({"allOf": [{"patternProperties": {SLOW: True}}], "unevaluatedProperties": False})


@pytest.mark.parametrize("pattern", ["(", "a{1,99999999999}", "(" * 5_000 + ")" * 5_000], ids=["open", "count", "deep"])
def test_what_is_no_pattern_is_refused_from_the_start(pattern: str) -> None:
    with pytest.raises(InputError, match="Tool 'look': the parameters are no JSON Schema"):
        tool({"properties": {"a": {"pattern": pattern}}})


def test_a_pattern_that_only_one_engine_reads_is_told() -> None:
    with pytest.raises(BadArguments, match=r"the tool's own pattern '\{e<=1\}' cannot be read"):
        tool({"properties": {"a": {"pattern": "{e<=1}"}}}).parse('{"a": "b"}')


SCHEMAS = [
    {"properties": {"a": {"pattern": "^b+$"}}},
    {"patternProperties": {"^s_": {"type": "string"}, "n$": {"type": "number"}}},
    {"patternProperties": {"^s_": {"type": "string"}}, "additionalProperties": False},
    {"properties": {"a": True}, "patternProperties": {"^s_": True}, "additionalProperties": {"type": "number"}},
    {"additionalProperties": False},
    {"properties": {"a": {"unevaluatedProperties": False}}},
]
VALUES = [{}, {"a": "bb"}, {"a": "c"}, {"a": 1}, {"s_": "x"}, {"s_n": 1}, {"s_": 1, "o": 2}, {"o": "x", "a": "b"}, {"n": 2, "a": {"x": 1}}]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
@pytest.mark.parametrize("value", VALUES, ids=str)
def test_the_same_is_refused_as_by_the_validator_without_limits(schema: dict[str, Any], value: dict[str, Any]) -> None:
    assert ArgumentValidator(schema).is_valid(value) == Draft202012Validator(schema).is_valid(value)
    assert {tuple(one.path) for one in ArgumentValidator(schema).iter_errors(value)} == {
        tuple(one.path) for one in Draft202012Validator(schema).iter_errors(value)
    }

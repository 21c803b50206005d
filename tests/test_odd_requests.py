"""Whatever a program hands over, fitting answers with a result or with one sentence of its own errors."""

from __future__ import annotations

from collections import OrderedDict
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import pytest

from ctxcore import fit_context, replay
from ctxcore.errors import ContextBudgetError, InputError
from ctxcore.fitting import fit_messages
from ctxcore.replay import check_budget
from ctxcore.sizes.characters import EMPTY_REQUEST_CHARS, canonical_json
from tests.chat import thread_of

USER: dict[str, Any] = {"role": "user", "content": "日本語 text"}
ENDLESS = 10**5000
"""More digits than CPython writes."""


class Word(StrEnum):
    HI = "日本語 text"


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def asking(call: Any) -> list[dict[str, Any]]:
    return [USER, {"role": "assistant", "content": None, "tool_calls": [call]}]


@pytest.mark.parametrize(
    ("messages", "kind"),
    [
        ([{"role": deep(5_000), "content": ""}], "unknown_role"),
        ([{"role": ENDLESS, "content": ""}], "unknown_role"),
        (asking(deep(5_000)), "malformed_call"),
        (asking(ENDLESS), "malformed_call"),
        ([{**USER, "x": deep(5_000)}], "not_json"),
        ([{**USER, "x": ENDLESS}], "not_json"),
    ],
    ids=["deep role", "endless role", "deep call", "endless call", "deep value", "endless value"],
)
def test_a_live_request_with_a_value_that_cannot_be_written_is_refused(messages: list[dict[str, Any]], kind: str) -> None:
    with pytest.raises(ContextBudgetError) as refused:
        fit_context(messages, [])
    assert refused.value.kind == kind
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("task", [deep(5_000), ENDLESS, {"a": deep(5_000)}], ids=["deep", "endless", "deep in an object"])
def test_a_required_task_that_cannot_be_written_is_a_mismatch(task: Any) -> None:
    with pytest.raises(ContextBudgetError) as refused:
        fit_context([USER], [], required_task=task)
    assert refused.value.kind == "task_mismatch"


@pytest.mark.parametrize("budget", [-ENDLESS, deep(5_000), "9" * 10_000], ids=["endless", "deep", "long"])
def test_a_budget_that_cannot_be_written_is_one_short_sentence(budget: Any) -> None:
    for ask in (lambda: fit_context([USER], [], max_characters=budget), lambda: fit_messages([USER], budget), lambda: check_budget(budget)):
        with pytest.raises((ContextBudgetError, InputError), match="is not a whole number of at least") as refused:
            ask()
        assert len(str(refused.value)) < 300


def test_a_unit_or_policy_of_another_type_is_named() -> None:
    recorded = thread_of("Hi")
    with pytest.raises(InputError, match=r"No unit 5\."):
        replay(recorded, unit=5)
    with pytest.raises(InputError, match=r"No policy 5\."):
        replay(recorded, policy=5)


@pytest.mark.parametrize(
    "message",
    [
        OrderedDict(USER),
        MappingProxyType(USER),
        {"role": "user", "content": Word.HI},
        {**USER, "x": {1: 2, 3: "a"}},
        {**USER, "x": {None: [True, (1.5, None)]}},
        {**USER, "x": deep(150)},
    ],
    ids=["ordered", "read-only", "enum", "numbers as keys", "null as a key", "150 levels"],
)
def test_what_json_has_a_form_for_counts_as_that_form(message: Any) -> None:
    fitted = fit_messages([message], None)
    assert fitted.before == EMPTY_REQUEST_CHARS + len(canonical_json(dict(message)))
    assert fitted.messages[0] is message


@pytest.mark.parametrize(
    "odd",
    [None, 5, {**USER, "x": {1: 2, "a": 3}}, {**USER, "x": {(1, 2): 3}}, {**USER, "x": b"a"}, {**USER, "x": {1}}, {**USER, "x": deep(5_000)},
     {**USER, "x": ENDLESS}, {**USER, "x": MappingProxyType({})}],
    ids=["null", "number", "keys of two types", "a pair as a key", "bytes", "set", "deep", "endless", "a mapping inside"],
)  # fmt: skip
def test_what_json_has_no_form_for_is_refused_with_its_position(odd: Any) -> None:
    with pytest.raises(InputError, match=r"^messages\[1\] is "):
        fit_messages([USER, odd], 1_000)


@pytest.mark.parametrize("messages", [None, 5, "text", b"text", {"role": "user"}, {1}])
def test_messages_that_are_no_list_are_refused(messages: Any) -> None:
    with pytest.raises(InputError, match="Messages must be a list of objects"):
        fit_messages(messages, 1_000)


def test_a_message_that_holds_itself_is_refused() -> None:
    message: dict[str, Any] = dict(USER)
    message["x"] = [message, message]
    with pytest.raises(InputError, match="nested deeper"):
        fit_messages([message], 1_000)

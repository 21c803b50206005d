"""Entries are looked up by their value, and a long conversation keeps all of them."""

from __future__ import annotations

import pytest

from ctxcore.model import Json
from ctxcore.state.index import value_key
from ctxcore.state.resolving import same_value
from tests.state.talk import shopping, state_of, steps

VALUES: list[Json] = ["Red", " red ", "", 1, 1.0, True, False, 0, None, [1, "a"], [True, "a"], ["A"], {"a": [1]}, {"a": [1.0]}, {"a": 2}]


@pytest.mark.parametrize("one", VALUES, ids=repr)
def test_two_values_share_a_key_exactly_where_they_are_the_same(one: Json) -> None:
    assert [value_key(one) == value_key(other) for other in VALUES] == [same_value(one, other) for other in VALUES]


def test_every_change_of_a_long_conversation_is_in_its_chain() -> None:
    state = state_of("shop", *shopping(100))
    assert state.rounds == 100
    assert [value for value, _, _ in steps(state, "budget_max")] == list(range(1, 101))

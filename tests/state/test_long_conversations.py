"""A message costs the same however many came before it."""

from __future__ import annotations

import time

import pytest

from ctxcore.model import Json
from ctxcore.state.index import value_key
from ctxcore.state.resolving import same_value
from tests.state.talk import Line, state_of

VALUES: list[Json] = ["Red", " red ", "", 1, 1.0, True, False, 0, None, [1, "a"], [True, "a"], ["A"], {"a": [1]}, {"a": [1.0]}, {"a": 2}]


@pytest.mark.parametrize("one", VALUES, ids=repr)
def test_two_values_share_a_key_exactly_where_they_are_the_same(one: Json) -> None:
    assert [value_key(one) == value_key(other) for other in VALUES] == [same_value(one, other) for other in VALUES]


def seconds(rounds: int) -> float:
    lines: list[Line] = []
    for n in range(rounds):
        lines += [f"u: 预算改成{n}元，颜色要红色，尺码{n % 50}码，电话{n}", f"a: 好的，您的预算是{n}元吗？"]
    begun = time.process_time()
    state = state_of("shop", *lines)
    spent = time.process_time() - begun
    assert state.rounds == rounds
    return spent


def test_a_conversation_of_ten_times_the_length_takes_about_ten_times_as_long() -> None:
    """A look through all entries at each message would make it near a hundred times."""
    assert seconds(1000) < 30 * seconds(100)

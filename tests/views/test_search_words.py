"""What the search page says is known."""

from __future__ import annotations

import pytest

from ctxcore.views.link import read_link
from ctxcore.views.search import Hits, nothing_found


def test_what_was_not_looked_at_is_not_said_to_hold_nothing() -> None:
    assert nothing_found(Hits(hits=(), unsearched=0)).startswith("Nothing holds it.")
    told = nothing_found(Hits(hits=(), unsearched=132))
    assert "Nothing holds it." not in told
    assert "whether the rest does is not known" in told


@pytest.mark.parametrize("key", ["call", "budget", "unit", "story", "against", "policy"])
@pytest.mark.parametrize("letter", ["9", "x"])
def test_an_address_is_not_echoed_at_length(key: str, letter: str) -> None:
    _, complaints = read_link({key: letter * 400})
    assert complaints
    assert all(letter * 81 not in told for told in complaints)


def test_a_call_of_many_digits_is_not_called_no_number() -> None:
    (told,) = read_link({"call": "9" * 400})[1]
    assert "no whole number of up to nine digits" in told

"""Whether words stand together, compared with trying every stretch of a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxcore.compaction.survival import Remains
from ctxcore.compaction.terms import bounded, squeezed
from ctxcore.compaction.word_places import WordPlaces

WORDS = st.sampled_from("abcdef")


def tried(told: list[frozenset[str]], wanted: frozenset[str], least: int, reach: int) -> bool:
    return any(len(wanted & frozenset().union(*told[at : at + reach])) >= least for at in range(len(told)))


@given(st.lists(st.frozensets(WORDS, max_size=3), max_size=12), st.frozensets(WORDS, min_size=1), st.data(), st.integers(1, 4))
def test_words_stand_together_where_some_stretch_has_enough_of_them(
    told: list[frozenset[str]], wanted: frozenset[str], data: st.DataObject, reach: int
) -> None:
    least = data.draw(st.integers(1, len(wanted)))
    assert WordPlaces.of(told).together(wanted, least, reach) == tried(told, wanted, least, reach)


@given(st.text(alphabet="12. a", max_size=12), st.text(alphabet="12.", min_size=1, max_size=4))
def test_a_number_is_found_at_once_where_a_look_through_the_text_finds_it(text: str, value: str) -> None:
    assert Remains(text).has_figure(value) == bounded(squeezed(value), squeezed(text))


@given(st.text(alphabet="aB:- .\n", max_size=20))
def test_what_is_found_as_a_line_stands_in_the_text(text: str) -> None:
    remains = Remains(text)
    assert all(line in remains.plain for line in remains.lines)

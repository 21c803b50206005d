"""Whether words stand together, compared with trying every stretch of a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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

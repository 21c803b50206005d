"""A vague mention means one thing of the catalogue, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.state.resolver import MOST_CONFIDENT, Entry, LexicalResolver, Resolver

CATALOGUE = (
    Entry(id="cam-1", names=("HomeEye Mini", "家用摄像头"), words=("small", "white", "box", "camera", "小", "白色", "镜头")),
    Entry(id="spk-1", names=("SoundCube",), words=("small", "black", "box", "speaker", "黑色", "音箱")),
    Entry(id="spk-2", names=("SoundCube Max",), words=("large", "black", "speaker")),
)
LEXICAL: Resolver = LexicalResolver(CATALOGUE)


@pytest.mark.parametrize(
    ("mention", "meant"),
    [
        ("the small white box with a camera", "cam-1"),
        ("那个白色的带镜头的小盒子", "cam-1"),
        ("I want the SoundCube Max, please", "spk-2"),
        ("how is the SoundCube?", "spk-1"),
        ("the homeeye mimi", "cam-1"),
        ("the black speaker", None),  # two fit
        ("something nice", None),
        ("", None),
    ],
)
def test_what_is_meant(mention: str, meant: str | None) -> None:
    found = LEXICAL.resolve(mention)
    assert (found.id if found else None) == meant


@given(st.text(max_size=80))
def test_an_answer_is_less_sure_than_a_rule_and_says_why(mention: str) -> None:
    text = mention + " white camera"
    found = LEXICAL.resolve(text)
    assert found is None or found.confidence <= MOST_CONFIDENT
    assert found is None or (found.why and text[found.start : found.end] == found.quote)


def test_an_empty_catalogue_has_no_answer() -> None:
    assert LexicalResolver(()).resolve("anything") is None

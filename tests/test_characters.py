"""Characters of canonical JSON, against CPython's own encoder."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.readers.values import arguments_flag
from ctxcore.sizes.characters import json_chars, text_chars

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Every code point, lone surrogates and controls included."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def by_definition(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


@given(ANY_TEXT)
def test_a_string_is_as_long_as_its_encoding(text) -> None:
    assert text_chars(text) == by_definition(text)


@given(JSON)
def test_a_value_is_as_long_as_its_encoding(value) -> None:
    assert json_chars(value) == by_definition(value)


@given(st.lists(ANY_TEXT.map(lambda text: text * 300) | ANY_TEXT))
def test_long_texts_count_the_same_whether_they_were_measured_before_or_not(texts) -> None:
    value = {"content": [{"text": text} for text in texts], "role": "assistant"}
    measured = {id(text): text_chars(text) for text in texts[::2]}
    assert json_chars(value) == json_chars(value, measured) == by_definition(value)


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        ("{}", None),
        ('{"a": NaN}', None),
        ('{"a": "\\ud800"}', None),
        ('{"a": 1' + "0" * 5000 + "}", None),
        ("[1]", "arguments_not_an_object"),
        ("NaN", "arguments_not_an_object"),
        ('{"a": ', "arguments_not_json"),
        ("", None),
    ],
)
def test_arguments_are_looked_at_as_json_sees_them(arguments, flag) -> None:
    assert arguments_flag(arguments) == flag

"""The quick way of reading lines gives what the careful way gives."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.readers.document import Document, lines_of
from ctxcore.readers.jsontext import wide_integers

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def values(data: bytes) -> list[tuple[int, object]]:
    return [(record.line, record.value) for record in Document(name="made", data=data, shape="lines").records()]


def kinds(value: object) -> object:
    """The value with its types, so that 1 and 1.0 differ."""
    return json.dumps(value)


@given(st.lists(VALUES, max_size=6), st.booleans())
def test_lines_are_what_json_reads(written: list[object], escaped: bool) -> None:
    data = "\n".join(json.dumps(value, ensure_ascii=escaped) for value in written).encode("utf-8", "replace")
    expected = [json.loads(line) for line in data.decode().split("\n") if line]
    read = values(data)
    assert [kinds(value) for _, value in read] == [kinds(value) for value in expected]


@pytest.mark.parametrize("digits", [18, 19, 20, 21, 40])
@pytest.mark.parametrize("before", range(8))
@pytest.mark.parametrize("sign", ["", "-"])
def test_an_integer_of_any_length_stays_whole(digits: int, before: int, sign: str) -> None:
    """Wherever it begins among the words that are scanned."""
    number = sign + "9" * digits
    assert values(f'{{"{"k" * before}": {number}}}\n{{"b": 1}}\n'.encode()) == [(1, {"k" * before: int(number)}), (2, {"b": 1})]


@given(st.binary(max_size=3), st.integers(19, 30), st.text("0123456789abcdef.", max_size=60))
def test_every_long_run_of_digits_is_found(front: bytes, length: int, back: str) -> None:
    data = front + b"x" + b"7" * length + b"x" + back.encode()
    places = wide_integers(data)
    for run in re.finditer(rb"[0-9]{19,}", data):
        assert any(run.start() <= place < run.end() for place in places)


@given(st.text(" \t\r\n{a", max_size=40))
def test_lines_are_those_that_are_not_blank(text: str) -> None:
    data = text.encode()
    expected = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip(b" \t\r")]
    assert [(number, data[start:stop]) for number, start, stop in lines_of(data)] == expected


def test_the_last_value_of_a_repeated_key_holds() -> None:
    assert values(b'{"a": 1, "b": 2, "a": 3}\n') == [(1, {"a": 3, "b": 2})]


@pytest.mark.parametrize(
    "line", [b'{"a": 1} {"a": 2}', b'\xef\xbb\xbf{"a": 1}', b'{"a": "\\ud800"}', b'{"a": NaN}', b'{"a": 1e999}', b'{"a": "\xff"}']
)
def test_a_line_that_is_not_strict_json_is_read_the_careful_way(line: bytes) -> None:
    """Values glued together, a byte order mark, half a surrogate pair, odd numbers, bytes that are no UTF-8."""
    read = values(line + b'\n{"b": 1}\n')
    assert read[-1] == (2, {"b": 1})
    assert {place for place, _ in read} == {1, 2}

"""Columns as bytes."""

from __future__ import annotations

import json
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.pages.conftest import unpack

from _components.packing import LARGEST, pack  # isort: skip - the path is set by the import before


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), st.lists(st.lists(st.integers(-1, LARGEST), max_size=9), max_size=4))
def test_a_block_reads_back_what_was_packed(head: dict[str, str], columns: list[list[int]]) -> None:
    head.pop("columns", None)
    got_head, got = unpack(pack(head, {str(n): column for n, column in enumerate(columns)}))
    assert got_head == head
    assert [column.tolist() for column in got.values()] == columns


def test_the_layout_is_what_the_browser_reads() -> None:
    """By hand: 4 bytes of length, the head padded with spaces to a multiple of 4, then little-endian values, padded with zeros to one."""
    block = pack({"a": 1}, {"x": [1, 255, 0], "y": [1, -1, 300], "z": [70_000]})
    (length,) = struct.unpack_from("<I", block)
    assert length % 4 == 0
    assert json.loads(block[4 : 4 + length]) == {"a": 1, "columns": [["x", 3, "u1"], ["y", 3, "i2"], ["z", 1, "i4"]]}
    assert block[4 + length :] == b"\x01\xff\x00\x00" + b"\x01\x00\xff\xff\x2c\x01\x00\x00" + b"\x70\x11\x01\x00"


def test_values_beyond_32_bits_are_drawn_as_the_largest() -> None:
    assert unpack(pack({}, {"x": np.asarray([2**40])}))[1]["x"].tolist() == [LARGEST]

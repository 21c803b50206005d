"""JSON text to values: odd numbers, integers of any length, and what is still readable of a value that is cut or broken."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from ctxcore.model import Json

MAX_DEPTH = 200
"""Nesting that everything behind the readers can walk; a real recording stays far below."""

BLANK = re.compile(r"[ \t\r\n\ufeff]*")
"""White space between values, and a byte order mark that stands where none belongs."""

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?P<open>\Z|\\\Z)?"?|[\[\]{},]', re.DOTALL)
"""What a value's outline consists of (``open``: a string that does not end); numbers, words and colons do not matter to it."""


WIDE_DIGITS = 19
"""Integers of fewer digits fit 64 bits."""

SCAN_WORDS = 2**16
"""Words of four bytes looked at in one go."""


def skip_blank(text: str, position: int) -> int:
    """The position of the next character that is not white space, or the end."""
    match = BLANK.match(text, position)
    return match.end() if match else position


class Decoder:
    """Decodes values as ``json.loads`` does, but keeps as text what would be no number in strict JSON."""

    def __init__(self, on_odd_number: Callable[[str], Any]) -> None:
        """Make a decoder.

        Args:
            on_odd_number: Gets NaN, Infinity, a float beyond all floats, or the digits of an integer that CPython refuses; returns what to keep.
        """
        self._odd = on_odd_number
        self._usual = json.JSONDecoder(parse_constant=on_odd_number, parse_float=self._float)
        self._wide = json.JSONDecoder(parse_constant=on_odd_number, parse_float=self._float, parse_int=self._int)

    def value_at(self, text: str, position: int) -> tuple[Json, int]:
        """The value at a position and where it ends.

        Raises:
            ValueError: Not JSON (a ``json.JSONDecodeError`` with the place).
            RecursionError: Nested too deeply.
        """
        try:
            return self._usual.raw_decode(text, position)
        except json.JSONDecodeError:
            raise
        except ValueError:  # an integer over CPython's digit limit
            return self._wide.raw_decode(text, position)

    def _float(self, digits: str) -> Any:
        value = float(digits)
        return value if math.isfinite(value) else self._odd(digits)

    def _int(self, digits: str) -> Any:
        try:
            return int(digits)
        except ValueError:
            return self._odd(digits)


def quick_value(data: bytes) -> Json:
    """The value that UTF-8 bytes hold, twice as fast as ``json`` and with the keys of all values shared; only where ``wide_integers`` finds nothing.

    Raises:
        ValueError: Not plain JSON: only a ``Decoder`` can say what it is.
    """
    return orjson.loads(data)


def wide_integers(data: bytes) -> list[int]:
    """A byte of every run of ``WIDE_DIGITS`` digits, ascending, and of some shorter ones: orjson would make floats of integers beyond 64 bits.

    Such a run holds four whole words; four words in a row whose bytes are all of 0x30 to 0x3F (the digits and six marks) are taken for one.
    """
    words = np.frombuffer(data, np.uint32, len(data) // 4)
    found: list[int] = []
    for start in range(0, len(words), SCAN_WORDS):
        digits = (words[start : start + SCAN_WORDS + 3] & np.uint32(0xF0F0F0F0)) == np.uint32(0x30303030)
        pairs = digits[:-1] & digits[1:]
        found += ((np.flatnonzero(pairs[:-2] & pairs[2:]) + start) * 4).tolist()
    return found


def depth(value: Json, limit: int = MAX_DEPTH) -> int:
    """How deeply a value is nested, counted up to one more than the limit; never recurses."""
    level, layer = 0, [value]
    while layer and level <= limit:
        layer = [item for box in layer if isinstance(box, (dict, list)) for item in (box.values() if isinstance(box, dict) else box)]
        level += bool(layer)
    return level


@dataclass(slots=True)
class _Open:
    """A list or object that is not closed yet."""

    closer: str
    end: int | None = None
    """Just behind its last complete entry."""


def _open_boxes(text: str, stop: int) -> list[_Open]:
    """Lists and objects that are open at ``stop``, outermost first; empty where none is or nesting is too deep."""
    boxes: list[_Open] = []
    for match in TOKEN.finditer(text, 0, stop):
        if match["open"] is not None:
            break
        mark = text[match.start()]
        if mark in "{[":
            boxes.append(_Open("}" if mark == "{" else "]"))
            if len(boxes) > MAX_DEPTH:
                return []
        elif mark in "}]":
            if boxes:
                boxes.pop()
            if boxes:
                boxes[-1].end = match.end()
        elif boxes and mark == ",":
            boxes[-1].end = match.start()
        elif boxes and boxes[-1].closer == "]":
            boxes[-1].end = match.end()
    return boxes


def readable_part(text: str, stop: int) -> tuple[str, int] | None:
    """A value that is cut or broken at ``stop``, closed behind its last complete entry.

    The incomplete entry of the outermost list is left out whole, as an incomplete line would be: half a message is no message.

    Returns:
        JSON text and the position up to which it is the original; None where nothing is readable.
    """
    boxes = _open_boxes(text, stop)
    ended = [number for number, box in enumerate(boxes) if box.end is not None]
    if not ended:
        return None
    level = next((number for number in ended if boxes[number].closer == "]"), ended[-1])
    cut = boxes[level].end
    return text[:cut] + "".join(b.closer for b in reversed(boxes[: level + 1])), cut or 0

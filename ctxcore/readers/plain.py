"""Messages of a program as ``json.loads`` would give them: what everything that measures relies on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ctxcore.errors import InputError, shown
from ctxcore.readers.jsontext import MAX_DEPTH
from ctxcore.sizes.characters import canonical_json

MAX_INTEGER_BITS = 14_000
"""Fewer than the 4,300 digits that CPython writes; a larger integer is left to the encoder to refuse."""


def plain_messages(messages: object) -> list[Mapping[str, Any]]:
    """The messages; those that hold a subclass or an odd key in the form that canonical JSON gives them.

    Args:
        messages: A list or tuple of objects.

    Raises:
        InputError: Something else, or a message that JSON has no form for; the sentence names its position.
    """
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes, bytearray)):
        raise InputError(f"Messages must be a list of objects, not {type(messages).__name__}.")
    return [_plain_message(number, message) for number, message in enumerate(messages)]


def _plain_message(number: int, message: object) -> Mapping[str, Any]:
    if not isinstance(message, Mapping):
        raise InputError(f"messages[{number}] is {shown(message)}, not an object.")
    value = message if type(message) is dict else dict(message)
    levels, plain = _walked(value)
    if levels > MAX_DEPTH:
        raise InputError(f"messages[{number}] is nested deeper than {MAX_DEPTH} levels.")
    if plain:
        return value
    try:
        made: Mapping[str, Any] = json.loads(canonical_json(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"messages[{number}] is not JSON: {error}.") from error
    return made


def _walked(value: object) -> tuple[int, bool]:
    """Levels of boxes, counted up to one more than allowed, and whether ``json.loads`` could have made the value; never recurses."""
    level, layer, plain = 0, [value], True
    while layer and level <= MAX_DEPTH:
        boxes = {id(item): item for item in layer if isinstance(item, (dict, list, tuple))}  # a box that is met twice is walked once
        plain = plain and all(map(_is_plain, layer))
        layer = [item for box in boxes.values() for item in (box.values() if isinstance(box, dict) else box)]
        level += bool(boxes)
    return level, plain


def _is_plain(item: Any) -> bool:
    kind = type(item)
    if kind is dict:
        return all(type(key) is str for key in item)
    if kind is int:
        return int(item).bit_length() <= MAX_INTEGER_BITS
    return kind in (str, list, tuple, float, bool) or item is None

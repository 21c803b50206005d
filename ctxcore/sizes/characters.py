"""Characters of canonical JSON: the unit of the whole-unit rule.

Keys sorted, separators ``,`` and ``:`` without spaces, non-ASCII kept, numbers and escapes as CPython's ``json`` writes them.
The order of keys does not change a length, so nothing is sorted here.
Source: the whole-unit rule, "Size".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import orjson

EMPTY_REQUEST_CHARS = len('{"messages":[],"tools":[]}')
"""Characters of a request with no message and no tool."""

NOTICE = "Context controller omitted {count} historical messages as whole units. Re-read evidence if needed; omission is not proof of completion."
"""Text of the omission notice. Source: the whole-unit rule, "What goes"."""


def notice_message(count: int) -> dict[str, Any]:
    """The system message that stands in front of a trimmed request.

    Args:
        count: Messages dropped.
    """
    return {"role": "system", "content": NOTICE.format(count=count)}


def canonical_json(value: Any) -> str:
    """The canonical text itself.

    Raises:
        ValueError: NaN, infinities, cycles, or integers over CPython's digit limit.
        TypeError: A value or mix of keys that JSON has no form for.
        RecursionError: Nested too deeply.
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def text_chars(text: str) -> int:
    """Characters of a string in canonical JSON, quotes and escapes included; a lone surrogate counts 1.

    Only ASCII characters are escaped, so the others count 1 each and the ASCII rest tells how much the escapes add.
    """
    return len(orjson.dumps(text)) if text.isascii() else _wide_text_chars(text)


def _wide_text_chars(text: str) -> int:
    plain = text.encode("ascii", "ignore").decode("ascii")
    return len(text) + len(orjson.dumps(plain)) - len(plain)


@lru_cache(maxsize=4096)
def _key_chars(key: str) -> int:
    """Characters of an object's key and its colon; the same few keys come back in every message."""
    return text_chars(key) + 1


def json_chars(value: Any) -> int:
    """Characters of a decoded JSON value in canonical JSON, without building the text.

    Only for values that ``json.loads`` returned (plain dicts with string keys, lists, strings, numbers, booleans, None).
    """
    kind = type(value)
    if kind is str:
        return text_chars(value)
    if kind is dict:
        total = 1 + len(value) if value else 2
        for key, item in value.items():
            total += _key_chars(key) if len(key) < 64 else text_chars(key) + 1
            if type(item) is str:  # most of a message, so text_chars is written out
                total += len(orjson.dumps(item)) if item.isascii() else _wide_text_chars(item)
            else:
                total += json_chars(item)
        return total
    if kind is list or kind is tuple:
        return (1 + len(value) if value else 2) + sum(map(json_chars, value))
    if value is None or value is True:
        return 4
    if value is False:
        return 5
    return len(json.dumps(value))


def request_chars(messages: Iterable[Mapping[str, Any]], tools: Iterable[Any]) -> int:
    """Characters of a whole request, by the definition (slow; for checks and single requests)."""
    return len(canonical_json({"messages": list(messages), "tools": list(tools)}))

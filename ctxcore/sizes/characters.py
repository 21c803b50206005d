"""Characters of canonical JSON: the unit of the whole-unit rule.

Keys sorted, separators ``,`` and ``:`` without spaces, non-ASCII kept, numbers and escapes as CPython's ``json`` writes them.
The order of keys does not change a length, so nothing is sorted here.
Source: the whole-unit rule, "Size".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

EMPTY_REQUEST_CHARS = len('{"messages":[],"tools":[]}')
"""Characters of a request with no message and no tool."""

NOTICE = "Context controller omitted {count} historical messages as whole units. Re-read evidence if needed; omission is not proof of completion."
"""Text of the omission notice. Source: the whole-unit rule, "What goes"."""


QUOTES = 2
"""Around a string."""

SHORT_CHARS = 256
"""Strings up to here are joined, which costs less than to measure each."""


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


def json_chars(value: Any, known: Mapping[int, int] | None = None) -> int:
    """Characters of a decoded JSON value in canonical JSON, without building the text.

    Args:
        value: What ``json.loads`` can return (plain dicts with string keys, lists, strings, numbers, booleans, None).
        known: Characters of strings in it that were measured before, by ``id``.
    """
    short: list[str] = []
    return _chars_but(short, value, known or {}) + text_chars("".join(short)) - QUOTES


def _chars_but(short: list[str], value: Any, known: Mapping[int, int]) -> int:
    """Characters of a value without what stands between the quotes of its keys and short strings, which are put in the list to be measured as one."""
    kind = type(value)
    if kind is str:
        if len(value) > SHORT_CHARS:
            return known.get(id(value)) or text_chars(value)
        short.append(value)
        return QUOTES
    if kind is dict:
        short += value
        total = (QUOTES + len(":,")) * len(value) + 1 if value else 2
        for item in value.values():
            if type(item) is str and len(item) <= SHORT_CHARS:  # most values, so a call is saved
                short.append(item)
                total += QUOTES
            else:
                total += _chars_but(short, item, known)
        return total
    if kind is list or kind is tuple:
        return (1 + len(value) if value else 2) + sum([_chars_but(short, item, known) for item in value])
    if value is None or kind is bool:
        return 5 if value is False else 4
    return len(json.dumps(value))


def request_chars(messages: Iterable[Mapping[str, Any]], tools: Iterable[Any]) -> int:
    """Characters of a whole request, by the definition (slow; for checks and single requests)."""
    return len(canonical_json({"messages": list(messages), "tools": list(tools)}))

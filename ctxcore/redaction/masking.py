"""Secrets and personal data in text that is shown: the value becomes dots, its name stays. Sizes and searches use the record itself.

What is hidden is what the rules find and are sure of; here nothing is numbered, since a page shows text piece by piece. A piece of a long text is
masked as it would be in the whole: a secret that begins before the piece or ends behind it is hidden as well.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

from ctxcore.redaction.escapes import NO_WIDTH
from ctxcore.redaction.finding import Span, find
from ctxcore.redaction.rules import RULES

MASK = "••••••"
"""Stands for what is hidden."""

SURE = tuple(rule for rule in RULES if rule.sure)
"""Rules whose findings are never shown."""

REACH = 700
"""Characters beside a piece that are looked at: longer than a name with its value, an address, or a password in quotes."""

SPREAD_REACH = 6_000
"""The same where marks without width stand in the text and may draw a value out."""

LONGEST_RUN = 36_100
"""The longest value without a sign that ends it, an encrypted token of five pieces."""

RUN = string.ascii_letters + string.digits + "_.-" + "".join(map(chr, (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))))
"""Letters that such a value is made of, wide ones too."""

HEADER_REACH, BLOCK_REACH = 8_000, 100_000
"""How far before a piece a header or a block of keys may begin that goes on into it."""

HEADER_BEGINS = re.compile(r"""(?i:cookie|authorization)\\{0,7}["']?[ ]{0,2}[:=]""")
"""Headers whose whole line is a value."""


def masked(text: str) -> str:
    """The text with every secret and personal number or address in it replaced by dots."""
    return _dotted(text, 0, len(text), find(text, SURE)) if len(text) > 5 else text


def masked_part(text: str, start: int, stop: int) -> str:
    """A piece of a text, masked as in the whole; the cost is that of the piece.

    Args:
        text: However long.
        start: First character of the piece.
        stop: After the last one.
    """
    start, stop = max(0, start), min(len(text), stop)
    if start >= stop:
        return ""
    left, right = _left(text, start), _right(text, stop)
    window = text[left:right]
    spans = find(window, SURE) if len(window) > 5 else ()
    return _dotted(window, start - left, stop - left, spans)


def _dotted(text: str, start: int, stop: int, spans: Iterable[Span]) -> str:
    pieces, done = [], start
    for span in spans:
        if span.stop > done and span.start < stop:
            pieces += [text[done : span.start], MASK]
            done = span.stop
    return "".join((*pieces, text[done:stop]))


def _right(text: str, stop: int) -> int:
    """Where what must be looked at behind a piece ends: never inside of a run of letters that may be one value."""
    reach = SPREAD_REACH if NO_WIDTH.search(text, max(0, stop - REACH), stop + REACH) else REACH
    rest = text[stop + reach : stop + reach + LONGEST_RUN]
    return stop + reach + len(rest) - len(rest.lstrip(RUN))


def _left(text: str, start: int) -> int:
    """Where what must be looked at before a piece begins: before its name, its header, its block of keys, and never inside of a run of letters."""
    left = max(0, start - (SPREAD_REACH if NO_WIDTH.search(text, max(0, start - REACH), start + REACH) else REACH))
    for header in HEADER_BEGINS.finditer(text, max(0, start - HEADER_REACH), left):
        left = header.start()
    block = text.rfind("-----BEGIN ", max(0, start - BLOCK_REACH), left)
    left = block if block >= 0 else left
    before = text[max(0, left - LONGEST_RUN) : left]
    return left - len(before) + len(before.rstrip(RUN))

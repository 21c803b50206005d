"""What a value must fulfil to be taken for a secret beyond the name before it: names, placeholders and sentences are none."""

from __future__ import annotations

import itertools
import re

from ctxcore.redaction.checks import ID_MARKS, unlike_a_name

PLACEHOLDER = re.compile(r"(?i)(?:^|[^a-z])(?:your|insert|replace|enter|change[-_]?me|placeholder|redacted|hidden|sample|x{4,})(?:[^a-z]|$)")
"""Says that a value is still to come."""

NAME = re.compile(r"[A-Za-z]+(?:[_. /:-][A-Za-z]+)*\Z")
"""Words and nothing else."""

VARIABLE = re.compile(
    r"[A-Za-z]+(?:_[A-Za-z]+)+\Z|[a-z]+[0-9]?(?:\.[A-Za-z_0-9]+)+\Z|[a-z]+(?:[A-Z][a-z]+)+\Z|[A-Z]{2,}(?:_[A-Z]{2,}|_[0-9A-Z]{1,2})+\Z"
)
"""The name of a variable or an attribute."""

PROSE = re.compile(
    r"""(?ix)(?:^|[^a-z])(?:your|the|an?|is|are|must|should|enter|please|of|to|for|at|least|with|and|or|not|passwords?|characters|required|invalid)
    (?:[^a-z]|$)"""
)
"""Words of a sentence."""

RULED = re.compile(r"(?i)(?:min|max)[a-z]*[-_:=]?[0-9]+\Z")
"""A bound, as forms state it."""

LONG_WORD = 16
"""Letters that hardly any word has."""

SHORTEST_TOKEN = 16
"""Characters of a token behind a word that is used for other things."""


def _told(value: str) -> bool:
    """Neither a placeholder nor code."""
    return unlike_a_name(value) and not PLACEHOLDER.search(value) and not value.startswith(("/", "~", "./", "[", "«"))


def _words(value: str) -> bool:
    """Made of words: no digit, no sign, and no letters that look drawn."""
    if not NAME.match(value):
        return False
    turns = sum(a.islower() and b.isupper() for a, b in itertools.pairwise(value))
    return not value.isalpha() or (len(value) < LONG_WORD and turns < 3)


def strong_value(value: str) -> bool:
    """Letters and digits or signs mixed."""
    letters, others = sum(c.isalpha() for c in value), sum(not c.isalpha() and c not in "-_./ " for c in value)
    return _told(value) and not RULED.match(value) and ((letters > 0 and others > 0) or (value.isdigit() and len(value) >= 6))


def password_value(value: str) -> bool:
    """Without quotes: no single word, no name, no sentence; any number of six digits."""
    if value.isdigit():
        return len(value) >= 6
    words = value.split("-")
    if len(words) >= 3 and all(word.isalpha() and word.isascii() for word in words):
        return _told(value)
    plain = _words(value) or bool(VARIABLE.match(value)) or all(letter.isalpha() and not letter.isascii() for letter in value)
    return _told(value) and not plain and not RULED.match(value)


def quoted_value(value: str) -> bool:
    """In quotes: also a single word, and several unless they are a sentence."""
    if value.isdigit():
        return len(value) >= 4
    if not _told(value) or RULED.match(value) or VARIABLE.match(value) or all(not letter.isascii() for letter in value):
        return False
    return not (" " in value and PROSE.search(value))


def key_value(value: str) -> bool:
    """What a machine made: digits among letters, or more letters than a word has; a short number is a count."""
    if " " in value or (value.isdigit() and len(value) < 10) or len(value) < 6:
        return False
    return _told(value) and not _words(value) and not VARIABLE.match(value) and any(c.isalnum() and c.isascii() for c in value)


def token_value(value: str) -> bool:
    """The same behind a word that is used for other things."""
    return key_value(value) and len(value) >= SHORTEST_TOKEN and sum(c.isdigit() for c in value) >= 3 and not value.startswith(ID_MARKS)


def header_value(value: str) -> bool:
    """Long or mixed enough to let somebody in: an attribute such as ``httpOnly`` is not."""
    return _told(value.lstrip("/")) and not _words(value)


def cookie_value(value: str) -> bool:
    """One of the pairs has a value that could let somebody in; words may go on behind the last one."""
    values = ("".join(pair.partition("=")[2].split()[:1]) for pair in value.split(";"))
    return any(len(one) >= 8 and key_value(one) for one in values)


def address_password(value: str) -> bool:
    """No stand-in."""
    return value.strip("*.x•…").lower() not in ("", "password", "pass")


def provider_key(value: str) -> bool:
    """Behind its prefix stand more than words."""
    pieces = re.split(r"[-_.]+", value)[1:]
    return not value.startswith("sk-") or any(len(piece) >= LONG_WORD or any(c.isdigit() for c in piece) for piece in pieces)

"""A value that a message may set, and what every rule that reads one needs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

import regex

from ctxcore.model import Json
from ctxcore.state.domain_reads import Pattern
from ctxcore.state.entries import Source
from ctxcore.state.found import FoundKind, Shade
from ctxcore.state.validation import PATTERN_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A value that a message may set."""

    field: str
    """Field or noun phrase; empty where the message does not say."""
    value: Json
    """As it would be stored."""
    source: Source
    """Its words."""
    extractor: str
    """Rule that read it."""
    confidence: float
    """0 to 1."""
    by: Literal["user", "tool"]
    """Who says so."""
    kind: FoundKind = "text"
    """What the value is."""
    unit: str = ""
    """Currency, measure word or attribute."""
    shades: frozenset[Shade] = frozenset()
    """How it is said."""
    note: str = ""
    """What a resolver's answer rests on; empty for rules."""


MOST_SLOW = 3
"""Times that a pattern may run out of its time before it is tried no more: a long conversation would take minutes."""

_SLOW: ContextVar[dict[str, int] | None] = ContextVar("slow_patterns", default=None)


@contextmanager
def noting_slow() -> Iterator[dict[str, int]]:
    """Patterns that run out of their time in the block, and how often each did: what they look for is not known then."""
    seen: dict[str, int] = {}
    token = _SLOW.set(seen)
    try:
        yield seen
    finally:
        _SLOW.reset(token)


def _in_time(pattern: Pattern, look: Callable[[], list[regex.Match[str]]]) -> list[regex.Match[str]]:
    """What a look finds; nothing where it takes too long, which is noted."""
    seen = _SLOW.get()
    if seen is not None and seen.get(pattern, 0) >= MOST_SLOW:
        return []
    try:
        return look()
    except TimeoutError:
        if seen is not None:
            seen[pattern] = seen.get(pattern, 0) + 1
        return []


@lru_cache(maxsize=1_024)
def _compiled(pattern: Pattern) -> regex.Pattern[str]:
    """Of a domain's pattern, case ignored: every message is looked at by all of them."""
    return regex.compile(pattern, flags=regex.IGNORECASE)


def matches(pattern: Pattern, text: str) -> Iterator[regex.Match[str]]:
    """Matches of a domain's pattern, case ignored; none where it takes too long."""
    yield from _in_time(pattern, lambda: list(_compiled(pattern).finditer(text, timeout=PATTERN_S)))


def named(pattern: Pattern, name: str) -> bool:
    """A tool's name is what a domain's pattern says, with or without the server that offers it."""
    names = {name, re.split(r"__|\.", name)[-1]}
    return any(_in_time(pattern, partial(_whole, pattern, one)) for one in names)


def _whole(pattern: Pattern, name: str) -> list[regex.Match[str]]:
    found = _compiled(pattern).fullmatch(name, timeout=PATTERN_S)
    return [] if found is None else [found]


def from_words(name: str, value: Json, text: str, start: int, end: int, index: int, extractor: str, confidence: float) -> Candidate:
    """What the user's words from `start` to `end` say about a field."""
    source = Source(message=index, start=start, end=end, quote=text[start:end])
    return Candidate(field=name, value=value, source=source, extractor=extractor, confidence=confidence, by="user", kind="choice")


def parsed(text: str) -> Json:
    """The JSON value of a text, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

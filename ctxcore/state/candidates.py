"""A value that a message may set, and what every rule that reads one needs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
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


def matches(pattern: Pattern, text: str) -> Iterator[regex.Match[str]]:
    """Matches of a domain's pattern, case ignored; none where it takes too long."""
    try:
        yield from list(regex.finditer(pattern, text, flags=regex.IGNORECASE, timeout=PATTERN_S))
    except TimeoutError:
        return


def named(pattern: Pattern, name: str) -> bool:
    """A tool's name is what a domain's pattern says, with or without the server that offers it."""
    short = re.split(r"__|\.", name)[-1]
    try:
        return any(regex.fullmatch(pattern, one, flags=regex.IGNORECASE, timeout=PATTERN_S) for one in {name, short})
    except TimeoutError:
        return False


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

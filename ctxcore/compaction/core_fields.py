"""The ten core fields: what no compaction may lose, with the value that holds at its end.

Source: the notes on compaction, checks after every compaction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctxcore.compaction.sentences import SENTENCE_MARKS, is_chinese, length
from ctxcore.compaction.values import Item, Place, Span

CORE_FIELDS = (
    "session_id",
    "user_id",
    "start_time",
    "primary_intent",
    "current_task",
    "budget",
    "product",
    "constraint",
    "decision",
    "failure",
)
"""By default. Source: the notes on compaction."""

FIRST_HOLDS = frozenset({"session_id", "user_id", "start_time"})
"""Of these the first value holds, of all others the newest."""

ONE_VALUE = frozenset({"session_id", "user_id", "start_time", "budget", "product"})
"""Fields that have one value at a time."""


FIELD = "field "
"""Before the name of a field of the state editor that is no core field, so that a later compaction knows the line."""


def has_one_value(key: str) -> bool:
    """True where a newer value of this key replaces the older ones."""
    return key in ONE_VALUE or key.startswith(FIELD)


OPENING = re.compile(r"\W*(?:(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening))\b|你好|您好|早上好|晚上好|嗨)\W*", re.IGNORECASE)
"""How a sentence begins that greets."""

DAY = re.compile(r"\W*(?:today is\b|今天是)", re.IGNORECASE)
"""How one begins that says what day it is."""

LITTLE_WORDS, LITTLE_CHARACTERS, DAY_CHARACTERS = 3, 4, 40
"""After a greeting: words, or Chinese characters, that ask for nothing; and length of a sentence that only says the day."""


class CoreField(NamedTuple):
    """A field and its value."""

    name: str
    """One of ``CORE_FIELDS``, or a domain's own."""
    value: str
    """Exact words."""
    place: Place
    """Where they stand."""


def core_fields(spans: Sequence[Span], given: Sequence[Item] = ()) -> tuple[CoreField, ...]:
    """The core fields that spans hold, in the order of ``CORE_FIELDS``.

    Args:
        spans: In order.
        given: Anchors from elsewhere; where one holds, it decides.
    """
    found: dict[str, CoreField] = {}
    for span in spans:
        holds = span.key not in FIRST_HOLDS or span.key not in found
        if span.kind == "anchor" and span.value is not None and span.key in CORE_FIELDS and holds:
            found[span.key] = CoreField(span.key, value_of(span), span.value)
    asked = [span for span in spans if span.voice == "person" and span.kind == "anchor"]
    if asked:
        newest = [span for span in asked if span.round == asked[-1].round]
        intent = next((span for span in asked if not _opens(span.text)), asked[0])
        found["primary_intent"] = CoreField("primary_intent", intent.text, intent.place)
        found["current_task"] = CoreField("current_task", newest[0].text, newest[0].place)
    found.update({item.key: CoreField(item.key, item.text, item.sources[0]) for item in given if item.stands and item.key in CORE_FIELDS})
    return tuple(found[name] for name in CORE_FIELDS if name in found)


def _opens(text: str) -> bool:
    """True for a short sentence that greets or says what day it is: where anything else is asked for, that is what the session is about."""
    greeting = OPENING.match(text)
    if greeting is None:
        return len(text) <= DAY_CHARACTERS and DAY.match(text) is not None
    rest = text[greeting.end() :].rstrip(SENTENCE_MARKS)
    return length(rest) <= (LITTLE_CHARACTERS if is_chinese(rest) else LITTLE_WORDS)


def value_of(span: Span) -> str:
    """The exact value of an anchor."""
    place = span.value or span.place
    return span.text[place.start - span.place.start : place.end - span.place.start]

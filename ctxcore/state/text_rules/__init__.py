"""Values in one message, by rules: money, counts, dates, attributes and preferences in English and Chinese, each with its exact words."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from ctxcore.state.found import Found
from ctxcore.state.text_rules.attributes import attributes, is_before_noun
from ctxcore.state.text_rules.confidence import confidence
from ctxcore.state.text_rules.counts import counts
from ctxcore.state.text_rules.dates_en import dates_en
from ctxcore.state.text_rules.dates_zh import dates_zh
from ctxcore.state.text_rules.keys import key_after, key_before, plain_clause
from ctxcore.state.text_rules.money import money
from ctxcore.state.text_rules.pairs import heard_together
from ctxcore.state.text_rules.parties import parties
from ctxcore.state.text_rules.reading import Draft, Reading
from ctxcore.state.text_rules.said_choices import cancels, preferences
from ctxcore.state.text_rules.shades import shades_of

Rule = Callable[[Reading], Iterable[Draft]]

RULES: tuple[Rule, ...] = (dates_zh, dates_en, parties, money, attributes, counts, cancels, preferences)
"""In order: where two rules find the same words, the earlier one has them."""

LONGEST_TEXT = 200_000
"""Code points that are read; what stands after them is a pasted file, not a message."""


_NAME_BEFORE = re.compile(r"\b(?:to|in|at|from) [A-Z][a-z]+ (?:for |on |by )?$")
"""Tickets to Paris for Monday: the day is not said of Paris."""

ADDITIONS = ("另加", "另收")
"""Words that are a key only where no noun follows the value."""

MOST_VALUES = 1_000
"""Values of one message; what has more is a table, and the first ones are kept."""


def read_text(
    text: str, *, said_at: datetime.date | None = None, default_currency: str = "", words: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> tuple[Found, ...]:
    """Every value that the text says, in order of place.

    Args:
        text: One message, of any length; only its first `LONGEST_TEXT` code points are read.
        said_at: The day the message was written; without it, relative dates are kept as words (kind `text`, unit `date`).
        default_currency: ISO 4217 code for amounts without a currency, marked `assumed_unit`.
        words: More words to hear: name of the attribute or list, then each word as written with its normalised value.
    """
    reading = Reading(text=text[:LONGEST_TEXT], said_at=said_at, default_currency=default_currency, words=words)
    found = heard_together(reading, [_finished(reading, draft) for draft in _drafts(reading)[:MOST_VALUES]])
    return tuple(replace(one, confidence=confidence(one)) for one in found)


def _drafts(reading: Reading) -> list[Draft]:
    taken = bytearray(len(reading.text) + 1)
    drafts: list[Draft] = []
    for rule in RULES:
        for draft in rule(reading):
            if not any(taken[draft.start : draft.end]):
                taken[draft.start : draft.end] = b"\x01" * (draft.end - draft.start)
                drafts.append(draft)
    return sorted(drafts, key=lambda draft: draft.start)


def _finished(reading: Reading, draft: Draft) -> Found:
    key = _key(reading, draft) if draft.key is None else draft.key
    return Found(
        kind=draft.kind,
        key=key,
        value=draft.value,
        unit=draft.unit,
        shades=shades_of(reading, draft, key),
        start=draft.start,
        end=draft.end,
        quote=reading.text[draft.start : draft.end],
        extractor=draft.extractor,
        confidence=0.0,
    )


def _key(reading: Reading, draft: Draft) -> str:
    if draft.kind in ("date", "period") and _NAME_BEFORE.search(reading.before(draft.start)):
        return key_after(reading.after(draft.start, draft.end))
    if draft.kind == "attribute" and is_before_noun(reading.text, draft.start, draft.end):
        return ""
    before, after = key_before(reading.before(draft.start)), key_after(reading.after(draft.start, draft.end))
    alone = not reading.after(draft.start, draft.end).strip(" ，。,.!！；;、")
    if draft.kind in ("money", "count") and not before and not after and alone:
        return plain_clause(reading.before(draft.start))
    return after or before if before in ADDITIONS else before or after

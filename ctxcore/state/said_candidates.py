"""What one message may say about the fields of a domain, before anything is decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from ctxcore.model import Message, Text
from ctxcore.state.candidates import Candidate, from_words, matches
from ctxcore.state.catalogue import Product, named_products
from ctxcore.state.domain import Domain, FieldForm
from ctxcore.state.domain_reads import ByFound, ByPattern, ByWords
from ctxcore.state.entries import Source
from ctxcore.state.found import Found, Shade
from ctxcore.state.reading import spoken_start
from ctxcore.state.speech import clause_around
from ctxcore.state.text_rules.reading import Reading
from ctxcore.state.text_rules.shades import heard_around
from ctxcore.state.validation import plain_number

ReadText = Callable[..., tuple[Found, ...]]
"""As `text_rules.read_text`."""

MOST_TEXT = 20_000
"""Code points of one user message that are read for values; what is longer was pasted, not said."""


def said(
    domain: Domain, message: Message, index: int, at: datetime | None, products: Sequence[Product], read_text: ReadText
) -> tuple[Candidate, ...]:
    """Everything that a user message may say, in the order of its text."""
    start = spoken_start(message)
    found: list[Candidate] = []
    for part in message.parts:
        if isinstance(part, Text) and part.text:
            text = part.text[:MOST_TEXT]
            one = [
                *_together(domain, text, list(_found(domain, text, index, at, read_text))),
                *_patterns(domain, text, index, "user"),
                *named_products(domain, text, index, products),
            ]
            found += [_moved(candidate, start) for candidate in one]
            start += len(part.text) + 1
    return tuple(sorted(found, key=lambda candidate: (candidate.source.start, candidate.source.end)))


def _moved(candidate: Candidate, by: int) -> Candidate:
    source = candidate.source
    return replace(candidate, source=replace(source, start=source.start + by, end=source.end + by)) if by else candidate


def _found(domain: Domain, text: str, index: int, at: datetime | None, read_text: ReadText) -> Iterator[Candidate]:
    for one in read_text(text, said_at=at.date() if at else None, default_currency=domain.default_currency):
        field = one.key if domain.open else _field_of(domain, text, one)
        if field is None:
            continue
        yield Candidate(
            field=field,
            value=one.value,
            source=Source(message=index, start=one.start, end=one.end, quote=one.quote),
            extractor=one.extractor,
            confidence=one.confidence,
            by="user",
            kind=one.kind,
            unit=one.unit,
            shades=one.shades,
        )


def _together(domain: Domain, text: str, found: list[Candidate]) -> Iterator[Candidate]:
    """Numbers of a field that adds up become one, from the first to the last of their words."""
    for name in dict.fromkeys(one.field for one in found):
        parts = [one for one in found if one.field == name]
        if len(parts) > 1 and all(_adds(domain, one) for one in parts):
            start, end = parts[0].source.start, parts[-1].source.end
            total = sum(one.value for one in parts if isinstance(one.value, int))
            yield replace(parts[-1], value=total, source=replace(parts[0].source, end=end, quote=text[start:end]))
        else:
            yield from parts


def _adds(domain: Domain, one: Candidate) -> bool:
    rules = domain.form(one.field).read
    return not one.shades and any(isinstance(rule, ByFound) and rule.adds and rule.unit == one.unit for rule in rules)


def _field_of(domain: Domain, text: str, found: Found) -> str | None:
    """The field that takes a value; empty where its message must tell, None where no field takes its kind."""
    takes = False
    for name, form in domain.fields.items():
        for rule in form.read:
            if isinstance(rule, ByFound) and rule.kind == found.kind and rule.unit in ("", found.unit):
                takes = True
                if _fits(rule, text, found):
                    return name
    bare = found.kind == "count" and not found.unit and any(takes_money(form) for form in domain.fields.values())
    return "" if (takes or bare) and not found.key else None


def takes_money(form: FieldForm) -> bool:
    """A field that holds amounts: a bare number may correct it."""
    return any(isinstance(rule, ByFound) and rule.kind == "money" for rule in form.read)


def _fits(rule: ByFound, text: str, found: Found) -> bool:
    key = found.key.casefold()
    if rule.keys and not any(word.casefold() in key for word in rule.keys) and not (rule.keyless and not key):
        return False
    if (rule.shades and found.shades.isdisjoint(rule.shades)) or not found.shades.isdisjoint(rule.without):
        return False
    return not rule.near or any(True for _ in matches(rule.near, clause_around(text, found.start, found.end)))


def captioned(domain: Domain, text: str, index: int) -> tuple[Candidate, ...]:
    """What the caption of an image says, by the patterns that read captions."""
    return tuple(_patterns(domain, text, index, "caption"))


def _patterns(domain: Domain, text: str, index: int, role: Literal["user", "caption"]) -> Iterator[Candidate]:
    reading = Reading(text=text)
    for name, form in domain.fields.items():
        for rule in form.read:
            if isinstance(rule, ByPattern) and role in rule.roles:
                yield from _by_pattern(name, rule, reading, index, role)
            elif isinstance(rule, ByWords) and role == "user":
                yield from _by_words(name, rule, reading, index)


def _by_pattern(name: str, rule: ByPattern, reading: Reading, index: int, role: str) -> Iterator[Candidate]:
    text = reading.text
    for match in matches(rule.pattern, text):
        start, end = match.span("value" if "value" in match.groupdict() else 0)
        if start < end:
            value = plain_number(text[start:end]) if rule.number else text[start:end] if rule.value is None else rule.value
            heard = heard_around(reading, match.start(), end) if role == "user" else frozenset[Shade]()
            shades = heard & {"negated", "others", "condition"} if rule.reported else heard
            yield replace(from_words(name, value, text, start, end, index, "pattern", 0.9), shades=shades)


def _by_words(name: str, rule: ByWords, reading: Reading, index: int) -> Iterator[Candidate]:
    text = reading.text
    for value, words in rule.words.items():
        for word in words:
            edge = r"(?<![\w])" if word.isascii() else ""
            close = r"(?![\w])" if word.isascii() else ""
            for match in re.finditer(f"{edge}{re.escape(word)}{close}", text, re.IGNORECASE):
                yield _shaded(from_words(name, value, text, match.start(), match.end(), index, "words", 0.85), reading)


_QUESTIONED = re.compile(r"^[^。.!！\n]{0,12}(?:吗|么|[?？])|^[^。.!！\n]{0,4}(?:可以|行)(?:吗|么|不)")
_ASKS_BEFORE = re.compile(r"(?:能(?:不能)?(?:开|用)?|可以(?:开|用)?|有没有|支持|是否|can (?:i|you)[\w ]{0,20}|do you[\w ]{0,20})$", re.IGNORECASE)


def _shaded(candidate: Candidate, reading: Reading) -> Candidate:
    """Denied, asked about or said of somebody else, by the words around it."""
    source = candidate.source
    before, after = reading.text[max(0, source.start - 24) : source.start], reading.text[source.end : source.end + 16]
    heard = heard_around(reading, source.start, source.end)
    if "negated" not in heard and (_QUESTIONED.search(after) or (_ASKS_BEFORE.search(before) and re.search(r"[?？吗]", after))):
        return replace(candidate, shades=heard | {"asked"}, confidence=min(candidate.confidence, 0.6))
    return replace(candidate, shades=heard)

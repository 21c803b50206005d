"""What one message may say about the fields of a domain, before anything is decided."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import regex

from ctxcore.model import Json, Message, Text
from ctxcore.state.domain import ByCatalogue, ByFound, ByPattern, ByWords, Domain, Pattern, compiled_path
from ctxcore.state.entries import Source
from ctxcore.state.found import Found, FoundKind, Shade
from ctxcore.state.reading import spoken_start
from ctxcore.state.resolver import Entry as Listed
from ctxcore.state.resolver import LexicalResolver
from ctxcore.state.speech import clause_around
from ctxcore.state.validation import PATTERN_S
from ctxcore.tool_uses import ToolUse

ReadText = Callable[..., tuple[Found, ...]]
"""As `text_rules.read_text`."""

MOST_TEXT = 20_000
"""Code points of one user message that are read for values; what is longer was pasted, not said."""


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


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Product:
    """One product that a tool listed."""

    field: str
    """Field that takes its id."""
    id: str
    """As listed."""
    names: tuple[str, ...]
    """By which it can be named."""
    words: tuple[str, ...] = ()
    """By which it can be described."""


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
                *_found(domain, text, index, at, read_text),
                *_patterns(domain, text, index, "user"),
                *_named_products(domain, text, index, products),
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


def _field_of(domain: Domain, text: str, found: Found) -> str | None:
    """The field that takes a value; empty where its message must tell, None where no field takes its kind."""
    takes = False
    for name, form in domain.fields.items():
        for rule in form.read:
            if isinstance(rule, ByFound) and rule.kind == found.kind and rule.unit in ("", found.unit):
                takes = True
                if _fits(rule, text, found):
                    return name
    return "" if takes and not found.key else None


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
    for name, form in domain.fields.items():
        for rule in form.read:
            if isinstance(rule, ByPattern) and role in rule.roles:
                yield from _by_pattern(name, rule, text, index)
            elif isinstance(rule, ByWords) and role == "user":
                yield from _by_words(name, rule, text, index)


def _by_pattern(name: str, rule: ByPattern, text: str, index: int) -> Iterator[Candidate]:
    for match in matches(rule.pattern, text):
        start, end = match.span("value" if "value" in match.groupdict() else 0)
        if start < end:
            value = _number(text[start:end]) if rule.number else text[start:end] if rule.value is None else rule.value
            yield _from_words(name, value, text, start, end, index, "pattern", 0.9)


def _number(words: str) -> Json:
    """A plain number as it stands; the words where they are none."""
    try:
        value = float(words.replace(",", ""))
    except ValueError:
        return words
    return int(value) if value.is_integer() else value


def _by_words(name: str, rule: ByWords, text: str, index: int) -> Iterator[Candidate]:
    for value, words in rule.words.items():
        for word in words:
            edge = r"(?<![\w])" if word.isascii() else ""
            close = r"(?![\w])" if word.isascii() else ""
            for match in re.finditer(f"{edge}{re.escape(word)}{close}", text, re.IGNORECASE):
                yield _shaded(_from_words(name, value, text, match.start(), match.end(), index, "words", 0.85), text)


_DENIED = re.compile(r"(?:不要|不用|不想要|不想用|别用|不需要|别|not?|don'?t (?:want|need|use)|without)\s*$", re.IGNORECASE)
_QUESTIONED = re.compile(r"^[^。.!！\n]{0,12}(?:吗|么|[?？])|^[^。.!！\n]{0,4}(?:可以|行)(?:吗|么|不)")
_ASKS_BEFORE = re.compile(r"(?:能(?:不能)?(?:开|用)?|可以(?:开|用)?|有没有|支持|是否|can (?:i|you)[\w ]{0,20}|do you[\w ]{0,20})$", re.IGNORECASE)


def _shaded(candidate: Candidate, text: str) -> Candidate:
    """Denied or asked about, by the words around it."""
    source = candidate.source
    before, after = text[max(0, source.start - 24) : source.start], text[source.end : source.end + 16]
    if _DENIED.search(before):
        return replace(candidate, shades=frozenset({"negated"}))
    if _QUESTIONED.search(after) or (_ASKS_BEFORE.search(before) and re.search(r"[?？吗]", after)):
        return replace(candidate, shades=frozenset({"asked"}), confidence=min(candidate.confidence, 0.6))
    return candidate


def _from_words(name: str, value: Json, text: str, start: int, end: int, index: int, extractor: str, confidence: float) -> Candidate:
    source = Source(message=index, start=start, end=end, quote=text[start:end])
    return Candidate(field=name, value=value, source=source, extractor=extractor, confidence=confidence, by="user", kind="choice")


def _named_products(domain: Domain, text: str, index: int, products: Sequence[Product]) -> Iterator[Candidate]:
    """Products that the text names: by id or whole name, the longest where one stands in another; else the one that is like enough."""
    folded = text.casefold()
    if len(folded) != len(text):
        return
    places = {(folded.find(name.casefold()), len(name), product) for product in products for name in product.names if len(name) >= 2}
    found = sorted((start, start + length, product) for start, length, product in places if start >= 0)
    whole = [
        one
        for one in found
        if not any(other is not one and other[0] <= one[0] and one[1] <= other[1] and other[2].id != one[2].id for other in found)
    ]
    for start, end, product in whole:
        yield replace(_from_words(product.field, product.id, text, start, end, index, "catalogue", 0.9), kind="text")
    if not whole and products and domain.attributes_of:
        yield from _vague_product(text, index, products)


def _vague_product(text: str, index: int, products: Sequence[Product]) -> Iterator[Candidate]:
    """What the resolver takes a mention for, less sure than any rule; the reason stays with the value."""
    catalogue = [Listed(id=product.id, names=product.names, words=product.words) for product in products]
    found = LexicalResolver(catalogue).resolve(text)
    if found is not None:
        field = next(product.field for product in products if product.id == found.id)
        one = _from_words(field, found.id, text, found.start, found.end, index, "resolver", found.confidence)
        yield replace(one, kind="text", note=found.why)


def listed_products(domain: Domain, use: ToolUse) -> tuple[Product, ...]:
    """Products in the result of a tool that lists them."""
    if use.result is None or use.failed:
        return ()
    found: list[Product] = []
    for name, form in domain.fields.items():
        for rule in form.read:
            if isinstance(rule, ByCatalogue) and named(rule.tool, use.tool.name):
                found += _products(name, rule, parsed(use.result.text))
    return tuple(found)


def _products(field: str, rule: ByCatalogue, value: Json) -> Iterator[Product]:
    for match in compiled_path(rule.items).find(value) if isinstance(value, (dict, list)) else ():
        item = match.value
        if isinstance(item, dict) and isinstance(item.get(rule.id), (str, int)):
            names = [item[key] for key in rule.names if isinstance(item.get(key), (str, int))]
            yield Product(field=field, id=str(item[rule.id]), names=tuple(str(name) for name in names), words=tuple(_words(item, rule.words)))


def _words(item: dict[str, Json], keys: Sequence[str]) -> Iterator[str]:
    for key in keys:
        value = item.get(key)
        yield from [str(one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


def parsed(text: str) -> Json:
    """The JSON value of a text, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

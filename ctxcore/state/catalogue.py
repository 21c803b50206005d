"""Products that tools have listed, and which of them a message names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ctxcore.model import Json
from ctxcore.state.candidates import Candidate, from_words, named, parsed
from ctxcore.state.domain import Domain
from ctxcore.state.domain_reads import ByCatalogue, compiled_path
from ctxcore.state.resolver import Entry as Listed
from ctxcore.state.resolvers import LEXICAL, resolved
from ctxcore.tool_uses import ToolUse


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


def named_products(domain: Domain, text: str, index: int, products: Sequence[Product]) -> Iterator[Candidate]:
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
        yield replace(from_words(product.field, product.id, text, start, end, index, "catalogue", 0.9), kind="text")
    if not whole and products and domain.attributes_of:
        yield from _vague_product(domain.resolver, text, index, products)


def _vague_product(resolver: str, text: str, index: int, products: Sequence[Product]) -> Iterator[Candidate]:
    """What the resolver takes a mention for, less sure than any rule; the reason stays with the value."""
    catalogue = tuple(Listed(id=product.id, names=product.names, words=product.words) for product in products)
    found = resolved(resolver, catalogue, text)
    if found is not None:
        read_by = "resolver" if resolver == LEXICAL else f"resolver {resolver}"
        field = next(product.field for product in products if product.id == found.id)
        one = from_words(field, found.id, text, found.start, found.end, index, read_by, found.confidence)
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

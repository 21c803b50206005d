"""What becomes of each span: the processor of its kind decides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from ctxcore.compaction.core_fields import value_of
from ctxcore.compaction.settings import Known, Settings
from ctxcore.compaction.traces import Distilled, extractive, is_short, judged, screen
from ctxcore.compaction.values import How, Item, Place, Span
from ctxcore.compaction.wording import WHY


def process(spans: Sequence[Span], settings: Settings, known: Known) -> list[Item]:
    """Each span by the processor of its kind."""
    newest = max((span.round for span in spans), default=0)
    why = {span.round for span in spans if span.voice == "person" and WHY.search(span.text)}
    found: list[Item] = []
    for span in spans:
        alive, asked = newest - span.round < settings.lifetime - 1, span.round in why
        key = (span.place, alive, asked)
        if key not in known.items:
            known.items[key] = tuple(_processed(span, settings, alive=alive, why=asked))
        found += known.items[key]
    return found


def _processed(span: Span, settings: Settings, *, alive: bool, why: bool) -> list[Item]:
    if span.kind not in settings.parts:
        return [_item(span, "original", "Its kind is left as it is.")]
    match span.kind:
        case "anchor":
            return _anchor(span)
        case "transient":
            return [_item(span, "original", "Still holds.") if alive else _item(span, "dropped", "Its round is over.")]
        case "relation" if not span.key:
            return [_item(span, "original", span.reason)]
        case "relation":
            return [_item(span, "distilled", f"In the network: {span.reason}")]
    return [_trace(span, settings, why=why)]


def _anchor(span: Span) -> list[Item]:
    """The key and its value, and the user's sentence around a value that is a part of it."""
    value = Item(kind="anchor", how="exact", key=span.key, text=value_of(span), sources=(span.value or span.place,), why=span.reason)
    if span.voice != "person" or value.text == span.text:
        return [value]
    return [value, Item(kind="anchor", how="exact", key="instruction", text=span.text, sources=(span.place,), why="The user's own words.")]


def _item(span: Span, how: How, why: str) -> Item:
    return Item(kind=span.kind, how=how, key="", text=span.text, sources=(span.place,), why=why)


def _trace(span: Span, settings: Settings, *, why: bool) -> Item:
    if is_short(span.text, settings.limits):
        return _item(span, "original", extractive(span.text, terms=settings.terms, limits=settings.limits).why)
    reason = screen(span.text, asked_why=why, terms=settings.terms)
    if not reason:
        return _item(span, "dropped", "No cause, no question why, and few terms: not worth a summary.")
    made = extractive(span.text, terms=settings.terms, limits=settings.limits)
    summary = settings.written.get(trace_key(span.text))
    if summary is not None:
        found = judged(span.text, summary, terms=settings.terms, limits=settings.limits)
        if not isinstance(found, Distilled):
            return replace(_item(span, "original", f"No summary passed: {', '.join(fault.code for fault in found)}."), fixed=True)
        made = found
    places = tuple(Place(span.place.message, span.place.start + start, span.place.start + end) for start, end in made.spans)
    return Item(kind="trace", how="distilled", key="", text=made.text, sources=places, why=f"{reason} {made.why}")


def trace_key(text: str) -> str:
    """Name of a trace by its content, for summaries that are kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

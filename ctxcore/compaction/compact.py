"""One compaction: spans go to their processors, what comes out is checked, and it takes effect whole or not at all.

The originals are never touched: every item has the exact places that it stands for (``source_text.expand``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ctxcore.compaction.checks import LIMITS, Limits, critical, ratio_faults
from ctxcore.compaction.classify import passage_spans
from ctxcore.compaction.core_fields import ONE_VALUE, CoreField, core_fields, value_of
from ctxcore.compaction.relations import RelationGraph, graph_of, knowledge_context
from ctxcore.compaction.terms import NO_TERMS, Terms
from ctxcore.compaction.traces import Distilled, extractive, judged, screen
from ctxcore.compaction.values import AnchorLike, Fault, How, Item, Kind, Passage, Place, Span
from ctxcore.compaction.wording import WHY

STATE, NOTES, AS_SAID = "[state]", "[notes]", "[as said]"
"""Heads of a compacted text's parts."""

EVERY_KIND: frozenset[Kind] = frozenset({"anchor", "trace", "transient", "relation"})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to compact."""

    parts: frozenset[Kind] = EVERY_KIND
    """Kinds that are processed; spans of the others stay as they were said."""
    terms: Terms = NO_TERMS
    """Of the domain."""
    limits: Limits = LIMITS
    """Of a trace's summary."""
    lifetime: int = 1
    """Rounds that a transient instruction holds; 1 is its own round, which is over when it is compacted."""
    written: Mapping[str, str] = field(default_factory=dict)
    """Digest of a trace (``trace_key``) → a model's summary of it; used where it passes the checks, else the trace stays as it is."""
    required: tuple[tuple[str, str], ...] = ()
    """Fields beside the core fields, with the values that must stand in the result."""
    longest: int | None = None
    """Most that the compacted text may take, in what ``count`` counts; the oldest notes go first."""


DEFAULT = Settings()
"""Every part, as published."""


@dataclass(frozen=True)
class Known:
    """What was found out about passages, so that a longer compaction of the same messages only looks at the new ones; for equal settings."""

    spans: dict[tuple[int, int], tuple[Span, ...]] = field(default_factory=dict)
    """Message and start of a passage → its spans."""
    items: dict[tuple[Place, bool, bool], tuple[Item, ...]] = field(default_factory=dict)
    """Place of a span, whether it still holds and whether its round asks why → its items."""
    sizes: dict[tuple[int, int], int] = field(default_factory=dict)
    """Message and start of a passage → its size."""

    def spans_of(self, passage: Passage) -> tuple[Span, ...]:
        """The spans of a passage."""
        key = (passage.message, passage.start)
        found = self.spans.get(key)
        if found is None or any(span.round != passage.round for span in found[:1]):
            found = self.spans[key] = tuple(passage_spans(passage)) if found is None else tuple(replace(span, round=passage.round) for span in found)
        return found

    def size_of(self, passage: Passage, count: Callable[[str], int]) -> int:
        """The size of a passage."""
        key = (passage.message, passage.start)
        if key not in self.sizes:
            self.sizes[key] = count(passage.text)
        return self.sizes[key]


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """What a compaction made, and what its checks say."""

    items: tuple[Item, ...]
    """What stands in the text and what was left out, in order."""
    text: str
    """The compacted text; of a compaction that was rolled back, the one that was refused."""
    before: int
    """Size of the original in the target model's tokens."""
    after: int
    """Size of the text."""
    faults: tuple[Fault, ...]
    """Warnings, and the failure that rolls back."""
    graph: RelationGraph
    """Of all spans."""
    fields: tuple[CoreField, ...]
    """Core fields of the original."""
    lost: tuple[tuple[str, str], ...] = ()
    """Core fields without their value in the text."""

    @property
    def rolled_back(self) -> bool:
        """True where a core field was lost: the context stays as it was."""
        return bool(self.lost)

    @property
    def codes(self) -> tuple[str, ...]:
        """Stable codes of the faults, each once."""
        return tuple(dict.fromkeys(fault.code for fault in self.faults))

    @property
    def ratio(self) -> float | None:
        """Size after over size before; None where nothing was there."""
        return self.after / self.before if self.before else None


def compact(
    passages: Sequence[Passage],
    *,
    count: Callable[[str], int],
    settings: Settings = DEFAULT,
    anchors: Sequence[AnchorLike] = (),
    known: Known | None = None,
) -> Compaction:
    """Compact passages as a whole.

    Args:
        passages: Of the messages that are to be compacted, in order.
        count: Tokens of a text in the target model's tokenizer.
        settings: How.
        anchors: Decided values from elsewhere, such as the state editor's chains; they stand in addition to what is found here.
        known: Of earlier compactions of the same messages with equal settings and counter.
    """
    known = Known() if known is None else known
    spans = [span for passage in passages for span in known.spans_of(passage)]
    graph, fields = graph_of(spans), core_fields(spans)
    items = merged([*_given(anchors, passages), *process(spans, settings, known)])
    items, text = fitted(items, graph, count, settings)
    before, after = sum(known.size_of(passage, count) for passage in passages), count(text)
    lost = lost_fields(fields, items, settings.required)
    return Compaction(
        items=items,
        text=text,
        before=before,
        after=after,
        faults=(*critical(lost), *ratio_faults(before, after)),
        graph=graph,
        fields=fields,
        lost=lost,
    )


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
    made = extractive(span.text, terms=settings.terms, limits=settings.limits)
    reason = screen(span.text, asked_why=why, terms=settings.terms)
    if made.how == "whole":
        return _item(span, "original", made.why)
    if not reason:
        return _item(span, "dropped", "No cause, no question why, and few terms: not worth a summary.")
    summary = settings.written.get(trace_key(span.text))
    if summary is not None:
        found = judged(span.text, summary, terms=settings.terms, limits=settings.limits)
        if not isinstance(found, Distilled):
            return _item(span, "original", f"No summary passed: {', '.join(fault.code for fault in found)}.")
        made = found
    places = tuple(Place(span.place.message, span.place.start + start, span.place.start + end) for start, end in made.spans)
    return Item(kind="trace", how="distilled", key="", text=made.text, sources=places, why=f"{reason} {made.why}")


def trace_key(text: str) -> str:
    """Name of a trace by its content, for summaries that are kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _given(anchors: Sequence[AnchorLike], passages: Sequence[Passage]) -> list[Item]:
    """Anchors from elsewhere, with the words at their place."""
    told = [(anchor, _words_at(anchor.place, passages)) for anchor in anchors]
    return [Item(kind="anchor", how="exact", key=one.key, text=text, sources=(one.place,), why="Given.") for one, text in told if text]


def _words_at(place: Place, passages: Sequence[Passage]) -> str:
    for passage in passages:
        start, end = place.start - passage.start, place.end - passage.start
        if passage.message == place.message and 0 <= start < end <= len(passage.text):
            return passage.text[start:end]
    return ""


def merged(items: Sequence[Item]) -> tuple[Item, ...]:
    """Equal items as one with all their places; of a field with one value, older values are listed as replaced."""
    newest = {item.key: item.text for item in items if item.key in ONE_VALUE and item.stands}
    first = {key: next(item.text for item in items if item.key == key) for key in ("session_id", "user_id", "start_time") if key in newest}
    holds = newest | first
    found: dict[tuple[str, ...], tuple[Item, list[Place]]] = {}
    for item in items:
        one = item
        if item.key in holds and item.text != holds[item.key]:
            one = replace(item, how="dropped", why=f"Replaced: {item.key} is {holds[item.key]}.")
        key = (one.kind, one.how, one.key, one.text)
        found.setdefault(key, (one, []))[1].extend(one.sources)
    return tuple(one if len(places) == len(one.sources) else replace(one, sources=tuple(places)) for one, places in found.values())


def fitted(items: tuple[Item, ...], graph: RelationGraph, count: Callable[[str], int], settings: Settings) -> tuple[tuple[Item, ...], str]:
    """Items and their text within the greatest size: the oldest traces go first, and are listed."""
    text = render(items, graph)
    size = count(text)
    if settings.longest is None or size <= settings.longest:
        return items, text
    over = size - settings.longest
    out: set[int] = set()
    for number, item in enumerate(items):
        if over <= 0:
            break
        if item.kind == "trace" and item.stands:
            out.add(number)
            over -= count(item.text) + 1
    left = tuple(replace(item, how="dropped", why="No room: the oldest notes went.") if n in out else item for n, item in enumerate(items))
    return left, render(left, graph)


def render(items: Sequence[Item], graph: RelationGraph) -> str:
    """The compacted text: state, notes, what stays as it was said, and the network."""
    shown = [item for item in items if item.stands]
    state = [f"{item.key}: {_line(item.text)}" for item in shown if item.kind == "anchor" and item.how == "exact"]
    notes = [f"- {_line(item.text)}" for item in shown if item.kind == "trace"]
    said = [f"- {_line(item.text)}" for item in shown if item.how == "original" and item.kind != "trace"]
    parts = [f"{head}\n" + "\n".join(lines) for head, lines in ((STATE, state), (NOTES, notes), (AS_SAID, said)) if lines]
    network = any(item.kind == "relation" and item.how == "distilled" for item in shown)
    return "\n".join([*parts, *([knowledge_context(graph)] if network else [])])


def _line(text: str) -> str:
    """Further lines are indented, so that nothing in a text can pass for a head."""
    return text.replace("\n", "\n  ")


def lost_fields(fields: Sequence[CoreField], items: Sequence[Item], required: Sequence[tuple[str, str]] = ()) -> tuple[tuple[str, str], ...]:
    """Fields whose value no item holds, or that have another one."""
    standing = [item for item in items if item.stands]
    lost = [(one.name, one.value) for one in fields if not any(_holds(item, one) for item in standing)]
    return (*lost, *((name, value) for name, value in required if not any(value in item.text for item in standing)))


def _holds(item: Item, field: CoreField) -> bool:
    if field.name in ONE_VALUE and item.key:
        return item.key == field.name and item.text == field.value
    return field.value in item.text

"""One compaction: spans go to their processors, what comes out is checked, and it takes effect whole or not at all.

The originals are never touched: every item has the exact places that it stands for (``source_text.expand``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ctxcore.compaction.checks import RatioWord, critical, ratio_faults, ratio_word
from ctxcore.compaction.core_fields import ONE_VALUE, CoreField, core_fields
from ctxcore.compaction.given import given_items
from ctxcore.compaction.processors import process
from ctxcore.compaction.relations import RelationGraph, graph_of
from ctxcore.compaction.rendering import fitted, merged, render
from ctxcore.compaction.settings import DEFAULT, Known, Settings
from ctxcore.compaction.values import AnchorLike, Fault, Item, Passage


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
    before: int | None = None,
) -> Compaction:
    """Compact passages as a whole.

    Args:
        passages: Of the messages that are to be compacted, in order.
        count: Tokens of a text in the target model's tokenizer.
        settings: How.
        anchors: Decided values from elsewhere, such as the state editor's chains; they stand in addition to what is found here.
        known: Of earlier compactions of the same messages with equal settings and counter.
        before: Size of the messages where they hold more than words; else the passages are counted.
    """
    known = Known() if known is None else known
    spans = [span for passage in passages for span in known.spans_of(passage)]
    given = given_items(anchors, passages) if "anchor" in settings.parts else ()
    graph, fields = graph_of(spans), core_fields(spans, given)
    items = merged([*given, *process(spans, settings, known)])
    old = sum(known.size_of(passage, count) for passage in passages) if before is None else before
    items, text = fitted(items, graph, count, settings.within(old))
    after = count(text)
    lost = lost_fields(fields, items, settings.required)
    return Compaction(
        items=items,
        text=text,
        before=old,
        after=after,
        faults=(*critical(lost), *ratio_faults(old, after, _why(items, graph, count, ratio_word(old, after)))),
        graph=graph,
        fields=fields,
        lost=lost,
    )


def lost_fields(fields: Sequence[CoreField], items: Sequence[Item], required: Sequence[tuple[str, str]] = ()) -> tuple[tuple[str, str], ...]:
    """Fields whose value no item holds, or that have another one."""
    standing = [item for item in items if item.stands]
    lost = [(one.name, one.value) for one in fields if not any(_holds(item, one) for item in standing)]
    return (*lost, *((name, value) for name, value in required if not any(value in item.text for item in standing)))


def _why(items: Sequence[Item], graph: RelationGraph, count: Callable[[str], int], word: RatioWord) -> str:
    """Why a size far from the target is not nearer to it."""
    if word == "under":
        fixed = count(render([item for item in items if item.kind != "trace" or item.fixed], graph))
        return f" Values, the user's own words and passages without a summary that passed, which stay to the letter, take {fixed:,} of them."
    notes = [item for item in items if item.kind == "trace"]
    noted = sum(item.stands for item in notes)
    return f" Of {len(notes):,} explanations and tool outputs {noted:,} keep a sentence or so, the most that one may; the rest was not worth one."


def _holds(item: Item, field: CoreField) -> bool:
    if field.name in ONE_VALUE and item.key:
        return item.key == field.name and item.text == field.value
    return field.value in item.text

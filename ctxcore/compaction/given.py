"""Anchors that come from elsewhere, as items: the words at their place, and the value where the words say it otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from ctxcore.compaction.values import AnchorLike, How, Item, Passage, Place


def given_items(anchors: Sequence[AnchorLike], passages: Sequence[Passage]) -> tuple[Item, ...]:
    """One item per anchor whose words stand in the passages, or that a record says and no words do.

    Args:
        anchors: Oldest first.
        passages: Of the messages that are compacted.
    """
    texts = {(passage.message, passage.start): passage for passage in passages}
    starts: dict[int, list[Passage]] = {}
    for passage in texts.values():
        starts.setdefault(passage.message, []).append(passage)
    return tuple(item for anchor in anchors if (item := _item(anchor, starts.get(anchor.place.message, ()))) is not None)


def _item(anchor: AnchorLike, passages: Sequence[Passage]) -> Item | None:
    wordless = anchor.place.start == anchor.place.end
    words = anchor.value if wordless else _words_at(anchor.place, passages)
    if not words:
        return None
    how: How = "exact" if anchor.holds else "dropped"
    value = "" if anchor.value.casefold() == words.casefold() else anchor.value
    return Item(kind="anchor", how=how, key=anchor.key, text=words, value=value, sources=(anchor.place,), why=anchor.why, given=True)


def _words_at(place: Place, passages: Sequence[Passage]) -> str:
    for passage in passages:
        start, end = place.start - passage.start, place.end - passage.start
        if 0 <= start < end <= len(passage.text):
            return passage.text[start:end]
    return ""

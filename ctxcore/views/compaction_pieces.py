"""A compaction piece by piece: the words of the original beside what became of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from ctxcore.compaction.source_text import expand, source_text
from ctxcore.compaction.terms import NO_TERMS
from ctxcore.compaction.values import Item, Place
from ctxcore.compaction.word_places import stems
from ctxcore.measures.compactions import NO_ORIGINAL, RecordedCompaction, lost_facts
from ctxcore.measures.summary_sources import SHORTEST, Traced, traced
from ctxcore.model import Message, Thread
from ctxcore.redaction.masking import masked_part
from ctxcore.views.compaction_shown import Shown
from ctxcore.views.visible import one_line, shortened

Fate = Literal["kept", "distilled", "dropped", "unfound"]
"""To the letter, in fewer or other words, not at all; or a sentence of a summary that has no source in the original."""

FATES: tuple[Fate, ...] = ("kept", "distilled", "dropped", "unfound")
"""In this order."""

FATE_WORDS = {"kept": "Kept", "distilled": "Distilled", "dropped": "Dropped", "unfound": "No source found"}
"""For people."""

OF_HOW: dict[str, Fate] = {"exact": "kept", "original": "kept", "distilled": "distilled", "dropped": "dropped"}

SHOWN, AROUND, SOURCES = 600, 60, 3
"""Characters of a text, characters around a quoted value, sources shown of a piece."""

RECENT = 8
"""Messages whose text is kept while their pieces are made."""

LOOKED_AT = 10 * SHOWN
"""Characters of a quoted text that are masked: white space of them is not shown."""

LOST_KINDS = ("user_instruction", "decision", "plan", "error", "command", "path", "number", "id")
"""What is told to be lost, in this order; a tool result is no piece of its own."""

LOST_OF_KIND = 40
"""Lost facts of one kind that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One row."""

    fate: Fate
    """What became of it."""
    kind: str
    """What it is."""
    original: tuple[tuple[str, bool], ...]
    """Stretches of the original; True is the exact words, False what stands around them."""
    result: str
    """What stands in the compacted text; empty for nothing."""
    why: str
    """One sentence."""
    place: Place | None
    """Where the exact words stand, or None."""


WHY_TOLD: dict[Fate, str] = {
    "kept": "Stands in the original word for word.",
    "distilled": "Its exact values stand in the original.",
    "unfound": "None of its exact values stands in the original.",
}
"""Of a recorded summary's sentence."""

OWN_WORDS = "The summary's own words, with no exact value to look for."
FEW = 3
"""Words without which a line of a summary is a heading or a number."""


def pieces(thread: Thread, one: Shown) -> tuple[Piece, ...]:
    """Every piece of a compaction, in order; made once per compaction.

    Args:
        thread: Of the session.
        one: Recorded or simulated.
    """
    if isinstance(one, RecordedCompaction):
        return thread.once("compaction_pieces_recorded", lambda: _recorded(thread, one), of=one)
    return thread.once("compaction_pieces_simulated", lambda: tuple(_simulated(thread, item) for item in one.compaction.items), of=one)


def _simulated(thread: Thread, item: Item) -> Piece:
    place = item.sources[0]
    quoted = place.end > place.start
    if not item.stands:
        result = ""
    elif item.key:
        result = f"{item.key.removeprefix('field ')}: {item.value or item.text}"
    else:
        result = item.text
    return Piece(
        fate=OF_HOW[item.how],
        kind="state" if item.given else item.key.replace("_", " ") or item.kind,
        original=_quoted(thread, item.sources) if quoted else ((f"{_cut(item.text)} (in the record of the message)", False),),
        result=_cut(result),
        why=item.why,
        place=place,
    )


def _recorded(thread: Thread, one: RecordedCompaction) -> tuple[Piece, ...]:
    if NO_ORIGINAL in one.codes:
        return ()
    told = [_sentence(thread, item) for item in traced(thread, one) if _says(item)]
    stayed = [_stayed(thread, index) for index in one.left if thread.messages[index].is_real_user and index != one.event.summary]
    lost = lost_facts(thread, one)
    listed = [fact for kind in LOST_KINDS for fact in [f for f in lost if f.kind == kind][:LOST_OF_KIND]]
    return (*stayed, *told, *(_gone(thread, fact.kind, fact.value, fact.place) for fact in listed))


def _says(item: Traced) -> bool:
    """True where a line of a summary is more than a heading or a number."""
    words = set(stems(item.span.text))
    return len(words) >= FEW or (bool(item.sources) and not all(word.isdigit() for word in words))


def _sentence(thread: Thread, item: Traced) -> Piece:
    words = expand(item.sources[:1], thread.messages)
    same = words == (item.span.text,)
    valued = bool(item.sources) or any(len(value) >= SHORTEST for value in NO_TERMS.of(item.span.text))
    fate: Fate = "kept" if same else "distilled" if item.sources or not valued else "unfound"
    return Piece(
        fate=fate,
        kind=item.span.key.replace("_", " ") or item.span.kind,
        original=_quoted(thread, item.sources),
        result=_cut(item.span.text),
        why=WHY_TOLD[fate] if valued else OWN_WORDS,
        place=item.sources[0] if item.sources else None,
    )


def _stayed(thread: Thread, index: int) -> Piece:
    """A message of the user that is there word for word."""
    place = Place(index, 0, len(_text_of(thread, index)))
    original = _quoted(thread, (place,))
    return Piece(fate="kept", kind="user message", original=original, result=original[0][0] if original else "", why="Stayed as it was.", place=place)


def _gone(thread: Thread, kind: str, value: str, place: Place) -> Piece:
    found = _inside(thread, value, place)
    return Piece(
        fate="dropped",
        kind=kind.replace("_", " "),
        original=((_cut(value), True),) if found is None else _quoted(thread, (found,)),
        result="",
        why="Not in what stands for it, as far as words can tell.",
        place=found if found is not None else place if place.message >= 0 else None,
    )


def _inside(thread: Thread, value: str, place: Place) -> Place | None:
    """The value itself inside its passage."""
    if place.message < 0:
        return None
    at = _text_of(thread, place.message).find(value, place.start)
    return Place(place.message, at, at + len(value)) if 0 <= at <= place.end - len(value) else None


def _quoted(thread: Thread, sources: Sequence[Place]) -> tuple[tuple[str, bool], ...]:
    """The exact words with a little around them."""
    parts: list[tuple[str, bool]] = []
    for number, place in enumerate(sources[:SOURCES]):
        text = _text_of(thread, place.message)
        parts += [(" … ", False)] if number else []
        short = place.end - place.start < AROUND
        before = masked_part(text, place.start - AROUND, place.start).rpartition("\n")[2] if short else ""
        after = masked_part(text, place.end, place.end + AROUND).partition("\n")[0] if short else ""
        parts += [(_cut(before), False), (_cut(masked_part(text, place.start, min(place.end, place.start + LOOKED_AT))), True), (_cut(after), False)]
    more = len(sources) - SOURCES
    return (*(part for part in parts if part[0]), *([(f" … and {more:,} more places", False)] if more > 0 else []))


def _text_of(thread: Thread, message: int) -> str:
    """The source text of a message; the newest few are kept, since a long message has many pieces."""
    recent: Callable[[int], str] = thread.once("recent_source_texts", partial(_recent_texts, thread.messages))
    return recent(message)


def _recent_texts(messages: Sequence[Message]) -> Callable[[int], str]:
    return lru_cache(RECENT)(lambda index: source_text(messages[index]))


def _cut(text: str) -> str:
    return shortened(one_line(text), SHOWN)


def holder(thread: Thread, message: int, call: int) -> tuple[int, int] | None:
    """A call that had a message, and its position in the request (-1 is the reply): the one before a compaction, else the first that had it."""
    tried = [max(0, min(call, len(thread.calls)) - 1), min(call, len(thread.calls) - 1), *range(len(thread.calls))]
    for index in tried if thread.calls else ():
        one = thread.calls[index]
        if one.reply == message:
            return index, -1
        if any(start <= message < stop for start, stop in one.context):
            return index, list(one.messages()).index(message)
    return None

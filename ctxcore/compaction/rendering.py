"""Items as one text: merged, within the room there is, under their heads."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ctxcore.compaction.core_fields import has_one_value
from ctxcore.compaction.relations import RelationGraph, knowledge_context
from ctxcore.compaction.settings import Settings
from ctxcore.compaction.values import Item, Place

STATE, NOTES, AS_SAID = "[state]", "[notes]", "[as said]"
"""Heads of a compacted text's parts."""

VALUE = re.compile(r"(?:\w[\w.-]*)?/[\w./-]+|[\w.-]*[0-9][\w.,:-]*")
"""Roughly an exact value: a path, or anything with a digit."""


def merged(items: Sequence[Item]) -> tuple[Item, ...]:
    """Equal items as one with all their places; of a field with one value, older values are listed as replaced."""
    newest = {item.key: item.text for item in items if has_one_value(item.key) and item.stands}
    first = {key: next(item.text for item in items if item.key == key) for key in ("session_id", "user_id", "start_time") if key in newest}
    holds = newest | first | {item.key: item.text for item in items if item.given and item.stands}
    found: dict[tuple[str, ...], tuple[Item, list[Place]]] = {}
    for item in items:
        one = item
        if item.key in holds and item.text != holds[item.key] and item.stands:
            one = replace(item, how="dropped", why=f"Replaced: {item.key} is {holds[item.key]}.")
        key = (one.kind, one.how, one.key, one.text)
        found.setdefault(key, (one, []))[1].extend(one.sources)
    return tuple(one if len(places) == len(one.sources) else replace(one, sources=tuple(places)) for one, places in found.values())


def fitted(items: tuple[Item, ...], graph: RelationGraph, count: Callable[[str], int], settings: Settings) -> tuple[tuple[Item, ...], str]:
    """Items and their text within the greatest size: the oldest traces go first, and are listed."""
    text = render(items, graph)
    over = 0 if settings.longest is None else count(text) - settings.longest
    while over > 0 and (out := _first_to_go(items, over, count)):
        items = tuple(
            replace(item, how="dropped", why="No room: notes without a value of their own went, then the oldest.") if n in out else item
            for n, item in enumerate(items)
        )
        text = render(items, graph)
        over = count(text) - (settings.longest or 0)
    return items, text


def _first_to_go(items: Sequence[Item], over: int, count: Callable[[str], int]) -> frozenset[int]:
    """Places of notes that together are about so large: those that say no value or only values that stand elsewhere, then the oldest."""
    out: set[int] = set()
    for number in _by_worth(items):
        if over <= 0:
            break
        out.add(number)
        over -= count(f"- {_line(items[number].text)}\n")
    return frozenset(out)


def _by_worth(items: Sequence[Item]) -> list[int]:
    """Places of the notes that may go, least worth first; a value counts for the newest note that says it."""
    known = {value for item in items if item.stands and item.kind != "trace" for value in VALUE.findall(item.text)}
    plain: list[int] = []
    valued: list[int] = []
    for number in reversed([n for n, item in enumerate(items) if item.kind == "trace" and item.stands and not item.fixed]):
        said = set(VALUE.findall(items[number].text))
        (valued if said - known else plain).append(number)
        known |= said
    return [*reversed(plain), *reversed(valued)]


def render(items: Sequence[Item], graph: RelationGraph) -> str:
    """The compacted text: state, notes, what stays as it was said, and the network."""
    shown = [item for item in items if item.stands]
    state = [_anchor_line(item) for item in shown if item.kind == "anchor" and item.how == "exact"]
    notes = [f"- {_line(item.text)}" for item in shown if item.kind == "trace"]
    said = [f"- {_line(item.text)}" for item in shown if item.how == "original" and item.kind != "trace"]
    parts = [f"{head}\n" + "\n".join(lines) for head, lines in ((STATE, state), (NOTES, notes), (AS_SAID, said)) if lines]
    network = any(item.kind == "relation" and item.how == "distilled" for item in shown)
    return "\n".join([*parts, *([knowledge_context(graph)] if network else [])])


def _anchor_line(item: Item) -> str:
    """A key and its value, with the words where they say it otherwise."""
    return f"{item.key}: {item.value} ({_line(item.text)})" if item.value else f"{item.key}: {_line(item.text)}"


def _line(text: str) -> str:
    """Further lines are indented, so that nothing in a text can pass for a head."""
    return text.replace("\n", "\n  ")

"""JSON as pieces that can be left out without tearing it: whole members, whole rows, sentences of long texts.

Every piece is a slice of the text, and what is put together of some of them is JSON again with nothing in it that the original lacks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ctxcore.compaction.sentences import LONGEST, sentence_spans

HEAD = re.compile(r"\s*(?:[\w.:-]{1,80} )?(?=[{\[])")
"""Before the JSON: nothing, or the name of a tool that is called with it."""

SPACE = re.compile(r"[ \t\r\n]*")
LINE_END = re.compile(r"(?<!\\)(?:\\\\)*\\[nr]")

DECODER = json.JSONDecoder()

MOST, DEEPEST, ROW = 2_000_000, 40, 120
"""Characters of JSON that is taken apart, levels of it, and characters of an object that stays one piece."""

Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the JSON."""

    start: int
    """Where it begins, with its key."""
    value: int
    """Where it begins, without it."""
    end: int
    """Where it ends."""
    inside: tuple[Node, ...] = ()
    """Of an object or array: its values; none where it stays one piece."""
    sentences: tuple[tuple[int, int], ...] = ()
    """Of a long text: its sentences, as escaped."""


def json_tree(text: str, upto: int) -> Node | None:
    """The JSON that a text is, but for a tool's name before it; None where it is none.

    Args:
        text: Any.
        upto: Characters in which members are told apart.
    """
    head = HEAD.match(text)
    if head is None or len(text) > MOST:
        return None
    try:
        end = DECODER.raw_decode(text, head.end())[1]
        return None if text[end:].strip() else _Reader(text, upto).node(head.end(), head.end(), 0)
    except (ValueError, RecursionError):
        return None


def pieces_of(node: Node, upto: int) -> Spans:
    """The pieces that can stand alone, in order."""
    if node.inside:
        return [span for one in node.inside for span in pieces_of(one, upto)]
    return [*node.sentences] or ([(node.start, node.end)] if node.end - node.start <= LONGEST and node.end <= upto else [])


def rebuilt(text: str, node: Node, chosen: Sequence[tuple[int, int]]) -> str:
    """JSON of the chosen pieces alone.

    Args:
        text: Of the node.
        node: Whole.
        chosen: Of its pieces.
    """
    return _rebuilt(text, node, frozenset(chosen))


def _rebuilt(text: str, node: Node, chosen: frozenset[tuple[int, int]]) -> str:
    key = text[node.start : node.value]
    if node.inside:
        told = ", ".join(filter(None, (_rebuilt(text, one, chosen) for one in node.inside)))
        return f"{key}{text[node.value]}{told}{text[node.end - 1]}" if told else ""
    if node.sentences:
        told = " ".join(text[slice(*span)] for span in node.sentences if span in chosen)
        return f'{key}"{told}"' if told else ""
    return text[node.start : node.end] if (node.start, node.end) in chosen else ""


class _Reader:
    """Walks JSON that is known to parse."""

    def __init__(self, text: str, upto: int) -> None:
        self.text, self.upto = text, upto

    def node(self, start: int, value: int, depth: int) -> Node:
        """The value at a place, whose key begins at another."""
        opening = self.text[value]
        end = DECODER.raw_decode(self.text, value)[1]
        if opening == '"':
            long = end - start > LONGEST
            return Node(start, value, end, sentences=tuple(_sentences(self.text[: self.upto], value + 1, end - 1)) if long else ())
        apart = opening in "{[" and end - start > ROW and depth < DEEPEST
        return Node(start, value, end, inside=tuple(self._members(value, depth)) if apart else ())

    def _members(self, opening: int, depth: int) -> Iterator[Node]:
        keyed, at = self.text[opening] == "{", self._past(opening + 1)
        while at < self.upto and self.text[at] not in "}]":
            value = self._past(self._past(DECODER.raw_decode(self.text, at)[1]) + 1) if keyed else at
            found = self.node(at, value, depth + 1)
            yield found
            at = self._past(found.end)
            at = self._past(at + 1) if self.text[at] == "," else at

    def _past(self, at: int) -> int:
        found = SPACE.match(self.text, at)
        return found.end() if found else at


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Sentences of an escaped text that are escaped texts themselves."""
    cuts = [start, *(place for match in LINE_END.finditer(text, start, end) for place in (match.end() - 2, match.end())), end]
    for first, last in [*pairwise(cuts)][::2]:
        for begin, stop in sentence_spans(text[first:last]):
            if _is_whole(text[first + begin : first + stop]):
                yield first + begin, first + stop


def _is_whole(piece: str) -> bool:
    """True where no escape was cut."""
    try:
        return bool(json.loads(f'"{piece}"', strict=False))
    except ValueError:
        return False

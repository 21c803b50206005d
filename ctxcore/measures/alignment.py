"""Two threads side by side: their turns as pairs, and where they first part.

Turns that a person began with the same words are pairs; as many as can be without crossing. Between them turns are paired in order, and what is left
over stands alone. A harness may put words of its own around a task, so a pair whose one text holds the other is the same task as well.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from typing import Literal

from rapidfuzz.distance import LCSseq

from ctxcore.model import Message, Thread, ToolCall
from ctxcore.tool_uses import ToolUse, tool_uses

Basis = Literal["same text", "text within", "order", "alone"]
"""Why two turns stand side by side: equal texts, one text within the other, only their order; or the turn has no partner."""

LEAST_WITHIN_CHARS = 20
"""Characters of a text that another one holds, for the two to be one task: a shorter one stands in many texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A user message and what came of it."""

    number: int
    """From 1; 0 for what happened before the first user message."""
    message: int
    """Thread message that begins it; -1 for turn 0."""
    text: str
    """Of the user, as recorded."""
    calls: tuple[int, ...]
    """Model calls, in order."""
    uses: tuple[ToolUse, ...]
    """Tool calls, in order."""

    @property
    def key(self) -> str:
        """The text as it is compared: white space and capitals make no difference."""
        return " ".join(self.text.split()).casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One line of an alignment; at least one side is there."""

    first: Turn | None
    """Of the first thread."""
    second: Turn | None
    """Of the second thread."""
    basis: Basis
    """Why they are a pair."""

    @property
    def parts(self) -> bool:
        """The user texts differ, or one side is missing."""
        return self.basis in ("order", "alone")

    @property
    def differing_use(self) -> int | None:
        """Place, in the turn, of the first tool call that differs; None where both sides call the same tools with the same arguments."""
        if self.first is self.second:  # a thread beside itself
            return None
        mine, theirs = ([called(use.tool) for use in turn.uses] if turn else [] for turn in (self.first, self.second))
        return next((place for place, (one, other) in enumerate(zip_longest(mine, theirs)) if one != other), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where two threads part."""

    kind: Literal["user text", "tool call"]
    """What differs."""
    row: int
    """Pair of the alignment."""
    use: int = -1
    """Place of the tool call in the turn, from 0; -1 for a user text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Every turn of two threads once, in order."""

    pairs: tuple[Pair, ...]
    """Turns of either side ascend."""

    @property
    def text_parts(self) -> Divergence | None:
        """The first pair whose user texts differ."""
        return next((Divergence(kind="user text", row=row) for row, pair in enumerate(self.pairs) if pair.parts), None)

    @property
    def tools_part(self) -> Divergence | None:
        """The first tool call that differs."""
        places = ((row, pair.differing_use) for row, pair in enumerate(self.pairs))
        return next((Divergence(kind="tool call", row=row, use=use) for row, use in places if use is not None), None)

    @property
    def first(self) -> Divergence | None:
        """The earlier of both; a user text comes before the tool calls of its turn."""
        found = [one for one in (self.text_parts, self.tools_part) if one is not None]
        return min(found, key=lambda one: one.row, default=None)


def called(tool: ToolCall) -> tuple[str, str]:
    """A tool call as it is compared: its name, and its arguments as JSON whatever their spaces and order of keys."""
    try:
        return tool.name, json.dumps(json.loads(tool.arguments), ensure_ascii=False, sort_keys=True)
    except (ValueError, RecursionError):
        return tool.name, tool.arguments.strip()


def turns(thread: Thread) -> tuple[Turn, ...]:
    """The turns of a thread, with every model call and tool call in one of them; made once per thread."""
    return thread.once("turns", lambda: _turns(thread))


def _turns(thread: Thread) -> tuple[Turn, ...]:
    begins = [index for index, message in enumerate(thread.messages) if message.is_real_user]
    calls: list[list[int]] = [[] for _ in range(len(begins) + 1)]
    uses: list[list[ToolUse]] = [[] for _ in range(len(begins) + 1)]
    for call in thread.calls:
        newest = max((stop for _, stop in call.context), default=0) - 1
        calls[bisect_right(begins, newest)].append(call.index)
    for use in tool_uses(thread):
        uses[use.turn].append(use)
    texts = ["", *(_text(thread.messages[message]) for message in begins)]
    found = [
        Turn(number=number, message=message, text=texts[number], calls=tuple(calls[number]), uses=tuple(uses[number]))
        for number, message in enumerate((-1, *begins))
    ]
    return tuple(found if found[0].calls or found[0].uses else found[1:])


def _text(message: Message) -> str:
    """What the user said; a picture alone is named by its kind."""
    return message.text or ", ".join(part.media_type or part.kind for part in message.parts if part.kind == "media")


def align(first: Sequence[Turn], second: Sequence[Turn]) -> Alignment:
    """Turns of two threads as pairs.

    Args:
        first: Of one thread, in order.
        second: Of another, or of the same.
    """
    pairs: list[Pair] = []
    upto = (0, 0)
    for mine, theirs in _same([turn.key for turn in first], [turn.key for turn in second]):
        pairs += _between(first[upto[0] : mine], second[upto[1] : theirs])
        pairs.append(Pair(first=first[mine], second=second[theirs], basis="same text"))
        upto = (mine + 1, theirs + 1)
    return Alignment(pairs=(*pairs, *_between(first[upto[0] :], second[upto[1] :])))


def _same(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Places of equal texts: a longest common subsequence."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys((*first, *second)))}
    blocks = LCSseq.opcodes([numbers[text] for text in first], [numbers[text] for text in second]).as_matching_blocks()
    return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]


def _between(first: Sequence[Turn], second: Sequence[Turn]) -> list[Pair]:
    """Turns between two pairs of equal texts: in order, the rest alone."""
    return [Pair(first=mine, second=theirs, basis=_basis(mine, theirs)) for mine, theirs in zip_longest(first, second)]


def _basis(mine: Turn | None, theirs: Turn | None) -> Basis:
    if mine is None or theirs is None:
        return "alone"
    short, long = sorted((mine.key, theirs.key), key=len)
    return "text within" if len(short) >= LEAST_WITHIN_CHARS and short in long else "order"


def columns_of(pairs: Sequence[Pair]) -> list[int]:
    """Where each pair begins when both sides are drawn on one axis of calls: behind the longer side of all before; one entry more, the end."""
    return list(accumulate((max(_calls(pair.first), _calls(pair.second)) for pair in pairs), initial=0))


def _calls(turn: Turn | None) -> int:
    return len(turn.calls) if turn else 0

"""Search over everything that a thread holds: what was said and thought, tool calls and results, tool definitions, files that tool calls name.

Plain text is looked for in one block of bytes per thread: UTF-8 with small ASCII letters, made once, the pieces one behind the other. That is several
times as fast as folding every text for every search, and takes as much memory as the text. Other letters with a capital (É, Я) are matched by a
pattern of both forms.
"""

from __future__ import annotations

import json
import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import regex

from ctxcore.errors import InputError
from ctxcore.measures.attribution import attribution
from ctxcore.model import Message, Part, Thread, ToolCall
from ctxcore.policies.patterns import SECONDS, check_patterns

Kind = Literal["text", "reasoning", "tool call", "tool result", "definition", "file"]
"""What a piece of text is."""

SAID: frozenset[Kind] = frozenset({"text", "reasoning"})
TOOLS: frozenset[Kind] = frozenset({"tool call", "tool result", "definition"})
FILES: frozenset[Kind] = frozenset({"file"})
EVERYTHING = SAID | TOOLS
"""Kinds that are looked through; paths of files stand in tool calls as well."""

GAP = b"\xff"
"""Between pieces; never part of UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One text of a thread."""

    kind: Kind
    """What it is."""
    message: int
    """Index in the thread; -1 for a tool definition."""
    part: int
    """Place in the message, or in the tool set."""
    tools: int = -1
    """The first tool set that holds a definition; -1 for anything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndex:
    """All texts of a thread, ready to be searched."""

    block: bytes
    """One behind the other, small ASCII letters."""
    starts: tuple[int, ...]
    """Per piece: its first byte."""
    pieces: tuple[Piece, ...]
    """In thread order, definitions first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found in one thread."""

    pieces: tuple[Piece, ...]
    """One for each message or definition that holds it, the first that does."""
    unsearched: int = 0
    """Pieces that were not looked at because the time was over."""


def piece_text(thread: Thread, piece: Piece) -> str:
    """The text of a piece, as recorded."""
    if piece.message < 0:
        return _definition(thread.tool_sets[piece.tools][piece.part])
    if piece.kind == "file":
        table = attribution(thread, thread.chars)
        return table.owners[int(table.owner[piece.part])].file
    return _part_text(thread.messages[piece.message].parts[piece.part])


def _part_text(part: Part) -> str:
    return f"{part.name} {part.arguments}" if isinstance(part, ToolCall) else getattr(part, "text", "")


def _definition(tool: object) -> str:
    return json.dumps(tool, ensure_ascii=False, default=str)


def search_index(thread: Thread) -> SearchIndex:
    """All texts of a thread; made once per thread."""
    return thread.once("search_index", lambda: _index(thread))


def _index(thread: Thread) -> SearchIndex:
    pieces, texts = [], []
    for piece, text in (*_definitions(thread), *(found for index, message in enumerate(thread.messages) for found in _pieces(index, message))):
        pieces.append(piece)
        texts.append(text.encode("utf-8", "surrogatepass").lower())
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)
    return SearchIndex(block=GAP.join(texts), starts=(0, *ends[:-1].tolist()) if texts else (), pieces=tuple(pieces))


def _definitions(thread: Thread) -> Iterator[tuple[Piece, str]]:
    known: set[str] = set()
    for number, tools in enumerate(thread.tool_sets):
        for place, tool in enumerate(tools):
            text = _definition(tool)
            if text not in known:
                known.add(text)
                yield Piece(kind="definition", message=-1, part=place, tools=number), text


KINDS: dict[str, Kind] = {"text": "text", "other": "text", "reasoning": "reasoning", "tool_call": "tool call", "tool_result": "tool result"}
"""Of parts that hold text."""


def _pieces(index: int, message: Message) -> Iterator[tuple[Piece, str]]:
    for place, part in enumerate(message.parts):
        kind = KINDS.get(part.kind)
        if kind is not None and (text := _part_text(part)):
            yield Piece(kind=kind, message=index, part=place), text


def search_text(thread: Thread, wanted: str, kinds: frozenset[Kind] = EVERYTHING) -> Found:
    """Messages that hold a text, capitals or not.

    Args:
        thread: Of a session.
        wanted: A blank one finds nothing.
        kinds: What is looked through.
    """
    if not wanted.strip():
        return Found(pieces=())
    if kinds == FILES:
        needle = wanted.casefold()
        return Found(pieces=_files(thread, lambda path: needle in path.casefold()))
    index = search_index(thread)
    return Found(pieces=_distinct(index.pieces[place] for place in _places(index, wanted) if index.pieces[place].kind in kinds))


def _places(index: SearchIndex, wanted: str) -> Iterator[int]:
    """Pieces with a text, each once, ascending."""
    find, at = _finder(index.block, wanted), 0
    while (hit := find(at)) >= 0:
        place = bisect_right(index.starts, hit) - 1
        yield place
        if place + 1 == len(index.starts):
            return
        at = index.starts[place + 1]


def _finder(block: bytes, wanted: str) -> Callable[[int], int]:
    """A function from a place in the block to the next hit, -1 for none."""
    if any(not letter.isascii() and len(_forms(letter)) > 1 for letter in wanted):
        pattern = re.compile(b"".join(b"(?:%s)" % b"|".join(re.escape(form) for form in sorted(_forms(letter))) for letter in wanted))

        def find(at: int) -> int:
            hit = pattern.search(block, at)
            return hit.start() if hit else -1

        return find
    needle = wanted.encode("utf-8", "surrogatepass").lower()
    return lambda at: block.find(needle, at)


def _forms(letter: str) -> frozenset[bytes]:
    """A letter small and large, as the block has it."""
    return frozenset(form.encode("utf-8", "surrogatepass").lower() for form in (letter, letter.lower(), letter.upper()))


def search_pattern(thread: Thread, pattern: str, kinds: frozenset[Kind] = EVERYTHING, *, end: float | None = None) -> Found:
    """Messages in which a regular expression finds something, capitals or not.

    Args:
        thread: Of a session.
        pattern: As Python's ``regex`` takes it; a blank one finds nothing.
        kinds: What is looked through.
        end: When it stops with what it has, by ``time.monotonic``; a little later from now if left out.

    Raises:
        InputError: No regular expression, or too long.
    """
    if not pattern.strip():
        return Found(pieces=())
    compiled = compiled_pattern(pattern)
    end = time.monotonic() + SECONDS if end is None else end
    if kinds == FILES:
        return Found(pieces=_files(thread, lambda path: _matches(compiled, path, end) is True))
    found: list[Piece] = []
    looked = [piece for piece in search_index(thread).pieces if piece.kind in kinds]
    for number, piece in enumerate(looked):
        hit = _matches(compiled, piece_text(thread, piece), end)
        if hit is None:
            return Found(pieces=_distinct(iter(found)), unsearched=len(looked) - number)
        if hit:
            found.append(piece)
    return Found(pieces=_distinct(iter(found)))


def compiled_pattern(pattern: str) -> regex.Pattern[str]:
    """A pattern of the user's, checked.

    Raises:
        InputError: No regular expression, or too long.
    """
    check_patterns([pattern])
    try:
        return regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputError(f"This is no regular expression: {error}.") from error


def _matches(pattern: regex.Pattern[str], text: str, end: float) -> bool | None:
    """Whether it finds something; None where the time is over."""
    left = end - time.monotonic()
    if left <= 0:
        return None
    try:
        return pattern.search(text, timeout=left, concurrent=True) is not None
    except TimeoutError:
        return None


def _files(thread: Thread, matches: Callable[[str], bool]) -> tuple[Piece, ...]:
    """Tool calls and results about files whose path matches."""
    table = attribution(thread, thread.chars)
    wanted = np.asarray([bool(owner.file) and matches(owner.file) for owner in table.owners], np.bool_)
    shares = np.flatnonzero(wanted[table.owner]) if len(wanted) else np.empty(0, np.int64)
    return _distinct(Piece(kind="file", message=int(table.message[share]), part=share) for share in shares.tolist())


def _distinct(pieces: Iterator[Piece]) -> tuple[Piece, ...]:
    """The first piece of each message; every definition."""
    first: dict[object, Piece] = {}
    for piece in pieces:
        first.setdefault(piece.message if piece.message >= 0 else piece, piece)
    return tuple(first.values())

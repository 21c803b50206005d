"""Parts of messages as columns: what policies that edit inside a message look at, and what an edit frees.

A piece is one part of one message. Its size is that of its text alone, so an edit that puts another text in its place frees the difference exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import IntArray, Sizes, read_only
from ctxcore.errors import InputError
from ctxcore.model import Media, Message, Part, Reasoning, Text, Thread, ToolCall, ToolResult
from ctxcore.policies.places import arguments_place, blocks, result_place
from ctxcore.sizes.characters import json_chars, text_chars
from ctxcore.sizes.measure import media_size, thread_counter
from ctxcore.tool_uses import tool_answers

TEXT, REASONING, CALL, RESULT, MEDIA, OTHER = range(6)
"""Kinds of pieces."""

KIND_OF = {"text": TEXT, "reasoning": REASONING, "tool_call": CALL, "tool_result": RESULT, "media": MEDIA, "other": OTHER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Pieces of a sequence of messages, in order; arrays are read-only with one entry per piece."""

    message: NDArray[np.int32]
    """Position of its message in the sequence."""
    part: NDArray[np.int32]
    """Index into the message's parts."""
    kind: NDArray[np.int8]
    """``TEXT`` to ``OTHER``."""
    size: IntArray
    """Of the part's own text (arguments for a call, media included for a result), in the unit of the sizes; quotes count in characters."""
    whole: IntArray
    """Freed when the part goes altogether, its block included where the recorded form has one."""
    chars: IntArray
    """Code points of the text."""
    tool: NDArray[np.int32]
    """Index into ``tools`` for calls and results; -1 without one."""
    partner: NDArray[np.int32]
    """For a call its first result, for a result its call: another piece, -1 where the sequence has none."""
    tools: tuple[str, ...]
    """Names of tools as recorded."""

    def __len__(self) -> int:
        """Number of pieces."""
        return len(self.message)

    def of_kind(self, kind: int, *, without: Sequence[str] = ()) -> IntArray:
        """Pieces of a kind, ascending.

        Args:
            kind: ``TEXT`` to ``OTHER``.
            without: Names of tools whose pieces are left out.
        """
        excluded = [number for number, name in enumerate(self.tools) if name in without]
        return np.flatnonzero((self.kind == kind) & ~np.isin(self.tool, excluded)).astype(np.int64)


def part_text(part: Part) -> str:
    """The text of a part: arguments of a call, empty for media."""
    match part:
        case ToolCall(arguments=text) | Text(text=text) | Reasoning(text=text) | ToolResult(text=text):
            return text
        case Media():
            return ""
        case _:
            return part.text


@dataclass(frozen=True, slots=True)
class Measure:
    """Sizes of plain text in the unit of a thread's sizes."""

    thread: Thread
    """Whose counter it is."""
    unit: str
    """``chars`` or ``tokens``."""

    def many(self, texts: Sequence[str]) -> list[int]:
        """Size of each text.

        Raises:
            InputError: A counter of one's own, which measures messages only.
        """
        if self.unit == "chars":
            return list(map(text_chars, texts))
        if self.unit == "tokens":
            return thread_counter(self.thread).count_many(texts)
        raise InputError(f"This policy edits inside messages, and the counter {self.unit!r} measures whole messages only. Count in chars or tokens.")

    def one(self, text: str) -> int:
        """Size of one text."""
        return self.many([text])[0]

    def messages(self, role: str, texts: Sequence[str]) -> list[int]:
        """As ``message``, for many texts of a role."""
        empty = self.message(role, "") - self.one("")
        return [empty + size for size in self.many(texts)]

    def message(self, role: str, text: str) -> int:
        """Size of an inserted message of plain text, its separator included."""
        return json_chars({"role": role, "content": text}) + 1 if self.unit == "chars" else self.one(text)


def thread_pieces(thread: Thread, sizes: Sizes) -> Pieces:
    """Pieces of all messages of a thread; made once per thread and unit of measure.

    Args:
        thread: Of a session.
        sizes: Of the thread.

    Raises:
        InputError: The sizes are of a counter of one's own.
    """
    key = f"pieces:{sizes.unit}"
    cached = thread.memo.get(key)
    if cached is None or cached[0] is not sizes:
        cached = thread.memo[key] = (sizes, _pieces(thread, sizes))
    made: Pieces = cached[1]
    return made


def _pieces(thread: Thread, sizes: Sizes) -> Pieces:
    parts = [(index, number, part) for index, message in enumerate(thread.messages) for number, part in enumerate(message.parts)]
    texts = [part_text(part) for _, _, part in parts]
    measure = Measure(thread, sizes.unit)
    size = np.asarray(measure.many(texts), np.int64)
    _add_media(size, thread, [part for _, _, part in parts], sizes.unit)
    if sizes.unit == "chars":
        _recorded_forms(size, thread.messages, parts)
    partner = _partners(thread, parts)
    tool, tools = _tools([part for _, _, part in parts], partner)
    return Pieces(
        message=read_only(np.asarray([index for index, _, _ in parts], np.int32)),
        part=read_only(np.asarray([number for _, number, _ in parts], np.int32)),
        kind=read_only(np.asarray([KIND_OF[part.kind] for _, _, part in parts], np.int8)),
        size=read_only(size),
        whole=read_only(size if sizes.unit != "chars" else _block_chars(thread.messages, size)),
        chars=read_only(np.asarray(list(map(len, texts)), np.int64)),
        tool=read_only(tool),
        partner=read_only(partner),
        tools=tools,
    )


def _add_media(size: IntArray, thread: Thread, parts: Sequence[Part], unit: str) -> None:
    """Add the media that stand alone or inside a result."""
    for row, part in enumerate(parts):
        media = (part,) if isinstance(part, Media) else part.media if isinstance(part, ToolResult) else ()
        if media:
            size[row] += sum(media_size(one, thread, unit) for one in media)


def _recorded_forms(size: IntArray, messages: Sequence[Message], parts: Sequence[tuple[int, int, Part]]) -> None:
    """Arguments and results as they stand in the request: an object is not escaped once more, a list of blocks is more than its text."""
    for row, (index, number, part) in enumerate(parts):
        if not isinstance(part, (ToolCall, ToolResult)):
            continue
        message = messages[index]
        place = (arguments_place if isinstance(part, ToolCall) else result_place)(message, number, message.wire)
        if place is not None and not isinstance(place.value, str):
            quotes = len('""') if isinstance(part, ToolCall) else 0  # what takes the place of arguments is an object too, but measured as a text
            around = len('{"output":}') if place.key == "response" and isinstance(place.value, dict) else 0
            size[row] = json_chars(place.value) + quotes - around


def _block_chars(messages: Sequence[Message], size: IntArray) -> IntArray:
    """Characters that go with a part: its block or item and a comma, where the parts stand one to one to blocks; else its text."""
    whole = size.copy()
    row = 0
    for message in messages:
        places = blocks(message.wire)
        if len(places) == len(message.parts) and len(places) > 1:
            whole[row : row + len(places)] = [json_chars(place.value) + (0 if isinstance(place.holder, dict) else 1) for place in places]
        row += len(message.parts)
    return whole


def _partners(thread: Thread, parts: Sequence[tuple[int, int, Part]]) -> NDArray[np.int32]:
    calls: dict[tuple[int, int], int] = {}
    results: dict[tuple[int, int], int] = {}
    order = -1
    last = -1
    for row, (index, number, part) in enumerate(parts):
        order = order if index == last else -1
        last = index
        if isinstance(part, ToolCall):
            order += 1
            calls[index, order] = row
        elif isinstance(part, ToolResult):
            results[index, number] = row
    partner = np.full(len(parts), -1, np.int32)
    for asked, (message, number) in tool_answers(thread).items():
        if asked in calls and (message, number) in results:
            partner[calls[asked]] = results[message, number]
            partner[results[message, number]] = calls[asked]
    return partner


def _tools(parts: Sequence[Part], partner: NDArray[np.int32]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    names: dict[str, int] = {}
    tool = np.full(len(parts), -1, np.int32)
    for row, part in enumerate(parts):
        asked = parts[partner[row]] if isinstance(part, ToolResult) and partner[row] >= 0 else part
        name = asked.name if isinstance(asked, (ToolCall, ToolResult)) else ""
        if isinstance(part, (ToolCall, ToolResult)) and name:
            tool[row] = names.setdefault(name, len(names))
    return tool, tuple(names)


def sequence_pieces(thread: Thread, sizes: Sizes, sequence: NDArray[np.int32]) -> Pieces:
    """Pieces of an epoch's sequence of messages.

    Args:
        thread: Of a session.
        sizes: Of the thread.
        sequence: Thread message per position.
    """
    every = thread_pieces(thread, sizes)
    starts = np.searchsorted(every.message, sequence)
    counts = np.searchsorted(every.message, sequence, side="right") - starts
    position = np.repeat(np.arange(len(sequence), dtype=np.int32), counts)
    rows = np.arange(counts.sum()) + np.repeat(starts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) if len(sequence) else starts
    place = np.full(len(every) + 1, -1, np.int32)
    place[rows] = np.arange(len(rows), dtype=np.int32)
    taken = {f.name: getattr(every, f.name)[rows] for f in fields(Pieces) if f.name != "tools"}
    return Pieces(**(taken | {"message": position, "partner": place[taken["partner"]]}), tools=every.tools)

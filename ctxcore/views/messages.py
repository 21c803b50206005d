"""One call's messages as a page lists them: in request order, with what became of each, a few lines of text, and all of it on demand."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ctxcore.columns import BoolArray, IntArray
from ctxcore.counted import count
from ctxcore.measures.attribution import message_tools
from ctxcore.measures.seen import answers_to
from ctxcore.model import Call, Media, Message, Other, Part, Reasoning, Text, ToolCall, ToolResult
from ctxcore.replay import DROPPED, EDITED, PINNED, Replay
from ctxcore.sizes.characters import NOTICE
from ctxcore.sizes.measure import home_category
from ctxcore.views.sent import real_users
from ctxcore.views.visible import shortened
from ctxcore.views.words import visible_lines

PAGE_SIZE = 25
"""Messages drawn at a time."""

PREVIEW_CHARS, PREVIEW_LINES = 280, 4
"""Of a message's text, before it is opened."""

FULL_CHARS = 200_000
"""Of a message's text or JSON, once opened."""

Show = Literal["all", "kept", "dropped", "pinned"]

SHOWS: tuple[Show, ...] = ("all", "kept", "dropped", "pinned")
"""What a list can be limited to; ``kept`` holds the pinned ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """One message of a request."""

    place: int
    """Position in the request, from 0."""
    message: int
    """Index in the thread."""
    role: str
    """As recorded."""
    what: str
    """Tools it calls or answers, in one line."""
    category: str
    """Whose colour it has."""
    status: str
    """``kept``, ``pinned``, ``dropped``, ``not sent`` where the call is refused, or ``reply`` for what answered it."""
    rule: str
    """Why it is dropped, or empty."""
    size: int
    """In the replay's unit."""
    turn: int
    """Turn of the request it stands in, from 1; 0 before the first."""
    preview: str
    """First lines."""
    hidden: int
    """Characters that the preview leaves out."""
    marks: tuple[str, ...]
    """What is odd about it, in words."""
    source: str
    """Where it stands in the file."""
    text: str | None = None
    """All of it, where opened."""
    raw: str | None = None
    """The record as JSON, where opened."""


def message_text(message: Message) -> str:
    """All that a reader can read of a message, each part under its name where there are several."""
    return "\n".join(part for part in map(_part_text, message.parts) if part)


def _part_text(part: Part) -> str:
    match part:
        case Text(text=text) | ToolResult(text=text):
            return text
        case Reasoning(text=text, opaque=opaque):
            return text or ("(reasoning, recorded in a form that cannot be read)" if opaque else "")
        case ToolCall(name=name, arguments=arguments):
            return f"{name}({arguments})"
        case Media(media_type=kind, width=width, height=height):
            return f"({kind or 'media'}{f', {width} × {height}' if width and height else ''})"
        case Other(type=kind, text=text):
            return text or f"({kind})"


def matching(replay: Replay, call: int, *, search: str = "", show: Show = "all") -> IntArray:
    """Positions in the request of the messages to list.

    Args:
        replay: Of the thread.
        call: Index in the thread.
        search: Text to find in a message, upper or lower case, or in the call that it answers; empty finds all.
        show: What became of them.
    """
    context = context_array(replay.thread.calls[call]).tolist()
    wanted = _shown(replay, call, show)
    if needle := search.casefold():
        answers = answers_to(replay.thread, search)
        found = (index in answers or needle in message_text(replay.thread.messages[index]).casefold() for index in context)
        wanted = wanted & np.fromiter(found, np.bool_, len(context))
    return np.flatnonzero(wanted).astype(np.int64)


def _shown(replay: Replay, call: int, show: Show) -> BoolArray:
    state = replay.message_status(call)
    wanted: BoolArray = np.ones(len(state), np.bool_)
    match show:
        case "all":
            pass
        case "kept":
            wanted = state != DROPPED
        case "dropped":
            wanted = state == DROPPED
        case "pinned":
            wanted = state == PINNED
    return wanted


def turn_numbers(replay: Replay, call: int) -> IntArray:
    """Turn of each message of the request, from 1; 0 before the first real user message."""
    return np.cumsum(real_users(replay.thread)[context_array(replay.thread.calls[call])], dtype=np.int64)


def turn_count(replay: Replay, call: int) -> int:
    """Turns in a call's context."""
    return int(turn_numbers(replay, call).max(initial=0))


def turn_start(replay: Replay, call: int, turn: int) -> int:
    """Position in the request of a turn's first message."""
    return int((turn_numbers(replay, call) < turn).sum())


def pages_of(positions: IntArray) -> int:
    """Pages that a list fills, at least one."""
    return max(1, -(-len(positions) // PAGE_SIZE))


def page_of(positions: IntArray, position: int) -> int:
    """Page, from 1, on which a position of the request is listed (or the next one that is)."""
    return min(int(np.searchsorted(positions, position)), max(0, len(positions) - 1)) // PAGE_SIZE + 1


def message_rows(
    replay: Replay, call: int, positions: IntArray, opened: Collection[tuple[int, str]] = (), *, search: str = ""
) -> tuple[MessageRow, ...]:
    """Rows for some messages of a request.

    Args:
        replay: Of the thread.
        call: Index in the thread.
        positions: In the request; one page of them.
        opened: Thread message and ``text`` or ``raw``: what is shown in full.
        search: Text that the rows were found by: the lines shown are those around it.
    """
    context = context_array(replay.thread.calls[call])
    state, turns = replay.message_status(call), turn_numbers(replay, call)
    rules = _rules(replay, call, positions)
    return tuple(
        _row(replay, call, place, int(context[place]), int(state[place]), int(turns[place]), rule, opened, search)
        for place, rule in zip(positions.tolist(), rules, strict=True)
    )


def _rules(replay: Replay, call: int, positions: IntArray) -> list[str]:
    """Why each message goes or changes, or empty."""
    rules: dict[int, list[str]] = {}
    for edit in replay.edits(call):
        rules.setdefault(edit.message, []).append(edit.rule)
    context = context_array(replay.thread.calls[call])
    return ["; ".join(dict.fromkeys(rules.get(message, ()))) for message in context[positions].tolist()]


def context_array(call: Call) -> IntArray:
    """Thread messages of a call's context, request order."""
    return np.concatenate([np.arange(start, stop) for start, stop in call.context] or [np.empty(0, np.int64)])


def _row(
    replay: Replay,
    call: int,
    place: int,
    index: int,
    state: int,
    turn: int,
    rule: str,
    opened: Collection[tuple[int, str]],
    search: str,
) -> MessageRow:
    status = "not sent" if replay.refused[call] else {DROPPED: "dropped", PINNED: "pinned", EDITED: "edited"}.get(state, "kept")
    return message_row(
        replay, index, place=place, status=status, turn=turn, rule=rule if status in ("dropped", "edited") else "", opened=opened, search=search
    )


def message_row(
    replay: Replay,
    index: int,
    *,
    place: int,
    status: str,
    turn: int,
    rule: str = "",
    opened: Collection[tuple[int, str]] = (),
    search: str = "",
) -> MessageRow:
    """One message of the thread as a row.

    Args:
        replay: Of the thread.
        index: Of the message in the thread.
        place: Position in the request.
        status: What became of it.
        turn: Turn of the request it stands in.
        rule: Why it is dropped, or empty.
        opened: Thread message and ``text`` or ``raw``: what is shown in full.
        search: The text that it was found by, or empty.
    """
    message = replay.thread.messages[index]
    text = message_text(message)
    shown = preview(text, search)
    tools = message_tools(replay.thread, replay.sizes, index)
    names = [f"result of {label}" if is_result else label for label, is_result in tools]
    marks = (*((message.injected,) if message.injected else ()), *(flag.replace("_", " ") for flag in message.flags))
    if search and search.casefold() not in text.casefold():
        marks = (*marks, "found by the call it answers")
    return MessageRow(
        place=place,
        message=index,
        role=shortened(message.role, 40),
        what=shortened(", ".join(names), 160),
        category=home_category(message),
        status=status,
        rule=rule,
        size=int(replay.sizes.message[index]),
        turn=turn,
        preview=visible_lines(shown),
        hidden=max(0, len(text) - len(shown)),
        marks=marks,
        source=shortened(str(message.source), 120),
        text=_full(text) if (index, "text") in opened else None,
        raw=_full(_json(message)) if (index, "raw") in opened else None,
    )


def preview(text: str, search: str = "") -> str:
    """The first lines of a text, or those around the first place that holds what is searched."""
    place = text.casefold().find(search.casefold()) if search else -1
    if place > PREVIEW_CHARS // 2:
        return f"…{text[place - PREVIEW_CHARS // 4 : place + PREVIEW_CHARS * 3 // 4]}"
    return "\n".join(text[:PREVIEW_CHARS].split("\n")[:PREVIEW_LINES])


def _full(text: str) -> str:
    cut = visible_lines(text[:FULL_CHARS])
    return cut if len(text) <= FULL_CHARS else f"{cut}\n… {count(len(text) - FULL_CHARS, 'more character')}; the file holds the rest."


def _json(message: Message) -> str:
    try:
        return json.dumps(message.raw, ensure_ascii=False, indent=2)
    except RecursionError:
        return "(nested too deeply to be shown)"


def notice_row(replay: Replay, call: int) -> tuple[str, int] | None:
    """Text and size of the omission notice that would stand in front, or None."""
    dropped = int(replay.dropped_messages[call])
    if replay.refused[call] or not dropped or not getattr(replay.policy, "notice", False):
        return None
    return NOTICE.format(count=dropped), int(replay.sizes.notice[len(str(dropped))])

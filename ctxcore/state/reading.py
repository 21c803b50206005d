"""The texts that a state is read from, and when they were said."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from ctxcore.model import Message, Other, Text, Thread, ToolCall, ToolResult


def source_text(message: Message) -> str:
    """All that a quote can stand in: the message's text, then the arguments of its tool calls, joined by newlines.

    A message without tool calls has exactly its text, so spans count its own code points.
    """
    return "\n".join([*_texts(message), *(call.arguments for call in message.calls)])


def spoken(message: Message) -> str:
    """What its author wrote: the text parts, as they stand at the start of the source text of a message without tool results."""
    return "\n".join(part.text for part in message.parts if isinstance(part, Text) and part.text)


def spoken_start(message: Message) -> int:
    """Where the spoken text begins in the source text; 0 wherever no tool result stands in the message."""
    found = source_text(message).find(spoken(message))
    return max(0, found)


def part_start(message: Message, wanted: ToolCall | ToolResult) -> int:
    """Where a tool call's arguments or a tool result begin in the source text."""
    place = 0
    for part, text in _pieces(message):
        if part is wanted:
            return place
        place += len(text) + 1
    return 0


def part_at(message: Message, place: int) -> int:
    """Index of the part that a code point of the source text stands in; -1 where it stands in none."""
    start = 0
    for part, text in _pieces(message):
        if start <= place <= start + len(text):
            return next(index for index, one in enumerate(message.parts) if one is part)
        start += len(text) + 1
    return -1


def _texts(message: Message) -> list[str]:
    text = message.text
    return [text] if text else []


def _pieces(message: Message) -> list[tuple[object, str]]:
    shown = [(part, part.text) for part in message.parts if isinstance(part, (Text, ToolResult, Other)) and part.text]
    return [*shown, *((call, call.arguments) for call in message.calls)]


def said_times(thread: Thread) -> tuple[datetime | None, ...]:
    """Per message when it was said; None is unknown.

    Its own time with the offset that it is recorded with, else the time of the first call that sent it.
    """
    sent: dict[int, float | None] = {}
    for call in thread.calls:
        for start, stop in call.context:
            for index in range(stop - 1, start - 1, -1):
                if index in sent:
                    break
                sent[index] = call.at
        if call.reply is not None:
            sent.setdefault(call.reply, call.at)
    return tuple(_said(message, sent.get(index)) for index, message in enumerate(thread.messages))


def _said(message: Message, sent: float | None) -> datetime | None:
    at = message.at if message.at is not None else sent
    recorded = _recorded(message)
    if recorded is not None or at is None:
        return recorded
    try:
        return datetime.fromtimestamp(at, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _recorded(message: Message) -> datetime | None:
    """The record's own timestamp where it names an offset: 23:30 in Shanghai is that day, whatever day it is elsewhere."""
    raw = message.raw
    text = raw.get("timestamp") if isinstance(raw, Mapping) else None
    if not isinstance(text, str):
        return None
    try:
        said = datetime.fromisoformat(text)
    except ValueError:
        return None
    return said if said.tzinfo else said.replace(tzinfo=UTC)

"""Source texts of messages: the one text of each message that every place counts in, and its passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxcore.compaction.values import Passage, Place, Voice
from ctxcore.model import Message, Other, Part, Reasoning, Text, ToolCall, ToolResult

VOICES: dict[str, Voice] = {"assistant": "agent", "model": "agent", "tool": "result", "function": "result"}
"""By role, for what is no tool call or result."""


def source_text(message: Message) -> str:
    """All words of a message: ``Message.text``, then reasoning and tool calls (name and arguments as recorded), joined by line ends."""
    return "\n".join(text for _, text in _pieces(message))


def passages(messages: Sequence[Message], which: Iterable[int] | None = None) -> tuple[Passage, ...]:
    """The passages of messages, each in one voice, with the round that it belongs to.

    Args:
        messages: Of a thread or a request.
        which: Indexes, in order; all if left out.
    """
    found: list[Passage] = []
    turn = 0
    for index in range(len(messages)) if which is None else which:
        turn += messages[index].is_real_user
        start = 0
        for part, text in _pieces(messages[index]):
            found.append(Passage(message=index, start=start, text=text, voice=_voice(messages[index], part), round=turn))
            start += len(text) + 1
    return tuple(found)


def expand(places: Iterable[Place], messages: Sequence[Message]) -> tuple[str, ...]:
    """The exact words that places stand for.

    Args:
        places: Of an item.
        messages: The originals.
    """
    return tuple(source_text(messages[place.message])[place.start : place.end] for place in places)


def _pieces(message: Message) -> list[tuple[Part, str]]:
    """Parts with words, those of ``Message.text`` first."""
    said = [(part, part.text) for part in message.parts if isinstance(part, (Text, ToolResult, Other)) and part.text]
    thought = [(part, part.text) for part in message.parts if isinstance(part, Reasoning) and part.text]
    asked = [(part, f"{part.name} {part.arguments}") for part in message.parts if isinstance(part, ToolCall)]
    return [*said, *thought, *asked]


def _voice(message: Message, part: Part) -> Voice:
    match part:
        case ToolCall():
            return "call"
        case ToolResult():
            return "result"
        case Reasoning():
            return "reasoning"
    return "person" if message.is_real_user else VOICES.get(message.role, "program")

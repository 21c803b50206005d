"""The text of a message as a page shows it: all of it, its first lines, or the record as JSON."""

from __future__ import annotations

import json

from ctxcore.counted import count
from ctxcore.model import Media, Message, Other, Part, Reasoning, Text, ToolCall, ToolResult
from ctxcore.redaction.masking import masked_part
from ctxcore.views.words import visible_lines

PREVIEW_CHARS, PREVIEW_LINES = 280, 4
"""Of a message's text, before it is opened."""


FULL_CHARS = 200_000
"""Of a message's text or JSON, once opened."""


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


def preview(text: str, search: str = "") -> str:
    """The first lines of a text, or those around the first place that holds what is searched; secrets masked as in the whole text."""
    start, stop = previewed(text, search)
    return f"{'…' if start else ''}{masked_part(text, start, stop)}"


def previewed(text: str, search: str = "") -> tuple[int, int]:
    """Which stretch of a text ``preview`` shows."""
    place = text.casefold().find(search.casefold()) if search else -1
    if place > PREVIEW_CHARS // 2:
        return place - PREVIEW_CHARS // 4, min(len(text), place + PREVIEW_CHARS * 3 // 4)
    return 0, len("\n".join(text[:PREVIEW_CHARS].split("\n")[:PREVIEW_LINES]))


def full_text(text: str) -> str:
    """A text as it is shown once it is opened: all of it up to a limit."""
    cut = visible_lines(masked_part(text, 0, FULL_CHARS))
    return cut if len(text) <= FULL_CHARS else f"{cut}\n… {count(len(text) - FULL_CHARS, 'more character')}; the file holds the rest."


def raw_json(message: Message) -> str:
    """The record of a message as JSON with line breaks."""
    try:
        return json.dumps(message.raw, ensure_ascii=False, indent=2)
    except RecursionError:
        return "(nested too deeply to be shown)"

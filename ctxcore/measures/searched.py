"""What of a message is searched for evidence: texts, results and arguments of calls; no reasoning, which providers leave out."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ctxcore.mentions import readable
from ctxcore.model import Message, Other, Part, Text, Thread, ToolCall, ToolResult
from ctxcore.units import PINNED_ROLES


def searched_text(part: Part) -> str:
    """What of a part is searched for evidence: JSON by its values, nothing of reasoning and media."""
    match part:
        case ToolCall(arguments=text):
            return readable(text, keys=False)
        case ToolResult(text=text):
            return readable(text)
        case Text(text=text) | Other(text=text):
            return text
        case _:
            return ""


def constant_texts(thread: Thread) -> Iterator[str]:
    """Texts of which nothing is evidence: system and developer messages, tool definitions."""
    for message in thread.messages:
        if message.role in PINNED_ROLES:
            yield from map(searched_text, message.parts)
    for tools in thread.tool_sets:
        yield readable(json.dumps(tools, ensure_ascii=False, default=str))


USED_PARTS = (Text, ToolCall)
"""Parts of a reply that use evidence: what it says, and the arguments of its calls."""


def used_text(message: Message) -> Iterator[str]:
    """Texts of a reply that use evidence."""
    for part in message.parts:
        if isinstance(part, USED_PARTS):
            yield searched_text(part)

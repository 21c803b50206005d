"""A history told again in the shape of another provider: who said what is the same, ids and the wrapping of results are not.

Source: format notes 2.0.3, 2.0.4 and 2.0.8: a session may change its provider; ids are optional, arguments text or objects, results text or objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ctxcore.model import Json, Reasoning, Text, ToolCall, ToolResult
from ctxcore.readers.said import loaded, message_of, provider_of_message

UNSAID = ("system", "developer")
"""Roles that each agent has texts of its own for."""

Word = tuple[str, ...]
"""One thing said: its kind, then what tells it apart."""


def retells(context: Sequence[Json], reply: Json | None, request: Sequence[Json]) -> bool:
    """True if a request to another provider begins with all of a context, as far as it can be told in both shapes; a reply must be among it.

    System texts and reasoning are left aside: they do not move on to another provider.

    Args:
        context: Recorded messages of the thread's newest call.
        reply: Its reply, or None.
        request: Recorded messages of the request.
    """
    if not context or not request or provider_of_message(context[-1]) == provider_of_message(request[-1]):
        return False
    told = _words(request)
    answered = False
    for word in _words(context):
        if next(told, None) != word:
            return False
        answered = answered or _is_of_model(word)
    return answered or (reply is not None and _begins(told, list(_words([reply]))))


def _begins(told: Iterator[Word], words: Sequence[Word]) -> bool:
    return bool(words) and all(next(told, None) == word for word in words)


def _is_of_model(word: Word) -> bool:
    return word[0] in ("call", "assistant")


def _words(messages: Sequence[Json]) -> Iterator[Word]:
    """What is said in messages, whatever the messages it is shared out to: some providers put the results of a turn into one message."""
    for value in messages:
        message = message_of(value)
        if message.role in UNSAID:
            continue
        for part in message.parts:
            match part:
                case Text(text=text):
                    yield from [(message.role, text.strip())] if text.strip() else []
                case Reasoning():
                    continue
                case ToolCall():
                    yield "call", part.name, _plain(loaded(part.arguments))
                case ToolResult():
                    yield "result", _plain(_unwrapped(loaded(part.text)))
                case _:
                    yield message.role, part.kind


def _unwrapped(value: Json) -> Json:
    """What a tool gave back, out of the object that Gemini asks for: ``{"result": …}``, ``{"return_value": …}``."""
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value


def _plain(value: Json) -> str:
    try:
        return value.strip() if isinstance(value, str) else json.dumps(value, sort_keys=True)
    except RecursionError:
        return ""  # nested beyond what anybody compares

"""What grouping needs to know of a message: is it pinned, a person's, and which tool calls and results stand in it."""

from __future__ import annotations

from typing import NamedTuple

from ctxcore.model import Message, ToolCall, ToolResult

PINNED_ROLES = frozenset({"system", "developer"})
"""Roles that no policy may drop. Source: the whole-unit rule, "What stays"."""


class Key(NamedTuple):
    """What a call and its result are matched by."""

    id: str
    """Recorded id, or empty."""
    name: str
    """Tool name, or empty."""


class Shape(NamedTuple):
    """All that grouping needs to know of a message."""

    pinned: bool
    """System or developer."""
    user: bool
    """A real user message."""
    calls: tuple[Key, ...]
    """Tool calls in it."""
    results: tuple[Key, ...]
    """Tool results in it."""


def shape(message: Message) -> Shape:
    """What grouping needs to know of a recorded message."""
    role = message.role
    results: list[Key] = []
    calls: list[Key] = []
    for part in message.parts:
        if isinstance(part, ToolResult):
            results.append(Key(part.call_id, part.name))
        elif isinstance(part, ToolCall) and role == "assistant":
            calls.append(Key(part.id, part.name))
    if calls and results:
        _settle(calls, results)
    user = role == "user" and not results and message.is_real_user
    return Shape(role in PINNED_ROLES, user, tuple(calls), tuple(results))


def _settle(calls: list[Key], results: list[Key]) -> None:
    """Take out the calls that their own message answers (a tool that the provider runs), with the answers."""
    for result in tuple(results):
        call = next((c for c in calls if c.id == result.id and (c.id or not result.name or c.name == result.name)), None)
        if call is not None:
            calls.remove(call)
            results.remove(result)

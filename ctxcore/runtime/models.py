"""What a model is to the runtime, and one that follows a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ctxcore.counted import count

ChatMessage = dict[str, Any]
"""A Chat message as a plain dict."""

ToolDefinition = dict[str, Any]
"""A tool as it is sent: ``{"type": "function", "function": {name, description, parameters}}``."""


class Answer(dict[str, Any]):
    """A reply with what its endpoint says about it; a plain message for everyone who does not ask.

    Attributes:
        usage: As the endpoint counted, or None.
        model: Name that the endpoint answered with, or empty.
        id: Of the response, or empty.
        finish_reason: Why the reply ends, or empty.
    """

    def __init__(self, message: ChatMessage, *, usage: dict[str, Any] | None = None, model: str = "", id: str = "", finish_reason: str = "") -> None:
        super().__init__(message)
        self.usage, self.model, self.id, self.finish_reason = usage, model, id, finish_reason


class Model(Protocol):
    """Anything that answers a Chat request."""

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        """The assistant message that answers.

        Args:
            messages: The whole context.
            tools: Definitions as they are sent.
        """
        ...


class Remembers(Protocol):
    """The memory of one conversation; see ``memory.MemorySession``."""

    def around(self, model: Model) -> Model:
        """The model, its requests put together with what is remembered."""
        ...

    def note(self, messages: Sequence[ChatMessage]) -> None:
        """Keep messages of the conversation."""
        ...


class HasSession(Protocol):
    """A memory, or the session of one."""

    def session(self) -> Remembers:
        """The memory of one conversation."""
        ...


Reply = ChatMessage | Callable[[list[ChatMessage], list[ToolDefinition]], ChatMessage]
"""A message, or a function that makes one from the request."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model received."""

    messages: list[ChatMessage]
    """The context."""
    tools: list[ToolDefinition]
    """Tool definitions."""


class NotRecorded(OSError):
    """The record of a call cannot be written: no fault of the model, and the run ends with it."""


class ScriptEnded(RuntimeError):
    """A scripted model was called once more than it has replies."""


class ScriptedModel:
    """Gives its replies in order, whatever is asked; keeps the requests it received in ``requests``."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = tuple(replies)
        self.requests: list[Request] = []

    async def complete(self, messages: list[ChatMessage], tools: list[ToolDefinition]) -> ChatMessage:
        """The next reply.

        Raises:
            ScriptEnded: No reply is left.
        """
        position = len(self.requests)
        self.requests.append(Request(messages, tools))
        if position >= len(self._replies):
            raise ScriptEnded(f"The script has {count(len(self._replies), 'reply', 'replies')} and was asked for one more.")
        reply = self._replies[position]
        return reply(messages, tools) if callable(reply) else reply

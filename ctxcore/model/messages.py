"""One entry of a context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ctxcore.frozen import made_when_read, quick_init
from ctxcore.model.parts import Media, Other, Part, Text, ToolCall, ToolResult
from ctxcore.model.places import SourceRef
from ctxcore.model.words import Injected, Json


@made_when_read("raw")
@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a context."""

    role: str
    """As recorded: system, developer, user, assistant, tool, function, or a role that no rule knows."""
    parts: tuple[Part, ...]
    """In recorded order."""
    wire: tuple[Mapping[str, Json], ...]
    """The JSON objects that stand for it in a request: one, or several for the items of one Responses reply."""
    raw: Json
    """The record as it stands in the log, unknown fields included. A reader may give a ``Later``; who reads it gets the record."""
    source: SourceRef
    """Where it stands."""
    id: str = ""
    """The log's own id, or empty."""
    at: float | None = None
    """Unix seconds."""
    injected: Injected = ""
    """Why a user-role message is not a person's."""
    flags: tuple[str, ...] = ()
    """Stable words for what is odd: ``unknown_role``, ``arguments_not_json``, ``signed_thinking_empty`` and so on."""

    @property
    def text(self) -> str:
        """Text and reasoning-free content: text parts and tool results, joined by newlines."""
        return "\n".join(p.text for p in self.parts if isinstance(p, (Text, ToolResult, Other)) and p.text)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Tool calls in it, in order."""
        return tuple(p for p in self.parts if isinstance(p, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Tool results in it, in order."""
        return tuple(p for p in self.parts if isinstance(p, ToolResult))

    @property
    def is_real_user(self) -> bool:
        """True for a person's message: user role, not blank, no tool results, not injected.

        Source: the whole-unit rule. Only such a message starts a turn or is the current task.
        """
        if self.role != "user" or self.injected:
            return False
        real = False
        for part in self.parts:
            match part:
                case ToolResult():
                    return False
                case Text(text=text) | Other(text=text):
                    real = real or bool(text.strip())
                case Media():
                    real = True
        return real

"""What a message is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ctxcore.frozen import quick_init


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Plain text that a person or the model wrote."""

    text: str
    """As recorded."""
    kind: Literal["text"] = "text"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    """The model's thinking; may be empty, redacted or encrypted."""

    text: str
    """As recorded; empty where only an opaque form exists."""
    opaque: bool = False
    """True where the log holds only a signature or an encrypted form."""
    kind: Literal["reasoning"] = "reasoning"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """The model asks for a tool."""

    id: str
    """As recorded; empty where the log has none."""
    name: str
    """As recorded; empty where the log has none."""
    arguments: str
    """The recorded string; compact JSON where the log holds an object."""
    kind: Literal["tool_call"] = "tool_call"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image, document or sound; its bytes stay in ``Message.raw``."""

    media_type: str
    """MIME type, or empty."""
    width: int | None = None
    """Pixels, where the header tells."""
    height: int | None = None
    """Pixels, where the header tells."""
    payload_chars: int = 0
    """Characters that the payload (base64 or address) takes in the request."""
    kind: Literal["media"] = "media"
    """Tag."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gave back."""

    call_id: str
    """Id of the call it answers; empty where the log has none."""
    text: str
    """All text of the result, joined by newlines."""
    name: str = ""
    """The tool's name where the result itself has it (old function results)."""
    is_error: bool | None = None
    """Marked as failed or not by the log; None where it does not say."""
    media: tuple[Media, ...] = ()
    """Images and the like inside the result."""
    kind: Literal["tool_result"] = "tool_result"
    """Tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A part of a kind that no rule knows, kept as it is."""

    type: str
    """The recorded type."""
    text: str = ""
    """Readable text in it, if any."""
    kind: Literal["other"] = "other"
    """Tag."""


Part = Text | Reasoning | ToolCall | ToolResult | Media | Other

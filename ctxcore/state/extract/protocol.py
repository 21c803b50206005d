"""What an extractor is."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import ClassVar, Protocol

from ctxcore.model import Json
from ctxcore.state.values import Touch
from ctxcore.tool_uses import ToolUse


class Extractor(Protocol):
    """Reads one way in which tool calls touch things."""

    name: ClassVar[str]
    """Stable."""
    looks_for: ClassVar[str]
    """For people: what is recognised."""

    def touches(self, use: ToolUse) -> tuple[Touch, ...]:
        """What the tool call touches; empty where the extractor knows nothing of it."""
        ...


def clean_path(path: str, folder: str = "") -> str:
    """A path without empty and ``.`` parts, joined to a folder where it is relative and one is recorded."""
    joined = posixpath.join(folder, path) if folder else path
    return posixpath.normpath(joined) if "/" in joined else joined


def text_at(arguments: Mapping[str, Json], *names: str) -> str:
    """The first of these arguments that is a text with something in it, or empty."""
    return next((arguments[name] for name in names if isinstance(arguments.get(name), str) and arguments[name].strip()), "")


def lines_of(text: str) -> int:
    """Lines of a text; a last one without its break counts."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def changed_lines(old: str, new: str) -> str:
    """``+3 −1 lines``: how much text an edit puts in and takes out."""
    return f"+{lines_of(new)} −{lines_of(old)} lines"

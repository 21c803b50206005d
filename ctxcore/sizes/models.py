"""Models' names as logs write them: with provider paths, regions, dates and deployment prefixes around the family."""

from __future__ import annotations

import re

NEWEST_CLAUDE = (9, 0)
"""Stands for a Claude model whose name holds no version."""

_CLAUDE = re.compile(r"(?<![a-z0-9])claude(?![a-z0-9])")
_CLAUDE_VERSION = re.compile(r"claude(?:-[a-z]+)*[-.]v?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")


def model_key(model: str) -> str:
    """The name in the form that rules are written for: lower case, no blanks around it."""
    return model.strip().lower()


def family(pattern: str) -> re.Pattern[str]:
    """A rule's expression: the family's name may stand anywhere, but not inside a longer word.

    Args:
        pattern: Expression for a ``model_key``, for example ``gpt-4o``; it then fits ``openai/gpt-4o`` and ``azure:gpt-4o-mini`` too.
    """
    return re.compile(rf"(?<![a-z0-9])(?:{pattern})")


def claude_version(model: str) -> tuple[int, int] | None:
    """Major and minor version of a Claude model, or None for another model; ``NEWEST_CLAUDE`` where the name has no version.

    Both orders of a name occur: ``claude-3-5-sonnet-20241022`` and ``claude-opus-4-8``; a date is not a version.
    """
    key = model_key(model)
    if not _CLAUDE.search(key):
        return None
    found = _CLAUDE_VERSION.search(key)
    if not found:
        return (1, 2) if "claude-instant" in key else NEWEST_CLAUDE
    return int(found[1]), int(found[2] or 0)

"""Sentences and numbers for people: thousands separators, units, and where a number comes from."""

from __future__ import annotations

import re

from ctxcore.views.visible import STEERING, visible

MARKDOWN = re.compile(r"([!-/:-@\[-`{-~])")
"""ASCII punctuation, all of which Markdown may take as a command and a backslash turns off. Source: CommonMark, "Backslash escapes"."""


def literal(text: str) -> str:
    """Text as a Markdown renderer must get it to show exactly these characters, in one line."""
    return MARKDOWN.sub(r"\\\1", visible(text))


def visible_lines(text: str) -> str:
    """The text with its line breaks and tabs, and a visible mark for every other character that would not be seen as itself."""
    return STEERING.sub(lambda match: match.group() if match.group() in "\n\t" else visible(match.group()), text)


def number(value: int) -> str:
    """A whole number with thousands separators."""
    return f"{value:,}"


def amount(value: int, unit: str) -> str:
    """A size with its unit."""
    return f"{value:,} {unit}"

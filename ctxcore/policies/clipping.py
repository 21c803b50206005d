"""Long texts cut to their beginning and end."""

from __future__ import annotations

from collections.abc import Callable

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Layer, rewritten, window
from ctxcore.policies.history import History


def ends(text: str, head: int, tail: int, between: str) -> str:
    """The first and last characters of a text with words between them.

    Args:
        text: As it was.
        head: Characters of its beginning.
        tail: Characters of its end.
        between: Stands in place of the middle.
    """
    return f"{text[:head]}{between}{text[len(text) - tail :]}"


def clips(history: History, rule: str, items: IntArray, longest: int, shorten: Callable[[str], str]) -> Layer:
    """Every one of these pieces that is too long is cut as soon as it stands in a context.

    Args:
        history: Of the epoch.
        rule: Why.
        items: Pieces, ascending.
        longest: Characters that stay as they are.
        shorten: What becomes of a longer text.
    """
    long = items[history.pieces.chars[items] > longest]

    def text(piece: int) -> str:
        return shorten(history.text(piece))

    return window(history, "clip", rule, long, stop=history.begun_pieces(long), freed=rewritten(history, long, text), text=text)

"""Many texts looked for at once: one pattern that branches by their first letters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

DEPTH = 16
"""Letters by which the pattern branches; behind them the texts stand one after the other."""


def any_of(texts: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds any of the texts, the longest where several begin at one place; none for no text.

    Args:
        texts: Not empty ones.
    """
    given = sorted(set(texts))
    return re.compile(_branches(given, 0) if given else r"(?!)")


def _branches(texts: list[str], depth: int) -> str:
    if len(texts) == 1 or depth == DEPTH:
        return f"(?:{'|'.join(re.escape(text) for text in sorted(texts, key=len, reverse=True))})"
    groups: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        groups[text[:1]].append(text[1:])
    ended = groups.pop("", None)
    inside = "|".join(re.escape(letter) + _branches(rest, depth + 1) for letter, rest in groups.items())
    return f"(?:{inside})?" if ended is not None and inside else f"(?:{inside})" if inside else ""

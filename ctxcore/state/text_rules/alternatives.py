"""Words as alternatives of a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """A pattern of these words as they stand, the longest first: a short one would match the beginning of a longer one."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))

"""Whether a number counts the thing that is named right after it (two paragraphs): then it is no value of what stands before it."""

from __future__ import annotations

import re

from ctxcore.state.text_rules.key_words import GOES_ON_EN

_NEXT = re.compile(r"\s(?P<word>[A-Za-z][a-z'’-]*|[A-Z]\d?)(?![\w])")
_GOES_ON = frozenset(GOES_ON_EN.split())


def counts_a_thing(text: str, end: int) -> bool:
    """A word that is no function word follows the number directly."""
    following = _NEXT.match(text, end, end + 40)
    return following is not None and following["word"].lower() not in _GOES_ON

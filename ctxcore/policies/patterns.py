"""Regular expressions that a user gives, held to a length and to a time: some take longer than the universe on a text of fifty characters."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import regex

from ctxcore.errors import InputError, shown

MOST_CHARS = 500
"""Of one pattern."""

MOST_PATTERNS = 20
"""In one setting."""

SECONDS = 2.0
"""For all texts of one plan together. A sound pattern takes a thousandth of that on a long session."""


def check_patterns(patterns: Sequence[str]) -> None:
    """Refuse what is no regular expression of Python's ``re``, and what is too long.

    Args:
        patterns: As given.

    Raises:
        InputError: One of them is.
    """
    if len(patterns) > MOST_PATTERNS:
        raise InputError(f"{len(patterns):,} patterns are given; at most {MOST_PATTERNS} are taken.")
    for pattern in patterns:
        if len(pattern) > MOST_CHARS:
            raise InputError(f"The pattern {shown(pattern)} has {len(pattern):,} characters; at most {MOST_CHARS} are taken.")
        try:
            re.compile(pattern, re.DOTALL)
            regex.compile(pattern, regex.DOTALL | regex.VERSION0)
        except (re.error, regex.error, OverflowError, RecursionError) as error:
            raise InputError(f"{shown(pattern)} is no regular expression: {error}.") from error


class TooSlow(Exception):
    """A pattern did not come to an end in time.

    Attributes:
        pattern: The one that was running.
    """

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern


class Removal:
    """What is left of texts without what matches, within one limit of time for all of them; each text is looked at once."""

    def __init__(self, patterns: Sequence[str], seconds: float = SECONDS) -> None:
        """Begin.

        Args:
            patterns: Checked ones, applied one after another; a dot matches line ends too.
            seconds: For all texts together.
        """
        self._patterns = [(pattern, regex.compile(pattern, regex.DOTALL | regex.VERSION0)) for pattern in patterns]
        self._left_s = seconds
        self._known: dict[str, str] = {}

    def without(self, text: str) -> str:
        """The text without what matches.

        Raises:
            TooSlow: The time is over.
        """
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._removed(text)
        return found

    def _removed(self, text: str) -> str:
        for pattern, compiled in self._patterns:
            begin = time.monotonic()
            try:
                text = compiled.sub("", text, timeout=max(self._left_s, 1e-3))
            except TimeoutError as error:
                self._left_s = 0.0
                raise TooSlow(pattern) from error
            self._left_s -= time.monotonic() - begin
        return text

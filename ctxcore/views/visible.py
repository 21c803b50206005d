"""Text of a session made safe to print: what would steer a terminal or reorder a line is shown as a mark."""

from __future__ import annotations

import re
import unicodedata

from ctxcore.redaction.masking import masked, masked_part

STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]")
"""Controls (C0, DEL, C1), invisible and bidirectional format characters, tag characters, lone surrogates.

Source: Unicode categories Cc, Cs and the Cf characters that hide or reorder text (UAX #9, UTS #55).
"""

BREAKS = re.compile(r"\s*[\r\n]\s*")
"""A line break and the white space around it."""

JSON_STEERING = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
"""The same without what JSON escapes itself and without lone surrogates."""

LONE_SURROGATES = re.compile("[\ud800-\udfff]")


WHITE_SPACE = 64
"""As many characters as an excerpt has are looked through for each that it shows: the others may be white space."""

LONG_PATH = re.compile(
    r"(?<![^\s\"'(=])(?:[A-Za-z]:|~|\.{1,2})?/?(?<![:/]/)(?:[^/\s\"'(]{1,80}/){3,40}([^/\s\"'(]{1,80}/[^/\s\"';,)]{1,120})(?![^\s,;:)\"'])"
)
"""A path of five parts or more, from the root or from where the program ran; no address of the web."""


def visible(text: str) -> str:
    """The text in one line, secrets masked, with a visible mark for every character that would not be seen as itself.

    Controls become their Unicode pictures (ESC is ``␛``), other format characters ``<U+202E>``, lone surrogates ``<U+D800>``.
    """
    return marked(masked(text))


def marked(text: str) -> str:
    """The same with nothing masked: for text of which a person has looked at the secrets."""
    return STEERING.sub(_mark, text)


def shortened(text: str, width: int) -> str:
    """``visible`` text cut to a number of characters, with an ellipsis where something is missing.

    What is masked is decided before the cut, so no part of a secret stays in front of it.
    """
    return _cut(marked(masked_part(text, 0, width + 1)), width, whole=len(text) <= width)


def line_at(text: str, start: int, width: int) -> str:
    """``shortened`` text from a place on, line breaks and the white space around them as single spaces."""
    size = width + 1
    while True:
        shown, whole = one_line(masked_part(text, start, start + size)), start + size >= len(text)
        if whole or len(shown) > width or size > WHITE_SPACE * width:
            return _cut(marked(shown), width, whole=whole)
        size *= 4


def _cut(shown: str, width: int, *, whole: bool) -> str:
    return shown if whole and len(shown) <= width else shown[: width - 1] + "…"


def one_line(text: str) -> str:
    """Text whose line breaks, with the white space around them, are single spaces: for excerpts, where marks of them would only be in the way."""
    return BREAKS.sub(" ", text)


def short_paths(text: str) -> str:
    """Text whose long paths are cut to their last two parts."""
    return LONG_PATH.sub(r"…/\1", text)


def cells(letter: str) -> int:
    """Width of a letter: a wide one (Chinese, Japanese, Korean) takes 2 cells, any other 1.

    Source: Unicode Standard Annex #11, classes W and F.
    """
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def fitted(text: str, width: int) -> str:
    """``visible`` text cut to a width in cells."""
    shown, used, before_mark = marked(masked_part(text, 0, width + 1)), 0, 0
    for place, letter in enumerate(shown):
        used += cells(letter)
        if used > width:
            return f"{shown[:before_mark]}…"
        before_mark = place + 1 if used < width else before_mark
    return shown if len(text) <= width + 1 else f"{shown[:before_mark]}…"


def _mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"

"""Stretches of a user's message that are pasted output and no words of the user: logs of tests, stack traces, diffs, code in marked fences.

Only what a program alone writes opens such a stretch; lines that are indented under it belong to it. A list of files or a sentence with a place in
a file is left to the user.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

BEGINNINGS = (
    r"\s*=== (?:RUN|NAME|PAUSE|CONT)\b",
    r"\s*--- (?:FAIL|PASS|SKIP):",
    r"={3,} .{1,200} ={3,}",
    r"(?:FAIL|PASS|ok)(?:\s*$|\s+\S{1,200}\s+[0-9.]+s\b)",
    r"Traceback \(most recent call last\)",
    r"\s+File \".{1,200}\", line [0-9]+",
    r"\s+at \S.{0,200}:[0-9]+\)?\s*$",
    r"(?:\s+[\w./-]{1,200}\.\w{1,8}:[0-9]+|[\w./-]{1,200}\.\w{1,8}:[0-9]+:[0-9]+): ",
    r"\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}",
    r"npm (?:ERR!|error|WARN)",
    r"error\[[A-Z][0-9]+\]:",
    r"\s*[│├└┌]",
)
"""How a line begins that a test runner, an interpreter, a compiler, a logger or a tree view writes."""

MARKS = re.compile("|".join(BEGINNINGS))

DIFF = re.compile(r"diff --git |@@ .{1,100} @@")
"""How a diff begins."""

OF_A_DIFF = re.compile(r"[-+@ ]|index [0-9a-f]|diff --git |(?:new|deleted) file ")
"""How its further lines do."""

FENCE = re.compile(r"\s{0,3}```[A-Za-z+#]+\s*$")
"""A fence that names its language."""

READ = 300
"""Characters of a line that are looked at."""

GATE = re.compile(r"[=-]{3} |={3,}|FAIL|PASS|^ok\s|Traceback|\", line |:[0-9]+|@@|diff --git|npm |error\[|[│├└┌]|```[A-Za-z]", re.MULTILINE)
"""What a text without any of this needs no look."""


class Pasted:
    """The pasted stretches of one text."""

    def __init__(self, text: str) -> None:
        self._spans = list(_merged(text)) if GATE.search(text) else []
        self._starts = [start for start, _ in self._spans]

    def __contains__(self, place: int) -> bool:
        """True where a character is pasted."""
        at = bisect_right(self._starts, place) - 1
        return at >= 0 and place < self._spans[at][1]


def _merged(text: str) -> Iterator[tuple[int, int]]:
    start, at = -1, 0
    for line, pasted in _lines(text):
        if pasted and start < 0:
            start = at
        if not pasted and start >= 0:
            yield start, at
            start = -1
        at += len(line)
    if start >= 0:
        yield start, at


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line with its end, and whether it is pasted."""
    inside = ""
    for line in text.splitlines(keepends=True):
        begin = line[:READ].rstrip("\r\n")
        if inside == "fence":
            inside = "" if begin.strip() == "```" else inside
            yield line, True
            continue
        inside = _opened(begin, inside)
        yield line, bool(inside)


def _opened(line: str, inside: str) -> str:
    """What a line is part of: a fence, a diff, a log, or nothing."""
    if FENCE.match(line):
        return "fence"
    if DIFF.match(line) or (inside == "diff" and OF_A_DIFF.match(line)):
        return "diff"
    if MARKS.match(line) or (inside == "log" and (line[:2].isspace() or not line.strip())):
        return "log"
    return ""

"""Which tool calls can be told to be a step's where several steps were called done at once: those that name the step's words.

A step's words are those of its title without common verbs, and without what the titles of the steps beside it share. A tool call is a step's if its
arguments, or the name of a tool that is made for one thing, hold two of them, or the only one; tests are of steps that speak of tests, builds of
steps that speak of builds, and a file that is written is of none that verifies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxcore.plan.outcomes import Outcomes, WorkKind

COMMON = frozenset(
    {"an", "and", "the", "all", "any", "of", "for", "from", "into", "to", "in", "on", "or", "with", "without", "via", "per", "it", "its", "this"}
    | {
        "that",
        "then",
        "new",
        "add",
        "create",
        "implement",
        "update",
        "write",
        "make",
        "build",
        "run",
        "set",
        "setup",
        "use",
        "using",
        "ensure",
        "fix",
    }
    | {"step", "task", "file", "code", "work", "final", "remaining", "relevant", "existing", "minimal", "basic", "simple", "other"}
)
"""Words that tell no step from another."""

BY_KIND: dict[WorkKind, re.Pattern[str]] = {
    "test": re.compile(r"\btest|verif|validat|测试|验证", re.IGNORECASE),
    "check": re.compile(r"\bbuild|\blint|\bcompil|type.?check|verif|构建|编译", re.IGNORECASE),
}
"""What the title of a step says whose tests or builds these are."""

VERIFIES = re.compile(r"verif|validat|\brun\b.*\btest|验证", re.IGNORECASE)
"""Titles of steps that are not done by writing a file, whatever the file is about."""

NEEDED = 2
"""Words that a tool call shares with a step; one where the step has only one."""

MOST_CHARS = 40_000
"""Of a tool call's arguments that are read."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[a-z][a-z0-9]+|[\u4e00-\u9fff]+")


def words(text: str) -> frozenset[str]:
    """Words in small letters without a plural's s; of Chinese every two characters that stand together."""
    found: set[str] = set()
    for word in _WORD.findall(_CAMEL.sub(" ", text).lower()):
        if word[0] > "z":
            found.update(word[place : place + 2] for place in range(max(1, len(word) - 1)))
        else:
            found.add(word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word)
    return frozenset(found) - COMMON


def told_apart(titles: Sequence[str]) -> tuple[frozenset[str], ...]:
    """Per title the words that no other of them has; all of its words where none are left."""
    own = [words(title) for title in titles]
    apart = [mine - frozenset().union(*(other for place, other in enumerate(own) if place != number)) for number, mine in enumerate(own)]
    return tuple(left or mine for left, mine in zip(apart, own, strict=True))


def attributed(done: Outcomes, places: Sequence[int], title: str, named: frozenset[str]) -> tuple[int, ...]:
    """Those of some tool calls that are a step's.

    Args:
        done: Of the thread.
        places: Tool uses, in order.
        title: Of the step.
        named: Its words, from ``told_apart``.
    """
    return tuple(place for place in places if _is_of(done, place, title, named))


def _is_of(done: Outcomes, place: int, title: str, named: frozenset[str]) -> bool:
    kind = done.each[place].kind
    if kind == "none" or (kind == "edit" and VERIFIES.search(title)):
        return False
    speaks = BY_KIND.get(kind)
    if speaks is not None and speaks.search(title):
        return True
    use = done.uses[place]
    spoken = words(use.tool.arguments[:MOST_CHARS]) | (words(use.name) if kind == "other" else frozenset())
    shared = len(named & spoken)
    return bool(shared) and shared >= min(NEEDED, len(named))

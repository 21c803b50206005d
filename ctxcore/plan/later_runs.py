"""Which failures of tests no later run made good: one of everything does, a narrower one only what it covers or is seen to pass."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctxcore.plan.attribution import words
from ctxcore.plan.commands import QUOTED, TEST, command_line, programs
from ctxcore.plan.outcomes import Outcomes
from ctxcore.plan.suites import CHOICE, NO_SUBJECT, REDIRECTED, TEXT_CHARS, failing_tests, target
from ctxcore.tool_uses import ToolUse

PASSED = (
    re.compile(r"^ ?PASS +(\S+\.[cm]?[jt]sx?)\b", re.MULTILINE),
    re.compile(r"^ *[✓✔] (\S+\.[cm]?[jt]sx?) ", re.MULTILINE),
    re.compile(r"^(\S+::\S+) PASSED", re.MULTILINE),
    re.compile(r"^ok +\t?(\S+)\s+[\d.(]", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. ok", re.MULTILINE),
)
"""Lines that name a test or a file of tests that passed: jest, vitest, pytest, go, cargo."""

PACKAGE = re.compile(r"^FAIL\t(\S+)\t", re.MULTILINE)
"""A package whose tests failed, of go: its tests are named without it."""

EITHER = re.compile(r"\bor\b|[|,]")
"""Between names that an option chooses."""


@dataclass(slots=True, kw_only=True)
class _Open:
    """A run that failed."""

    names: frozenset[str]
    """Tests or files that are not made good yet; empty where the report does not name them."""
    scope: tuple[str, ...]
    """What narrowed the run; empty for one of everything."""


def open_failures(done: Outcomes, low: int, high: int) -> tuple[int, ...]:
    """Places of runs that failed and that no later run before ``high`` makes good, ascending.

    Args:
        done: Of the thread.
        low: First place.
        high: One past the last.
    """
    found: dict[int, _Open] = {}
    for place in range(low, high):
        one = done.each[place]
        if one.kind != "test" or one.ok is None:
            continue
        use = done.uses[place]
        scope = _scope(use, one.what)
        found = {at: left for at, was in found.items() if scope and (left := _left(was, use, scope, passed=one.ok))}
        if one.ok is False:
            found[place] = _Open(names=_failing(use), scope=scope)
    return tuple(place for place in found if not _told_later(found, place))


def _told_later(found: dict[int, _Open], place: int) -> bool:
    """All that a run leaves open a later one leaves open too."""
    later = frozenset().union(*(one.names for at, one in found.items() if at > place))
    return bool(found[place].names) and found[place].names <= later


def _left(was: _Open, use: ToolUse, scope: tuple[str, ...], *, passed: bool) -> _Open | None:
    """What a narrower run leaves open of an earlier failure; None for nothing."""
    seen = _passing(use)
    covering = (*scope, *seen) if passed else seen
    if not was.names:
        made_good = passed and bool(was.scope) and all(_covered(one, scope) for one in was.scope)
        return None if made_good else was
    names = frozenset(name for name in was.names if not _covered(name, covering))
    return _Open(names=names, scope=was.scope) if names else None


def _covered(name: str, scope: tuple[str, ...]) -> bool:
    """One of the texts names the test, its file, or a folder above it; paths may begin at different places, and modules are written with dots."""
    place = name.partition("::")[0].removeprefix("./")
    for text in scope:
        plain = text.removeprefix("./").removesuffix("/...").rstrip("/")
        dotted = plain.removesuffix(".py").replace("/", ".")
        if plain and (plain.lower() in name.lower() or dotted in name or plain.endswith(f"/{place}")):
            return True
    return False


def _failing(use: ToolUse) -> frozenset[str]:
    text = use.result.text if use.result is not None else ""
    return frozenset(PACKAGE.findall(text[-TEXT_CHARS:])) or failing_tests(use)


def _passing(use: ToolUse) -> tuple[str, ...]:
    """Tests and files of tests that the output says passed."""
    text = use.result.text[-TEXT_CHARS:] if use.result is not None else ""
    return tuple(name for form in PASSED for name in form.findall(text))


def _scope(use: ToolUse, what: str) -> tuple[str, ...]:
    """What narrows a run: paths, modules, names that an option chooses; empty where any of its programs runs everything."""
    command = command_line(use) or (what if use.word == "writestdin" else "")
    if not command:
        return tuple(target(use).split())
    options = [REDIRECTED.sub("", part[found.end() :]) for part in programs(command) if (found := TEST.match(part))]
    quoted = [text.strip("'\"") for text in QUOTED.findall(command)]
    each = [_narrowed(one, quoted) for one in options]
    return tuple(text for texts in each for text in texts) if all(each) else ()


def _narrowed(options: str, quoted: list[str]) -> list[str]:
    """Texts by which one program's run is narrowed; quoted words stand as ``_`` in its options."""
    told = [word for word in options.split() if not word.startswith("-")]
    named = [word for word in told if ("/" in word or "." in word) and words(word) - NO_SUBJECT]
    if CHOICE.search(options):
        named = [word for word in told if word != "_"]
    if "_" in told:
        named += [one.strip() for text in quoted for one in EITHER.split(text)]
    return named

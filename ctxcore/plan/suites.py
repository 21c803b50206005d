"""What a test run covers, and whose tests failed in it: told by the names that its arguments and its output hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from ctxcore.model import Json
from ctxcore.plan.attribution import words
from ctxcore.plan.commands import TEST, command_line, programs
from ctxcore.plan.reports import failures, report_objects
from ctxcore.tool_uses import ToolUse

NAMED = (
    re.compile(r"^(?:FAILED|ERROR) +([^\s(]\S*)", re.MULTILINE),
    re.compile(r"^(?:FAIL|ERROR): (\S+) \(([\w.]+)", re.MULTILINE),
    re.compile(r"^\s*--- FAIL: (\S+)", re.MULTILINE),
    re.compile(r"^test (\S+) \.\.\. FAILED", re.MULTILINE),
    re.compile(r"^ ?FAIL +(\S+\.[cm]?[jt]sx?)\b", re.MULTILINE),
)
"""Lines that name a test that failed: pytest, unittest, go, cargo, jest."""

MOST_NAMES, TEXT_CHARS = 200, 40_000
"""Names that are read of one run, from the end of its output."""

NO_SUBJECT = frozenset({"test", "tests", "spec", "py", "js", "ts", "jsx", "tsx", "src", "unittest", "pytest"})
"""Words of a test's name that say nothing of what it is about."""

TARGET_KEYS = ("path", "paths", "file", "files", "target", "targets", "test", "tests", "pattern", "filter", "name", "module", "suite", "keyword")
"""Arguments of a tool that runs tests by which it is narrowed."""

CHOICE = re.compile(r"(?:^| )(?:-k|-t|--filter|--grep|-run)[ =]")
"""Options of a test command that choose tests by name."""

REDIRECTED = re.compile(r"\d?>&?\S*")


def failing_tests(use: ToolUse) -> frozenset[str]:
    """Names of the tests that failed in a run; empty where its report does not name each of them."""
    text = use.result.text if use.result is not None else ""
    if text.lstrip().startswith("{"):
        names = frozenset(_listed(text))
    else:
        names = frozenset(".".join(match.groups()[::-1]) for form in NAMED for match in form.finditer(text[-TEXT_CHARS:]))
    number = failures(text)
    return names if len(names) >= int(number or 1) and len(names) <= MOST_NAMES else frozenset()


def _listed(text: str) -> Iterable[str]:
    for place in report_objects(text):
        found = place.get("failures", place.get("failed_tests"))
        if isinstance(found, list):
            yield from (name for one in found[: MOST_NAMES + 1] if (name := _name(one)))


def _name(one: Json) -> str:
    if isinstance(one, dict):
        one = next((one[key] for key in ("test", "nodeid", "id", "name") if isinstance(one.get(key), str)), None)
    return one if isinstance(one, str) else ""


def subject(test: str) -> frozenset[str]:
    """What a test is about: words of its file or module, of its own name where there is neither."""
    place = test.partition("::")[0]
    dotted = place.split(".")
    if "/" not in place and len(dotted) > 2:
        place = ".".join(dotted[:2]) if dotted[0].startswith("test") else ".".join(dotted[:-1])
    return words(place) - NO_SUBJECT


def target(use: ToolUse) -> str:
    """What narrows a test run: paths, or a choice of names; empty for a run of everything."""
    return " ".join(one for one in _named_in(use) if words(one) - NO_SUBJECT)[:200]


def _named_in(use: ToolUse) -> list[str]:
    command = command_line(use)
    if not command:
        values = [use.arguments[key] for key in TARGET_KEYS if key in use.arguments]
        flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
        return [one for one in flat if isinstance(one, str)]
    part = next(((part, found.end()) for part in programs(command) if (found := TEST.match(part))), ("", 0))
    options = REDIRECTED.sub("", part[0][part[1] :])
    if CHOICE.search(options):
        return [options.strip()]
    return [word for word in options.split() if not word.startswith("-") and ("/" in word or "." in word)]


def file_words(paths: Iterable[str]) -> frozenset[str]:
    """Words of the names of files, without their endings."""
    return frozenset().union(*(words(PurePosixPath(path).stem) for path in paths)) - NO_SUBJECT

"""What the output of a test run says: passed, failed, or nothing. A pipe hides the exit code, the summary stays."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ctxcore.model import Json
from ctxcore.tool_uses import json_object

FAILED = re.compile(
    r"(?<![\w.])([1-9]\d{0,6}) (?:tests? )?(?:failed|failures?|fail|failing)\b|\b(?:failed|failures|fail|errors)[:=]? {0,4}=?([1-9]\d{0,6})\b",
    re.IGNORECASE,
)
"""A count of failures: pytest, unittest, jest, bun, node, cargo, dotnet."""

FAILED_LINE = re.compile(r"^(?:FAIL|FAILED)(?:[ \t(:].*)?$|^--- FAIL|^not ok \d|^test result: FAILED", re.MULTILINE)
"""A line that says so: go, unittest, TAP, cargo."""

PASSED = re.compile(
    r"(?<![\w.])[1-9]\d* (?:tests? )?(?:passed|pass|passing)\b"
    r"|^(?:ok\s+\S+|OK\b.*|PASS\b.*|test result: ok)|\bpassed:? *=? *[1-9]\d*\b|\btests? passed\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A summary with tests that passed."""

TAIL = 6_000
"""Characters at the end of an output, where summaries stand."""


def report(text: str) -> bool | None:
    """True for tests that passed, False for any that failed, None where the output does not say.

    Args:
        text: Of the result of a test run.
    """
    if text.lstrip().startswith("{"):
        return _counted(text)
    end = text[-TAIL:]
    if FAILED.search(end) or FAILED_LINE.search(end):
        return False
    return True if PASSED.search(end) else None


def failures(text: str) -> str:
    """How many failed; empty where the report gives no number."""
    if text.lstrip().startswith("{"):
        count = next((place["failed"] for place in report_objects(text) if isinstance(place.get("failed"), int)), 0)
        return str(count) if count else ""
    found = FAILED.search(text[-TAIL:])
    return (found[1] or found[2]) if found else ""


def report_objects(text: str) -> list[Mapping[str, Json]]:
    """The objects of a JSON report in which its counts may stand."""
    value = json_object(text)
    return [place for place in (value, value.get("result"), value.get("summary")) if isinstance(place, Mapping)]


def _counted(text: str) -> bool | None:
    for place in report_objects(text):
        failed, passed = place.get("failed"), place.get("passed")
        if isinstance(failed, int) and failed > 0:
            return False
        if isinstance(passed, bool):
            return passed
        if isinstance(passed, int) and passed > 0:
            return True
    return None

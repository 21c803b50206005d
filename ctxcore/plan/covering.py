"""What a test run says about a step: whose tests failed in it, and which earlier failures it makes good."""

from __future__ import annotations

from ctxcore.plan.attribution import words
from ctxcore.plan.outcomes import WorkKind
from ctxcore.plan.stretch import Stretch
from ctxcore.plan.suites import NO_SUBJECT, failing_tests, file_words, subject, target

MOST_CHARS, MOST_LOOKED_AT = 4_000, 50
"""Of a tool call's arguments that are read for names; tool calls after a failure in which these are looked for."""

CHANGES: tuple[WorkKind, ...] = ("edit", "command", "other")
"""Kinds of tool calls that do something."""


def failed_elsewhere(part: Stretch, place: int) -> bool:
    """Every test that failed is named, is about nothing that the step names or changed, and is told to be no regression of it.

    It is none where the same tests had failed before the step began, or where the name of a step that is still open tells whose they are.
    """
    names = failing_tests(part.done.uses[place])
    about = [subject(name) for name in names]
    if not names or not all(about) or any(one & _own_words(part) for one in about):
        return False
    open_words = [words(title) for title in part.open_titles]
    return names <= _failed_before(part) or all(any(one & other for other in open_words) for one in about)


def _own_words(part: Stretch) -> frozenset[str]:
    """Words of the step's title and of the files that it changed or tried to change."""
    changed = (part.done.each[place] for place in part.newest_first())
    return words(part.title) | file_words(one.what for one in changed if one.kind == "edit")


def _failed_before(part: Stretch) -> frozenset[str]:
    """Tests that failed in the last run before the step began."""
    place = int(part.done.last_test[part.low])
    return failing_tests(part.done.uses[place]) if place >= 0 and part.done.each[place].ok is False else frozenset()


def makes_good(part: Stretch, place: int) -> bool:
    """The last tests before the claim passed after a failure and cover it.

    A run of everything covers all that tests can speak of: not a file that was never written, and not what the step is named after, as a parcel
    that was not sent, unless something was done to the same since. A narrower run covers what it names.
    """
    run = int(part.done.last_test[part.high])
    failed = part.done.each[place]
    if run <= place or part.done.each[run].ok is not True:
        return False
    covered = words(target(part.done.uses[run])) - NO_SUBJECT
    if failed.kind == "edit":
        stem = file_words([failed.what])
        return bool(stem) and stem <= covered
    use = part.done.uses[place]
    reached = not covered or bool(covered & (words(use.tool.arguments[:MOST_CHARS]) | words(use.name)))
    return reached and (not words(use.name) & words(part.title) or _is_done_otherwise(part, place, run))


def _is_done_otherwise(part: Stretch, failed: int, run: int) -> bool:
    """A change in between names what the failed call named."""
    use = part.done.uses[failed]
    names = words(" ".join(value for value in use.arguments.values() if isinstance(value, str))[:MOST_CHARS])
    changes = (place for place in range(failed + 1, min(run, failed + MOST_LOOKED_AT)) if part.done.each[place].kind in CHANGES)
    texts = (part.done.uses[place].tool.arguments[:MOST_CHARS].lower() for place in changes if part.done.each[place].ok is True)
    return bool(names) and any(all(name in text for name in names) for text in texts)

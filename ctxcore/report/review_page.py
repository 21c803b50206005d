"""The list of findings as a page shows it: lines, pages, and what the ticks decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxcore.redaction import Finding
from ctxcore.views.visible import marked, one_line

PAGE_FINDINGS = 40
"""Findings on one page of the list."""


def finding_line(one: Finding) -> str:
    """A finding in one line; its value is masked."""
    times = f"{one.count:,} times, first in" if one.count > 1 else "once, in"
    return marked(one_line(f"[{one.placeholder}] {one.kind}: {one.sample}, {times} {one.place[:120]}"))


def finding_pages(found: Sequence[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """Findings page by page; one empty page for none."""
    starts = range(0, max(1, len(found)), PAGE_FINDINGS)
    return tuple(tuple(found[start : start + PAGE_FINDINGS]) for start in starts)


def kinds_of(found: Sequence[Finding]) -> tuple[str, ...]:
    """Kinds in the order of first sight."""
    return tuple(dict.fromkeys(one.kind for one in found))


def chosen_placeholders(found: Sequence[Finding], ticks: Mapping[str, bool]) -> tuple[frozenset[str], frozenset[str]]:
    """What the ticks decide: sure findings that stay as recorded, and unsure ones that are replaced as well.

    Args:
        found: All findings.
        ticks: Placeholder → replaced; one that is not named is as its kind says.
    """
    leave = frozenset(one.placeholder for one in found if one.sure and not ticks.get(one.placeholder, True))
    take = frozenset(one.placeholder for one in found if not one.sure and ticks.get(one.placeholder, False))
    return leave, take

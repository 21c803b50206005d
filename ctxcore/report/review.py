"""The list of findings for a reviewer: as a table for a terminal, and as JSON. No value stands in it whole."""

from __future__ import annotations

from typing import Any

from ctxcore.counted import count
from ctxcore.redaction import Finding
from ctxcore.report.release import Release
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.visible import marked

NEXT = (
    "Each is replaced by its placeholder, those marked “shown” only with --take. Look through the list, then write the report with --reviewed; "
    "--leave PLACEHOLDER leaves one as recorded."
)
"""What to do with the list."""

NOTHING = "The rules find what looks like a secret or personal data; they cannot promise that nothing else is. Write the report with --reviewed."
"""Under an empty list."""


def findings_json(release: Release) -> dict[str, Any]:
    """``ctxscope.findings/1``: what looks like a secret or personal data, values masked."""
    return {
        "schema": "ctxscope.findings/1",
        "findings": [
            {
                "placeholder": one.placeholder,
                "kind": one.kind,
                "sample": marked(one.sample),
                "count": one.count,
                "place": release.line(one.place),
                "file": release.line(one.source.file) or None,
                "line": one.source.line or None,
                "path": release.line(one.source.path) or None,
                "replaced": release.redactor.hidden(one.placeholder),
            }
            for one in release.findings
        ],
    }


COLUMNS = (
    Column(name="placeholder", text=True, least=12),
    Column(name="looks like", text=True, least=13),
    Column(name="sample", text=True, least=12),
    Column(name="times"),
    Column(name="first stands in", text=True, least=18, rank=1),
    Column(name="at", text=True, least=8),
    Column(name="becomes", text=True, least=8),
)
"""Of the list for a terminal."""


def findings_shown(release: Release) -> FittedTable:
    """The same for a terminal."""
    rows = [_row(listed, found) for listed, found in zip(findings_json(release)["findings"], release.findings, strict=True)]
    return FittedTable(title=count(len(rows), "finding"), columns=COLUMNS, rows=rows, notes=(NEXT,) if rows else (NOTHING,))


def _row(one: dict[str, Any], found: Finding) -> tuple[object, ...]:
    place = one["place"].removesuffix(str(found.source)).strip()
    where = f"line {one['line']:,}" if one["line"] else one["path"] or one["file"] or one["place"]
    return (
        f"[{one['placeholder']}]",
        one["kind"],
        one["sample"],
        one["count"],
        place or one["place"],
        where,
        "replaced" if one["replaced"] else "shown",
    )

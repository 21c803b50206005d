"""Tables as files: CSV that spreadsheets open without running anything, JSON, and a zip of all."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from ctxcore.report.contents import tables
from ctxcore.report.page import report_html
from ctxcore.report.release import Release
from ctxcore.report.study import Study
from ctxcore.report.table import Cell, Table
from ctxcore.report.words import summary
from ctxcore.views.json_output import strict_json

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings by which a spreadsheet takes a text for a formula. Source: OWASP, "CSV Injection"; full-width forms are taken as well."""

UNSEEN = " \u00a0\u00ad\u1680\u180e\u3000\ufeff" + "".join(map(chr, (*range(0x2000, 0x2010), *range(0x2028, 0x2030), *range(0x205F, 0x2070))))
"""Blanks and marks without width that a spreadsheet may skip."""

BOM = "\ufeff"
"""Tells spreadsheets that the file is UTF-8."""

MADE = (1980, 1, 1, 0, 0, 0)
"""Time of every file in a zip, so that equal reports are equal files."""


def csv_text(table: Table) -> str:
    """A table as CSV: numbers as numbers, text that would be a formula behind an apostrophe, lines ended as RFC 4180 says."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow([_safe(column.name) for column in table.columns])
    writer.writerows([_safe(cell) for cell in row] for row in table.rows)
    return BOM + written.getvalue()


def _safe(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    clear = cell.replace("\0", "\u2400")
    return f"'{clear}" if clear.lstrip(UNSEEN).startswith(FORMULA) else clear


def tables_json(study: Study, release: Release, found: Sequence[Table]) -> dict[str, Any]:
    """``ctxscope.report/1``: every table, rows as objects.

    Args:
        study: That they are of.
        release: That they were shown by.
        found: Tables as they may be shown.
    """
    return {
        "schema": "ctxscope.report/1",
        "file": release.line(study.session.name),
        "session": release.line(study.session.id),
        "thread": release.line(study.thread.id),
        "policy": study.chosen.name,
        "budget": study.budget,
        "unit": study.unit,
        "text": "included" if release.with_text else "left out",
        "release": release.sentence,
        "summary": list(summary(study, release.line(study.session.name, 80))),
        "tables": [_table(table) for table in found],
    }


def _table(table: Table) -> dict[str, Any]:
    names = [column.name for column in table.columns]
    records = [dict(zip(names, row, strict=True)) for row in table.rows]
    return {"name": table.name, "title": table.title, "basis": table.basis or None, "note": table.note, "columns": names, "rows": records}


def table_files(study: Study, release: Release) -> Mapping[str, bytes]:
    """Name → bytes: one CSV a table, and all of them as one JSON file."""
    found = tables(study, release)
    written = {f"{table.name}.csv": csv_text(table).encode("utf-8", "replace") for table in found}
    return {**written, "report.json": strict_json(tables_json(study, release, found)).encode()}


def tables_zip(study: Study, release: Release) -> bytes:
    """All tables in one archive."""
    return _packed(table_files(study, release))


def report_zip(study: Study, release: Release) -> bytes:
    """The page and all tables in one archive."""
    parts = {
        "report.html": report_html(study, release).encode("utf-8", "replace"),
        **{f"tables/{n}": d for n, d in table_files(study, release).items()},
    }
    return _packed(parts)


def _packed(parts: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, MADE), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()

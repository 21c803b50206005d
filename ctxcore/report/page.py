"""The report as one HTML file: no script, no network, its style known by its hash, every text escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import groupby

from ctxcore import __version__
from ctxcore.columns import CATEGORIES
from ctxcore.report.amounts import size_words
from ctxcore.report.contents import tables
from ctxcore.report.figures import calls_figure, content_figure, policies_figure
from ctxcore.report.headline import headline, verdict
from ctxcore.report.notes_table import notes_table
from ctxcore.report.release import CELL_CHARS, Release
from ctxcore.report.study import Study
from ctxcore.report.table import Cell, Column, Table
from ctxcore.report.words import CAVEATS, chart_words, summary, tiles
from ctxcore.views.palette import DARK, LIGHT

PAGE_ROWS, MOST_ROWS = 200, 4_000
"""Rows of a table in one fold, and in the page; files have all of them."""

NOTES_SHOWN = 12
"""In the view for people who decide; the table has all."""

LONG_ROWS, SHORT_CHARS = 500, 120
"""Rows from which on cells of text are cut to so many characters in the page."""

COMPLETE = {"policies", "budgets", "content", "session", "ledger", "methods", "redaction"}
"""Tables whose first fold is open."""


def report_html(study: Study, release: Release) -> str:
    """The whole report.

    Args:
        study: Of a thread.
        release: What of the session's text may leave the machine.
    """
    css = style()
    found = tables(study, release)
    title = f"{release.line(study.session.name, 80)} · {study.title}"
    policy = f"default-src 'none'; style-src 'sha256-{_digest(css)}'; base-uri 'none'; form-action 'none'"
    return "".join(
        (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
            f'<meta name="color-scheme" content="light dark"><title>{escape(title)}</title><style>{css}</style></head><body>',
            _head(study, release),
            f'<main><section class="view people" aria-label="For stakeholders">{people(study, release)}</section>',
            f'<section class="view engineers" aria-label="For engineers">{_engineers(release, found)}</section></main>',
            (
                f"<footer><p>Made by ctxscope {__version__}. This file loads nothing and runs nothing; "
                "text of the session is shown as text.</p></footer></body></html>"
            ),
        )
    )


def style() -> str:
    """The style sheet, with the palette of the dashboard for both themes."""
    sheet = files("ctxcore.report").joinpath("report.css").read_text(encoding="utf-8")
    names = [*CATEGORIES, "refused", "kept"]
    light, dark = ("".join(f"--{name}:{palette[name]};" for name in names) for palette in (LIGHT, DARK))
    marks = "".join(f".c-{name}{{fill:var(--{name})}}" for name in CATEGORIES)
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}@media print{{:root{{{light}}}}}{sheet}{marks}"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _head(study: Study, release: Release) -> str:
    return (
        '<header><p class="brand">ctxscope report</p>'
        f"<h1>{escape(release.line(study.session.name, 80))}</h1>"
        f'<p class="under">{escape(study.title)} at {escape(size_words(study.budget, study.unit))} · {len(study.thread.calls):,} requests</p>'
        '</header><input type="radio" name="view" id="people" checked><input type="radio" name="view" id="engineers">'
        '<nav aria-label="Views"><label for="people">For stakeholders</label><label for="engineers">For engineers</label></nav>'
    )


def people(study: Study, release: Release) -> str:
    """Half a page for people who decide, and three charts."""
    answer = verdict(study)
    told = "".join(f"<p>{escape(words)}</p>" for words in summary(study, release.line(study.session.name, 80)))
    numbers = "".join(
        f'<div class="tile"><p class="label">{escape(t.label)}</p><p class="value">{escape(t.value)}</p><p class="note">{escape(t.note)}'
        f"{f' <span class=basis>{escape(t.basis)}</span>' if t.basis else ''}</p></div>"
        for t in tiles(study)
    )
    first, second, third = map(escape, chart_words(study))
    return (
        f'<div class="half"><p class="verdict {answer}">{escape(headline(study))}</p><div '
        f'class="tiles">{numbers}</div><div class="told">{told}</div></div>'
        f"<section><h2>How the requests grow</h2><p>{first}</p>{calls_figure(study)}</section>"
        f"<section><h2>What fills them</h2><p>{second}</p>{content_figure(study)}</section>"
        f"<section><h2>What other rules would do</h2><p>{third}</p>{policies_figure(study)}</section>"
        f"{_notes(study, release)}"
        f'<section class="small"><h2>What these numbers cannot say</h2>{"".join(f"<p>{escape(words)}</p>" for words in CAVEATS)}'
        f"<p>{escape(release.sentence)}</p></section>"
    )


def _notes(study: Study, release: Release) -> str:
    """The reader's notes, those on calls and units alike."""
    rows = [row for table in notes_table(study) for row in release.table(table).rows]
    listed = "".join(f"<li><b>{escape(str(on))}</b>: {escape(str(text))}</li>" for on, _, text in rows[:NOTES_SHOWN])
    more = f"<p>{len(rows) - NOTES_SHOWN:,} more stand under engineers.</p>" if len(rows) > NOTES_SHOWN else ""
    return f'<section><h2>Notes of a reader</h2><ul class="notes">{listed}</ul>{more}</section>' if rows else ""


def _engineers(release: Release, found: tuple[Table, ...]) -> str:
    links = "".join(f'<li><a href="#t-{t.name}">{escape(t.title)}</a> <span class="count">{len(t.rows):,}</span></li>' for t in found)
    notice = f'<p class="release">{escape(release.sentence)}</p>'
    parts = [f'<nav class="contents" aria-label="Tables"><ul>{links}</ul></nav>{notice}']
    for group, members in groupby(found, key=lambda table: table.group):
        parts.append(f"<h2>{escape(group)}</h2>" + "".join(_section(table) for table in members))
    return "".join(parts)


def _section(table: Table) -> str:
    basis = f' <span class="basis">{escape(table.basis)}</span>' if table.basis else ""
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    return f'<section class="table" id="t-{table.name}"><h3>{escape(table.title)}{basis}</h3>{note}{"".join(_folds(table))}</section>'


def _folds(table: Table) -> Iterator[str]:
    if not table.rows:
        yield '<p class="none">None.</p>'
        return
    shown = table.rows[:MOST_ROWS]
    for start in range(0, len(shown), PAGE_ROWS):
        part = shown[start : start + PAGE_ROWS]
        name = f"Rows {start + 1:,} to {start + len(part):,} of {len(table.rows):,}"
        grid = _grid(table.columns, part, SHORT_CHARS if len(shown) > LONG_ROWS else CELL_CHARS)
        body = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}, {name.lower()}">{grid}</div>'
        opened = " open" if start == 0 and (table.name in COMPLETE or len(table.rows) <= 25) else ""
        yield f"<details{opened}><summary>{name}</summary>{body}</details>"
    if len(table.rows) > MOST_ROWS:
        yield f'<p class="none">The first {MOST_ROWS:,} of {len(table.rows):,} rows; the tables as files have all.</p>'


def _grid(named: tuple[Column, ...], part: tuple[tuple[Cell, ...], ...], most: int) -> str:
    head = "".join(f'<th scope="col"{" class=n" if c.kind in ("number", "money") else ""}>{escape(c.name)}' for c in named)
    return f"<table><thead><tr>{head}</thead><tbody>{''.join(_row(named, row, most) for row in part)}</table>"


def _row(named: tuple[Column, ...], row: tuple[Cell, ...], most: int) -> str:
    return "<tr>" + "".join(_cell(column, cell, most) for column, cell in zip(named, row, strict=True))


def _cell(column: Column, cell: Cell, most: int) -> str:
    if column.kind in ("number", "money"):
        return f"<td class=n>{'' if cell is None else _number(cell)}"
    told = "" if cell is None else str(cell)
    text = escape(told if len(told) <= most or column.kind == "words" else f"{told[: most - 1]}…")
    return f"<td class=t>{text}" if column.kind == "text" or len(text) > 60 else f"<td>{text}"


def _number(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.6f}".rstrip("0").rstrip(".") if isinstance(cell, float) else escape(str(cell))

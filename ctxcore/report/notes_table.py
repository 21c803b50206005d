"""The reader's own notes as a table, where they were chosen to go with the report."""

from __future__ import annotations

from ctxcore.report.study import Study
from ctxcore.report.table import Table, columns, rows
from ctxcore.views.notes import note_place


def notes_table(study: Study) -> tuple[Table, ...]:
    """One row per note, of all threads; none where there is none, or where they were not chosen."""
    found = rows((note_place(note), note.thread, note.text) for note in study.notes)
    table = Table(
        name="notes",
        title="Notes of a reader",
        columns=columns("on", "thread", "note"),
        rows=found,
        note="Written by whoever made this report; what looks like a secret is replaced here too.",
        group="Notes",
    )
    return (table,) if found else ()

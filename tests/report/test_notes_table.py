"""Notes in a report: only where they are chosen, and clean."""

from __future__ import annotations

from dataclasses import replace

from ctxcore import read_session
from ctxcore.report import Release, study
from ctxcore.report.page import report_html
from ctxcore.report.tables_out import table_files
from ctxcore.views.notes import Note
from tests.chat import conversation, upload

SESSION = read_session(upload(conversation("Fix it.", ("read", {"path": "a"}, "1"), "Thanks.")), "a.json")
ABOUT = study(SESSION.threads[0], SESSION, budget=2_000, unit="chars", others=())
TEXT = "See <script>run()</script>, key sk-proj-Zx81kQpLm2Vt9RwYb3NcD4Ef5Gh6Jk7Mn8Pq."


def test_a_report_without_chosen_notes_has_no_table_of_them() -> None:
    assert "Notes of a reader" not in report_html(ABOUT, Release.of(SESSION))


def test_chosen_notes_are_text_and_hold_no_secret() -> None:
    note = Note(thread=SESSION.threads[0].id, about="call", number=1, text=TEXT)
    about, release = replace(ABOUT, notes=(note,)), Release.of(SESSION)
    page = report_html(about, release)
    assert "Notes of a reader" in page
    assert "See &lt;script&gt;run()&lt;/script&gt;" in page
    assert "<script" not in page
    assert "sk-proj-Zx81" not in page
    assert "Call #1" in table_files(about, release)["notes.csv"].decode()

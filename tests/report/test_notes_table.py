"""Notes in a report: only where they are chosen, and clean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.cli import main
from ctxcore.report import Release, study
from ctxcore.report.page import report_html
from ctxcore.report.tables_out import table_files
from ctxcore.views.json_output import strict_json
from ctxcore.views.notes import Note, notes_json
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


def test_notes_of_a_file_stand_in_the_report_in_both_views(tmp_path: Path) -> None:
    """A file as the page writes it; the same notes as there."""
    log, kept, page = tmp_path / "a.json", tmp_path / "notes.json", tmp_path / "report.html"
    log.write_bytes(upload(conversation("Fix it.", ("read", {"path": "a"}, "1"), "Thanks.")))
    session = read_session(str(log))
    note = Note(thread=session.threads[0].id, about="call", number=1, text="Here <b>it</b> forgets.")
    kept.write_bytes(strict_json(notes_json(session, (note,))).encode())
    assert main(["report", str(log), "-o", str(page), "--notes", str(kept)]) == 0
    people, engineers = page.read_text("utf-8").split('class="view engineers"')
    assert "Here &lt;b&gt;it&lt;/b&gt; forgets." in people
    assert "Here &lt;b&gt;it&lt;/b&gt; forgets." in engineers


def test_notes_on_another_recording_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, kept = tmp_path / "b.json", tmp_path / "notes.json"
    log.write_bytes(upload(conversation("Something else.", "Yes.")))
    kept.write_bytes(strict_json(notes_json(SESSION, (Note(thread=SESSION.threads[0].id, about="call", number=0, text="x"),))).encode())
    assert main(["report", str(log), "-o", str(tmp_path / "r.html"), "--notes", str(kept)]) == 2
    assert "another recording" in capsys.readouterr().err
    assert not (tmp_path / "r.html").exists()

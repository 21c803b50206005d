"""Notes on calls and units, on the pages where they stand."""

from __future__ import annotations

import json
import re

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import PAGES, Start, chat, query_of
from tests.pages.test_side import HOSTILE, table

TALK = chat(("first", 3), ("second", 3))


def note_on_call(at: AppTest, call: int, text: str) -> AppTest:
    at.text_input(key=f"note_call_{call}").set_value(text)
    return at.button(key=f"note_call_{call}_add").click().run()


def go_to(at: AppTest, page: str) -> AppTest:
    return at.switch_page(str(PAGES / f"{page}.py")).run()


def test_a_note_on_a_call_stands_there_and_on_the_overview(start: Start) -> None:
    at = note_on_call(start({"talk.json": TALK}, "calls", call="2"), 2, "Here it forgets.")
    assert at.text_input(key="note_call_2").value == ""
    assert any(element.value == "Here it forgets." for element in at.text)
    at = go_to(at, "overview")
    assert table(at, "notes_rows")[0][:2] == ["Call #2", "Here it forgets."]
    at.session_state["notes_chosen"] = 0
    at.run()
    assert at.title[0].value == "Calls"
    assert query_of(at)["call"] == "2"
    at.button(key="note_call_2_delete_0").click().run()
    assert not any(element.value == "Here it forgets." for element in at.text)


def test_a_note_on_a_unit_stands_beside_it_in_the_table(start: Start) -> None:
    at = start({"talk.json": TALK}, "dropped", budget="2500")
    at.toggle(key="dropped_lives").set_value(True).run()
    at.number_input(key="dropped_life_unit").set_value(2).run()
    at.text_input(key="note_unit_2").set_value("Needed later.")
    at.button(key="note_unit_2_add").click().run()
    row = next(row for row in table(at, "dropped_rows") if row[0] == 2)
    assert "Needed later." in row
    at = go_to(at, "overview")
    at.session_state["notes_chosen"] = 0
    at.run()
    assert at.title[0].value == "Dropped units"
    assert at.number_input(key="dropped_life_unit").value == 2


def test_notes_belong_to_the_content_of_a_session(start: Start) -> None:
    at = note_on_call(
        start({"talk.json": TALK, "same.json": TALK, "other.json": chat(("other", 4))}, "calls", session="talk.json", call="2"), 2, "Mine."
    )
    at.selectbox(key="session_select").set_value("other.json").run()
    at = go_to(at, "overview")
    assert "None yet." in " ".join(caption.value for caption in at.caption)
    at.selectbox(key="session_select").set_value("same.json").run()
    assert table(at, "notes_rows")[0][1] == "Mine."


def test_hostile_notes_stay_text(start: Start) -> None:
    at = note_on_call(start({"talk.json": TALK}, "calls", call="2"), 2, HOSTILE)
    shown = next(element.value for element in at.text if element.value.startswith("<img"))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    at = go_to(at, "overview")
    assert not any(re.search(r"(?<!\\)<", element.value) for element in (*at.markdown, *at.caption))
    assert not at.exception


def test_notes_are_taken_from_a_file_once(start: Start) -> None:
    at = note_on_call(start({"talk.json": TALK}, "calls", call="2"), 2, "Mine.")
    at = go_to(at, "overview")
    digest = next(iter(at.session_state["notes_kept"]))
    thread = at.session_state["notes_kept"][digest][0].thread
    entry = {"thread": thread, "about": "unit", "number": 1, "text": "From a file."}
    data = json.dumps({"schema": "ctxscope.notes/1", "session": digest, "notes": [entry]}).encode()
    at.file_uploader(key="notes_file").upload("notes.json", data).run()
    assert [row[1] for row in table(at, "notes_rows")] == ["Mine.", "From a file."]
    at.run()
    assert len(table(at, "notes_rows")) == 2


def test_a_file_that_is_none_is_told(start: Start) -> None:
    at = start({"talk.json": TALK}, "overview")
    at.file_uploader(key="notes_file").upload("notes.json", b"{}").run()
    assert "no file of notes" in at.error[0].value.replace("\\", "")


def test_the_report_takes_the_notes_of_the_visit_unless_they_are_left_out(start: Start) -> None:
    at = start({"talk.json": TALK}, "report", budget="2500")
    assert not [toggle for toggle in at.toggle if toggle.key == "report_notes"]
    at = go_to(note_on_call(start({"talk.json": TALK}, "calls", call="2", budget="2500"), 2, "Mine."), "report")
    assert at.toggle(key="report_notes").value is True

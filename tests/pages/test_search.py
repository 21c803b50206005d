"""The page Search."""

from __future__ import annotations

import re

from streamlit.testing.v1 import AppTest

from tests.chat import conversation, upload
from tests.pages.conftest import PAGES, Start, chat, messages_of, query_of
from tests.pages.test_side import HOSTILE, table, words
from tests.pages.test_uploads import alive, held, uploaded

TALK = upload(conversation("Fix the limiter.", ("read", {"path": "limiter.py"}, "class Limiter"), "Now test.", ("test", {}, "Error: 1 failed")))


def rows(at: AppTest) -> list[list[str]]:
    return table(at, "search_rows")


def test_nothing_is_searched_until_something_is_asked(start: Start) -> None:
    at = start({"talk.json": TALK}, "search")
    assert "Type what to look for" in at.info[0].value
    at.text_input(key="search_find").set_value("limiter").run()
    assert query_of(at)["find"] == "limiter"
    assert [row[0] for row in rows(at)] == [1, 2, 3]
    assert "3 hits." in words(at)


def test_an_address_says_what_where_and_how(start: Start) -> None:
    at = start({"talk.json": TALK}, "search", find="limiter", among="files")
    assert at.selectbox(key="search_where").value == "files"
    assert [(row[0], row[2]) for row in rows(at)] == [(2, "file"), (3, "file")]
    at.selectbox(key="search_where").set_value("everywhere").run()
    at.toggle(key="search_regex").set_value(True).run()
    assert query_of(at)["among"] == "regex"
    at.text_input(key="search_find").set_value("(").run()
    assert "regular expression" in at.error[0].value


def test_hits_are_limited_to_what_a_call_sees_or_a_budget_loses(start: Start) -> None:
    """At 2,500 characters the first round's results are dropped; without a limit nothing is, but a budget may be asked about."""
    data = chat(("first", 3), ("second", 3))
    at = start({"talk.json": data}, "search", find="line", among="dropped", budget="2500")
    dropped = [row[0] for row in rows(at)]
    assert dropped
    at = start({"talk.json": data}, "search", find="line", among="dropped", budget="unlimited")
    assert "0 that some call would not receive whole" in words(at)
    at = start({"talk.json": data}, "search", find="line", among="lost2500", budget="unlimited")
    assert [row[0] for row in rows(at)] == dropped
    at = start({"talk.json": data}, "search", find="line", among="seen2", budget="unlimited")
    assert len(rows(at)) == 2
    assert at.number_input(key="search_call").value == 2


def test_a_row_leads_to_its_message_whatever_thread_it_is_of(start: Start) -> None:
    at = start({"talk.json": TALK}, "search", find="class Limiter")
    at.session_state["search_chosen"] = 0
    at.run()
    assert at.title[0].value == "Calls"
    assert query_of(at)["call"] == "1"
    assert any("class Limiter" in (row["text"] or "") for row in messages_of(at))


def test_a_long_session_is_paged_and_its_last_message_found(start: Start) -> None:
    """600 rounds with one exchange each: 600 results hold “line”, 25 of them are drawn, with the way to the rest."""
    at = start({"long.json": chat(*((f"Round {n}", 1) for n in range(600)))}, "search", find="line")
    assert len(rows(at)) == 25
    assert "600 hits." in words(at)
    at.session_state["search_start"] = 575
    at.run()
    assert len(rows(at)) == 25
    at.text_input(key="search_find").set_value("Round 599").run()
    assert len(rows(at)) == 2


def test_hostile_text_stays_text(start: Start) -> None:
    at = start({"one.json": upload(conversation(HOSTILE, ("<b>", {"x": HOSTILE}, HOSTILE)))}, "search", find="<img", among="regex")
    assert len(rows(at)) == 3
    assert all("\x1b" not in str(cell) and "\u202e" not in str(cell) for row in rows(at) for cell in row)
    assert not any(re.search(r"(?<!\\)<", element.value) for element in (*at.markdown, *at.caption))


def test_an_address_with_nonsense_is_told(start: Start) -> None:
    at = start({"talk.json": TALK}, "search", find="limiter", among="nowhere")
    assert "make no sense" in at.warning[0].value
    assert len(rows(at)) == 3


def test_a_removed_file_is_held_by_no_search_and_no_side() -> None:
    name = "COUNT-13.json"
    at = uploaded(name)
    at.switch_page(str(PAGES / "search.py")).run()
    at.text_input(key="search_find").set_value("a").run()
    at.switch_page(str(PAGES / "side.py")).run()
    assert at.session_state["search_found"][1].hits
    assert at.session_state["side_rows"]
    held(at, [])
    assert alive(name) == 0
    assert "search_found" not in at.session_state
    assert "side_rows" not in at.session_state

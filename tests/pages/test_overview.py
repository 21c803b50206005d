"""The page Overview, and opening sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ctxcore.policies import load_plugin, plugins
from tests.pages.conftest import PAGES, Start, chat, data_of, query_of

TALK = chat(("first", 3), ("second", 3), ("third", 2))
FAILING = """
from dataclasses import dataclass
from ctxcore.policies import PlannedPolicy

@dataclass(frozen=True)
class Failing(PlannedPolicy):
    name = "fails-on-pages"
    title = about = source = rejects = "It fails."
    def plan(self, history, budget):
        return {}["secret"]
"""
"""A plug-in whose line 10 fails."""

PAGE_NAMES = sorted(path.stem for path in PAGES.glob("*.py") if not path.stem.startswith("_"))
ABOUT_A_SESSION = [name for name in PAGE_NAMES if name != "lab"]  # the Lab makes its own
SAMPLES = sorted(path.name.split(".", 1)[0] for path in (PAGES.parent / "sample_sessions").iterdir())


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("page", PAGE_NAMES)
def test_every_page_shows_every_sample(start: Start, page: str, sample: str) -> None:
    at = start(page=page, session=sample)
    assert at.title[0].value
    assert not at.error


@pytest.mark.parametrize("page", ABOUT_A_SESSION)
def test_every_page_is_an_invitation_while_nothing_is_open(start: Start, page: str) -> None:
    at = start(page=page)
    assert at.title[0].value == "Open a recorded session"
    assert {button.key for button in at.button} >= {f"open_{name}" for name in SAMPLES}


@pytest.mark.parametrize("page", ABOUT_A_SESSION)
def test_every_page_says_in_one_sentence_why_a_file_gives_no_session(start: Start, page: str) -> None:
    at = start({"broken.json": b'{"a": '}, page)
    assert "broken.json" in at.error[0].value.replace("\\", "")
    assert at.title[0].value == "Open a recorded session"


def test_what_was_looked_for_is_one_click_away(start: Start) -> None:
    at = start({"other.json": b'{"color": "red"}'})
    assert "no known session format" in at.error[0].value
    assert len(at.error[0].value) < 400
    assert "openai" in at.expander[0].markdown[0].value


def test_a_plug_in_that_fails_is_told_in_one_sentence(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "failing.py"
    mine.write_text(FAILING, encoding="utf-8")
    load_plugin(mine)
    try:
        at = start({"mine.json": TALK}, policy="fails-on-pages")
        assert "failing.py failed in its policy fails-on-pages: it raised KeyError at its line 10" in at.error[0].value.replace("\\", "")
        assert "secret" not in at.error[0].value
        at.button(key="leave_plugin").click().run()
        assert not at.error
        assert query_of(at).get("policy", "whole-units") == "whole-units"
    finally:
        plugins._from_files.pop("fails-on-pages")


def test_a_sample_is_one_click_away(start: Start) -> None:
    at = start()
    at.button(key=f"open_{SAMPLES[0]}").click().run()
    assert not at.exception
    assert query_of(at)["session"] == SAMPLES[0]
    assert at.title[0].value == "Overview"


def test_an_upload_opens_at_once_and_goes_with_its_file(start: Start) -> None:
    at = start()
    at.file_uploader(key="uploader").upload("mine.json", TALK).run()
    assert not at.exception
    assert "mine.json" in at.markdown[0].value.replace("\\", "")
    at.file_uploader(key="uploader").set_value([]).run()
    assert at.title[0].value == "Open a recorded session"


def test_a_bad_upload_leaves_the_open_session(start: Start) -> None:
    at = start({"good.json": TALK})
    at.file_uploader(key="uploader").upload("bad.txt", b"not a recording").run()
    assert "bad.txt" in at.error[0].value.replace("\\", "")
    assert "good.json" in at.markdown[0].value.replace("\\", "")


def test_an_address_of_someone_elses_upload_says_what_to_do(start: Start) -> None:
    at = start(session="0123456789abcdef01234567-0")
    assert "Uploads are private" in at.warning[0].value


def test_the_visit_survives_a_page_switch(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", call="4", budget="2000")
    at.switch_page(str(PAGES / "overview.py")).run()
    assert query_of(at) == {"session": "a.json", "call": "4", "budget": "2000"}
    at.switch_page(str(PAGES / "calls.py")).run()
    assert at.header[0].value == "Call #4"


def test_the_overview_counts_what_is_too_large(start: Start) -> None:
    """11 calls; the sizes before are those of the canonical JSON, so at 10 characters none fits and at 10 million all do."""
    facts = {f["name"]: f["value"] for f in data_of(start({"a.json": TALK}, budget="10"), "ctxscope_report")["facts"]}
    assert facts["Calls over the budget"] == "11 of 11"
    assert facts["Calls refused"] == "11 of 11"
    at = start({"a.json": TALK}, budget="10000000")
    assert {f["name"]: f["value"] for f in data_of(at, "ctxscope_report")["facts"]}["Calls refused"] == "0 of 11"
    assert "Every call fits 10,000,000 chars" in at.markdown[0].value


def test_refused_calls_are_listed_with_what_stays_of_each(start: Start) -> None:
    """At 10 characters every call is refused; what stays of it and its brackets are its size after every cut, the budget and what is missing."""
    at = start({"a.json": TALK}, budget="10")
    table = data_of(at, "ctxscope_rows")
    labels = [column["label"] for column in table["columns"]]
    assert labels == ["Call", "Turn", "Before", "Too large by", "System", "Tools", "Task", "Newest unit", "Rest"]
    assert [row[0] for row in table["rows"]] == list(range(11))
    assert all(sum(row[4:]) == 10 + row[3] for row in table["rows"])
    assert table["note"] == "Sizes in chars."


def test_the_sentence_and_the_table_give_the_same_share(start: Start) -> None:
    at = start({"a.json": TALK})
    row = next(t for t in tables_of(at) if t["title"] == "By category")["rows"][0]
    assert f"each message counted once, {row['cells'][-1]} is {row['name'].lower()}" in at.markdown[0].value


def test_a_budget_of_0_says_one_thing(start: Start) -> None:
    words = start({"a.json": TALK}, budget="0").markdown[0].value
    assert "every call is refused" in words
    assert "exceed" not in words


def test_a_link_to_an_upload_applies_once_the_file_is_added_again(start: Start) -> None:
    at = start()
    at.file_uploader(key="uploader").upload("mine.json", TALK).run()
    key = query_of(at)["session"]
    again = start(session=key, call="5", budget="2000")
    assert "Uploads are private" in again.warning[0].value
    again.file_uploader(key="uploader").upload("mine.json", TALK).run()
    assert query_of(again) == {"session": key, "call": "5", "budget": "2000"}
    again.file_uploader(key="uploader").upload("other.json", chat(("other", 2))).run()
    assert "call" not in query_of(again)


def tables_of(at: AppTest) -> list[dict[str, Any]]:
    """Tables of parts on the page."""
    found = [json.loads(e.proto.json) for e in at.get("bidi_component") if e.proto.component_name == "ctxscope_report"]
    return [table for report in found for table in report["tables"]]


def test_a_name_with_markup_is_shown_literally(start: Start) -> None:
    at = start({"$a$ <b> :red[x].json": TALK})
    assert r"\$a\$ \<b\> \:red\[x\]\.json" in at.markdown[0].value


def test_what_happened_to_the_context_is_a_table_marks_and_facts(start: Start, cases: Path) -> None:
    """COMP-01: one automatic compaction before the second call that left the context larger, 1,200 → 1,450 tokens."""
    files = {"grew.jsonl": (cases / "COMP-01.jsonl").read_bytes()}
    at = start(files)
    assert [row[:7] for row in data_of(at, "ctxscope_rows")["rows"]] == [[1, "Compaction", "auto", 1200, 1450, "+20.8 % grew", "recorded"]]
    head, _ = data_of(at, "ctxscope_columns")
    assert [(call, what) for call, what, _ in head["events"]] == [(1, "Compaction before this call")]
    facts = {fact["name"]: fact["value"] for fact in data_of(start(files, "calls", call="1"), "ctxscope_report")["facts"]}
    told = "auto, 1,200 → 1,450 tokens, +20.8 %, grew (recorded). Went: 2 messages (#0–#1). Summary: "
    assert facts["Compaction before this call"].startswith(told)


def test_changed_history_in_a_log_of_requests_is_told(start: Start) -> None:
    """The fourth request holds another first answer than the third."""
    asked = [talk.split("|") for talk in ("A?", "A?|Yes.|B?", "A?|Yes.|B?|Ok.|C?", "A?|No.|B?|Ok.|C?|Fine.|D?")]
    lines = [{"model": "m", "messages": [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]} for texts in asked]
    at = start({"log.jsonl": "\n".join(map(json.dumps, lines)).encode()})
    assert [row[:2] for row in data_of(at, "ctxscope_rows")["rows"]] == [[3, "History changed"]]


def test_a_session_without_such_events_has_no_table_of_them(start: Start) -> None:
    at = start({"a.json": chat(("hi", 1))})
    assert "What happened to the context" not in [one.value for one in at.header]


def consumers(at: AppTest) -> dict[str, dict[str, int]]:
    """Sizes in the tables of what fills the window."""
    for element in at.get("bidi_component"):
        proto = element.proto
        if proto.component_name == "ctxscope_report" and (tables := json.loads(proto.json)["tables"]) and tables[0]["title"] == "By category":
            return {table["title"]: {row["full"] or row["name"]: row["before"] for row in table["rows"]} for table in tables}
    raise AssertionError("no such table")


def test_what_fills_the_window_holds_the_tool_definitions(start: Start, cases: Path) -> None:
    """COUNT-13: 1,635 of 1,729 characters of the only request are tools; its 94 others hold the frame as well, which is no part of a message."""
    sizes = consumers(start({"a.json": (cases / "COUNT-13.json").read_bytes()}))["By category"]
    source = json.loads((cases / "COUNT-13.json").read_bytes())["request"]
    assert sizes["Tool definitions"] == len(json.dumps(source["tools"], separators=(",", ":"), ensure_ascii=False)) - len("[]")
    assert sizes["Tool definitions"] > 0.94 * sum(sizes.values())


def test_what_fills_the_window_leaves_out_what_was_never_sent(start: Start) -> None:
    """The last reply calls a tool; nothing follows, so no request held it."""
    call = {"id": "c1", "type": "function", "function": {"name": "never_sent", "arguments": '{"path": "never/sent.py"}'}}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    at = start({"a.json": json.dumps({"messages": messages}).encode()})
    tables = consumers(at)
    assert "Tool calls" not in tables["By category"]
    assert tables["By tool"] == tables["By file"] == {}
    drawn = " ".join(e.proto.json for e in at.get("bidi_component") if e.proto.component_name == "ctxscope_report")
    assert "user: Go." in drawn
    assert "never_sent" not in drawn

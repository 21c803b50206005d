"""The page Side by side."""

from __future__ import annotations

import json
import re

from streamlit.testing.v1 import AppTest

from tests.chat import conversation, upload
from tests.pages.conftest import Start, chat, query_of

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$ [a](javascript:b) \u202e\x1b[31m"


def table(at: AppTest, key: str) -> list[list[str]]:
    """Rows of the table with a key."""
    found = [e.proto for e in at.get("bidi_component") if e.proto.component_name == "ctxscope_rows" and key in e.proto.id]
    rows: list[list[str]] = json.loads(found[0].json)["rows"]
    return rows


def words(at: AppTest) -> str:
    return " ".join(element.value for element in (*at.markdown, *at.caption)).replace("\\", "").replace("\u2060", "")


def two_runs(start: Start, **query: str) -> AppTest:
    first = upload(conversation("Fix it.", ("read", {"path": "a.py"}, "1"), ("read", {"path": "b.py"}, "2"), "Thanks."))
    second = upload(conversation("Fix it.", ("read", {"path": "a.py"}, "1"), ("test", {}, "Error: 1 failed"), "Thanks.", "More."))
    return start({"one.json": first, "two.json": second}, "side", session="one.json", **query)


def test_two_sessions_are_laid_side_by_side_from_an_address(start: Start) -> None:
    at = two_runs(start, beside="two.json")
    told = words(at)
    assert "First: one.json. Second: two.json." in told
    assert 'The first differing tool call is number 2 of turn 1: in the first read {"path": "b.py"}' in told
    assert "2 turns are paired by the same user text, 1 has no partner." in told
    assert [row[:3] for row in table(at, "side_turns")] == [[1, 1, "same text"], [2, 2, "same text"], [None, 3, "no partner"]]
    sums = {row[0]: row[1:4] for row in table(at, "side_totals")}
    assert sums["Tool calls"] == ["2", "2", "0"]
    assert sums["Tool calls that failed"] == ["0", "1", "+1"]
    assert sums["· read"] == ["2", "1", "−1"]


def test_the_second_session_is_chosen_on_the_page_and_written_into_the_address(start: Start) -> None:
    at = two_runs(start)
    at.segmented_control(key="side_mode").set_value("Two sessions").run()
    assert at.header[0].value == "Choose what to hold this session against"
    at.selectbox(key="side_session").set_value("two.json").run()
    assert query_of(at)["beside"] == "two.json"
    at.segmented_control(key="side_mode").set_value("Two policies or budgets").run()
    assert "beside" not in query_of(at)


def test_a_session_that_is_not_open_is_told(start: Start) -> None:
    at = two_runs(start, beside="gone.json")
    assert "which is not open here" in at.warning[0].value.replace("\\", "")


def test_one_session_under_two_budgets(start: Start) -> None:
    """With no limit on the second side, only the first drops or refuses."""
    at = start({"talk.json": chat(("first", 3), ("second", 3))}, "side", budget="2500", beside_policy="whole-units", beside_budget="unlimited")
    sums = {row[0]: row[1:3] for row in table(at, "side_policy_totals")}
    assert sums["Budget"] == ["2,500", "no limit"]
    assert int(sums["Messages left out, over all calls"][0].replace(",", "")) > 0
    assert sums["Messages left out, over all calls"][1] == "0"
    assert "They part at call #" in words(at)
    at.text_input(key="side_budget").set_value("minus").run()
    assert "is not a whole number" in at.error[0].value
    at.text_input(key="side_budget").set_value("2500").run()
    assert not at.error
    assert "They never part" in words(at)
    assert "beside_budget" not in query_of(at)


def test_hostile_text_and_names_stay_text(start: Start) -> None:
    one = upload(conversation(HOSTILE, ("<b>", {"x": HOSTILE}, "1")))
    two = upload(conversation("Other", ("read", {}, "1")))
    at = start({"one.json": one, "<i>two.json": two}, "side", session="one.json", beside="<i>two.json")
    assert not at.exception
    assert not any(re.search(r"(?<!\\)<", element.value) for element in (*at.markdown, *at.caption))
    assert "<img src=x" in table(at, "side_turns")[0][3]
    figure = at.get("plotly_chart")[0].proto.spec
    assert "<i>two" not in figure


def test_a_turn_is_one_click_from_its_first_message(start: Start) -> None:
    at = two_runs(start, beside="two.json")
    at.session_state["side_chosen"] = 1
    at.run()
    assert at.title[0].value == "Calls"
    at = two_runs(start, beside="two.json")
    at.session_state["side_chosen"] = 2
    at.run()
    assert at.title[0].value == "Calls"
    assert query_of(at)["session"] == "two.json"

"""The page Compare."""

from __future__ import annotations

import json
import re

import pytest

from ctxcore import read_session, replay
from tests.pages.conftest import Start, chat, query_of

SMALLEST = re.compile(r"From ([\d,]+) chars on, no call is refused, no call is rejected by the provider and no reference is lost")

TALK = chat(("first", 3), ("second", 3), ("third", 2))


def test_the_chosen_policies_are_compared_in_a_table(start: Start) -> None:
    at = start({"a.json": TALK}, "compare", budget="3000")
    at.multiselect(key="compare_policies").set_value(["whole-units", "none", "langchain-trim"]).run()
    assert not at.exception
    table = next(frame.value for frame in at.dataframe if "Rejected calls" in str(frame.value.columns) or "rejected" in frame.value.columns)
    assert [name.split(" · ")[0] for name in table["policy"]] == ["whole-units", "langchain-trim", "none"], "best first: one that refuses stands last"
    assert list(table.columns[:4]) == ["policy", "dollars", "lost", "refused"], "what counts most fits a narrow screen"
    none = table.iloc[2]
    assert none["refused"] > 0
    assert none["lost"] == 0


def test_small_charts_show_every_policy_with_the_budget(start: Start) -> None:
    at = start({"a.json": TALK}, "compare", budget="3000")
    at.multiselect(key="compare_policies").set_value(["whole-units", "none", "langchain-trim"]).run()
    at.button_group(key="compare_look").set_value("Small charts").run()
    assert not at.exception
    figure = json.loads(next(chart.proto.spec for chart in at.get("plotly_chart") if "langchain-trim" in chart.proto.spec))
    assert figure["data"][-1]["text"] == ["whole-units", "langchain-trim", "none"]
    largest = max(replay(read_session(TALK, "a.json").threads[0], "none", 10**9).before)
    budget = next(trace for trace in figure["data"] if trace.get("name") == "budget")
    assert budget["y"][0] == pytest.approx(3000 / largest), "the height of a chart is the largest request"


def test_own_prices_and_a_cold_cache_change_the_money(start: Start) -> None:
    """2 dollars a million in, nothing out, no cache: tokens sent times 2 / 1,000,000."""
    at = start({"a.json": TALK}, "compare", budget="100000", unit="tokens", policy="none")
    at.multiselect(key="compare_policies").set_value(["none"]).run()
    at.radio(key="compare_clock").set_value("cold").run()
    at.number_input(key="compare_price_input").set_value(2.0).run()
    at.number_input(key="compare_price_output").set_value(0.0).run()
    assert not at.exception
    table = next(frame.value for frame in at.dataframe if "dollars" in frame.value.columns)
    assert table["dollars"].iloc[0] == pytest.approx(table["size"].iloc[0] * 2 / 1e6)
    assert any("your own prices" in one.value and "nothing is cached" in one.value for one in at.caption)


def test_a_stopped_comparison_keeps_the_chosen_policy_and_goes_on(start: Start) -> None:
    at = start({"a.json": TALK}, "compare", budget="3000", policy="none")
    at.multiselect(key="compare_policies").set_value(["whole-units", "none"]).run()
    place = next(iter(at.session_state["compare_rows"]))
    at.session_state["compare_rows"].clear()
    at.session_state["compare_stopped"] = place
    at.run()
    assert not at.exception
    assert any(one.value == "Stopped: 1 of 2 policies are left out." for one in at.text)
    at.button(key="compare_go_on").click().run()
    assert len(next(frame.value for frame in at.dataframe if "dollars" in frame.value.columns)) == 2


def test_no_limit_asks_for_a_budget(start: Start) -> None:
    at = start({"a.json": TALK}, "compare", budget="unlimited")
    assert any("at least 1" in one.value for one in at.info)


def test_the_frontier_is_computed_when_asked(start: Start) -> None:
    at = start({"a.json": TALK}, "compare", budget="3000")
    at.multiselect(key="compare_policies").set_value(["whole-units", "none"]).run()
    at.button(key="compare_compute").click().run()
    assert not at.exception
    frames = [frame.value for frame in at.dataframe if "budget" in frame.value.columns]
    assert set(frames[0]["policy"]) == {"whole-units", "none"}
    assert query_of(at)["budget"] == "3000"


def test_the_smallest_budget_is_found_when_asked(start: Start) -> None:
    at = start({"a.json": TALK}, "compare", budget="3000", policy="none")
    at.button(key="compare_find").click().run()
    assert not at.exception
    largest = max(replay(read_session(TALK, "a.json").threads[0], "none", 10**9).before)
    said = next(found for one in at.markdown if (found := SMALLEST.search(one.value.replace("\\", ""))))
    assert int(said[1].replace(",", "")) == largest, "nothing is trimmed, so the largest request decides"


def test_a_long_thread_begins_with_a_few_policies(start: Start) -> None:
    at = start({"a.json": chat(("all", 1_005))}, "compare", budget="30000")
    assert not at.exception
    chosen = at.multiselect(key="compare_policies").value
    assert 3 <= len(chosen) < 15
    assert {"whole-units", "none"} <= set(chosen)

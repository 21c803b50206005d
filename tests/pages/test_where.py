"""Where in each request a text stands, on the page Dropped units."""

from __future__ import annotations

import json

import pytest

from ctxcore.views.seen_strip import joined
from tests.pages.conftest import Start

PAD = "plain words and nothing else. " * 40


def talk(turns: int) -> bytes:
    """The goal comes first; each turn adds as much text again."""
    messages = [{"role": "user", "content": "Keep the codeword KESTREL-77 in mind. " + PAD}]
    for turn in range(turns):
        messages += [{"role": "assistant", "content": f"Noted {turn}. " + PAD}, {"role": "user", "content": f"Go on {turn}. " + PAD}]
    messages.append({"role": "assistant", "content": "KESTREL-77."})
    return json.dumps({"model": "gpt-5", "messages": messages}).encode()


def said(at) -> str:
    return "\n".join(one.value for one in at.markdown).replace("\\", "")


def test_a_text_is_told_by_the_part_of_the_request_it_stands_in(start: Start) -> None:
    """Messages of equal size: the first one's middle is at 1/2 of 1, 1/6 of 3, 1/10 of 5. So call 0 has it in the middle, all others in front."""
    at = start({"a.json": talk(2)}, "dropped", budget="unlimited")
    at.text_input(key="dropped_text").set_value("KESTREL-77").run()
    assert not at.exception
    assert "3 of 3 calls would have it: 2 in the first 20 %, 1 in the middle, 0 in the last 20 % of the request; 1 call would have it in" in said(at)


def test_the_goal_in_the_middle_is_listed_with_its_call(start: Start) -> None:
    """As above: call 0 has nothing but the goal, so it stands in the middle there; the corrections come last."""
    at = start({"a.json": talk(2)}, "dropped", budget="unlimited")
    at.toggle(key="dropped_middle").set_value(True).run()
    assert not at.exception
    tables = [json.loads(e.proto.json) for e in at.get("bidi_component") if e.proto.component_name == "ctxscope_rows"]
    rows = next(table["rows"] for table in tables if table["columns"][0]["label"] == "What")
    assert [row[0] for row in rows][:1] == ["goal"]
    assert rows[0][3:] == [1, 0, 0]


def test_plan_steps_and_values_are_offered(start: Start) -> None:
    at = start({}, "dropped", session="coding-agent")
    offered = at.selectbox(key="dropped_wish").options
    assert offered
    at.selectbox(key="dropped_wish").set_value(offered[0]).run()
    assert not at.exception
    assert at.text_input(key="dropped_text").value


@pytest.mark.parametrize(("most", "runs"), [(3, [(0, 1), (3, 3), (9, 9)]), (2, [(0, 3), (9, 9)]), (1, [(0, 9)])])
def test_bars_that_are_too_many_are_joined_over_the_smallest_gaps(most: int, runs: list[tuple[int, int]]) -> None:
    assert joined([(0, 1), (3, 3), (9, 9)], most) == runs


def test_a_page_of_the_chinese_sample_finds_a_word(start: Start) -> None:
    at = start({}, "dropped", session="travel-desk-zh")
    at.text_input(key="dropped_text").set_value("酒店").run()
    assert not at.exception
    assert "of the request" in said(at)

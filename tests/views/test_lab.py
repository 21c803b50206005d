"""What the page Lab says of a run, and of recordings that only claim to be one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxcore.runtime.demo.labs import LABS, configured, possible
from ctxcore.runtime.live import LiveEvent
from ctxcore.runtime.scenario.play import play
from ctxcore.views.lab import ABOUT, SWITCHES, TITLES, TOLD, happened_frame, has_memory, memory_frame, requests_made, requests_table
from tests.runtime.clock import run_fast


def events(name: str, *switches: Any, memory: bool = False, budget: int = 3_400) -> list[LiveEvent]:
    found: list[LiveEvent] = []
    scenario = configured(name, budget=budget, policy="whole-units", switches=switches, memory=memory, pace_s=0)
    run_fast(play(scenario, on_event=lambda event, facts: found.append(LiveEvent(event, dict(facts)))))
    return found


def test_every_run_and_switch_has_its_words() -> None:
    assert set(TITLES) == set(ABOUT) == set(LABS)
    assert {switch for name in LABS for switch in possible(name)} == set(SWITCHES)
    assert "checkpoint" not in possible("published"), "a conversation has no plan to change"


def test_requests_are_told_with_their_place_in_the_plan() -> None:
    table = requests_table(events("night-line", "checkpoint"))
    assert [row.name for row in table.rows] == [
        "#0 plan",
        "#1 step log",
        "#2 step log",
        "#3 step works",
        "#4 step works",
        "#5 checkpoint",
        "#6 step before",
        "#7 step before",
        "#8 step notice",
        "#9 step notice",
    ]
    assert len(table.columns) == len(table.rows[0].cells) + 1 == 6


def test_memory_columns_are_there_only_with_a_memory() -> None:
    found = events("night-line", memory=True)
    table = requests_table(found)
    assert table.columns[-3:] == ("stored", "retrieved", "seen")
    assert has_memory(found)
    assert not has_memory(events("night-line"))
    stored, retrieved, seen = ([int(row.cells[place]) for row in table.rows] for place in (-3, -2, -1))
    assert stored == sorted(stored), "nothing leaves a store"
    assert all(few <= many for few, many in zip(seen, retrieved, strict=True))
    assert any(few < many for few, many in zip(seen, retrieved, strict=True)), "at this budget something retrieved is not sent"
    assert min(seen) >= 2, "the two core facts"


def test_an_item_says_what_became_of_it_in_each_request() -> None:
    found = events("night-line", memory=True)
    for request in range(requests_made(found)):
        frame = memory_frame(found, request).set_index("item")
        assert frame.loc["core:language", "here"] == "seen"
        row = requests_table(found).rows[request]
        assert (frame["here"] == "seen").sum() == int(row.cells[-1])
        assert (frame["here"] != "stored only").sum() == int(row.cells[-2])
        assert len(frame) == int(row.cells[-3])


def test_what_happened_stands_behind_the_request_that_it_followed() -> None:
    frame = happened_frame(events("night-line", "failure"))
    failed = frame[frame["words"].str.startswith("read_log failed")]
    assert failed["after"].tolist() == [1]
    assert frame["what"].iloc[-1] == "Run ended"


def test_a_tool_is_told_with_its_arguments() -> None:
    told = happened_frame(
        [LiveEvent("tool", {"name": "read_log", "arguments": '{"line":\n"N7"}', "ok": True}), LiveEvent("tool", {"name": "now", "arguments": "{}"})]
    )
    assert told["words"].tolist() == ['read_log gave a result: {"line": "N7"}', "now failed"]


KEYS = ["before", "after", "stored", "core", "retrieved", "seen", "id", "text", "steps", "step", "ok", "triggers", "dropped_messages"]
plain = st.none() | st.booleans() | st.integers() | st.floats()
facts = st.dictionaries(st.sampled_from(KEYS), st.recursive(plain, lambda inner: st.lists(inner, max_size=2) | st.text(max_size=3), max_leaves=3))


@given(st.lists(st.builds(LiveEvent, st.sampled_from([*TOLD, "report", "memory", "memory_item", "run_started", "else"]), facts), max_size=8))
def test_facts_of_any_shape_are_shown_as_far_as_they_make_sense(made: list[LiveEvent]) -> None:
    """A recording with our marks may be anybody's."""
    requests_table(made)
    happened_frame(made)
    memory_frame(made, 0)


def test_no_setting_of_a_run_outlives_it() -> None:
    """Every run is read anew: settings of one visitor reach no other."""
    configured("published", budget=999, policy="none", switches=("failure",), memory=True, pace_s=1)
    scenario = LABS["published"]()
    assert (scenario.budget, scenario.policy, scenario.switches, scenario.memory) == (3_700, "whole-units", (), None)

"""Runs that go on by themselves: watched, stopped, recorded; what a switch injects; what a memory adds to a scenario."""

from __future__ import annotations

import asyncio
import itertools
import time
from pathlib import Path

import pytest

from ctxcore import read_session, replay
from ctxcore.errors import InputError
from ctxcore.runtime.demo.labs import LABS
from ctxcore.runtime.live import LiveRun
from ctxcore.runtime.models import ScriptedModel
from ctxcore.runtime.scenario.form import Remembered, Scenario
from ctxcore.runtime.scenario.play import Played, play
from tests.runtime.clock import run_fast
from tests.runtime.scripts import says
from tests.runtime.test_published_run import published_run

SWITCHES = ("failure", "timeout", "checkpoint")


def lab(name: str, *switches: str, **changes: object) -> Scenario:
    return LABS[name]().model_copy(update={"switches": switches, **changes})


def played(name: str, *switches: str, record: Path | None = None, **changes: object) -> Played:
    return run_fast(play(lab(name, *switches, **changes), record))


def test_the_published_scenario_sends_the_published_run_byte_for_byte() -> None:
    _, _, result, _ = published_run()
    mine = played("published")
    assert list(mine.messages) == list(result.messages)
    assert [report.after for report in mine.reports] == [367, 2802, 1774, 3019]


@pytest.mark.parametrize(("switch", "call", "why"), [("failure", 2, "cannot be read"), ("timeout", 3, "No result within 2 seconds")])
def test_a_switch_lets_one_tool_call_of_the_published_run_fail(switch: str, call: int, why: str) -> None:
    results = [message["content"] for message in played("published", switch).messages if message["role"] == "tool"]
    assert ["资料" in text for text in results] == [number != call for number in range(4)]
    assert why in results[call]


@pytest.mark.parametrize("on", [set(s) for n in range(4) for s in itertools.combinations(SWITCHES, n)], ids=lambda on: "+".join(sorted(on)) or "none")
def test_the_planned_run_completes_under_every_set_of_switches_and_shows_what_was_injected(on: set[str]) -> None:
    result = played("night-line", *sorted(on)).plan
    assert result.status == "complete", result.reason
    assert result.record("log").attempts == (2 if "failure" in on else 1)
    assert (len(result.revisions), "before" in {step.id for step in result.steps}) == (("checkpoint" in on), "checkpoint" in on)
    assert any("within 2 seconds" in outcome.run.content for outcome in result.outcomes) == ("timeout" in on)


def test_a_step_that_says_done_over_a_failed_tool_is_not_complete_at_its_first_attempt() -> None:
    result = played("night-line", "failure").plan
    assert any("Tried and failed" in str(message) or "unresolved" in str(message) for message in result.record("log").conversations[1])


def test_a_run_is_watched_while_it_goes_on_and_its_record_is_read() -> None:
    run = LiveRun(lab("published", pace_s=0.15))
    seen = set()
    while not (view := run.view()).done:
        seen.add(sum(event.event == "report" for event in view.events))
        assert view.record == b""
        time.sleep(0.02)
    assert len(seen) >= 3, "reports appear one by one"
    assert (view.played.status, view.error) == ("complete", "")
    (thread,) = read_session(view.record, "run.jsonl").threads
    assert replay(thread).before.tolist() == [367, 2802, 1774, 3019]


@pytest.mark.parametrize("name", ["published", "night-line"])
def test_a_cancelled_run_ends_as_cancelled_and_keeps_what_was_sent(name: str) -> None:
    run = LiveRun(lab(name, pace_s=0.2))
    while not any(event.event == "tool" for event in run.view().events):
        time.sleep(0.01)
    run.cancel()
    view = run.wait(5)
    assert view.done
    assert view.played.status == "cancelled"
    assert read_session(view.record, "run.jsonl").threads[0].calls
    if view.played.plan:
        assert {record.status for record in view.played.plan.records} <= {"complete", "cancelled"}


def test_a_run_that_is_cancelled_at_once_is_cancelled_too() -> None:
    run = LiveRun(lab("published", pace_s=5))
    run.cancel()
    assert run.wait(5).played.status == "cancelled"


def test_a_run_that_nobody_stops_is_stopped() -> None:
    assert LiveRun(lab("published", pace_s=30), limit_s=0.2).wait(5).played.status == "cancelled"


def test_a_run_that_cannot_be_played_says_why() -> None:
    view = LiveRun(lab("published", policy="shorten")).wait(5)
    assert view.played is None
    assert "No policy" in view.error


def test_two_runs_at_once_share_nothing() -> None:
    runs = [LiveRun(lab("night-line", *switches, pace_s=0.01)) for switches in ((), ("failure",), ("checkpoint",))]
    views = [run.wait(20) for run in runs]
    assert [view.played.calls for view in views] == [7, 9, 10]
    assert len({view.record for view in views}) == 3


def test_a_model_given_takes_the_place_of_the_script() -> None:
    model = ScriptedModel([says("Mine.")])
    view = LiveRun(lab("published"), model=model).wait(5)
    assert view.played.messages[-1]["content"] == "Mine."


# Memory


def test_a_conversation_with_a_memory_journals_what_each_call_saw(tmp_path: Path) -> None:
    remembered = Remembered(core={"language": "中文"}, extended={"资料.来源": "四份合成资料"}, episodes=("上次读取资料用了三步。",))
    result = played("published", record=tmp_path / "run.jsonl", memory=remembered, budget=4_500)
    assert result.status == "complete"
    (thread,) = read_session(tmp_path / "run.jsonl").threads
    sights = [entry for entry in thread.journal if entry.event == "memory"]
    reports = [entry for entry in thread.journal if entry.event == "report"]
    assert [entry.call for entry in sights] == [entry.call for entry in reports] == [0, 1, 2, 3]
    assert sights[0].facts["stored"] == {"core": 1, "extended": 1, "episodic": 2}, "the task is kept too"
    assert set(sights[0].facts["seen"]) == {"core:language", "extended:资料.来源", "episodic:1"}
    assert "core:language" in sights[-1].facts["seen"]
    assert replay(thread).before.tolist() == [entry.facts["after"] for entry in reports]


def test_a_conversation_that_goes_on_keeps_each_message_once() -> None:
    scenario = lab("published", memory=Remembered())
    twice = scenario.model_copy(update={"turn": (scenario.turn[0], scenario.turn[0].model_copy(update={"say": scenario.turn[0].say[-1:]}))})
    told: list[str] = []
    asyncio.run(play(twice, on_event=lambda event, facts: told.append(facts["id"]) if event == "memory_item" else None))
    assert told == [f"episodic:{number}" for number in range(1, 12)], "9 messages of the first turn and 2 of the second"


def test_a_memory_in_a_record_of_one_request_is_refused() -> None:
    with pytest.raises(InputError, match="memory"):
        played("published", memory=Remembered(), form="messages")

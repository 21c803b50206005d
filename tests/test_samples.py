"""The sample sessions are what their tools really give, and show what they are for."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest

from ctxcore import Session, Thread, read_session, replay, sweep
from ctxcore.runtime.demo.samples import write_sample
from ctxcore.sizes.characters import request_chars

FOLDER = Path(__file__).parents[1] / "sample_sessions"
SAMPLES = {path.name: path.with_suffix(".toml") for path in sorted(FOLDER.glob("*.json*"))}
CODING, TRAVEL, RESEARCH = "coding-agent.jsonl", "travel-desk-zh.jsonl", "long-research.json"


@cache
def session(name: str) -> Session:
    return read_session(FOLDER / name)


def thread(name: str) -> Thread:
    (only,) = session(name).threads
    return only


def results(name: str, tool: str) -> list[Any]:
    """Arguments and decoded result of every call of a tool, in order."""
    messages = thread(name).messages
    contents = {r.call_id: json.loads(r.text) for m in messages for r in m.results}
    return [(json.loads(c.arguments), contents[c.id]) for m in messages for c in m.calls if c.name == tool]


def wire(name: str, call: int) -> list[Any]:
    line = thread(name)
    return [line.messages[i].wire[0] for i in line.calls[call].messages()]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_made_anew_from_its_scenario_has_the_same_bytes(name: str, tmp_path: Path) -> None:
    write_sample(SAMPLES[name], tmp_path / name)
    assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_reads_without_a_problem_and_lacks_nothing(name: str) -> None:
    read = session(name)
    assert (read.problems, read.not_recorded, read.ledger.skipped) == ((), (), ())
    assert read.ledger.read == read.ledger.records
    assert all(call.flags == () for call in thread(name).calls)


@pytest.mark.parametrize(
    ("name", "known", "least", "most"), [(CODING, "recorded", 40, 60), (TRAVEL, "recorded", 30, 60), (RESEARCH, "reconstructed", 150, 220)]
)
def test_a_sample_has_as_many_calls_as_promised(name: str, known: str, least: int, most: int) -> None:
    calls = thread(name).calls
    assert least <= len(calls) <= most
    assert {call.known for call in calls} == {known}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_small_enough_to_load_at_a_click(name: str) -> None:
    assert (FOLDER / name).stat().st_size < 2_000_000


@pytest.mark.parametrize("name", SAMPLES)
def test_the_whole_of_a_sample_outgrows_the_default_budget(name: str) -> None:
    played = replay(thread(name))
    assert played.before[-1] > 1.8 * 16_000
    assert played.dropped_messages.any()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_has_nothing_of_the_machine_in_it(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert not [word for word in (gettempdir(), "/home/", "/root/", str(FOLDER.parent), "Traceback", "site-packages") if word in text]


@pytest.mark.parametrize("name", [CODING, TRAVEL])
def test_recorded_times_go_on_evenly(name: str) -> None:
    times = [call.at for call in thread(name).calls]
    assert len({b - a for a, b in pairwise(times) if a is not None and b is not None}) == 1


@pytest.mark.parametrize("name", [CODING, TRAVEL])
def test_a_conversation_gives_the_same_calls_as_its_log_of_requests(name: str) -> None:
    """Why the long sample may be stored as one list."""
    last = json.loads((FOLDER / name).read_text().splitlines()[-1])
    request, reply = last["request"], last["response"]["choices"][0]["message"]
    (rebuilt,) = read_session(json.dumps({**request, "messages": [*request["messages"], reply]}).encode()).threads
    assert replay(rebuilt).before.tolist() == replay(thread(name)).before.tolist()


# What each shows


def test_coding_a_step_is_called_done_while_its_tests_fail_and_reopens() -> None:
    todos = [{t["content"]: t["status"] for t in arguments["todos"]} for arguments, _ in results(CODING, "TodoWrite")]
    statuses = [state.get("Put window boundaries right") for state in todos[:5]]
    assert statuses == ["pending", "in_progress", "completed", "in_progress", "completed"]
    failed = [result["result"]["failed"] for _, result in results(CODING, "run_tests")]
    assert failed == [3, 3, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0]


def test_coding_a_stale_read_makes_an_edit_fail_once() -> None:
    failures = [arguments["path"] for arguments, result in results(CODING, "edit_file") if result["status"] == "error"]
    assert failures == ["throttle/clock.py"]


def test_coding_the_timeout_changes_twice() -> None:
    changes = [(a["name"], r["result"]["old"], r["result"]["new"]) for a, r in results(CODING, "set_option") if r["status"] == "ok"]
    assert changes == [("timeout_seconds", 20, 30), ("timeout_seconds", 30, 45), ("limit", 5, 8)]


def chain(name: str, field: str) -> list[Any]:
    tool = "record_figure" if name == RESEARCH else "set_value"
    return [result["result"]["new"] for arguments, result in results(name, tool) if arguments["name"] == field]


def test_travel_values_are_corrected_and_reversed() -> None:
    assert chain(TRAVEL, "出发日期") == ["2025-10-02", "2025-10-01", "2025-10-02"]
    assert chain(TRAVEL, "预算") == [6000, 9000, 8000]
    assert chain(TRAVEL, "酒店") == ["松风小院", "澄湖饭店", "松风小院"]
    assert chain(TRAVEL, "人数") == [3, 4]


def test_travel_the_final_cost_is_the_sum_of_its_parts() -> None:
    """By hand: 8 tickets of 246, one room of 420 for 4 nights, 4 people for 5 days of 120."""
    _, last = results(TRAVEL, "estimate_cost")[-1]
    assert (last["result"]["合计"], last["result"]["剩余"]) == (8 * 246 + 4 * 420 + 4 * 5 * 120, 8000 - 6048)


def test_travel_two_steps_are_in_progress_at_once_when_the_party_grows() -> None:
    assert max(result["result"]["in_progress"] for _, result in results(TRAVEL, "update_plan")) == 3


def test_research_figures_are_revised() -> None:
    assert chain(RESEARCH, "S06.cost") == [364, 346, 364]
    assert chain(RESEARCH, "S02.cost") == [228, 259]
    rates = [arguments["value"] for arguments, _ in results(RESEARCH, "set_assumption")]
    assert rates == [0.90, 0.92]


def test_research_the_answer_keeps_the_rules_of_the_first_message() -> None:
    answer = thread(RESEARCH).messages[-1].text
    assert "S03, S07, S13" in answer
    assert not any(f"| {pilot}" in answer for pilot in ("S03", "S07", "S13"))
    assert [line.split()[1] for line in answer.splitlines() if "* |" in line] == ["S04", "S08"]


def test_research_the_rules_are_gone_from_the_last_call_at_the_default_budget() -> None:
    line = thread(RESEARCH)
    rule = next(number for number, m in enumerate(line.messages) if m.role == "user" and "asterisk" in m.text)
    last = line.calls[-1]
    played = replay(line)
    dropped = {message for drop in played.drops(last.index) for message in drop.messages}
    assert rule in last.messages()
    assert rule in dropped
    assert not [n for n in last.messages() if n not in dropped and "asterisk" in line.messages[n].text]


def test_research_one_call_cannot_fit_the_default_budget_because_of_the_annex() -> None:
    """System, tools, task and the newest exchange alone are over 16,000 characters there."""
    played = replay(thread(RESEARCH))
    (refused,) = played.refused.nonzero()[0].tolist()
    context = wire(RESEARCH, refused)
    task = next(m for m in reversed(context) if m["role"] == "user")
    least = request_chars([context[0], task, *context[-2:]], thread(RESEARCH).tool_sets[0])
    assert "G-annex" in context[-1]["content"]
    assert least > 16_000


def test_research_outgrows_the_window_of_its_model_in_tokens() -> None:
    """85 % of 16,385 tokens. Source: the model's published context window."""
    played = sweep(thread(RESEARCH), [13_927], unit="tokens")
    assert played.before[-1] > 2 * 13_927
    assert not played.refused.any()

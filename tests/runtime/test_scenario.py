"""Runs written down in a file are played as they say, and recorded."""

from __future__ import annotations

import asyncio
import json
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from ctxcore import InputError, read_session
from ctxcore.cli import main
from ctxcore.runtime.recorder import Recorder
from ctxcore.runtime.scenario.form import read_scenario
from ctxcore.runtime.scenario.play import Played, play
from tests.runtime.clock import run_fast
from tests.runtime.stub_server import completion, serving

PLAN = """
kind = "plan"
goal = "Count the birds."
model = "stub"
start = 2025-03-10T10:00:00Z
step_s = 2
budget = 4000

[limits]
attempts_per_step = 2
step_s = 30

[triggers]
phase = false
half = false

[[tool]]
name = "look"
results = [{ error = "too dark" }, { birds = 7 }]

[[say]]
text = '''
{"steps": [{"id": "a", "title": "Look", "criteria": "birds are counted"},
           {"id": "b", "title": "Tell", "criteria": "told", "depends_on": ["a"]}]}'''

[[say]]
calls = ["look {}"]

[[say]]
text = "There are 7 birds."

[[say]]
text = '{"replan": false, "why": "again"}'

[[say]]
calls = ['look {"from": "tree"}']

[[say]]
text = "There are 7 birds."

[[say]]
text = "Told."

[[accept]]
step = "a"
tool = "look"
text = "7"
"""


def played(text: str, tmp_path: Path, record: Path | None = None) -> Played:
    (tmp_path / "scenario.toml").write_text(text)
    return run_fast(play(read_scenario(tmp_path / "scenario.toml"), record))


def test_a_plan_is_played_with_its_failure_its_checkpoint_and_its_checks(tmp_path: Path) -> None:
    result = played(PLAN, tmp_path, tmp_path / "out.jsonl")
    assert (result.status, result.calls, result.plan.attempts, result.plan.checkpoints) == ("complete", 7, 3, 1)
    assert [(r.status, r.attempts, r.evidence) for r in result.plan.records] == [("complete", 2, "There are 7 birds."), ("complete", 1, "Told.")]
    (thread,) = read_session(tmp_path / "out.jsonl").threads
    assert len(thread.calls) == 7
    assert thread.journal[0].at == 1_741_600_802.0  # 10:00:02 UTC: the run's name took the first look at the clock


def test_the_same_scenario_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        played(PLAN, tmp_path, tmp_path / f"{name}.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "why"), [('text = "7"', 'text = "8"', "does not hold '8'"), ('tool = "look"', 'tool = "count"', "No call of count")]
)
def test_a_step_that_its_check_refuses_is_not_complete(old: str, new: str, why: str, tmp_path: Path) -> None:
    result = played(PLAN.replace(old, new), tmp_path)
    assert result.status == "failed"
    assert why in result.plan.record("a").reason


def test_waits_and_faults_are_injected(tmp_path: Path) -> None:
    late = PLAN.replace('[[say]]\ncalls = ["look {}"]', '[[say]]\nwait_s = 40\ncalls = ["look {}"]').replace(
        "attempts_per_step = 2", "attempts_per_step = 1"
    )
    assert played(late, tmp_path).plan.record("a").status == "timed_out"
    broken = PLAN.replace('[[say]]\ncalls = ["look {}"]', '[[say]]\nfault = "no power"').replace("attempts_per_step = 2", "attempts_per_step = 1")
    assert "ScriptedFault: no power" in played(broken, tmp_path).plan.record("a").reason


TALK = """
kind = "conversation"
system = "Answer briefly."
desk = "travel"
budget = 9000

[[turn]]
user = "有哪些酒店？"

[[turn.say]]
calls = ["get_values {}"]

[[turn.say]]
text = "看过了。"
"""


def test_a_conversation_is_played_with_real_tools_within_a_budget(tmp_path: Path) -> None:
    result = played(TALK, tmp_path, tmp_path / "out.jsonl")
    assert (result.status, result.calls, len(result.reports)) == ("complete", 2, 2)
    assert json.loads(result.messages[3]["content"])["status"] == "ok"
    assert len(read_session(tmp_path / "out.jsonl").threads[0].calls) == 2


def test_a_conversation_whose_script_ends_early_is_told(tmp_path: Path) -> None:
    result = played(TALK.split("[[turn.say]]\ntext", maxsplit=1)[0], tmp_path)
    assert (result.status, result.calls) == ("failed", 1)
    assert "no reply left" in result.reason


def test_an_endpoint_takes_the_place_of_the_script(tmp_path: Path) -> None:
    async def go() -> Played:
        async with serving([completion({"role": "assistant", "content": "Seven."})]) as stub:
            (tmp_path / "s.toml").write_text(TALK + f'\n[endpoint]\nbase_url = "{stub.url}"\nretries = 0\n')
            return await play(read_scenario(tmp_path / "s.toml"))

    result = asyncio.run(go())
    assert (result.status, result.messages[-1]["content"]) == ("complete", "Seven.")


HANGS = '\n[[fault]]\nwhen = "timeout"\ntool = "get_values"\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kind = ", "is not TOML"),
        ('kind = "other"', "is no scenario"),
        ('kind = "plan"\ngoal = "x"\nwish = 1', "wish: is not known here"),
        ('kind = "conversation"\nsystem = "x"\nturn = []', "turn"),
        ('kind = "plan"\ngoal = "x"\nrecord = "../up"', "record"),
        ("", 'it needs kind = "conversation" or kind = "plan"'),
        ('kind = "other"', "'kind' is 'other'; it must be one of 'conversation', 'plan'"),
        ('kind = "conversation"\nturn = [{user = "u", say = [{text = "a"}]}]', "system: is missing"),
        ('kind = "conversation"\nsystem = 3\nturn = 4', "system: must be a text, not 3; .*turn: must be a list, not 4"),
        ('kind = "plan"\ngoal = "x"\nrecord = ".."', "record"),
        ('kind = "plan"\ngoal = "x"\nrecord = "."', "record"),
        (TALK + HANGS, "say with tool_s after how many seconds"),
        ('kind = "plan"\ngoal = "x"\n' + HANGS, "say with tool_s after how many seconds"),
        (TALK.replace('desk = "travel"', 'desk = "bank"'), "No desk 'bank'"),
        (TALK.replace("get_values {}", "get_values {"), "not a name and a JSON object"),
        (TALK.replace("budget = 9000", 'budget = 9000\npolicy = "shorten"'), "No policy"),
    ],
)
def test_a_scenario_that_makes_no_sense_is_refused_with_the_reason(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=why):
        played(text, tmp_path)


def test_a_record_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        played(TALK, tmp_path, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "mine"


@pytest.mark.parametrize("text", [PLAN, TALK], ids=["plan", "conversation"])
def test_a_record_in_a_new_folder_is_written_and_the_folder_made(text: str, tmp_path: Path) -> None:
    assert played(text, tmp_path, tmp_path / "new" / "deep" / "out.jsonl").status == "complete"
    assert read_session(tmp_path / "new" / "deep" / "out.jsonl").threads[0].calls


@pytest.mark.parametrize("name", ["scenario.toml/out.jsonl", "scenario.toml/deep/out.jsonl", "x" * 300], ids=["file", "below", "long"])
def test_a_record_that_cannot_be_written_is_told_before_anything_runs(name: str, tmp_path: Path, capsys: Any) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(TALK)
    assert main(["run", str(scenario), "--record", str(tmp_path / name)]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "cannot be written: " in streams.err
    assert streams.err.count("\n") == 1


@pytest.mark.parametrize("text", [PLAN, TALK], ids=["plan", "conversation"])
def test_a_record_that_fails_on_the_way_is_no_fault_of_the_model(text: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Recorder, "_append", full)
    (tmp_path / "scenario.toml").write_text(text)
    assert main(["run", str(tmp_path / "scenario.toml"), "--record", str(tmp_path / "out.jsonl")]) == 2
    assert capsys.readouterr() == ("", "ctxscope: The output could not be written (No space left on device).\n")


def test_nothing_is_said_to_be_recorded_where_nothing_was(tmp_path: Path, capsys: Any) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(TALK.replace("budget = 9000", "budget = 1"))
    assert "Recorded in" not in printed(capsys, "run", str(scenario), "--record", str(tmp_path / "out.jsonl"), code=1)


# The command


def printed(capsys: Any, *arguments: str, code: int = 0) -> str:
    assert main(list(arguments)) == code
    return capsys.readouterr().out


def test_the_command_runs_records_and_tells(tmp_path: Path, capsys: Any) -> None:
    scenario, record = tmp_path / "scenario.toml", tmp_path / "out.jsonl"
    scenario.write_text(PLAN)
    answer = json.loads(printed(capsys, "run", str(scenario), "--record", str(record), "--json"))
    assert {"schema", "status", "reason", "calls", "record", "reports", "plan"} == answer.keys()
    assert (answer["schema"], answer["status"], answer["record"]) == ("ctxscope.run/1", "complete", str(record))
    assert [(step["id"], step["status"], step["attempts"]) for step in answer["plan"]["steps"]] == [("a", "complete", 2), ("b", "complete", 1)]
    assert max(report["after"] for report in answer["reports"]) <= 4_000
    record.unlink()
    told = printed(capsys, "run", str(scenario), "--record", str(record))
    assert "complete, 7 calls." in told
    assert "There are 7 birds." in told


def test_the_command_exits_1_where_the_run_does_not_complete_and_2_where_there_is_none(tmp_path: Path, capsys: Any) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(PLAN.replace('text = "7"', 'text = "8"'))
    assert "failed" in printed(capsys, "run", str(scenario), code=1)
    printed(capsys, "run", str(tmp_path / "none.toml"), code=2)


@pytest.mark.parametrize(("options", "sent"), [([], None), (["--send-key"], "bearer sk-of-this-machine")])
def test_a_scenario_from_elsewhere_gets_no_key_of_this_machine_unless_it_is_asked_for(
    options: list[str], sent: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-machine")

    async def go() -> list[dict[str, str]]:
        async with serving([completion({"role": "assistant", "content": "Hello."})]) as stub:
            ends = f'[endpoint]\nbase_url = "{stub.url}"\nretries = 0\n'
            (tmp_path / "from-elsewhere.toml").write_text(
                f'kind = "conversation"\nmodel = "m"\nsystem = "s"\n{ends}[[turn]]\nuser = "hi"\n[[turn.say]]\ntext = "x"\n'
            )
            assert await asyncio.to_thread(main, ["run", str(tmp_path / "from-elsewhere.toml"), *options]) == 0
            return stub.headers

    (headers,) = asyncio.run(go())
    assert headers.get("authorization") == sent
    assert ("--send-key sends it" in capsys.readouterr().err) is (sent is None)

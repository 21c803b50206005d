"""What a run wrote is read back exactly, whatever killed it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import ReadError, Session, read_session, read_sessions
from ctxcore.runtime.models import Answer, ScriptedModel
from ctxcore.runtime.planning.signals import Triggers
from ctxcore.runtime.recorder import Recorder
from tests.runtime.clock import run_fast
from tests.runtime.scripts import GOAL, plan, planner, replan, says, step, uses

USAGE = {"prompt_tokens": 120, "completion_tokens": 7, "total_tokens": 127}
REPLIES = (
    plan(step("a"), step("b", "a")),
    uses("look", "breaks"),
    says("I am unsure."),
    replan(step("a"), step("c", "a"), why="b was too much"),
    uses("look"),
    Answer(says("7 birds 鸟"), usage=USAGE, model="stub-1", id="chatcmpl-x"),
    says("Written."),
)


def recorded(path: Path) -> tuple[Any, list[Any]]:
    """A planned run with a failure, a revision and a second attempt; its result and what the model received."""
    script = ScriptedModel(REPLIES)
    ticks = iter(range(1_740_000_000, 1_750_000_000))
    recorder = Recorder(path, model="stub", clock=lambda: float(next(ticks)))
    result = run_fast(planner(script, recorder=recorder, triggers=Triggers(phase=False, tool=False, half=False)).run(GOAL))
    return result, [(r.messages, r.tools) for r in script.requests]


def contexts(session: Session) -> list[Any]:
    (thread,) = session.threads
    return [[thread.messages[i].wire[0] for i in call.messages()] for call in thread.calls]


def test_a_planned_run_is_read_back_as_it_was_sent(tmp_path: Path) -> None:
    result, requests = recorded(tmp_path / "run.jsonl")
    session = read_session(tmp_path / "run.jsonl")
    (thread,) = session.threads
    assert result.status == "complete"
    assert (session.format, session.level, session.problems, session.not_recorded) == ("ctxscope-run", "full requests", (), ())
    assert contexts(session) == [messages for messages, _ in requests]
    assert [list(thread.tool_sets[call.tools]) for call in thread.calls if call.tools is not None] == [tools for _, tools in requests]
    assert [thread.messages[call.reply].wire[0] for call in thread.calls if call.reply is not None] == [dict(reply) for reply in REPLIES]
    assert [call.flags for call in thread.calls] == [()] * 7
    assert thread.events == ()
    assert (thread.calls[5].usage.input_tokens, thread.calls[5].model, thread.calls[5].id) == (120, "stub-1", "chatcmpl-x")
    assert session.ledger.read == session.ledger.records == len((tmp_path / "run.jsonl").read_text().splitlines())


def test_what_happened_to_the_plan_survives(tmp_path: Path) -> None:
    result, _ = recorded(tmp_path / "run.jsonl")
    (thread,) = read_session(tmp_path / "run.jsonl").threads
    told = [(entry.call, entry.event) for entry in thread.journal if entry.event not in ("report", "tool")]
    assert told == [
        (0, "run_started"),
        (1, "plan"),
        (1, "step_started"),
        (3, "step_ended"),
        (4, "checkpoint"),
        (4, "revision"),
        (4, "step_started"),
        (6, "step_ended"),
        (6, "step_started"),
        (7, "step_ended"),
        (7, "run_ended"),
    ]
    facts = [entry.facts for entry in thread.journal]
    assert facts[0] == {"goal": GOAL}
    assert [f["status"] for f in facts if "again" in f] == ["failed", "complete", "complete"]
    assert [f["after"] for f, e in zip(facts, thread.journal, strict=True) if e.event == "report"] == [r.after for r in result.reports]
    assert [f["evidence"] for f, e in zip(facts, thread.journal, strict=True) if e.event == "tool"] == [o.evidence for o in result.outcomes]
    assert facts[-1]["state"] == json.loads(json.dumps(result.state.as_json()))
    assert [(s["id"], s["status"]) for s in facts[-1]["steps"]] == [(r.step_id, r.status) for r in result.records]


def test_runs_that_write_into_one_file_at_a_time_are_told_apart(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "run.jsonl", model="stub")

    async def go() -> None:
        runs = [recorder.run(name) for name in ("one", "two")]
        models = [run.wrap(ScriptedModel([says(run.name)] * 3), "only") for run in runs]
        for number in range(3):
            for run, model in zip(runs, models, strict=True):
                run.event("before", number=number)
                await model.complete([{"role": "user", "content": f"{run.name} {n}"} for n in range(number + 1)], [])

    run_fast(go())
    sessions = read_sessions(tmp_path / "run.jsonl")
    assert [session.id for session in sessions] == ["one", "two"]
    for session in sessions:
        assert [len(context) for context in contexts(session)] == [1, 2, 3]
        assert {m.text.split()[0] for m in session.threads[0].messages} == {session.id}
        assert [entry.call for entry in session.threads[0].journal] == [0, 1, 2]
        assert session.ledger.read == 6


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("run") / "run.jsonl"
    recorded(path)
    return path.read_bytes()


def check_cut(whole: bytes, cut: int) -> None:
    """What is read of a cut file is what its whole lines say."""
    lines = [json.loads(line) for line in whole[:cut].split(b"\n")[:-1]]
    if whole[cut : cut + 1] == b"\n":
        lines.append(json.loads(whole[:cut].split(b"\n")[-1]))
    try:
        session = read_session(whole[:cut], "run.jsonl")
    except ReadError:
        assert not lines
        return
    (thread,) = session.threads
    assert contexts(session) == [line["request"]["messages"] for line in lines if "request" in line]
    assert [(e.event, e.facts) for e in thread.journal] == [(line["event"], line["facts"]) for line in lines if "event" in line]
    assert {problem.kind for problem in session.problems} <= {"incomplete_line", "not_utf8"}


@given(share=st.floats(0, 1))
def test_a_file_cut_anywhere_is_read_to_its_last_whole_line(whole: bytes, share: float) -> None:
    check_cut(whole, int(share * len(whole)))


def test_a_file_cut_around_the_end_of_each_line_is_read_to_its_last_whole_line(whole: bytes) -> None:
    ends = [place for place, byte in enumerate(whole) if byte == 10]
    for end in ends:
        for cut in (end - 1, end, end + 1, end + 2):
            check_cut(whole, cut)


FOREVER = """
import asyncio, itertools, sys
from ctxcore.runtime.recorder import Recorder

run = Recorder(sys.argv[1], model="stub").run("killed")

class Counts:
    async def complete(self, messages, tools):
        return {"role": "assistant", "content": str(len(messages)) * 3000}

async def go():
    model = run.wrap(Counts(), "only")
    messages = []
    for number in itertools.count():
        run.event("before", number=number)
        messages.append({"role": "user", "content": f"question {number} " + "x" * 2000})
        messages = messages[-6:]
        await model.complete(messages, [])
        print(number, flush=True)

asyncio.run(go())
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_process_that_is_killed_leaves_every_call_that_it_finished(seed: int, tmp_path: Path) -> None:
    """kill -9 after some calls, at a random moment of the next."""
    path = tmp_path / "run.jsonl"
    dice = random.Random(seed)  # noqa: S311 - a moment, not a secret
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", FOREVER, str(path)], stdout=subprocess.PIPE, text=True, env=environment) as process:
        for _ in range(5 + dice.randrange(20)):
            assert process.stdout.readline()
        time.sleep(dice.random() / 100)
        process.send_signal(signal.SIGKILL)
        said = process.stdout.read().split()
    finished = int(said[-1]) if said else 5
    session = read_session(path)
    (thread,) = session.threads
    assert len(thread.calls) >= finished
    assert len(session.problems) <= 1
    assert [entry.facts["number"] for entry in thread.journal] == list(range(len(thread.journal)))
    assert 0 <= len(thread.journal) - len(thread.calls) <= 1
    for number, context in enumerate(contexts(session)):
        assert context[-1]["content"].startswith(f"question {number} x")
        assert len(context) == min(number + 1, 6)


def test_a_first_line_that_is_cut_is_not_taken_for_a_call(tmp_path: Path) -> None:
    model = Recorder(tmp_path / "run.jsonl").run("r").wrap(ScriptedModel([says("x" * 50)]))
    run_fast(model.complete([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], []))
    data = (tmp_path / "run.jsonl").read_bytes()
    assert len(read_session(data[:-1], "run.jsonl").threads[0].calls) == 1
    for cut in range(1, len(data) - 2):
        try:
            assert read_session(data[:cut], "run.jsonl").format != "ctxscope-run"
        except ReadError:
            continue


def test_a_run_goes_on_in_the_file_of_one_that_was_killed(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(whole[: len(whole) // 2])
    Recorder(path).run("next").event("begun")
    first, second = read_sessions(path)
    assert (second.id, [entry.event for entry in second.threads[0].journal]) == ("next", ["begun"])
    assert len(first.threads[0].calls) > 1

"""Public fault reports about plans, as far as they need no verdict on what the tools did."""

from __future__ import annotations

from ctxcore import read_session
from ctxcore.model import Session
from ctxcore.plan.history import plan_history
from tests.cases import CASES


def case(name: str) -> Session:
    return read_session(CASES / name)


def test_a_step_removed_unfinished_is_not_hidden_by_full_progress() -> None:
    made = plan_history(case("PLAN-01.jsonl").threads[0])
    assert [(s.title, s.status) for s in made.steps if s.status != "absent"] == [("Set chairs", "completed")]
    assert [made.steps[f.steps[0]].title for f in made.findings if f.kind == "vanished"] == ["Test microphone", "Print programme"]
    assert len(made.revisions) == 2


def test_renumbered_steps_keep_their_history() -> None:
    made = plan_history(case("PLAN-03.json").threads[0])
    assert [(s.title, s.id, s.status) for s in made.steps] == [
        ("Sort by metal", "1", "completed"),
        ("Photograph", "3", "in_progress"),
        ("Write labels", "4", "pending"),
        ("Clean coins", "2", "pending"),
    ]
    assert [(c.kind, made.steps[c.step].title) for c in made.revisions[1].changes if c.kind == "added"] == [("added", "Clean coins")]
    assert [f.kind for f in made.findings] == ["renumbered"]


def test_two_steps_in_progress_are_named_at_each_write() -> None:
    made = plan_history(case("PLAN-05.jsonl").threads[0])
    busy = [[made.steps[s].title for s in f.steps] for f in made.findings if f.kind == "two_in_progress"]
    assert busy == [["Glue", "Press"], ["Press", "Trim"]]
    assert {status: n for status, n in made.progress().items() if n} == {"in_progress": 2, "completed": 1}


def test_cancelled_is_neither_open_nor_completed() -> None:
    made = plan_history(case("PLAN-10.json").threads[0])
    assert {status: n for status, n in made.progress().items() if n} == {"completed": 2, "cancelled": 1}
    assert not made.findings


def test_a_doubled_id_counts_once_and_a_refused_write_not_at_all() -> None:
    made = plan_history(case("PLAN-11.json").threads[0])
    assert [(s.title, s.status) for s in made.steps] == [("Load boxes", "in_progress"), ("Check tyres", "pending")]
    assert [(f.kind, f.revision) for f in made.findings] == [("duplicate_id", 0), ("failed_write", 1)]
    assert [r.applied for r in made.revisions] == [True, False]


def test_a_sub_agents_plan_is_its_own() -> None:
    session = case("PLAN-13.jsonl")
    main, side = session.threads[0], next(t for t in session.threads if t.kind == "agent")
    assert [(s.title, s.status) for s in plan_history(main).steps] == [("Pass 1", "completed"), ("Pass 2", "pending"), ("Pass 3", "pending")]
    assert [s.status for s in plan_history(side).steps] == ["completed", "completed"]
    assert plan_history(main).count("vanished") == 0

"""``ctxscope plan``: the keys of its JSON, and its tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import orjson
import pytest

from ctxcore.cli import main
from tests.chat import conversation, upload
from tests.plan.test_history import todos

CASES = Path(__file__).parent.parent / "data" / "cases"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["plan", *arguments, "--json"]) == 0
    return orjson.loads(capsys.readouterr().out)


def test_the_plan_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fails = ("Bash", {"command": "pytest"}, "Exit code 1\n2 failed")
    steps = (todos("Paint:i Dry:i"), fails, todos("Paint:c Dry:p"), todos("Paint:i"))
    (tmp_path / "a.json").write_bytes(upload(conversation("Go.", *steps)))
    assert printed(capsys, str(tmp_path / "a.json")) == {
        "schema": "ctxscope.plan/1",
        "threads": [
            {
                "id": "main",
                "steps": [
                    {
                        "id": "step-1",
                        "title": "Paint",
                        "statuses": [{"call": 0, "status": "in_progress"}, {"call": 2, "status": "completed"}, {"call": 3, "status": "in_progress"}],
                        "verdict": "contradicted",
                        "evidence": [{"call": 1, "what": "tests failed (2): pytest"}, {"call": 1, "what": "1 tool call, 1 failed"}],
                    },
                    {
                        "id": "step-2",
                        "title": "Dry",
                        "statuses": [{"call": 0, "status": "in_progress"}, {"call": 2, "status": "pending"}, {"call": 3, "status": "absent"}],
                        "verdict": None,
                        "evidence": [],
                    },
                ],
                "revisions": [{"call": 0, "why": ""}, {"call": 2, "why": ""}, {"call": 3, "why": ""}],
                "findings": [
                    {"kind": "two_in_progress", "call": 0, "step": "step-1"},
                    {"kind": "two_in_progress", "call": 0, "step": "step-2"},
                    {"kind": "contradicted", "call": 2, "step": "step-1"},
                    {"kind": "reopened", "call": 3, "step": "step-1"},
                    {"kind": "vanished", "call": 3, "step": "step-2"},
                ],
                "notes": [],
            }
        ],
    }


@pytest.mark.parametrize(
    ("case", "notes"),
    [
        ("PLAN-03", [("renumbered", 1, "3", "Step numbers changed"), ("renumbered", 1, "4", "Step numbers changed")]),
        ("PLAN-07", [("said_done", 2, "2", "The record supports it: 1 tool call, it succeeded (add_comment at call #1).")]),
        ("PLAN-11", [("duplicate_id", 0, "k", "The id 'k' stands twice"), ("failed_write", 1, None, "store is locked")]),
    ],
)
def test_what_else_is_odd_is_among_the_notes(case: str, notes: list[tuple[str, int, str | None, str]], capsys: pytest.CaptureFixture[str]) -> None:
    (thread,) = printed(capsys, str(CASES / f"{case}.json"))["threads"]
    assert [(note["kind"], note["call"], note["step"]) for note in thread["notes"]] == [note[:3] for note in notes]
    assert all(words in note["text"] for note, (*_, words) in zip(thread["notes"], notes, strict=True))


def test_steps_have_the_recorded_ids_where_these_tell_them_apart(capsys: pytest.CaptureFixture[str]) -> None:
    (thread,) = printed(capsys, str(CASES / "PLAN-03.json"))["threads"]
    assert [(step["id"], step["title"]) for step in thread["steps"]] == [
        ("1", "Sort by metal"),
        ("3", "Photograph"),
        ("4", "Write labels"),
        ("2", "Clean coins"),
    ]


def test_a_refused_write_says_why_it_changed_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    (thread,) = printed(capsys, str(CASES / "PLAN-11.json"))["threads"]
    assert [revision["why"] for revision in thread["revisions"]] == ["", "The tool refused it: error: store is locked"]
    assert {step["verdict"] for step in thread["steps"]} == {None}


def test_every_thread_with_a_plan_is_there_and_one_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys, str(CASES / "PLAN-13.jsonl"))["threads"]
    assert [len(thread["steps"]) for thread in found] == [3, 2]
    assert printed(capsys, str(CASES / "PLAN-13.jsonl"), "--thread", found[1]["id"])["threads"] == [found[1]]


def test_a_session_without_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, str(CASES / "PLAN-08.json")) == {"schema": "ctxscope.plan/1", "threads": []}
    assert main(["plan", str(CASES / "PLAN-08.json")]) == 0
    assert "No plan in this session" in capsys.readouterr().out


def test_tables_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(CASES / "PLAN-06.json")]) == 0
    out = capsys.readouterr().out
    assert "2 claimed done, 2 contradicted: mix_paint failed at call #1; send_parcel failed at call #2." in " ".join(out.split())
    assert "Mix paint" in out


def test_a_removed_step_has_one_word_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    """PLAN-01: a step was completed and then taken out of the plan."""
    assert main(["plan", str(CASES / "PLAN-01.jsonl")]) == 0
    assert "completed, then removed" in " ".join(capsys.readouterr().out.split())


def test_the_table_of_steps_has_verdicts_and_what_they_rest_on(tmp_path: Path) -> None:
    assert main(["report", str(CASES / "PLAN-06.json"), "--budget", "2000", "--unit", "chars", "--tables", str(tmp_path), "--reviewed"]) == 0
    with (tmp_path / "plan-steps.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    found = [(row["title"], row["verdict"], row["claimed at call"], row["what the record says"].partition(";")[0]) for row in rows]
    assert found == [
        ("Mix paint", "contradicted", "3", "#1 mix_paint failed and was not made good"),
        ("Send parcel", "contradicted", "3", "#2 send_parcel failed and was not made good"),
    ]
    assert [row["findings"] for row in rows] == ["contradicted"] * 2

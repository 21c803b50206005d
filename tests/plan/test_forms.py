"""The ways in which plans are written, each with what a person reads in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session
from ctxcore.model import Thread
from ctxcore.plan.history import plan_history
from ctxcore.plan.values import PlanHistory
from tests.chat import thread_of
from tests.runtime.test_recorder import recorded


def steps(made: PlanHistory) -> list[tuple[str, str]]:
    return [(step.title, step.status) for step in made.steps]


def said(*texts: str) -> Thread:
    """A conversation of replies, a short question before each."""
    messages: list[dict[str, Any]] = []
    for text in texts:
        messages += [{"role": "user", "content": "And now?"}, {"role": "assistant", "content": text}]
    return read_session(json.dumps({"model": "demo", "messages": messages}).encode(), "chat.json").threads[0]


PAINTED = [("Paint", "completed"), ("Dry", "in_progress")]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write_todos", {"todos": [{"description": "Paint", "status": "completed"}, {"description": "Dry", "status": "in_progress"}]}),
        (
            "task_tracker",
            {"command": "plan", "task_list": [{"id": "1", "title": "Paint", "status": "done"}, {"title": "Dry", "status": "in_progress"}]},
        ),
        ("SetTodoList", {"todos": [{"title": "Paint", "status": "done"}, {"title": "Dry", "status": "in_progress"}]}),
        (
            "tool",
            {
                "tool": "updateTodoList",
                "todos": [{"id": "a", "content": "Paint", "status": "completed"}, {"id": "b", "content": "Dry", "status": "in_progress"}],
            },
        ),
        ("read_file", {"path": "a.md", "task_progress": "- [x] Paint\n- [-] Dry"}),
        ("todo__write", {"content": "# To do\n- [x] Paint\n- [-] Dry"}),
        ("TodoWrite", {"todos": "1. [completed] Paint\n2. [in_progress] Dry"}),
    ],
)
def test_tools_of_many_makers(tool: str, arguments: dict[str, Any]) -> None:
    assert steps(plan_history(thread_of("Do it.", (tool, arguments, "ok")))) == PAINTED


def test_a_failed_tool_that_carries_the_plan_refuses_no_plan() -> None:
    made = plan_history(thread_of("Do it.", ("read_file", {"path": "a.md", "task_progress": "- [ ] Paint\n- [ ] Dry"}, "Error: no such file")))
    assert steps(made) == [("Paint", "pending"), ("Dry", "pending")]


def test_tools_that_have_tasks_of_their_own_write_no_plan() -> None:
    assert not plan_history(
        thread_of("Go.", ("create_task", {"title": "Call Ann"}, "ok"), ("write", {"content": "- [ ] a\n- [ ] b"}, "ok"))
    ).revisions


def test_a_check_list_in_replies_changes_what_it_names_and_removes_nothing() -> None:
    made = plan_history(said("My plan:\n- [ ] Paint\n- [ ] Dry\n- [ ] Hang", "So far:\n- [x] Paint\n- [x] Dry", "One box is no plan:\n- [x] Hang"))
    assert steps(made) == [("Paint", "completed"), ("Dry", "completed"), ("Hang", "pending")]
    assert [(revision.call, revision.tool) for revision in made.revisions] == [(0, "message"), (1, "message")]
    assert not made.findings


def test_another_check_list_is_another_plan() -> None:
    made = plan_history(said("- [x] Build\n- [x] Test", "- [ ] Package\n- [ ] Sign\n- [ ] Test"))
    assert len(made.steps) == 5
    assert made.count("reopened") == 0


def test_boxes_in_code_are_no_plan() -> None:
    assert not plan_history(said("The template:\n```markdown\n- [ ] one\n- [x] two\n```\nUse it.")).revisions


def test_a_json_plan_in_a_reply() -> None:
    first = {"goal": "A dry wall", "steps": [{"id": "s1", "title": "Paint"}, {"id": "s2", "title": "Dry"}]}
    second = {"goal": "A red wall", "steps": [{"id": "s1", "title": "Paint", "status": "done"}, {"id": "s2", "title": "Dry"}]}
    made = plan_history(said(json.dumps(first), f"Now:\n```json\n{json.dumps(second)}\n```", '{"steps": 3, "plan": [1, 2]}'))
    assert steps(made) == [("Paint", "completed"), ("Dry", "pending")]
    assert [(finding.kind, finding.call) for finding in made.findings] == [("goal_changed", 1)]
    assert made.goals == ("A red wall",)


def test_our_own_planner_is_read_from_its_events(tmp_path: Path) -> None:
    """Script of the run: a fails, a checkpoint drops b for c, a completes, c completes."""
    recorded(tmp_path / "run.jsonl")
    made = plan_history(read_session(tmp_path / "run.jsonl").threads[0])
    assert [(step.id, step.status, step.word) for step in made.steps] == [
        ("a", "completed", "complete"),
        ("b", "cancelled", "skipped"),
        ("c", "completed", "complete"),
    ]
    told = [(revision.tool, revision.call) for revision in made.revisions]
    assert told == [
        ("plan", 0),
        ("step_started", 0),
        ("step_ended", 2),
        ("revision", 3),
        ("step_started", 3),
        ("step_ended", 5),
        ("step_started", 5),
        ("step_ended", 6),
    ]
    assert [revision.note for revision in made.revisions if revision.tool == "revision"] == ["b was too much"]
    assert not made.findings
    assert len(made.goals) == 1


def state(step: int, messages: list[dict[str, Any]], **channels: Any) -> dict[str, Any]:
    return {"values": {"messages": messages, **channels}, "next": [], "metadata": {"step": step}, "config": {"configurable": {"thread_id": "t"}}}


def test_the_plan_of_a_graph_is_read_from_its_states() -> None:
    """Plan-and-execute: ``plan`` is what is left, ``past_steps`` what is done."""
    one = [{"type": "human", "content": "Go", "id": "h"}, {"type": "ai", "content": "Planned.", "id": "a1"}]
    two = [*one, {"type": "ai", "content": "Painted.", "id": "a2"}]
    states = [
        state(1, one, plan=["Paint", "Dry"], past_steps=[], input="A dry wall"),
        state(2, two, plan=["Dry"], past_steps=[["Paint", "red"]], input="A dry wall"),
    ]
    made = plan_history(read_session(json.dumps(states).encode(), "states.json").threads[0])
    assert steps(made) == [("Paint", "completed"), ("Dry", "pending")]
    assert [revision.call for revision in made.revisions] == [0, 1]


CORPUS = {
    "langgraph_state/deerflow_4f3e55ee_thread.json": (6, 5),
    "roo-code/natural-already-condensed/ui_messages.json": (8, 9),
    "cline/task_1769053680585/api_conversation_history.json": (13, 19),
    "inspect/tsmono_ais-decoder_zstd.eval": (2, 3),
}
"""Real files: writes of a plan, and steps in all; counted by eye in the files."""


@pytest.mark.parametrize("name", CORPUS)
def test_plans_of_real_recordings(shared: Path, name: str) -> None:
    made = [plan_history(thread) for thread in read_session(shared / "corpus" / name).threads]
    assert (sum(len(one.revisions) for one in made), sum(len(one.steps) for one in made)) == CORPUS[name]


def test_the_screen_of_a_task_shows_the_plan_that_its_calls_wrote(shared: Path) -> None:
    """Two records of one task: arguments of the calls, and what the screen showed."""
    folder = shared / "corpus" / "cline" / "task_1769053680585"
    calls, screen = (plan_history(read_session(folder / name).threads[0]) for name in ("api_conversation_history.json", "ui_messages.json"))
    assert steps(calls) == steps(screen)
    assert [f.kind for f in calls.findings] == [f.kind for f in screen.findings]

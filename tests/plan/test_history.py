"""What a plan's history says, tool by tool. Call k is the reply of the k-th tool step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxcore.plan import matching, rewording
from ctxcore.plan.history import plan_history
from ctxcore.plan.rewording import Known, Title
from ctxcore.plan.values import ABSENT, COMPLETED, IN_PROGRESS, PENDING, Item, PlanHistory, read_status
from tests.chat import Step, thread_of

LETTER = {"p": "pending", "i": "in_progress", "c": "completed", "x": "cancelled"}


def todos(text: str) -> Step:
    """``Paint:c Dry:p`` as one TodoWrite."""
    pairs = [item.rsplit(":", 1) for item in text.split(" ") if item]
    return "TodoWrite", {"todos": [{"content": title, "status": LETTER[mark], "activeForm": title} for title, mark in pairs]}, "ok"


def history(*steps: Step) -> PlanHistory:
    return plan_history(thread_of("Do it.", *steps))


def kinds(made: PlanHistory) -> list[tuple[str, int]]:
    return [(f.kind, f.call) for f in made.findings]


def test_a_status_counts_from_the_call_whose_reply_set_it() -> None:
    made = history(todos("Paint:i Dry:p"), ("look", {}, "wet"), todos("Paint:c Dry:i"))
    assert made.status.tolist() == [[IN_PROGRESS, IN_PROGRESS, COMPLETED, COMPLETED], [PENDING, PENDING, IN_PROGRESS, IN_PROGRESS]]
    assert [r.call for r in made.revisions] == [0, 2]
    assert not made.findings


def test_a_completed_step_that_is_open_again_is_reopened() -> None:
    assert kinds(history(todos("Paint:c Dry:p"), todos("Paint:i Dry:p"))) == [("reopened", 1)]


def test_a_step_that_goes_unfinished_has_vanished_and_a_finished_one_has_not() -> None:
    made = history(todos("Paint:c Dry:p Hang:x"), todos("Sand:p"))
    assert [(f.kind, made.steps[f.steps[0]].title) for f in made.findings] == [("vanished", "Dry")]
    assert made.status[:, 1].tolist() == [ABSENT, ABSENT, ABSENT, PENDING]


def test_two_steps_in_progress_are_said_once_as_long_as_they_are_the_same_two() -> None:
    made = history(todos("Paint:i Dry:i"), todos("Paint:i Dry:i Hang:p"), todos("Paint:c Dry:i Hang:i"))
    assert kinds(made) == [("two_in_progress", 0), ("two_in_progress", 2)]


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ("Paint:c Dry:i Hang:p", "Hang:p Dry:i Paint:c", []),
        ("Paint:c Dry:i Hang:p", "Paint:c Dry-it:i Hang:p", ["Dry"]),
        ("Paint:c Dry:i Hang:p", "Paint:c Wait:i Hang:p", ["Dry"]),
    ],
    ids=["reordered", "reworded", "replaced in its place"],
)
def test_a_step_keeps_its_row_when_it_moves_or_is_reworded(before: str, after: str, moved: list[str]) -> None:
    made = history(todos(before), todos(after))
    assert len(made.steps) == 3
    assert [step.titles[0] for step in made.steps if len(step.titles) > 1] == moved
    assert not made.findings


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        ("Pass-1:p Pass-2:p", "Pass-2:p Pass-3:p", 3),
        ("Paint:c Dry:c", "Sand:p Oil:p", 4),
        ("Paint:c Dry:p", "Sand:p Dry:p", 3),
    ],
    ids=["numbers apart", "a new plan", "a finished step is never the start of another"],
)
def test_different_steps_are_not_taken_for_one(before: str, after: str, rows: int) -> None:
    made = history(todos(before), todos(after))
    assert len(made.steps) == rows
    assert made.count("reopened") == 0


def test_a_new_plan_after_a_finished_one_reopens_no_step_of_the_same_name() -> None:
    made = history(todos("Paint:c Test:c"), todos("Sand:p Oil:p Test:p"))
    assert len(made.steps) == 5
    assert not made.findings


def test_a_finished_plan_that_grows_keeps_its_steps() -> None:
    made = history(todos("Paint:c"), todos("Paint:c Sand:p Oil:p Dry:p"))
    assert [change.kind for change in made.revisions[1].changes] == ["added", "added", "added"]


def test_a_finished_plan_that_goes_on_reopens_what_is_open_again() -> None:
    made = history(todos("Paint:c Test:c"), todos("Paint:c Test:p Oil:p"))
    assert kinds(made) == [("reopened", 1)]


def test_a_step_that_comes_back_is_the_same_step() -> None:
    made = history(todos("Paint:i Dry:p"), todos("Paint:c"), todos("Paint:c Dry:i"))
    assert len(made.steps) == 2
    assert made.steps[1].status == "in_progress"
    assert made.revisions[2].changes[0].kind == "returned"


def test_tasks_are_known_by_the_id_that_their_creation_gave() -> None:
    made = history(
        ("TaskCreate", {"subject": "Paint", "description": "the wall"}, "Task #7 created successfully: Paint"),
        ("TaskCreate", {"subject": "Dry"}, "Task #8 created successfully: Dry"),
        ("TaskUpdate", {"taskId": "7", "status": "completed"}, "Updated task #7 status"),
        ("TaskUpdate", {"taskId": "8", "addBlockedBy": ["7"]}, "Updated task #8 blockedBy"),
        ("TaskUpdate", {"taskId": "8", "status": "deleted"}, "Updated task #8 deleted"),
        ("TaskUpdate", {"taskId": "3", "status": "in_progress"}, "Updated task #3 status"),
    )
    assert [(s.title, s.id, s.status) for s in made.steps] == [("Paint", "7", "completed"), ("Dry", "8", "absent"), ("", "3", "in_progress")]
    assert kinds(made) == [("vanished", 4), ("unknown_id", 5)]
    assert made.revisions[3].changes == ()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_plan", {"explanation": "", "plan": [{"step": "Paint", "status": "completed"}, {"step": "Dry", "status": "in_progress"}]}),
        ("write_todos", {"todos": [{"content": "Paint", "status": "completed"}, {"content": "Dry", "status": "in_progress"}]}),
        (
            "todo_write",
            {
                "merge": False,
                "todos": [{"id": "a", "content": "Paint", "status": "completed"}, {"id": "b", "content": "Dry", "status": "in_progress"}],
            },
        ),
        ("manage_todo_list", {"todoList": [{"id": 1, "title": "Paint", "status": "completed"}, {"id": 2, "title": "Dry", "status": "in-progress"}]}),
        ("mcp__notes__todowrite", {"todos": '[{"content":"Paint","status":"completed"},{"content":"Dry","status":"in_progress"}]'}),
        ("update_todo_list", {"todos": "[x] Paint\n[-] Dry"}),
    ],
)
def test_plan_tools_of_several_makers_say_the_same(tool: str, arguments: dict[str, Any]) -> None:
    made = history((tool, arguments, "ok"))
    assert [(s.title, s.status) for s in made.steps] == [("Paint", "completed"), ("Dry", "in_progress")]


def test_a_merge_changes_only_the_steps_it_names() -> None:
    first = {"merge": False, "todos": [{"id": "a", "content": "Paint", "status": "pending"}, {"id": "b", "content": "Dry", "status": "pending"}]}
    made = history(("todo_write", first, "ok"), ("todo_write", {"merge": True, "todos": [{"id": "b", "status": "completed"}]}, "ok"))
    assert [(s.title, s.status) for s in made.steps] == [("Paint", "pending"), ("Dry", "completed")]


def test_a_word_that_is_not_known_is_shown_as_recorded() -> None:
    made = history(("todo", {"todos": [{"content": "Paint", "status": "parked"}]}, "ok"))
    assert (made.steps[0].status, made.steps[0].word) == ("unknown", "parked")
    assert kinds(made) == [("unknown_status", 0)]


@pytest.mark.parametrize("arguments", [{"todos": 5}, {"todos": [1, 2]}, {"todos": [{}]}, {"todos": "no list"}])
def test_a_plan_that_cannot_be_read_is_said_and_changes_nothing(arguments: dict[str, Any]) -> None:
    made = history(todos("Paint:i"), ("TodoWrite", arguments, "ok"))
    assert kinds(made) == [("malformed_write", 1)]
    assert [s.status for s in made.steps] == ["in_progress"]


def test_a_tool_that_only_reads_the_list_writes_no_plan() -> None:
    assert not history(("todo", {}, "[]"), ("todo", {"action": "list"}, "[]"), ("get_plan", {"plan": "a"}, "{}")).revisions


@pytest.mark.parametrize(
    ("word", "status"),
    [("done", "completed"), ("In Progress", "in_progress"), ("to-do", "pending"), ("", "pending"), ("进行中", "in_progress"), ("parked", "unknown")],
)
def test_status_words(word: str, status: str) -> None:
    assert read_status(word) == status


def reworded_often(steps: int, words: Callable[[int, int], str], writes: int = 3) -> PlanHistory:
    return history(*(todos(" ".join(f"{words(step, write)}:p" for step in range(steps))) for write in range(writes)))


@pytest.mark.parametrize(
    "words",
    [lambda step, write: f"step-{step}-of-draft-{write}", lambda step, write: f"{'abcdefgh'[step % 8] * (step % 30 + 5)}-{'xyz'[write]}"],
    ids=["numbers alone", "words"],
)
def test_a_long_plan_that_is_rewritten_whole_is_compared_about_once_a_step(words: Callable[[int, int], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step with each would be 160,000 pairs a write."""
    seen = 0

    def counted(old: Title, new: Title) -> bool:
        nonlocal seen
        seen += 1
        return numbered(old, new)

    numbered = rewording._is_numbered
    monkeypatch.setattr(rewording, "_is_numbered", counted)
    reworded_often(400, words)
    assert 0 < seen <= 2 * 400 * (2 * rewording.NEAR + 2)


def test_a_thread_has_one_allowance_for_likeness_and_then_goes_by_words() -> None:
    news = [Item(title=f"paint the wall {word} and dry it") for word in ["red", "green", "blue"]]
    olds = [Known(f"paint a wall {word} and dry it", "", "pending") for word in ["red", "green", "blue"]]
    assert rewording.Rewording().pairs(olds, news) == rewording.Rewording(left=0).pairs(olds, news) == [(0, 0), (1, 1), (2, 2)]
    spent = rewording.Rewording(left=1)
    spent.pairs(olds, news)
    assert spent.left <= 0


def test_an_unchanged_list_is_not_matched_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_by_key", None)
    known, said = [Known("Paint", "", "pending")] * 2, [Item(title="Paint", word="completed")] * 2
    assert matching.match(known, said, rewording.Rewording()) == [0, 1]

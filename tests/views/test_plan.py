"""The plan in a figure and in words. Call k is the reply of the k-th tool step."""

from __future__ import annotations

import pytest

from ctxcore.plan.review import PlanReview, plan_review
from ctxcore.plan.values import PlanHistory
from ctxcore.views.plan import plan_at, plan_counters, plan_sentence
from ctxcore.views.plan_figure import plan_figure
from ctxcore.views.plan_tables import changes_note, changes_table
from ctxcore.views.visible import fitted
from tests.chat import Step, thread_of


def write(**steps: str) -> Step:
    """One write of the whole plan: title and status of each step."""
    return ("TodoWrite", {"todos": [{"content": title, "status": status} for title, status in steps.items()]}, "ok")


def review(*steps: Step) -> PlanReview:
    return plan_review(thread_of("Go.", *steps))


def history(*steps: Step) -> PlanHistory:
    return review(*steps).history


def test_no_bar_reaches_into_the_row_of_another_step() -> None:
    """The first and the last of five steps are in progress: bars of one status must not grow with the distance of their rows."""
    found = history(
        write(a="in_progress", b="pending", c="pending", d="pending", e="pending"),
        write(a="completed", b="completed", c="completed", d="completed", e="in_progress"),
    )
    bars = [trace for trace in plan_figure(found, 0).data if trace.type == "bar"]
    assert {trace.name for trace in bars} == {"in progress", "pending", "completed"}
    for trace in bars:
        for y in trace.y:
            row = round(y)
            assert row - 0.5 < y - trace.width / 2 < y + trace.width / 2 < row + 0.5


def test_every_row_has_its_title_as_plain_text() -> None:
    found = history(write(**{"<b>one</b>": "pending", "two": "pending"}))
    assert [note.text for note in plan_figure(found, 0).layout.annotations] == ["1. &lt;b&gt;one&lt;/b&gt;", "2. two"]


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("订机票", 6, "订机票"), ("订机票吧", 6, "订机…")],
)
def test_text_is_cut_by_its_width(text: str, cells: int, shown: str) -> None:
    assert fitted(text, cells) == shown


def test_the_plan_in_words_at_the_end_and_at_each_call() -> None:
    made = review(("look", {}, "ok"), write(a="in_progress", b="pending"), write(a="completed", b="in_progress"), write(a="completed", b="completed"))
    found = made.history
    assert plan_sentence(made).startswith("The plan was written 3 times. 2 steps in all; at the end 2 completed. No step was reopened")
    assert [plan_at(found, call) for call in range(4)] == [
        "At call #0: no plan yet.",
        "At call #1: step 1 in progress (a), 1 pending.",
        "At call #2: step 2 in progress (b), 1 completed.",
        "At call #3: 2 completed.",
    ]
    swapped = review(write(a="completed", b="pending"), write(c="pending"))
    assert "3 steps in all; at the end 1 pending, 2 removed (1 of them completed before)." in plan_sentence(swapped)
    both = history(write(a="in_progress", b="in_progress"), write())
    assert [plan_at(both, call) for call in (0, 1)] == ["At call #0: steps 1 and 2 in progress.", "At call #1: the plan is empty."]


def test_a_write_that_repeats_the_plan_is_counted_and_not_listed() -> None:
    found = history(write(a="pending"), write(a="pending"), write(a="pending"), ("TodoWrite", {"todos": [{"content": "b"}]}, "Error: locked"))
    assert changes_table(found)["change"].tolist() == ["added", "not applied"]
    assert changes_note(found, 2) == "2 rows. A row opens its call on the page Calls. 2 writes that changed no step are left out."


def test_the_counters_say_what_speaks_against_a_claim() -> None:
    fails = ("Bash", {"command": "pytest"}, "Exit code 1\n2 failed")
    made = review(write(a="in_progress", b="pending"), fails, write(a="completed", b="in_progress"), write(a="completed", b="completed"))
    said = "2 claimed done, 1 unsupported, 1 contradicted: tests failed at call #1. 1 step was claimed done without any tool call."
    assert plan_counters(made) == said
    assert plan_counters(review(write(a="pending"))) == "No step was claimed done."

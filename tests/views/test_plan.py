"""The plan in a figure and in words. Call k is the reply of the k-th tool step."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ctxcore import read_session
from ctxcore.model import Thread
from ctxcore.plan.attempts import attempts
from ctxcore.plan.review import PlanReview, plan_review
from ctxcore.plan.values import PlanHistory
from ctxcore.views.plan import plan_at, plan_counters, plan_sentence
from ctxcore.views.plan_figure import plan_figure, row_window
from ctxcore.views.plan_step import facts_table, step_changes, step_choices, step_sentence
from ctxcore.views.plan_tables import changes_note, changes_table
from ctxcore.views.plan_timeline import plan_timeline
from ctxcore.views.time_scale import TimeScale, thread_scale
from ctxcore.views.visible import fitted, short_paths
from tests.chat import Step, thread_of

TIMES = Path(__file__).parent.parent / "data" / "cases"


def write(**steps: str) -> Step:
    """One write of the whole plan: title and status of each step."""
    return ("TodoWrite", {"todos": [{"content": title, "status": status} for title, status in steps.items()]}, "ok")


def review(*steps: Step) -> PlanReview:
    return plan_review(thread_of("Go.", *steps))


def history(*steps: Step) -> PlanHistory:
    return review(*steps).history


def test_no_bar_reaches_into_the_row_of_another_step() -> None:
    """The first and the last of five steps are in progress: bars of one status must not grow with the distance of their rows."""
    found = review(
        write(a="in_progress", b="pending", c="pending", d="pending", e="pending"),
        write(a="completed", b="completed", c="completed", d="completed", e="in_progress"),
    )
    sight = np.ones_like(found.history.status)
    for figure in (plan_figure(found, 0), plan_figure(found, 0, sight=sight)):
        bars = [trace for trace in figure.data if trace.type == "bar"]
        assert {trace.name for trace in bars} >= {"in progress", "pending", "completed"}
        for trace in bars:
            for y in trace.y:
                row = round(y)
                assert row - 0.5 < y - trace.width / 2 < y + trace.width / 2 < row + 0.5
    names = [trace.name for trace in plan_figure(found, 0, sight=sight).data if trace.type == "bar"]
    assert names[-1] == "text in the context"


def test_every_row_has_its_title_as_plain_text() -> None:
    found = review(write(**{"<b>one</b>": "pending", "two": "pending"}))
    assert [note.text for note in plan_figure(found, 0).layout.annotations] == ["1. &lt;b&gt;one&lt;/b&gt;", "2. two"]


def test_a_part_of_a_long_plan_keeps_its_numbers() -> None:
    found = review(write(**{f"step {n}": "pending" for n in range(90)}))
    rows = row_window(90, 40)
    figure = plan_figure(found, 0, rows=rows)
    assert rows == range(40, 80)
    assert figure.layout.annotations[0].text == "41. step 40"
    assert {fact[0] for trace in figure.data if trace.type == "bar" for fact in trace.customdata} == set(rows)
    assert [list(row_window(*one)) for one in ((0, 5), (3, 9))] == [[], [2]]


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
    found = review(write(a="pending"), write(a="pending"), write(a="pending"), ("TodoWrite", {"todos": [{"content": "b"}]}, "Error: locked"))
    assert changes_table(found)["change"].tolist() == ["added", "not applied"]
    assert changes_note(found.history, 2) == "2 rows. A row opens its call on the page Calls. 2 writes that changed no step are left out."


def test_the_counters_say_what_speaks_against_a_claim() -> None:
    fails = ("Bash", {"command": "pytest"}, "Exit code 1\n2 failed")
    made = review(write(a="in_progress", b="pending"), fails, write(a="completed", b="in_progress"), write(a="completed", b="completed"))
    said = "2 claimed done, 1 unsupported, 1 contradicted: tests failed at call #1. 1 step was claimed done without any tool call."
    assert plan_counters(made) == said
    assert plan_counters(review(write(a="pending"))) == "No step was claimed done."
    assert plan_counters(review(write(a="in_progress", b="pending"))) == "No step was claimed done. Left in progress: “a”."
    many = review(write(**dict.fromkeys("abcde", "in_progress")))
    assert plan_counters(many).endswith("Left in progress: “a”, “b”, “c” and 2 more.")


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("chmod +x /home/me/work/app/run.sh", "chmod +x …/app/run.sh"),
        ("changed apps/web/src/content/docs/tools/prepare.mdx", "changed …/tools/prepare.mdx"),
        ("for f in apps/web/src/content/docs/*.mdx; do", "for f in …/docs/*.mdx; do"),
        ('cat "./a/b/c/d/e.py"', 'cat "…/d/e.py"'),
        ("curl https://example.org/a/b/c/d/e", "curl https://example.org/a/b/c/d/e"),
        ("changed src/a/b.py", "changed src/a/b.py"),
    ],
)
def test_long_paths_keep_their_last_two_parts(text: str, short: str) -> None:
    assert short_paths(text) == short


def test_one_step_in_words_and_tables() -> None:
    fails = ("Bash", {"command": "pytest"}, "Exit code 1\n2 failed")
    thread = thread_of("Go.", write(a="in_progress", b="pending"), fails, write(a="completed", b="in_progress"))
    made = plan_review(thread)
    assert step_choices(made) == ["1. ✗ a", "2. b"]
    assert step_sentence(made, 0, 1) == "a: claimed done once, last contradicted. After call #1 it is in progress."
    assert step_sentence(made, 1, 0) == "b: never claimed done. After call #0 it is pending."
    assert facts_table(made, 0)[["call", "what", "against", "claim", "since"]].values.tolist() == [
        [1, "tests failed (2): pytest", "against it", 2, "#0"],
        [1, "1 tool call, 1 failed", "", 2, "#0"],
    ]
    changes = step_changes(thread, made, 0)
    assert changes[["call", "from", "to"]].values.tolist() == [[0, "", "in progress"], [2, "in progress", "completed"]]
    assert [thread.messages[message].calls[0].name for message in changes["message"]] == ["TodoWrite", "TodoWrite"]


def timed(*minutes: float | None) -> Thread:
    """A plan written at each of these minutes: a step in progress, then completed, and so on; the user speaks at the first of them."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go.", "timestamp": stamp(minutes[0])}]
    for number, minute in enumerate(minutes):
        name, arguments, _ = write(a="completed" if number % 2 else "in_progress", b="pending")
        call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call], "timestamp": stamp(minute)})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok", "timestamp": stamp(minute)})
    return read_session(json.dumps({"messages": messages}).encode(), "chat.json").threads[0]


def stamp(minute: float | None) -> str | None:
    return None if minute is None else datetime.fromtimestamp(1_741_597_200 + 60 * minute, UTC).isoformat()


def test_attempts_lie_between_start_and_end() -> None:
    thread = timed(0, 5, 9, 10)
    tries = attempts(thread, plan_review(thread))
    told = [(one.step, one.number, one.start, one.end, one.end_at - one.start_at) for one in tries if one.end_at and one.start_at]
    assert told == [(0, 1, 0, 1, 300.0), (0, 2, 2, 3, 60.0)]


def test_a_pause_of_days_takes_little_room_on_the_time_axis() -> None:
    """TIME-05: 52:59:30 between two short stretches of work, 90 seconds in all."""
    thread = read_session(TIMES / "TIME-05.json").threads[0]
    scale = thread_scale(thread)
    assert scale is not None
    assert scale.pause_words()[0][1] == "pause of 52 h 59 min"
    first, last = scale.moments[0], scale.moments[-1]
    assert (scale.place(first), scale.place(last), scale.width) == (0, scale.width, pytest.approx(90 * 1.04, abs=1))
    assert scale.ticks(0, scale.width)[1] == ["09:00:00<br>03-10", "09:00:30", "14:00:00<br>03-12", "14:00:30", "14:01:00"]


def test_times_that_cannot_be_compared_or_are_missing_give_no_time_axis() -> None:
    """TIME-01: dates without a zone among others; the plan is then drawn by call. TIME-03: a time of 0 is none."""
    assert thread_scale(read_session(TIMES / "TIME-01.json").threads[0]) is None
    assert thread_scale(timed(0, None, None, None)) is None
    assert TimeScale.of([5.0, 5.0]) is None
    scale = thread_scale(read_session(TIMES / "TIME-03.json").threads[0])
    assert scale is not None
    assert scale.width == 20.5


def test_the_timeline_draws_by_time_or_by_call() -> None:
    thread = timed(0, 5, 200, 201)
    made = plan_review(thread)
    tries = attempts(thread, made)
    by_time, by_call = (plan_timeline(thread, made, tries, scale) for scale in (thread_scale(thread), None))
    assert by_time.layout.xaxis.title.text == "time (UTC), pauses shortened"
    assert by_call.layout.xaxis.title.text == "call"
    bars = next(trace for trace in by_call.data if trace.type == "bar")
    assert [(fact[0], fact[1]) for fact in bars.customdata] == [(0, 1), (0, 3)]
    assert bars.name == "done, unsupported ?"
    marks = next(trace for trace in by_call.data if trace.name == "plan changed")
    assert list(marks.x) == [0, 1, 2, 3]
    long = next(trace for trace in by_time.data if trace.type == "bar")
    assert next(iter(long.x)) == 300


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("changed /home/ann/work/app/src/core/wall.py", "changed …/core/wall.py"),
        ("changed src/core/wall.py", "changed src/core/wall.py"),
        ("see https://example.invalid/a/b/c/d/e", "see https://example.invalid/a/b/c/d/e"),
        ("/a/b/c.py: no", "/a/b/c.py: no"),
    ],
)
def test_long_paths_are_cut_to_their_end(text: str, shown: str) -> None:
    assert short_paths(text) == shown

"""Whether a step's text is in a context, against a search in what each call would be sent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ctxcore import read_session, replay
from ctxcore.measures.plan_sight import DROPPED_TEXT, INSIDE, NO_STEP, NOT_SENT, REFUSED, plan_sight
from ctxcore.model import Text, Thread, ToolCall, ToolResult
from ctxcore.plan.history import plan_history
from ctxcore.replay import DROPPED, Replay
from tests.chat import thread_of
from tests.plan.test_history import todos

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"

LETTERS = {"i": INSIDE, "d": DROPPED_TEXT, "n": NOT_SENT, "r": REFUSED, "-": NO_STEP}


def row(replayed: Replay, step: int = 0) -> str:
    names = {code: letter for letter, code in LETTERS.items()}
    return "".join(names[code] for code in plan_sight(replayed)[step].tolist())


def test_a_step_is_read_from_the_call_after_the_one_that_wrote_it() -> None:
    thread = thread_of("Go.", ("look", {}, "ok"), todos("Paint-the-wall:i"), ("look", {}, "ok"))
    assert row(replay(thread, "none", 10**6)) == "--ii"


def test_a_policy_removes_it() -> None:
    """The plan's exchange is the oldest of four; the others are large."""
    thread = thread_of("Go.", todos("Paint-the-wall:i"), *[("look", {"n": n}, "x" * 400) for n in range(3)])
    assert row(replay(thread, "whole-units", 1_200)) == "-iidd"


def test_a_title_that_is_told_again_is_seen_again() -> None:
    thread = thread_of("Go.", todos("Paint-the-wall:i"), *[("look", {"n": n}, "x" * 400) for n in range(2)], ("look", {}, "Now: paint-the-WALL."))
    assert row(replay(thread, "whole-units", 900))[-1] == "i"


def test_a_call_that_is_refused_reads_nothing() -> None:
    thread = thread_of("Go on.", todos("Paint-the-wall:i"), ("look", {}, "x" * 4_000))
    assert row(replay(thread, "whole-units", 900)) == "-ir"


def searched(replayed: Replay) -> np.ndarray:
    """The slow way: every call, every part that is left, every title."""
    thread: Thread = replayed.thread
    history = plan_history(thread)
    found = np.zeros(history.status.shape, np.int8)
    for call in range(1, len(thread.calls)):
        state = replayed.message_status(call)
        edited = {(edit.message, edit.part) for edit in replayed.edits(call)}
        for step, one in enumerate(history.steps):
            if not history.status[step, call - 1]:
                continue
            code = NOT_SENT
            for place, message in enumerate(thread.calls[call].messages()):
                for number, part in enumerate(thread.messages[message].parts):
                    text = part.text if isinstance(part, (Text, ToolResult)) else part.arguments if isinstance(part, ToolCall) else ""
                    if not any(title in text for title in one.titles):
                        continue
                    left = state[place] != DROPPED and (message, number) not in edited
                    code = INSIDE if left or code == INSIDE else DROPPED_TEXT
            found[step, call] = REFUSED if replayed.refused[call] else code
    return found


@pytest.mark.parametrize("name", ["coding-agent.jsonl", "travel-desk-zh.jsonl"])
@pytest.mark.parametrize(
    ("policy", "budget"), [("none", 10**6), ("whole-units", 16_000), ("whole-units", 9_000), ("langchain-clear-tool-uses", 16_000)]
)
def test_the_samples(name: str, policy: str, budget: int) -> None:
    replayed = replay(read_session(SAMPLES / name).threads[0], policy, budget)
    assert plan_sight(replayed).tolist() == searched(replayed).tolist()


def test_a_plan_that_a_real_compaction_took_away(shared: Path) -> None:
    """Codex: the plan was written at calls 22 and 53; the first compaction comes before call 97 or so, and no summary repeats it."""
    thread = read_session(shared / "corpus" / "codex-cli" / "agentv_79-6ead_3compactions_4.1MB.jsonl").threads[0]
    first = min(event.call for event in thread.events if event.kind == "compaction")
    seen = row(replay(thread, "none", 10**9))
    assert set(seen[23:first]) == {"i"}
    assert set(seen[first:]) == {"n"}

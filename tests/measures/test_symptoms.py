"""Symptoms in a recording: noise and use of made conversations, repeated calls, drift; and the same on real sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ctxcore.measures.drift import goal_drift, terms
from ctxcore.measures.noise import is_acknowledgement, noise
from ctxcore.measures.symptoms import around_compactions, repetition
from tests.measures.conversations import asks, corpus_thread, result, says, thread_of, user
from tests.measures.test_repeats import READS


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


class Table:
    """A counter that knows the tokens of each text of the made conversation."""

    name = "table"
    tokens: ClassVar[dict[str, int]] = {
        "Answer about orders only.": 34,
        "Where is order #4711?": 60,
        "Order #4711 left on Monday.": 52,
        "Thanks a lot!": 100,
        "You're welcome. Have a nice day!": 113,
    }

    def size(self, message: dict[str, Any]) -> int:
        return self.tokens.get(message["content"], 0)


# The last call receives 34 + 60 + 52 + 34 + 100 + 113 + 34 = 427 tokens. Acknowledgements: 100 + 113 = 213. The system text stands three times,
# so twice 34 = 68 of it is repeated. Used: the question and the answer, whose #4711 the last reply takes up again (60 + 52), and the instructions,
# once (34): 146.
MADE = (
    system("Answer about orders only."),
    user("Where is order #4711?"),
    says("Order #4711 left on Monday."),
    system("Answer about orders only."),
    user("Thanks a lot!"),
    says("You're welcome. Have a nice day!"),
    system("Answer about orders only."),
    says("Order #4711 has arrived."),
)


def test_noise_and_use_of_a_made_conversation() -> None:
    found = noise(thread_of(*MADE), Table())
    assert found.total[-1] == 427
    assert found.acknowledgements[-1] == 213
    assert found.repeated_system[-1] == 68
    assert found.share[-1] == pytest.approx((213 + 68) / 427)
    assert found.utilisation[-1] == pytest.approx(146 / 427)


def test_a_value_still_in_force_is_used() -> None:
    """No reply takes anything up again, yet the only reading of x1.py is current: its exchange counts, the rest does not."""
    thread = thread_of(user("Look."), asks("a", "read_file", path="x1.py"), result("a", "alpha"), says("Fine."), user("More?"), says("No."))
    assert noise(thread, "chars").used.tolist() == [0, *[thread.chars.message[1:3].sum()] * 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OK, thanks!", True),
        ("Sure! I'll do that right away.", True),
        ("Great job. Let me know if there's anything else I can help you with!", True),
        ("好的，收到。", True),
        ("你好！请问有什么可以帮您？", False),
        ("ok, delete it", False),
        ("Yes.", False),
        ("Thanks for src/a.py", False),
        ("好的，预算一千八百万。", False),
        ("", False),
    ],
)
def test_acknowledgements(text: str, expected: bool) -> None:
    assert is_acknowledgement(thread_of(user("x"), says(text), user("y")).messages[1]) == expected


def test_a_message_with_a_call_is_no_acknowledgement() -> None:
    thread = thread_of(user("x"), {**asks("a", "run"), "content": "OK"}, result("a", "OK"))
    assert [is_acknowledgement(message) for message in thread.messages] == [False, False, False]


def test_what_is_asked_again() -> None:
    """Of six tool calls the reads of src/a.py come three times; the second finds nothing new, the third comes after a write."""
    found = repetition(thread_of(*READS))
    assert (found.tool_calls, len(found.repeats), found.unchanged) == (5, 2, 1)
    assert [(one.tool, one.what, one.calls) for one in found.asked] == [("read_file", "src/a.py", (0, 2, 4))]
    assert found.share == pytest.approx(2 / 5)
    assert [(one.first_call, one.stop_call, one.repeats, one.across) for one in around_compactions(thread_of(*READS))] == [(0, 6, 2, 0)]


def test_drift_of_a_derived_example() -> None:
    """The task has the path src/a.py and the words rename, invoices, table: four in all. Replies hold 3, 1 and 0 of them."""
    thread = thread_of(
        user("Rename the invoices table in src/a.py"),
        asks("a", "edit", path="src/a.py", text="rename table"),
        result("a", "ok"),
        asks("b", "run", text="invoices"),
        result("b", "ok"),
        says("Look at the weather!"),
    )
    assert terms("Rename the invoices table in src/a.py") == ["rename", "invoices", "table"]
    found = goal_drift(thread)
    assert found.share.tolist() == [3 / 4, 1 / 4, 0]
    assert (found.start, found.end, found.drift) == (3 / 4, 0, 3 / 4)


def test_the_newest_task_is_another() -> None:
    thread = thread_of(user("Paint the fence"), says("Paint the fence"), user("Water flowers"), says("Water flowers"))
    assert goal_drift(thread).share.tolist() == [1, 0]
    assert goal_drift(thread, "newest").share.tolist() == [1, 1]


def test_chinese_words_are_pairs() -> None:
    assert terms("请修改发票") == ["请修", "修改", "改发", "发票"]


# Real sessions: format file, calls, tool calls, repeats.
FILES = [("entire_cd-95ad_3compact_6interrupts.jsonl", 225, 206, 20), ("pi-mono_before-compaction_2.4MB.jsonl", 484, 454, 44)]


@pytest.mark.parametrize(("name", "calls", "tool_calls", "again"), FILES)
def test_symptoms_of_real_sessions(shared: Path, name: str, calls: int, tool_calls: int, again: int) -> None:
    thread = corpus_thread(shared, name)
    assert len(thread.calls) == calls
    found = repetition(thread)
    assert (found.tool_calls, len(found.repeats)) == (tool_calls, again)
    stretches = around_compactions(thread)
    assert sum(one.tool_calls for one in stretches) == tool_calls
    assert sum(one.repeats for one in stretches) == again
    sizes = noise(thread, "chars")
    known = sizes.total > 0
    assert ((sizes.share + sizes.utilisation)[known] <= 1).all()
    share = goal_drift(thread).share
    assert 0 <= np.nanmin(share) < np.nanmax(share) <= 1

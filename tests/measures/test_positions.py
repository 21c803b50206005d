"""Where things stand in a request: derived by hand with messages of one size, and compared with the slow way under every policy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import replay
from ctxcore.atoms import Atom
from ctxcore.measures.needles import follow, text_needles
from ctxcore.measures.positions import FIRST, LAST, MIDDLE, in_the_middle, only_in_the_middle, places, spans, text_places
from ctxcore.mentions import readable
from ctxcore.model import Thread
from ctxcore.policies import POLICIES
from ctxcore.policies.wire import edited_wire
from ctxcore.replay import Replay
from ctxcore.sizes.characters import json_chars
from tests.measures.conversations import asks, conversations, part_text, result, says, stands_in, story, thread_of, user


class Ten:
    """A counter by which every message has the same size."""

    name = "ten"

    def size(self, message: object) -> int:
        return 10


# The goal, four exchanges, a correction, four exchanges and an answer. Each message takes 10, so of a request of n messages those with
# (index + 0.5) / n below 0.2 stand first and those from 0.8 on last.
LONG = (
    user("Rename the table invoices."),
    *(part for n in range(4) for part in (asks(f"a{n}", "run", step=f"first {n}"), result(f"a{n}", f"done {n}"))),
    user("Not invoices_old, please."),
    *(part for n in range(4) for part in (asks(f"b{n}", "run", step=f"second {n}"), result(f"b{n}", f"again {n}"))),
    says("Renamed."),
)


def test_places_of_a_derived_example() -> None:
    """Calls receive 1, 3, 5, 7 messages, then 10 with the correction at their end, 12, 14, 16 and 18."""
    thread = thread_of(*LONG)
    after = replay(thread, "none", 10_000, unit=Ten())
    assert after.before.tolist() == [10, 30, 50, 70, 90, 120, 140, 160, 180] or [c.message_count for c in thread.calls] == [
        1,
        3,
        5,
        7,
        10,
        12,
        14,
        16,
        18,
    ]
    found = text_places(after, "rename the table", "Not invoices_old", "done 3")
    # goal: index 0: (0.5 / 1 = 0.5 middle), then 0.5 / 3 = 0.17 first, and first ever after
    assert found.marks[0].tolist() == [MIDDLE, *[FIRST] * 8]
    # correction: index 9 of 10 (0.95), 12 (0.79), 14 (0.68), 16, 18
    assert found.marks[1].tolist() == [0, 0, 0, 0, LAST, MIDDLE, MIDDLE, MIDDLE, MIDDLE]
    # result 3: index 8 of 10 (0.85), 12 (0.71) ...
    assert found.marks[2].tolist() == [0, 0, 0, 0, LAST, MIDDLE, MIDDLE, MIDDLE, MIDDLE]
    assert found.calls(1, MIDDLE) == (5, 6, 7, 8)
    assert only_in_the_middle(found.marks[1]).nonzero()[0].tolist() == [5, 6, 7, 8]
    assert [(one.kind, one.message, one.calls) for one in in_the_middle(after)] == [("goal", 0, (0,)), ("correction", 9, (5, 6, 7, 8))]


def test_a_policy_moves_things() -> None:
    """Within 40, call 4 is sent the correction alone (0.5 of it); from call 5 on the newest exchange stands behind it (0.5 / 3)."""
    after = replay(thread_of(*LONG), "whole-units", 40, unit=Ten(), notice=False)
    assert after.after.tolist()[4:] == [10, 30, 30, 30, 30]
    assert text_places(after, "Not invoices_old").marks[0].tolist() == [0, 0, 0, 0, MIDDLE, FIRST, FIRST, FIRST, FIRST]


def test_calls_are_told_in_runs() -> None:
    assert spans([1, 2, 3, 7, 9, 10]) == ((1, 3), (7, 7), (9, 10))
    assert spans([]) == ()


TEXTS = ("src/app/main.py", "connection refused by peer", "ok")


@settings(max_examples=40)
@given(conversations(), st.sampled_from([kind.name for kind in POLICIES]), st.sampled_from([300, 600, 1_200, 5_000]))
def test_any_text_stands_where_the_slow_way_finds_it(thread: Thread, policy: str, budget: int) -> None:
    after = replay(thread, policy, budget)
    found = places(after, text_needles(thread, TEXTS))
    for call in range(len(thread.calls)):
        assert found.marks[:, call].tolist() == slow_marks(after, call, TEXTS), call


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
def test_every_policy_puts_texts_where_the_slow_way_finds_them(policy: str) -> None:
    """Of a marker, a placeholder and a notice too: their words are looked for as well."""
    texts = ("src/mod_1.py", "#5001", "line of text", "tool results", "cleared", "omitted")
    after = replay(story(), policy, 2_500)
    found = places(after, text_needles(story(), texts))
    followed = follow(after, text_needles(story(), texts))
    for call in range(len(story().calls)):
        slow = slow_marks(after, call, texts)
        assert found.marks[:, call].tolist() == slow, call
        assert (followed.kept[:, call] <= followed.held[:, call]).all()
        assert followed.kept[:, call].tolist() == [bool(mark) and held for mark, held in zip(slow, followed.held[:, call].tolist(), strict=True)]


def slow_marks(after: Replay, call: int, wanted: Sequence[str]) -> list[int]:
    marks = [0] * len(wanted)
    if after.refused[call]:
        return marks
    blocks = request(after, call)
    at = int(after.after[call]) - sum(size for size, _ in blocks)
    for size, texts in blocks:
        share = (at + size / 2) / after.after[call]
        mark = FIRST if share < 0.2 else LAST if share >= 0.8 else MIDDLE
        at += size
        for number, text in enumerate(wanted):
            if any(stands_in(Atom("quote", text), one) for one in texts):
                marks[number] |= mark
    return marks


def request(after: Replay, call: int) -> list[tuple[int, list[str]]]:
    """Size, with a separator per object, and texts of every message that is sent, inserted ones included."""
    thread = after.thread
    changed = defaultdict(list)
    for edit in after.edits(call):
        changed[edit.message].append(edit)
    inserts = list(after.inserts(call))
    blocks: list[tuple[int, list[str]]] = []
    for place, index in enumerate((*thread.calls[call].messages(), -1)):
        while inserts and (index < 0 or inserts[0].place <= place):
            one = inserts.pop(0)
            blocks.append((one.size, [one.text]))
        if index < 0 or any(edit.action == "drop" for edit in changed[index]):
            continue
        texts = {edit.part: edit.text for edit in changed[index]}
        said = [readable(texts[n]) if n in texts else part_text(part) for n, part in enumerate(thread.messages[index].parts)]
        blocks.append((sum(json_chars(item) + 1 for item in edited_wire(thread.messages[index], changed[index])), said))
    return blocks


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
def test_a_refused_call_has_nothing_anywhere(policy: str) -> None:
    after = replay(thread_of(*LONG), policy, 10)
    assert after.refused.any()
    assert not text_places(after, "rename the table", "done 3").marks[:, after.refused].any()
    assert not np.isin([call for one in in_the_middle(after) for call in one.calls], np.flatnonzero(after.refused)).any()

"""Repeats and refetch debt, derived by hand, and counted on real sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import replay
from ctxcore.measures.references import references
from ctxcore.measures.refetch import refetch_debt
from ctxcore.measures.repeats import canonical, repeat_fates, repeats
from ctxcore.policies import POLICIES
from tests.measures.conversations import asks, corpus_thread, result, says, thread_of, user

GREP = "ticket #4711 waits"

# Calls in order, and what a policy that keeps the newest two messages leaves of them:
#
# call 0  reads src/a.py                                               keeps the user's message
# call 1  greps                                                        keeps read 0 and its result
# call 2  reads src/a.py: a repeat of call 0, nothing changed          keeps grep and its result, so result 0 is gone: explained
# call 3  writes src/a.py                                              keeps read 2 and its result
# call 4  reads src/a.py: a repeat of call 2, the file was changed     keeps write and its result, so result 2 is gone: explained
# call 5  says 0.125 and #4711                                         keeps read 4 and its result, which hold neither
#
# Lost at call 5: 0.125, whose newest result is of read 2; the file was changed since, so it is excused. #4711, which only the grep gave: the debt.
READS = (
    user("Set the rate."),
    asks("a", "read_file", path="src/a.py"),
    result("a", "rate = 0.125"),
    asks("b", "grep", pattern="ticket"),
    result("b", GREP),
    asks("c", "read_file", path="./src/a.py"),
    result("c", "rate = 0.125"),
    asks("d", "write_file", path="src/a.py", content="rate = 2"),
    result("d", "written"),
    asks("e", "read_file", path="src/a.py"),
    result("e", "rate = 2"),
    says("It was 0.125, see #4711."),
)


def test_repeats_of_the_recording() -> None:
    found = repeats(thread_of(*READS))
    assert [(one.call, one.earlier, one.target, one.changed) for one in found] == [(2, 0, "src/a.py", False), (4, 2, "src/a.py", True)]


def test_a_repeat_is_explained_where_the_policy_took_the_result() -> None:
    thread = thread_of(*READS)
    assert [one.word for one in repeat_fates(replay(thread, "autogen-buffered", 10_000, buffer_size=2))] == ["explained", "explained"]
    assert [one.word for one in repeat_fates(replay(thread, "none", 10_000))] == ["blind", "blind"]
    assert [one.word for one in repeat_fates(replay(thread, "none", 10))] == ["refused", "refused"]


def test_arguments_are_the_same_in_any_order() -> None:
    assert canonical('{"b": 1, "a": [2]}') == canonical('{"a":[2],"b":1}')
    assert canonical(" not json ") == "not json"


def test_debt_is_the_size_of_what_must_be_fetched_again() -> None:
    after = replay(thread_of(*READS), "autogen-buffered", 10_000, buffer_size=2)
    debt = refetch_debt(after)
    assert [(one.call, one.tool, one.file, one.size) for one in debt.refetches] == [(5, "grep", "", len(json.dumps(GREP)))]
    assert debt.excused == 1
    assert debt.saved == after.before.sum() - after.after.sum()
    assert debt.net_saving == debt.saved - debt.size


def test_nothing_is_owed_where_all_is_sent() -> None:
    debt = refetch_debt(replay(thread_of(*READS), "none", 10_000))
    assert (debt.size, debt.calls, debt.excused, debt.saved) == (0, 0, 0, 0)


@pytest.mark.parametrize("policy", [kind.name for kind in POLICIES])
def test_debt_on_a_real_session(shared: Path, policy: str) -> None:
    """Every result to be fetched again stands in the recorded context of the call that misses it, and is counted once."""
    thread = corpus_thread(shared, "entire_cd-95ad_3compact_6interrupts.jsonl")
    after = replay(thread, policy, 100_000)
    found = references(after)
    debt = refetch_debt(after, found)
    places = [(one.message, one.part) for one in debt.refetches]
    assert len(places) == len(set(places)) <= found.total
    assert all(one.message in thread.calls[one.call].messages() and not after.refused[one.call] for one in debt.refetches)
    fates = repeat_fates(after)
    assert len(fates) == len(repeats(thread)) == 20
    assert all(after.refused[one.repeat.call] == (one.word == "refused") for one in fates if one.word != "recorded")

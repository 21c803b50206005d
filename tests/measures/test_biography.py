"""The life of a unit: the sizes of all units of a call are the call, and what becomes of one is what the replay says of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ctxcore import read_session, replay
from ctxcore.measures.biography import biography
from ctxcore.measures.cost import cost
from ctxcore.replay import DROPPED, EDITED
from tests.chat import conversation
from tests.policies.samples import sample_thread


@pytest.mark.parametrize("policy", ["whole-units", "none", "langchain-trim", "langchain-clear-tool-uses", "autogen-buffered"])
@pytest.mark.parametrize("sample", ["parallel", "anthropic-thinking", "responses"])
def test_the_units_of_a_call_sum_to_what_is_sent(policy: str, sample: str) -> None:
    """All that a request holds beside its units: brackets and tools, what the policy puts in, and one separator too few."""
    thread = sample_thread(sample)
    result = replay(thread, policy, 9_000)
    lives = [biography(result, unit) for unit in range(len(result.units.first))]
    total = sum(life.sent for life in lives)
    for call in np.flatnonzero(~result.refused).tolist():
        epoch, column = result.place(call)
        inserts = sum(one.size for one in result.inserts(call))
        fixed = int(result.timelines[epoch].history.fixed[column])
        assert total[call] + inserts + fixed == result.after[call]


def test_the_state_of_a_unit_is_that_of_each_call() -> None:
    thread = sample_thread("anthropic-thinking")
    for policy in ("langchain-clear-tool-uses", "langchain-trim", "whole-units"):
        result = replay(thread, policy, 9_000)
        status = np.stack([result.status(call) for call in range(len(thread.calls))])
        for unit in range(len(result.units.first)):
            expected = np.where(result.refused & np.isin(status[:, unit], (DROPPED, EDITED)), 1, status[:, unit])
            assert biography(result, unit).state.tolist() == expected.tolist()


def reads(*paths: str) -> bytes:
    """A session that reads these files, one after the other, with long results."""
    steps = [("read_file", {"path": path}, f"text of {path} " * 60) for path in paths]
    return json.dumps({"model": "gpt-5", "messages": conversation("Compare the files.", *steps)}).encode()


def test_a_unit_is_billed_at_every_call_until_it_goes_and_read_again_after() -> None:
    """Four reads of about 1,000 characters; a buffer of 4 messages holds two exchanges. The first exchange (unit 2) is carried by calls 1 and 2,
    gone from call 3 on, and call 3 asks for the same file again.
    """
    thread = read_session(reads("a.py", "b.py", "c.py", "a.py"), "chat.json").threads[0]
    result = replay(thread, "autogen-buffered", 10**6, buffer_size=4)
    life = biography(result, 2, cost(result))
    assert (life.born, life.calls, life.first(DROPPED)) == (1, 2, 3)
    assert life.billed == 2 * life.size
    assert life.read_again == (3,)
    assert life.dollars is not None
    assert (life.dollars > 0).tolist() == [False, True, True, False, False]


def test_the_shares_of_all_units_are_part_of_the_cost() -> None:
    thread = sample_thread("coding-agent.jsonl")
    result = replay(thread, "none", 10**9, "tokens")
    money = cost(result)
    assert money is not None
    shares = sum(biography(result, unit, money).dollars for unit in range(len(result.units.first)))
    assert (shares <= money.dollars + 1e-12).all()

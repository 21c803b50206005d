"""When firings pay, by hand."""

from __future__ import annotations

import pytest

from ctxcore import read_session, replay
from ctxcore.measures.cost import cost
from ctxcore.measures.paying import paying
from ctxcore.sending import sent_messages
from tests.pages.test_harm import talk


def test_a_firing_pays_back_what_it_breaks() -> None:
    """gpt-5 reads at a tenth of the price of input and writes for nothing more: 9 calls x what is sent anew / what is freed.

    The oldest exchange goes at the last call, and a notice comes in front of all messages: nothing but brackets and names of keys comes back.
    """
    thread = read_session(talk(), "a.json").threads[0]
    result = replay(thread, "whole-units", 9_000, "chars")
    money = cost(result)
    assert money is not None
    [found] = paying(result, money)
    before, after = sent_messages(result, 2), sent_messages(result, 3)
    assert before[0] != after[0]
    assert (found.call, found.left, found.freed) == (3, 1, 11_672 - int(result.after[3]))
    assert found.tail == pytest.approx(7_835 - found.freed, abs=30), "brackets aside"
    assert found.break_even == pytest.approx(9 * found.tail / found.freed)
    assert found.pays is (found.break_even <= 1)


def test_a_policy_that_does_nothing_never_fires() -> None:
    thread = read_session(talk(), "a.json").threads[0]
    result = replay(thread, "none", 10**6, "chars")
    money = cost(result)
    assert money is not None
    assert paying(result, money) == ()

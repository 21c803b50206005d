"""At and around a budget."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import fit_messages, read_session, replay
from ctxcore.errors import InputError
from tests.c1 import C1
from tests.cases import CASES, case, messages_of


@case
def budget_02() -> None:
    """The result with its notice never passes the budget, and at the full size there is none."""
    messages = messages_of("BUDGET-02.json")
    for budget in range(30, 451):
        fitted = fit_messages(messages, budget, C1())
        assert fitted.refused or sum(map(C1().size, fitted.messages)) == fitted.after <= budget
    assert fit_messages(messages, 450, C1()).notice is None
    assert len([i for i in fit_messages(messages, 240 + 30, C1()).kept if i]) <= 4


@case
def budget_04() -> None:
    """System alone is over the budget: cannot fit, nothing is sent or cut. (The rule keeps the task too: 316 needed, not 280.)"""
    fitted = fit_messages(messages_of("BUDGET-04.json"), 200, C1())
    assert (fitted.refused, fitted.missing, fitted.messages, fitted.kept) == ("over_budget", 116, (), ())


@case
def budget_06() -> None:
    """Nothing is unlimited, 0 cannot fit, what is no whole number is an input error."""
    messages = messages_of("BUDGET-06.json")
    budgets = json.loads((CASES / "BUDGET-06.budgets.json").read_text())["budgets"]
    refused = [b for b in budgets if b is not None and (isinstance(b, (str, float)) or b < 0)]
    assert refused == ["", -1, "abc", 5.5, "NaN"]  # a page reads an empty box as None
    for budget in refused:
        with pytest.raises(InputError, match="whole number"):
            fit_messages(messages, budget, C1())
    assert fit_messages(messages, None, C1()).kept == fit_messages(messages, 10**30, C1()).kept == (0, 1, 2, 3, 4)
    assert fit_messages(messages, 0, C1()).refused == "over_budget"
    huge = replay(read_session(CASES / "BUDGET-06.json").threads[0], budget=10**30)
    assert (huge.budget, huge.dropped_messages.sum(), huge.refused.sum()) == (10**30, 0, 0)


@case
def budget_08() -> None:
    """No turn fits: refused with what is missing, not a lone system message."""
    fitted = fit_messages(messages_of("BUDGET-08.json"), 100, C1())
    assert (fitted.refused, fitted.missing, fitted.messages) == ("over_budget", 151, ())


class Notice60(C1):
    """As C1, with a notice of 60."""

    def size(self, message: Any) -> int:
        return 60 if str(message.get("content")).startswith("Context controller") else super().size(message)


@case
def budget_09() -> None:
    """With a notice of 60 two turns stay of twelve; the notice counts messages and is never cut."""
    fitted = fit_messages(messages_of("BUDGET-09.json"), 88, Notice60())
    assert fitted.kept == (0, 21, 22, 23, 24)
    assert (fitted.dropped_turns, fitted.dropped_messages, fitted.after) == (10, 20, 88)
    assert fitted.notice is not None
    assert " 20 " in fitted.notice


@case
def budget_11() -> None:
    """The number is exact however short a preview is."""
    messages = messages_of("BUDGET-11.json")
    assert C1().size(messages[0]) == 20_006
    fitted = fit_messages(messages, 20_014, C1())
    assert (fitted.before, fitted.refused, fitted.missing) == (20_015, "over_budget", 1)

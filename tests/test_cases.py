"""The small cases from public fault reports: every one of these kinds is read here or listed with the reason why not yet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from ctxcore import fit_messages
from tests.c1 import C1
from tests.cases import CASES, CHECKS, budgets, compaction, counting, files, messages_of, pairing, roles, states, threads, views

assert all((budgets, compaction, counting, files, pairing, roles, states, threads, views))  # each registers its checks

KINDS = ("PAIR", "ROLE", "BUDGET", "COUNT", "FILE", "VIEW", "APP", "STATE", "COMP", "THREAD", "TIME", "PLAN")


@dataclass(frozen=True)
class Fit:
    """What stays of a list at a budget, in C1 with a notice of size 0."""

    id: str
    budget: int
    kept: tuple[int, ...]
    before: int
    file: str = ""

    def __str__(self) -> str:
        return f"{self.id}@{self.budget}"


FITS = (
    Fit("PAIR-01", 117, (0, 5, 6), 173),
    Fit("PAIR-02", 87, (0, 1, 2, 3), 87),
    Fit("PAIR-02", 1087, (0, 1, 2, 3), 87),
    Fit("PAIR-03", 748, (0, 6, 7), 749),
    Fit("PAIR-04", 100, (0, 7, 8), 195),
    Fit("PAIR-11", 90, (0, 3, 4, 5), 91),
    Fit("ROLE-01", 41, (4, 5), 78),
    Fit("BUDGET-01", 260, (0, 1, 2, 3, 4, 5, 6), 260),
    Fit("BUDGET-01", 259, (0, 3, 4, 5, 6), 260),
    Fit("BUDGET-01", 180, (0, 3, 4, 5, 6), 260),
    Fit("BUDGET-01", 179, (0, 5, 6), 260),
    Fit("BUDGET-02", 240, (0, 7, 8, 9, 10, 11, 12), 450),
    Fit("BUDGET-09", 88, (0, *range(11, 25)), 138),
)

PLANS = "".join(path.read_text() for path in sorted((Path(__file__).parent / "plan").glob("test_*.py")))
"""Tests of plans, which name the cases they read."""

LATER = (
    ("VIEW-02", "what a page draws: tested with the pages"),
    ("VIEW-04", "what a page draws: tested with the pages"),
    ("VIEW-06", "what a page masks: tested with the views"),
    ("VIEW-09", "what a page masks: tests/views/test_masking.py, cut texts in tests/cli/test_cases_shown.py"),
    ("VIEW-10", "what a page offers to download: the setting is tested with the launcher, the tables of a report with the report"),
    ("APP-01", "state of the visit: tested with the pages"),
    ("APP-03", "memory of the running app: what is let go in tests/pages/test_uploads.py"),
    ("APP-04", "memory of the running app: what is let go in tests/pages/test_uploads.py"),
    ("APP-05", "speed of a page"),
    ("APP-08", "the upload limit of the page: tests/pages/test_uploads.py"),
    ("APP-10", "what a page draws on demand: tests/pages/test_calls.py"),
)
"""Case ids that nothing here reads, and why."""


@pytest.mark.parametrize("fit", FITS, ids=str)
def test_what_stays_at_a_budget(fit: Fit):
    messages = messages_of(f"{fit.id}.json")
    fitted = fit_messages(messages, fit.budget, C1(), notice=False)
    assert (fitted.before, fitted.kept, fitted.refused) == (fit.before, fit.kept, None)
    assert fitted.after is not None
    assert fitted.after <= fit.budget
    assert [i for unit in fitted.dropped for i in unit.messages] == [i for i in range(len(messages)) if i not in fit.kept]


@pytest.mark.parametrize("id", CHECKS)
def test_a_case_holds(id: str):
    """The check's own docstring says what is right."""
    CHECKS[id]()


def test_every_case_is_read_or_listed_as_later():
    index = [entry["id"] for entry in json.loads((CASES / "index.json").read_text())]
    read = {*CHECKS, *(fit.id for fit in FITS)}
    later = {name for name, _ in LATER}
    read |= {name for name in index if name.startswith("PLAN-") and name in PLANS}
    assert read & later == set()
    assert {name for name in index if name.split("-")[0] in KINDS} - read - later == set()

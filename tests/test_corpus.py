"""Every file of the reference corpus: read as what it is, with its calls, or refused with a reason; ``python -m tests.corpus`` prints the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus.outcomes import Outcome, outcomes, summary
from tests.corpus.verdicts import READ_AS, REFUSED

AS_EXPECTED = 260
"""Files of the index."""

NEAR_SHARE = 0.95
"""Files of those with a known number of calls that must be within a tenth of it."""


@pytest.fixture(scope="module")
def found(shared: Path) -> list[Outcome]:
    return list(outcomes(shared / "corpus"))


def test_every_file_is_read_as_what_it_is_or_refused_with_the_reason(found: list[Outcome]):
    assert len(found) == AS_EXPECTED
    assert [(one.file, one.reason or {session.format for session in one.sessions}) for one in found if not one.right] == []


def test_a_file_that_holds_calls_shows_calls(found: list[Outcome]):
    assert [one.file for one in found if not one.holds_calls] == []


def test_every_ledger_sums_up_to_the_file(found: list[Outcome]):
    assert [one.file for one in found if not one.sums_up] == []


def test_the_number_of_calls_is_the_known_one(found: list[Outcome]):
    """Counted without a reader, by a few lines a format; more than 220 files have such a count."""
    near, known = next(counts for what, counts in summary(found).items() if what.startswith("calls within"))
    assert known > 220
    assert near >= NEAR_SHARE * known, [(one.file, one.calls, one.known) for one in found if one.known is not None and not one.near]


def test_nothing_is_expected_of_a_file_that_is_not_there(shared: Path):
    """The lists of exceptions name files of the index."""
    files = [entry["file"] for entry in json.loads((shared / "corpus" / "index.json").read_text())]
    for start in (*READ_AS, *REFUSED):
        assert any(file.startswith(start) for file in files), start

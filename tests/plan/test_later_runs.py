"""A narrow run that passes makes good only what it covers of a wider one that failed."""

from __future__ import annotations

import pytest

from tests.chat import Step
from tests.plan.test_evidence import DONE, EDIT, START, only, ran, review

ONE_FAILS = ran("pytest -q", "FAILED tests/test_one.py::test_a - x\nExit code 1\n1 failed, 9 passed in 1.2s")

TWO_FAIL = ran("pytest -q", "FAILED tests/test_one.py::test_a - x\nFAILED tests/test_two.py::test_b - x\nExit code 1\n2 failed, 8 passed in 1.2s")

UNNAMED = ran("pytest -q", "Exit code 1\n2 failed, 9 passed in 1.2s")

JEST = ran("npx jest", "PASS src/lid.test.js\nFAIL src/box.test.js\nFAIL src/jar.test.js\nTest Suites: 2 failed, 1 passed, 3 total")

GO = ran("go test ./...", "ok  \tmade.org/a/lid\t0.1s\n--- FAIL: TestBox (0.00s)\nFAIL\tmade.org/a/box\t0.2s\nFAIL")


def passed(command: str, output: str = "1 passed in 0.1s") -> Step:
    return ran(command, output)


@pytest.mark.parametrize(
    ("work", "verdict"),
    [
        ((ONE_FAILS, EDIT, passed("pytest tests/test_one.py")), "supported"),
        ((ONE_FAILS, EDIT, passed("pytest tests/test_one.py::test_a")), "supported"),
        ((ONE_FAILS, EDIT, passed("pytest tests/test_two.py")), "contradicted"),
        ((ONE_FAILS, EDIT, passed("pytest -k 'test_a or test_c'")), "supported"),
        ((ONE_FAILS, EDIT, passed("pytest -k 'test_c'")), "contradicted"),
        ((ONE_FAILS, EDIT, passed("cd /srv/wall && pytest /srv/wall/tests/test_one.py")), "supported"),
        ((TWO_FAIL, EDIT, passed("pytest tests/test_one.py")), "contradicted"),
        ((TWO_FAIL, EDIT, passed("pytest tests/test_one.py"), passed("pytest tests/test_two.py")), "supported"),
        ((TWO_FAIL, EDIT, passed("pytest tests/test_one.py && pytest tests/test_two.py")), "supported"),
        ((TWO_FAIL, EDIT, passed("pytest -q", "10 passed")), "supported"),
        ((UNNAMED, EDIT, passed("pytest tests/test_one.py")), "contradicted"),
        ((UNNAMED, EDIT, passed("pytest tests")), "supported"),
        ((UNNAMED, EDIT, passed("pytest tests/test_one.py"), passed("pytest")), "supported"),
        ((ran("pytest tests/test_one.py", "Exit code 1\n1 failed"), EDIT, passed("pytest -v tests/test_one.py")), "supported"),
        ((ran("pytest tests/test_one.py", "Exit code 1\n1 failed"), EDIT, passed("pytest tests/test_two.py")), "contradicted"),
        ((JEST, EDIT, passed("npx jest box jar", "PASS src/box.test.js\nPASS src/jar.test.js\nTests: 2 passed, 2 total")), "supported"),
        ((JEST, EDIT, passed("npx jest src/box.test.js", "PASS src/box.test.js\nTests: 1 passed, 1 total")), "contradicted"),
        (
            (JEST, EDIT, ran("npx jest src/", "PASS src/box.test.js\nFAIL src/jar.test.js\nTests: 1 failed"), passed("npx jest src/jar.test.js")),
            "supported",
        ),
        ((GO, EDIT, passed("go test ./box", "ok  \tmade.org/a/box\t0.2s")), "supported"),
        ((GO, EDIT, passed("go test ./lid", "ok  \tmade.org/a/lid\t0.2s")), "contradicted"),
    ],
)
def test_a_narrow_run_makes_good_what_it_covers(work: tuple[Step, ...], verdict: str) -> None:
    assert only(review(START, *work, DONE)).verdict == verdict


def test_the_failure_that_stays_is_told_with_its_call() -> None:
    claim = only(review(START, TWO_FAIL, EDIT, passed("pytest tests/test_one.py"), DONE))
    (fact,) = claim.against
    assert (fact.call, fact.kind) == (1, "test")
    assert fact.what == "tests failed (2): pytest -q; no later run covers what failed"

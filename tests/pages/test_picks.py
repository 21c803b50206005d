"""What the pickers do where the choices under them have changed."""

from __future__ import annotations

from pathlib import Path

from tests.pages.conftest import Start, query_of


def test_a_title_that_the_thread_box_sends_is_taken_for_its_thread(start: Start, cases: Path) -> None:
    """After the session under the box was replaced by a joined one, the browser sent ``Main · 2 calls`` instead of ``main``."""
    at = start({"a.jsonl": (cases / "THREAD-04.jsonl").read_bytes()})
    box = at.selectbox(key="thread_select")
    title = box.options[1]
    box.set_value(title).run()
    assert not at.exception
    assert query_of(at)["thread"] == "main-branches"


def test_an_unknown_policy_in_the_address_is_said_with_the_one_that_may_be_meant(start: Start, cases: Path) -> None:
    at = start({"a.json": (cases / "BUDGET-06.json").read_bytes()}, "calls", policy="openhands-amortised")
    (told,) = [one.value.replace("\\", "") for one in at.warning]
    assert "policy 'openhands-amortised', which is not known here. Did you mean 'openhands-amortized-forgetting'?" in told
    assert told.endswith("whole-units is used.")

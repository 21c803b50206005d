"""A long file is read while the page goes on, and the visitor can stop it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ctxcore.model import Session
from tests.pages.conftest import Start, chat

import _reading  # isort: skip - the path is set by the import before
from ctxcore.readers import stopping
from ctxcore.readers.detect import read_sessions

OPEN = {"open.json": chat(("Go", 2))}


class Slow:
    """A reading that looks up now and then and ends when it may."""

    def __init__(self) -> None:
        self.may_end, self.began = threading.Event(), 0

    def __call__(self, data: bytes, name: str, **options: Any) -> tuple[Session, ...]:
        self.began += 1
        while not self.may_end.wait(0.01):
            stopping.reached(0.25)
        return read_sessions(data, name, **options)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    import _uploads

    one = Slow()
    monkeypatch.setattr(_reading, "PATIENCE_S", 0.05)
    monkeypatch.setattr(_uploads, "read_sessions", one)
    yield one
    one.may_end.set()


def holding(at: AppTest, *names: str) -> AppTest:
    at.file_uploader(key="uploader")._files = [(f"id of {name}", name, chat((f"Mine {name}", 3)), "") for name in names]
    at.run()
    assert not at.exception, at.exception
    return at


def test_the_page_goes_on_while_a_long_file_is_read_and_shows_it_when_it_is_there(start: Start, slow: Slow) -> None:
    at = holding(start(OPEN, page="calls"), "long.json")
    assert [title.value for title in at.title] == ["Calls"]
    assert "long.json" in at.get("progress")[0].proto.text.replace("\\", "")
    at.run()
    slow.may_end.set()
    while at.get("progress"):
        at.run()
    assert "long.json" in at.selectbox(key="session_select").options
    assert at.session_state["visit_link"].session == at.session_state["visit_uploads"]["id of long.json"].sessions[0].digest
    assert slow.began == 1, "runs of the page meanwhile do not begin anew"


def test_a_stopped_file_is_read_no_further_and_said_to_be(start: Start, slow: Slow) -> None:
    at = holding(start(OPEN, page="calls"), "long.json")
    at.button(key="stop_id of long.json").click().run()
    while at.get("progress"):
        at.run()
    assert any("You stopped the reading of long.json" in error.value.replace("\\", "") for error in at.error)
    assert [title.value for title in at.title] == ["Calls"], "the page is of use"
    at.run()
    assert slow.began == 1


def test_removing_a_file_that_is_still_read_stops_it(start: Start, slow: Slow) -> None:
    at = holding(start(OPEN, page="calls"), "long.json")
    (job,) = at.session_state["visit_readings"].values()
    holding(at)
    while not job.ended():
        pass
    with pytest.raises(stopping.ReadingStopped):
        job.taken()
    assert not at.get("progress")
    assert not at.error


def test_a_short_file_behind_a_long_one_is_shown_at_once(start: Start, slow: Slow) -> None:
    at = holding(start(OPEN, page="calls"), "long.json")
    slow.may_end.set()
    holding(at, "long.json", "short.json")
    assert {"long.json", "short.json"} <= set(at.selectbox(key="session_select").options)

"""The page Report."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from ctxcore import read_session
from ctxcore.report import study
from ctxcore.report.headline import headline
from ctxcore.report.words import tiles
from tests.conftest import ROOT
from tests.pages.conftest import Start, chat

CASES = ROOT / "tests" / "data" / "cases"
TALK = chat(("first", 3), ("second", 3), ("third", 2))


def said(at: AppTest) -> str:
    return " ".join(str(one.value).replace("\\", "") for one in (*at.info, *at.markdown, *at.caption, *at.warning, *at.success, *at.error))


def downloads(at: AppTest) -> list[str]:
    return [one.proto.label for one in at.get("download_button")]


def test_the_preview_has_the_numbers_of_the_report(start: Start) -> None:
    at = start({"a.json": TALK}, "report", budget="3000")
    session = read_session(TALK, "a.json")
    about = study(session.threads[0], session, "whole-units", 3000, "chars")
    assert [(one.label, one.value) for one in at.metric] == [(tile.label, tile.value) for tile in tiles(about)]
    assert headline(about) in said(at)


def test_without_review_there_is_no_text_and_no_request(start: Start) -> None:
    at = start({"v.json": (CASES / "VIEW-09.json").read_bytes()}, "report", budget="3000")
    assert "no message text" in said(at)
    assert "someone" not in said(at)
    assert len(downloads(at)) == 3
    at.checkbox(key="report_reviewed").check().run()
    assert not at.exception
    assert "no message text" not in said(at)
    assert len(downloads(at)) == 4


def test_findings_are_ticked_and_one_can_be_left(start: Start) -> None:
    at = start({"v.json": (CASES / "VIEW-09.json").read_bytes()}, "report", budget="3000")
    ticks = [one for one in at.checkbox if str(one.key).startswith("report_tick_")]
    assert len(ticks) == 4
    assert all(one.value for one in ticks)
    assert not any("19900000001" in one.label or "someone@" in one.label for one in ticks)
    at.checkbox(key="report_tick_email-1").uncheck()
    at.checkbox(key="report_reviewed").check().run()
    assert "1 finding left as recorded" in said(at)


@pytest.mark.parametrize("budget", ["unlimited", "0"])
def test_without_a_limit_it_asks_for_one(start: Start, budget: str) -> None:
    at = start({"a.json": TALK}, "report", budget=budget)
    assert "at least 1" in said(at)


def test_another_session_has_to_be_reviewed_anew(start: Start) -> None:
    at = start({"a.json": TALK, "v.json": (CASES / "VIEW-09.json").read_bytes()}, "report", budget="3000")
    at.checkbox(key="report_reviewed").check().run()
    select = at.selectbox(key="session_select")
    select.select_index(1).run()
    assert not at.exception
    assert not at.checkbox(key="report_reviewed").value
    assert "no message text" in said(at)

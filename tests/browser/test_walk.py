"""What a visitor chose is the same on every page, and stands in the address."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve
from tests.pages.conftest import chat

Visitor = Callable[[], Page]

expect.set_options(timeout=30_000)

TITLES = ("Overview", "Calls", "Dropped units", "Search", "Differences", "Compare", "Side by side", "Plan", "State", "Compaction", "Report", "Lab")

CHOSEN = {"session": "two.jsonl", "thread": "example-2", "call": "3", "policy": "pydantic-ai-clamp", "budget": "2500"}

STRIP = ".st-key-call_strip .box:visible"


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two conversations in one file, a thread each; the second one has six calls."""
    talks = (chat(("first", 3), ("second", 3)), chat(("other", 2), ("more", 2), system="Search."))
    path: Path = tmp_path_factory.mktemp("sessions") / "two.jsonl"
    path.write_bytes(b"\n".join(json.dumps(json.loads(talk)).encode() for talk in talks))
    return serve(path)


def go_to(page: Page, title: str) -> None:
    page.get_by_role("link", name=title, exact=True).first.click()
    page.get_by_role("heading", name=title, exact=True).wait_for()
    page.wait_for_timeout(400)


def chosen(page: Page) -> dict[str, str]:
    query = parse_qs(urlsplit(page.url).query)
    return {key: query.get(key, [""])[0] for key in CHOSEN}


def test_session_thread_call_policy_and_budget_survive_a_walk_through_all_pages(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?" + "&".join(f"{key}={value}" for key, value in CHOSEN.items()))
    expect(page.get_by_role("heading", name="Call #3")).to_be_visible()
    for title in (*TITLES, "Overview", "Calls"):
        go_to(page, title)
        assert chosen(page) == CHOSEN, title
        expect(page.get_by_role("combobox", name=re.compile("Session"))).to_have_value("two.jsonl")
        expect(page.get_by_role("combobox", name=re.compile("Thread"))).to_have_value("Main · 6 calls")
        for box in page.get_by_role("textbox", name="Exact budget").all():
            expect(box).to_have_value("2500")
    expect(page.get_by_role("heading", name="Call #3")).to_be_visible()


@pytest.mark.parametrize("title", [title for title in TITLES if title not in ("Calls", "Lab")])
def test_a_call_picked_in_the_strip_of_a_page_is_picked_on_all(address: str, visitor: Visitor, title: str) -> None:
    page = visitor()
    page.goto(f"{address}/?session=two.jsonl&call=3&budget=2500")
    go_to(page, title)
    page.locator(STRIP).focus()
    page.keyboard.press("Home")
    page.wait_for_url("**call=0**")
    go_to(page, "Calls")
    expect(page.get_by_role("heading", name="Call #0")).to_be_visible()
    assert "call=0" in page.url


def test_the_strip_stands_above_a_plan(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/plan?session=coding-agent&call=30")
    box = page.locator(STRIP)
    box.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**call=29**")
    expect(page.get_by_text("At call #29:")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_all_pages_stand_in_groups_and_the_legend_of_marks_is_one_click_away(address: str, visitor: Visitor, width: int) -> None:
    page = visitor()
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{address}/plan?session=two.jsonl")
    page.get_by_role("heading", name="Plan", exact=True).wait_for()
    page.get_by_role("button", name="Marks").click()
    for mark in ("recorded", "exact", "reconstructed", "estimate"):
        expect(page.get_by_role("cell", name=mark, exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    if width < 600:
        page.get_by_test_id("stExpandSidebarButton").click()
    sidebar = page.get_by_test_id("stSidebar")
    for group in ("What was seen", "What if", "What was done", "Share"):
        expect(sidebar.get_by_text(group, exact=True)).to_be_visible()
    sidebar.get_by_role("link", name="Side by side").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Side by side").wait_for()
    assert "session=two.jsonl" in page.url

"""The guided story, walked in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve

Visitor = Callable[[], Page]

expect.set_options(timeout=30_000)

BOX = ".st-key-story_box"


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return serve()


def test_three_steps_lead_from_a_trim_to_the_budget_that_keeps_all(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(address)
    page.get_by_role("button", name="What a trim can lose").click()
    expect(page.locator(BOX)).to_contain_text("Step 1 of 3")
    expect(page.get_by_role("heading", name=re.compile("Call #"))).to_be_visible()
    assert re.search(r"/calls\?.*call=\d+.*budget=16000.*story=1", page.url)
    page.get_by_role("button", name="Next").first.click()
    expect(page.locator(BOX)).to_contain_text("Step 2 of 3")
    value = re.search("“(.+?)”", page.locator(BOX).inner_text())
    assert value is not None
    expect(page.locator(".st-key-calls_lost_rows")).to_contain_text(value.group(1))
    page.get_by_role("button", name="Next").first.click()
    expect(page.locator(BOX)).to_contain_text("Step 3 of 3")
    expect(page.get_by_text("On this recording nothing would have been lost")).to_be_visible()
    expect(page.locator(".st-key-call_strip")).not_to_contain_text("lost reference")
    page.get_by_role("button", name="Back").click()
    expect(page.locator(BOX)).to_contain_text("Step 2 of 3")
    page.get_by_role("button", name="Leave").click()
    expect(page.locator(BOX)).to_have_count(0)
    page.wait_for_url(re.compile("^(?!.*story=)"))


def test_a_link_begins_the_story_and_another_session_ends_it(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/?story=2")
    expect(page.locator(BOX)).to_contain_text("Step 2 of 3")
    page.goto(f"{address}/?session=trip-booking&story=2")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.locator(BOX)).to_have_count(0)
    page.goto(f"{address}/?session=trip-booking&story=9")
    expect(page.get_by_text("a step of the story")).to_be_visible()

"""The page Lab in a real browser: a run is seen as it goes on, is stopped, and opens on the other pages."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve

Visitor = Callable[[], Page]
RUN = re.compile("Run$")
expect.set_options(timeout=60_000)  # a server that just started takes its time


@pytest.fixture(scope="module")
def address(serve: Serve) -> str:
    return serve()


def opened(address: str, visitor: Visitor) -> Page:
    page = visitor()
    page.goto(f"{address}/lab")
    expect(page.get_by_role("button", name=RUN)).to_be_enabled()
    return page


def requests(page: Page) -> list[str]:
    return page.locator(".report tbody .label").all_inner_texts()


def test_requests_appear_one_by_one_and_the_finished_run_opens_on_calls(address: str, visitor: Visitor) -> None:
    page = opened(address, visitor)
    page.get_by_role("button", name=RUN).click()
    expect(page.get_by_text(re.compile(r"^Running, [123] requests? so far\.$"))).to_be_visible()
    assert 1 <= len(requests(page)) < 4
    expect(page.get_by_text("Complete after 4 requests.")).to_be_visible()
    assert requests(page) == ["#0", "#1", "#2", "#3"]
    page.get_by_test_id("stMain").get_by_role("link", name="Calls", exact=True).click()
    expect(page.get_by_role("heading", name="Calls")).to_be_visible()
    expect(page).to_have_url(re.compile("session="))
    expect(page.get_by_text("读取四份合成资料").first).to_be_visible()
    assert page.foreign == []


def test_a_run_is_cancelled_and_another_visitor_sees_nothing_of_it(address: str, visitor: Visitor) -> None:
    page, other = opened(address, visitor), opened(address, visitor)
    page.get_by_role("button", name=RUN).click()
    expect(page.get_by_text("Running, 1 request so far.")).to_be_visible()
    expect(other.get_by_role("button", name="Cancel")).to_be_disabled()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled after")).to_be_visible()
    expect(page.get_by_role("button", name=RUN)).to_be_enabled()
    other.reload()
    expect(other.get_by_role("button", name=RUN)).to_be_enabled()
    assert "session=" not in other.url

"""The page State in a real browser: from a headline to the words, a click in the figure, a domain of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Serve

OWN = "name: own\nfields:\n  animal:\n    type: text\n    read: [{by: pattern, pattern: '(?P<value>孩子)'}]\n"


@pytest.fixture(scope="module")
def server(serve: Serve) -> str:
    return serve()


@pytest.fixture
def page(visitor: Callable[[], Page]) -> Page:
    return visitor()


def test_from_the_outdated_value_to_its_words(page: Page, server: str) -> None:
    """Two clicks lead from the field to the message with the words that set it."""
    page.goto(f"{server}/state?session=shop-order-zh&policy=roo-truncate&budget=16000&call=24")
    page.get_by_text("Call #24 would still see the outdated value of 1 field, and not the correction.").wait_for()
    page.get_by_role("button", name="budget_max").click()
    page.get_by_role("heading", name="budget_max").wait_for()
    page.locator(".st-key-state_entries button.pick").first.click()
    page.wait_for_url(re.compile("/calls"))
    page.locator(".item.revealed").wait_for()
    page.get_by_text("一千块").first.wait_for()


def test_a_tab_draws_only_itself_and_a_bar_picks_its_field(page: Page, server: str) -> None:
    page.goto(f"{server}/state?session=trip-booking")
    page.get_by_text("with a value by then").wait_for()
    assert page.locator(".js-plotly-plot").count() == 0
    page.get_by_role("tab", name="Chains").click()
    page.locator(".js-plotly-plot .barlayer .point").first.wait_for()
    assert page.get_by_text("Exact budget").count() == 0
    page.locator(".js-plotly-plot .barlayer .point path").nth(3).click(force=True)
    page.get_by_role("heading", name="return_date").wait_for()


def test_a_domain_of_one_s_own_and_its_fault_at_the_line(page: Page, server: str) -> None:
    page.goto(f"{server}/state?session=shop-order-zh&domain=own&budget=unlimited")
    area = page.get_by_label("YAML", exact=True)
    area.fill(OWN.replace("type: text", "type: beast"))
    area.press("Control+Enter")
    page.get_by_text("Line 4:").wait_for()
    area.fill(OWN)
    area.press("Control+Enter")
    page.get_by_role("button", name="animal").wait_for()
    assert not page.foreign  # type: ignore[attr-defined]

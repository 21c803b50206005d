"""Compare in a real browser: two policies picked, call by call; the money of one; going on after a stop."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page

from ctxcore import read_session, replay
from ctxcore.measures.compare import first_difference
from tests.browser.conftest import ROOT, Serve

SAMPLE, BUDGET = ROOT / "sample_sessions" / "coding-agent.jsonl", 4_000


@pytest.fixture(scope="module")
def server(serve: Serve) -> str:
    return serve()


@pytest.fixture
def page(visitor: Callable[[], Page]) -> Iterator[Page]:
    """A visitor whose page must not report a fault in a script."""
    found = visitor()
    faults: list[str] = []
    found.on("pageerror", lambda error: faults.append(str(error)))
    yield found
    assert not faults


def opened(page: Page, server: str) -> Locator:
    page.goto(f"{server}/compare?session=coding-agent&unit=tokens&budget={BUDGET}")
    page.get_by_role("heading", name="Two policies, call by call").wait_for()
    page.get_by_text("Save policy.toml").wait_for()
    page.locator('[data-testid="stStatusWidget"]').wait_for(state="detached")
    return page.locator('[data-testid="stMain"]')


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=re.compile(label)).click()
    page.keyboard.type(option)
    page.get_by_role("option", name=re.compile(f"^{re.escape(option)} · ")).wait_for()
    page.keyboard.press("Enter")


def test_two_policies_differ_in_as_many_calls_as_their_replays(page: Page, server: str) -> None:
    main = opened(page, server)
    choose(page, "First", "langchain-trim")
    choose(page, "Second", "openhands-recent-events")
    thread = read_session(SAMPLE).threads[0]
    one, other = (replay(thread, name, BUDGET, "tokens") for name in ("langchain-trim", "openhands-recent-events"))
    differ = len(first_difference(one, other))
    assert differ > 0
    main.get_by_text(f"They send {differ} call{'s' if differ > 1 else ''} of {len(thread.calls)} differently.").wait_for()


def test_the_small_charts_come_and_the_firings_open_their_call(page: Page, server: str) -> None:
    main = opened(page, server)
    main.get_by_text("Small charts").click()
    main.get_by_text("the largest recorded request").wait_for()
    main.get_by_text("What breaks the cache, and when a firing pays").click()
    row = main.locator(".rows tbody tr").first
    row.wait_for()
    call = int(row.locator("button.pick").inner_text().replace(",", ""))
    row.locator("button.pick").click()
    page.get_by_role("heading", name=f"Call #{call}").wait_for()


def test_own_prices_are_told_with_their_source(page: Page, server: str) -> None:
    main = opened(page, server)
    main.get_by_text("Prices and cache").click()
    for label, price in (("Input", "3"), ("Output", "15")):
        field = page.get_by_role("spinbutton", name=label, exact=True)
        field.fill(price)
        field.press("Enter")
    main.get_by_text("by your own prices").wait_for()

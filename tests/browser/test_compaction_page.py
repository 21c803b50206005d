"""The page Compaction in a real browser: colours and marks, both themes, a narrow screen, the way to the source."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Serve

EDGES = "els => [...new Set(els.map(e => [e.className, getComputedStyle(e).borderLeftStyle, getComputedStyle(e).borderLeftColor].join('|')))]"


@pytest.fixture(scope="module")
def server(serve: Serve) -> str:
    return serve()


def marks(page: Page) -> dict[str, tuple[str, str]]:
    """Edge and colour of each kind of piece."""
    page.locator(".beside .piece").first.wait_for()
    return {name.split()[-1]: (edge, colour) for name, edge, colour in (one.split("|") for one in page.locator(".beside .piece").evaluate_all(EDGES))}


@pytest.mark.parametrize(("theme", "kept"), [("light", "rgb(11, 92, 173)"), ("dark", "rgb(127, 188, 245)")])
def test_what_became_of_a_piece_is_told_by_word_edge_and_colour(browser: Browser, server: str, theme: str, kept: str) -> None:
    context = browser.new_context(color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{server}/compaction?session=shop-order-zh")
    found = marks(page)
    assert {name: edge for name, (edge, _) in found.items()} == {"kept": "solid", "distilled": "double", "dropped": "dotted"}
    assert found["kept"][1] == kept
    assert len({colour for _, colour in found.values()}) == 3
    words = set(page.locator(".beside .fate").all_inner_texts())
    assert words == {"✓ Kept", "≈ Distilled", "✕ Dropped"}
    context.close()


def test_a_narrow_screen_has_nothing_beyond_its_edge(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{server}/compaction?session=shop-order-zh")
    page.locator(".beside .piece").first.wait_for()
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
    piece = page.locator(".beside .piece").first
    assert piece.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    context.close()


def test_the_source_of_a_piece_opens_with_its_words_marked(visitor: Callable[[], Page], server: str) -> None:
    """两千 in message 11."""
    page = visitor()
    page.goto(f"{server}/compaction?session=shop-order-zh")
    page.locator(".beside .piece", has_text="budget: 2000").get_by_role("button", name="Open in message 11").click()
    page.wait_for_url(re.compile("/calls"))
    page.locator("mark", has_text="两千").first.wait_for()

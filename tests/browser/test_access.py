"""axe-core finds no serious or critical fault on any page, light and dark, in dialogs, empty and broken states; headings are in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Serve

expect.set_options(timeout=30_000)

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

ORDER = {"heading-order", "page-has-heading-one"}
"""Rules about headings that axe-core calls moderate, and that hold here as well: one first level, and none left out below it."""

PATHS = ("", "calls", "dropped", "search", "differences", "compare", "side", "plan", "state", "compaction", "report", "lab")

OPENED = {"calls": ("Show as table", "Show what it is made of", "Show what this policy"), "plan": ("Show whether each call",)}
"""Switches that show more of a page."""


@dataclass(frozen=True, kw_only=True)
class Theirs:
    """A fault of Streamlit's own markup, which a page cannot change."""

    rule: str
    """Of axe-core."""
    html: str
    """Stands in the element."""
    why: str
    """What is wrong, and why it stays."""


STREAMLITS = (Theirs(rule="color-contrast", html="<p>Model</p>", why="label of a control that is switched off, which WCAG 1.4.3 leaves out"),)


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    broken: Path = tmp_path_factory.mktemp("sessions") / "broken.json"
    broken.write_text('{"nothing": "of a session"}')
    return serve(Path("sample_sessions/coding-agent.jsonl").resolve(), broken)


@pytest.fixture(scope="module", params=["light", "dark"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, color_scheme=request.param)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def faults(page: Page) -> list[str]:
    """Serious and critical faults that are ours."""
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for one in found
        for node in one["nodes"]
        if (one["impact"] in {"serious", "critical"} or one["id"] in ORDER)
        and not any(t.rule == one["id"] and t.html in node["html"] for t in STREAMLITS)
    ]


def settle(page: Page) -> None:
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stStatusWidget\"]')")
    page.wait_for_timeout(1_000)


@pytest.mark.parametrize("path", PATHS)
def test_no_page_has_a_serious_fault(address: str, page: Page, path: str) -> None:
    page.goto(f"{address}/{path}?session=coding-agent.jsonl&call=34&budget=16000&against=trimmed")
    page.get_by_role("heading").first.wait_for()
    settle(page)
    for switch in OPENED.get(path, ()):
        page.get_by_text(switch).first.click()
        settle(page)
    assert faults(page) == []


def empty(page: Page, address: str) -> None:
    page.goto(f"{address}/?session=unknown")
    page.get_by_role("heading", name="Open a recorded session").wait_for()


def broken(page: Page, address: str) -> None:
    page.goto(f"{address}/?session=broken.json")
    page.get_by_text("This file gives no session").wait_for()


def without_plan(page: Page, address: str) -> None:
    page.goto(f"{address}/plan?session=trip-booking")
    page.get_by_role("heading", name="No plan in this thread").wait_for()


def keys(page: Page, address: str) -> None:
    page.goto(f"{address}/?session=coding-agent.jsonl&story=1")
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("dialog").wait_for()


@pytest.mark.parametrize("state", [empty, broken, without_plan, keys], ids=lambda state: state.__name__)
def test_no_state_has_a_serious_fault(address: str, page: Page, state: Callable[[Page, str], None]) -> None:
    state(page, address)
    settle(page)
    assert faults(page) == []

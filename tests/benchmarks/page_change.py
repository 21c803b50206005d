"""From a click that changes the page to the last painted frame, in real Chromium, with long sessions."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

from tests.benchmarks.generate import conversation_file, talk_file
from tests.benchmarks.measure import Row
from tests.benchmarks.page import chromium, dashboard, free_port, server, wait_until_quiet, watched_page

TURNS = 2_500
"""Of two messages each."""

CALLS, CALL_BYTES = 3_000, 13_300
"""About 40 MB."""

FIRST_MS, CHANGE_MS = 3_000, 1_000
"""What a first page and a change of the page may take. Source: case APP-05 of the project's cases."""

TITLES = ("Calls", "Dropped units", "Plan", "State", "Overview")
"""Pages, in the order of the visit; the visit begins at the last one."""


def rows(folder: Path, repetitions: int) -> Iterator[Row]:
    """First page, change of the page, and next page of the messages, for 5,000 messages and for about 40 MB."""
    files = {
        f"{2 * TURNS:,} messages": talk_file(folder / "talk.json", TURNS),
        f"{CALLS:,} calls of about 40 MB": conversation_file(folder / "long.json", CALLS, CALL_BYTES),
    }
    port = free_port()
    with server(dashboard(files.values(), port), port), chromium() as browser:
        for what, file in files.items():
            address = f"http://127.0.0.1:{port}/?session={file.name}"
            first_ms = _first_ms(browser, address)
            if file.name == "talk.json":
                yield _row(f"first page, {what}, the file read in it", first_ms, FIRST_MS)
            page = _opened(browser, address)
            first_time, again = _rounds_ms(page, repetitions)
            yield _slowest(f"page opened for the first time, {what}", first_time)
            yield _slowest(f"page opened again, {what}", again)
            _open_ms(page, "Calls")
            yield _row(f"next page of a call's messages, {what}", _paging_ms(page, repetitions), CHANGE_MS)
            page.context.close()


def _slowest(what: str, times_ms: Mapping[str, float]) -> Row:
    title = max(times_ms, key=times_ms.__getitem__)
    return _row(f"{what}; the slowest is {title}", times_ms[title], CHANGE_MS)


def _row(what: str, ms: float, target_ms: int) -> Row:
    return Row(what=what, value=f"{ms:,.0f} ms", reference=f"{target_ms:,} ms", ratio=ms / target_ms, target=1.0)


def _first_ms(browser: Browser, address: str) -> float:
    """From the begin of a visit to its last frame; the file is read in it."""
    page = _opened(browser, address)
    found = float(page.evaluate("inputToFrame()"))
    page.context.close()
    return found


def _opened(browser: Browser, address: str) -> Page:
    page = watched_page(browser)
    page.goto(address)
    page.locator('[data-testid="stMain"] h1').first.wait_for(timeout=120_000)
    wait_until_quiet(page)
    return page


def _rounds_ms(page: Page, repetitions: int) -> tuple[dict[str, float], dict[str, float]]:
    """Per page: the first time, and the median of the later ones, going from page to page."""
    times = [{title: _open_ms(page, title) for title in TITLES} for _ in range(repetitions + 1)]
    return times[0], {title: statistics.median(one[title] for one in times[1:]) for title in TITLES}


def _open_ms(page: Page, title: str) -> float:
    return _click_ms(page.get_by_test_id("stSidebar").get_by_role("link", name=re.compile(f"{title}$")).first)


def _paging_ms(page: Page, repetitions: int) -> float:
    following = page.locator('[data-testid="stPagination"]').get_by_role("button").last
    return statistics.median([_click_ms(following) for _ in range(repetitions + 1)][1:])


def _click_ms(target: Locator) -> float:
    target.click()
    wait_until_quiet(target.page)
    return float(target.page.evaluate("inputToFrame()"))

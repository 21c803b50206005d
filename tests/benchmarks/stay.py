"""A long stay in real Chromium: memory of browser and server over many slider moves, and a burst of moves that ends on its last value."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.benchmarks.generate import conversation_file
from tests.benchmarks.measure import Row, median_ms
from tests.benchmarks.page import ROOT, chromium, free_port, wait_for, wait_until_quiet, watched_page

CALLS, CALL_BYTES = 30_000, 1_300
"""About 40 MB."""

MOVES, BURST, BURST_S = 200, 20, 2.0
"""Slider moves of a long stay; moves of a burst and the time they take."""

BROWSER_MB, SERVER_MB = 600, 20
"""What the browser may take after the moves, and what the server may grow in them."""

FIRST_RATIO = 1.5
"""From an address to the first chart of a 40 MB session, against the import alone."""

SLIDER = '[data-testid="stMain"] [data-testid="stSlider"] :is([role="slider"], input[type="range"])'


def rows(folder: Path) -> Iterator[Row]:
    """First chart of a session that nobody opened before, a burst, and memory."""
    file = conversation_file(folder / "stay.json", CALLS, CALL_BYTES)
    port = free_port()
    command = [sys.executable, "-m", "ctxcore.cli", "open", str(file), "--port", str(port), "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process, chromium() as browser:
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health")
            yield from _visit(browser, process.pid, file, f"http://127.0.0.1:{port}/calls?session=")
        finally:
            process.terminate()


def _visit(browser: Browser, server: int, file: Path, address: str) -> Iterator[Row]:
    page = watched_page(browser)
    _first_chart_ms(page, f"{address}long-research")  # fills the browser's cache and loads modules: they are no part of a file
    first_ms = _first_chart_ms(page, address + file.name)
    import_ms = median_ms(lambda: _imported(file), 3)
    size = f"{file.stat().st_size / 1e6:.0f} MB"
    yield Row(
        what=f"first chart of a session of {size} that is read for it",
        value=f"{first_ms:,.0f} ms",
        reference=f"its import alone {import_ms:,.0f} ms",
        ratio=first_ms / import_ms,
        target=FIRST_RATIO,
    )
    wait_until_quiet(page)
    page.locator(SLIDER).first.focus()
    yield _burst_row(page)
    yield from _memory_rows(page, server)
    page.context.close()


def _first_chart_ms(page: Page, address: str) -> float:
    """From the begin of a visit to the chart."""
    start = time.perf_counter()
    page.goto(address)
    page.locator(".st-key-calls_chart .legend li").first.wait_for(timeout=120_000)
    return (time.perf_counter() - start) * 1000


def _imported(file: Path) -> None:
    from ctxcore import read_session

    read_session(file)


def _burst_row(page: Page) -> Row:
    """Moves one after the other, faster than they can be drawn: how many budgets of chart, sentence and address are not the slider's at the end."""
    for _ in range(BURST):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(1000 * BURST_S / BURST)
    wait_until_quiet(page)
    last = re.sub(r"\D", "", str(page.locator(SLIDER).first.get_attribute("aria-valuetext") or ""))
    shown = {
        "line": page.locator(".grip").get_attribute("aria-valuenow"),
        "sentence": re.sub(r"\D", "", page.get_by_text(re.compile(r"^At [\d,]+ chars")).inner_text().split(" chars")[0]),
        "box": page.get_by_role("textbox", name="Exact budget").input_value(),
        "address": re.sub(r".*budget=(\d+).*", r"\1", page.url),
    }
    stale = [name for name, value in shown.items() if value != last]
    return Row(
        what=f"{BURST} slider moves in {BURST_S:g} s: places that do not show the last budget ({last})",
        value=", ".join(stale) or "none",
        reference=json.dumps(shown),
        ratio=len(stale),
        target=0,
    )


def _memory_rows(page: Page, server: int) -> Iterator[Row]:
    _move(page, "ArrowRight", 20)
    before = resident_mb(server)
    _move(page, "ArrowLeft", MOVES // 2)
    _move(page, "ArrowRight", MOVES - MOVES // 2)
    grown, used = resident_mb(server) - before, _browser_mb(page)
    yield limited_mb(f"browser after {MOVES} slider moves, {CALLS:,} calls", used, BROWSER_MB)
    yield limited_mb(f"growth of the server over {MOVES} slider moves, {CALLS:,} calls", grown, SERVER_MB)


def _move(page: Page, key: str, times: int) -> None:
    """Steps, each waited for."""
    for _ in range(times):
        page.keyboard.press(key)
        page.wait_for_function("quietFor", arg=120, timeout=60_000, polling=30)


def limited_mb(what: str, mb: float, limit_mb: float) -> Row:
    """A row of memory that has a limit of its own."""
    return Row(what=what, value=f"{mb:,.0f} MB", reference=f"limit {limit_mb:,.0f} MB", ratio=mb / limit_mb, target=1.0)


def resident_mb(process: int) -> float:
    """Memory of a process now."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def _browser_mb(page: Page) -> float:
    """Private and its share of shared memory of the process that draws the page."""
    session = page.context.browser.new_browser_cdp_session()  # type: ignore[union-attr] - a page of a launched browser has one
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    drawing = [one["id"] for one in processes if one["type"] == "renderer"]
    return max(_proportional_mb(process) for process in drawing)


def _proportional_mb(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024

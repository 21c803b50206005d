"""From a key on the budget slider to the painted chart in real Chromium, against a fragment that writes one line of text."""

from __future__ import annotations

import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from ctxcore.views.policies import policy_label
from tests.benchmarks.generate import conversation_file
from tests.benchmarks.measure import Row, limited_row

ROOT = Path(__file__).resolve().parents[2]
WATCH = (Path(__file__).parent / "watch.js").read_text(encoding="utf-8")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync")
PAGES = ("calls", "dropped")
TARGETS = {3_000: 3.0, 30_000: 4.0}
"""Calls, and how many times the one line a page may take."""

CALL_BYTES = {3_000: 13_300, 30_000: 1_300}
"""So that both files have about 40 MB."""

MOVE_MS = 40
"""A hand that drags the budget line sees it within so long."""

MOVES = (Path(__file__).parent / "drag.js").read_text(encoding="utf-8")
"""Drags the budget line over most of the chart; how long each move took until its frame was out, in milliseconds."""

POLICIES, POLICY_MS = ("whole-units-sticky", "openai-truncation", "openhands-recent-events", "autogen-buffered", "cline-basic"), 300
"""Rules that are sums over messages, chosen one after the other, and what each may take."""

QUIET_MS = 500
"""Nothing drawn or received for so long: the page is done."""

ONE_LINE = """import streamlit as st
@st.fragment
def part():
    st.write("value", st.slider("Budget", 0, 1000, 500))
part()
"""


def rows(folder: Path, repetitions: int) -> Iterator[Row]:
    """Both pages at both lengths."""
    files = {calls: conversation_file(folder / f"calls_{calls}.json", calls, CALL_BYTES[calls]) for calls in TARGETS}
    floor_app = folder / "one_line.py"
    floor_app.write_text(ONE_LINE, encoding="utf-8")
    floor_port, port = free_port(), free_port()
    floor = [sys.executable, "-m", "streamlit", "run", str(floor_app), "--server.port", str(floor_port), *_streamlit_options()]
    with server(floor, floor_port), server(dashboard(files.values(), port), port), chromium() as browser:
        for calls, target in TARGETS.items():
            for name in PAGES:
                one_line_ms = _median_ms(browser, f"http://127.0.0.1:{floor_port}/", repetitions)
                page_ms = _median_ms(browser, f"http://127.0.0.1:{port}/{name}?session={files[calls].name}", repetitions)
                yield Row(
                    what=f"slider to painted chart, page {name}, {calls:,} calls",
                    value=f"{page_ms:,.0f} ms",
                    reference=f"one line of text {one_line_ms:,.0f} ms",
                    ratio=page_ms / one_line_ms,
                    target=target,
                )
            yield _drag_row(browser, f"http://127.0.0.1:{port}/calls?session={files[calls].name}", calls)
        calls = min(TARGETS)
        address = f"http://127.0.0.1:{port}/calls?session={files[calls].name}"
        yield limited_row(f"policy changed to painted chart, page calls, {calls:,} calls", _policy_ms(browser, address), POLICY_MS)


def _drag_row(browser: Browser, url: str, calls: int) -> Row:
    """A move of a dragged budget line until its frame is out, the median of forty; no server takes part."""
    page = watched_page(browser)
    page.goto(url)
    page.locator(".grip").wait_for(timeout=120_000)
    wait_until_quiet(page)
    move = statistics.median(page.locator(".grip").evaluate(MOVES))
    page.context.close()
    return Row(
        what=f"budget line dragged, one move to its frame, {calls:,} calls",
        value=f"{move:,.0f} ms",
        reference=f"{MOVE_MS} ms",
        ratio=move / MOVE_MS,
        target=1.0,
    )


def dashboard(files: Iterable[Path], port: int) -> list[str]:
    """The command that serves these files."""
    return [sys.executable, "-m", "ctxcore.cli", "open", *map(str, files), "--port", str(port), "--no-browser"]


def _streamlit_options() -> list[str]:
    options = {"server.address": "127.0.0.1", "server.headless": "true", "browser.gatherUsageStats": "false", "runner.postScriptGC": "false"}
    return [part for name, value in options.items() for part in (f"--{name}", value)]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def server(command: list[str], port: int) -> Iterator[None]:
    """Runs while the block does; it answers when the block begins."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health")
            yield
        finally:
            process.terminate()


def wait_for(url: str, seconds: float = 60) -> None:
    """Until somebody answers there."""
    last = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - our own address
                return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > last:
                raise
            time.sleep(0.2)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Runs while the block does."""
    found = os.environ.get("CTXSCOPE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        raise SystemExit("No Chromium found. Install Debian's chromium, or name one with CTXSCOPE_CHROMIUM.")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=found, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def _median_ms(browser: Browser, url: str, repetitions: int) -> float:
    """Median over single steps of the slider, each to a value that was not shown before; the first step warms up."""
    page = watched_page(browser)
    page.goto(url)
    page.locator('[data-testid="stMain"] [data-testid="stSlider"]').first.wait_for(timeout=120_000)
    wait_until_quiet(page)
    page.locator('[data-testid="stMain"] [data-testid="stSlider"] :is([role="slider"], input[type="range"])').first.focus()
    times = [_step_ms(page) for _ in range(repetitions + 1)][1:]
    page.context.close()
    return statistics.median(times)


def _policy_ms(browser: Browser, url: str) -> float:
    """Median over changes of the policy, each to one that was not shown before; the first one warms up."""
    page = watched_page(browser)
    page.goto(url)
    page.locator('[data-testid="stMain"] [data-testid="stSlider"]').first.wait_for(timeout=120_000)
    wait_until_quiet(page)
    times = [_chosen_ms(page, policy_label(name)) for name in POLICIES][1:]
    page.context.close()
    return statistics.median(times)


def _chosen_ms(page: Page, title: str) -> float:
    box = page.get_by_role("combobox", name=re.compile("Policy")).first
    box.fill(title)
    page.get_by_role("option", name=title, exact=True).wait_for()
    box.press("Enter")
    wait_until_quiet(page)
    return float(page.evaluate("inputToFrame()"))


def watched_page(browser: Browser) -> Page:
    """A new visitor's page that notes when something is drawn."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(WATCH)
    return page


def _step_ms(page: Page) -> float:
    page.keyboard.press("ArrowLeft")
    wait_until_quiet(page)
    return float(page.evaluate("inputToFrame()"))


def wait_until_quiet(page: Page) -> None:
    """Until nothing was drawn or received for a while."""
    page.wait_for_function("quietFor", arg=QUIET_MS, timeout=120_000, polling=50)

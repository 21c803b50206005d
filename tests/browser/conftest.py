"""The dashboard in a real browser: the app on a free port, Chromium by Playwright.

Without Chromium these tests skip with that reason; with ``CTXSCOPE_REQUIRE_BROWSER=1`` that is a failure.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
)


def chromium_path() -> str | None:
    """Chromium named by CTXSCOPE_CHROMIUM, Debian's, or one on the path."""
    named = os.environ.get("CTXSCOPE_CHROMIUM")
    found = (named, "/usr/bin/chromium", shutil.which("chromium"), shutil.which("chromium-browser"), shutil.which("google-chrome"))
    return next((path for path in found if path and Path(path).is_file()), None)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        reason = "no Chromium found: install it, or name it with CTXSCOPE_CHROMIUM"
        if os.environ.get("CTXSCOPE_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        yield chromium
        chromium.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(port: int, server: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert server.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"no answer on port {port} after {seconds} s")


Serve = Callable[..., str]


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """Start a server of its own with these files open; gives its address."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(*paths: Path) -> str:
        port = free_port()
        environment = {**os.environ, "CTXSCOPE_OPEN": json.dumps([str(path) for path in paths]), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
        server = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        running.append(server)
        wait_until_healthy(port, server)
        return f"http://127.0.0.1:{port}"

    yield begin
    for server in running:
        server.terminate()
        server.wait()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[[], Page]]:
    """A new visitor with a browser of their own; requests to other hosts are refused and noted in ``page.foreign``."""
    contexts = []

    def arrive() -> Page:
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        foreign: list[str] = []
        page.foreign = foreign  # type: ignore[attr-defined]
        page.on("request", lambda request: foreign.append(request.url) if "127.0.0.1" not in request.url and request.url.startswith("http") else None)
        return page

    yield arrive
    for context in contexts:
        context.close()

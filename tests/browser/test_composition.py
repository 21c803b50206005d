"""The icicle of a call in a real browser: names are text, a click zooms, a row opens its message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve

Visitor = Callable[[], Page]

expect.set_options(timeout=30_000)

FIGURE = ".st-key-composition_figure"
NAME = "<b>read</b><img src=x onerror='window.ran=1'>"


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    call = {"id": "c", "type": "function", "function": {"name": NAME, "arguments": json.dumps({"path": "a.py " * 200})}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "short"},
        {"role": "assistant", "content": "done"},
    ]
    path: Path = tmp_path_factory.mktemp("sessions") / "marked.json"
    path.write_text(json.dumps({"model": "demo", "messages": messages}))
    return serve(path)


def test_names_stay_text_a_click_zooms_and_a_row_opens_its_message(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=marked.json&budget=unlimited")
    page.get_by_text("Show what it is made of").click()
    figure = page.locator(FIGURE)
    drawn = figure.locator("g.slice")
    drawn.first.wait_for()
    expect(figure.locator("svg").first).to_contain_text("<b>read</b>")
    assert page.locator(f"{FIGURE} img").count() == 0
    assert figure.get_by_text("path", exact=True).count() == 0
    figure.get_by_text("1 assistant").first.click(force=True)
    expect(figure.get_by_text("path", exact=True).first).to_be_visible()
    page.locator(".st-key-composition_rows").get_by_role("button").first.click()
    expect(page.locator(".st-key-calls_messages").get_by_role("button", name="Close").or_(page.get_by_text("a.py a.py")).first).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert page.foreign == []  # type: ignore[attr-defined]

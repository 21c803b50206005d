"""What is moved and pressed in the browser: the budget line's grip, the strip of all calls, a message that is to stay."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ctxcore.readers.detect import read_session
from ctxcore.replay import replay
from ctxcore.views.calls_chart import moving_columns
from ctxcore.views.live_budget import live_columns
from tests.browser.conftest import ROOT, Serve
from tests.pages.conftest import chat

Visitor = Callable[[], Page]

expect.set_options(timeout=30_000)

CHART = ".st-key-calls_chart"
SEARCH = (ROOT / "pages" / "_components" / "budget_search.js").read_text(encoding="utf-8")
TALK = chat(*((f"Round {n}", 3) for n in range(1, 21)))


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("sessions") / "talk.json"
    path.write_bytes(TALK)
    return serve(path)


def test_the_browser_cuts_every_budget_as_the_core_does(visitor: Visitor) -> None:
    """The look-ups of the grip, run in the browser on the tables that it is sent."""
    page = visitor()
    page.goto("about:blank")
    page.evaluate(f"() => {{ const code = document.createElement('script'); code.text = {json.dumps(SEARCH)}; document.head.append(code); }}")
    for path in sorted((ROOT / "sample_sessions").glob("*.jsonl")):
        thread = read_session(path).threads[0]
        one = replay(thread, "whole-units", 1000)
        live = live_columns(one)
        assert live is not None
        tables = {field.name: getattr(live, field.name).tolist() for field in fields(live)}
        budgets = list(range(100, int(one.before.max()) + 200, 997))
        found = page.evaluate(
            "([budgets, before, tables]) => budgets.map((budget) => [...cutsAt(budget, before, tables)])", [budgets, one.before.tolist(), tables]
        )
        assert found == [moving_columns(replay(thread, "whole-units", budget)).cut.tolist() for budget in budgets]


def test_a_dragged_budget_is_drawn_at_once_and_stays_when_let_go(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&budget=4000")
    grip = page.locator(f"{CHART} .grip")
    grip.wait_for()
    page.wait_for_timeout(800)
    grip.scroll_into_view_if_needed()
    box = grip.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=5)
    told = re.fullmatch(r"Budget ([\d,]+) chars: (\d+) calls? trimmed, (\d+) refused\.", page.locator(f"{CHART} .live").inner_text())
    assert told is not None
    budget, trimmed, refused = (int(text.replace(",", "")) for text in told.groups())
    one = replay(read_session(TALK, "talk.json").threads[0], "whole-units", budget)
    assert budget > 4000
    assert (trimmed, refused) == (int((one.dropped_messages > 0).sum()), int(one.refused.sum()))
    expect(page.get_by_role("textbox", name="Exact budget")).to_have_value("4000")
    page.mouse.up()
    expect(page.get_by_role("textbox", name="Exact budget")).to_have_value(str(budget))
    page.wait_for_url(f"**budget={budget}**")


def test_keys_move_the_grip_and_escape_takes_the_budget_back(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&budget=4000&call=40")
    grip = page.locator(f"{CHART} .grip")
    grip.wait_for()
    page.wait_for_timeout(800)
    grip.focus()
    page.keyboard.press("ArrowUp")
    assert grip.get_attribute("aria-valuenow") == "4100"
    page.keyboard.press("Escape")
    assert grip.get_attribute("aria-valuenow") == "4000"
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**budget=3900**")
    assert "call=40" in page.url


def test_the_strip_picks_a_call_by_keys_and_by_a_drag(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/differences?session=talk.json&call=10")
    box = page.locator(".st-key-call_strip .box")
    box.wait_for()
    page.wait_for_timeout(800)
    box.focus()
    page.keyboard.press("End")
    page.wait_for_url("**call=79**")
    expect(page.get_by_text("From call #78 to call #79")).to_be_visible()
    place = page.locator(".st-key-call_strip canvas").bounding_box()
    assert place is not None
    wide = place["width"] - 66
    page.mouse.move(place["x"] + 52 + wide * 0.9, place["y"] + 30)
    page.mouse.down()
    page.mouse.move(place["x"] + 52 + wide * (20.5 / 80), place["y"] + 30, steps=6)
    page.mouse.up()
    page.wait_for_url("**call=20**")


def test_a_dropped_message_is_kept_from_its_row_and_let_go_again(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&budget=4000&call=40")
    row = page.locator(".st-key-calls_messages .item.dropped").first
    row.wait_for()
    row.get_by_role("button", name="Never drop").click()
    page.wait_for_url("**keep=**")
    again = page.get_by_role("button", name="Let it go again").first
    again.click()
    page.wait_for_url(re.compile(r"^(?!.*keep=)"))

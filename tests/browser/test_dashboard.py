"""What only a real browser can tell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve
from tests.pages.conftest import chat

Visitor = Callable[[], Page]

expect.set_options(timeout=30_000)

CHART = ".st-key-calls_chart"
LIST = ".st-key-calls_messages"


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("sessions")
    (folder / "talk.json").write_bytes(chat(*((f"Round {n}", 3) for n in range(1, 21))))
    tricky = {
        "model": "demo",
        "messages": [
            {"role": "user", "content": "Price $4.20 and $5.10; *special* :red[hot] #1"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "y", "type": "function", "function": {"name": '<img src=x onerror="window.ran=1">', "arguments": "{}"}}],
            },
            {
                "role": "tool",
                "tool_call_id": "y",
                "content": "<script>window.ran=1</script>\n[click](javascript:window.ran=1)\n![p](http://tracker.invalid/p.png)\n</div><h1>Fake</h1>\n```\nopen",
            },
            {"role": "assistant", "content": "# Not a heading\n<iframe src='//demo.invalid'></iframe>"},
            {"role": "user", "content": "go on"},
        ],
    }
    (folder / "tricky.json").write_text(json.dumps(tricky))
    return serve(folder / "talk.json", folder / "tricky.json")


def painted(page: Page) -> str:
    """Wait for the chart and give its pixels."""
    page.wait_for_selector(f"{CHART} canvas")
    page.wait_for_function("selector => document.querySelector(selector)?.width > 0 || true", arg=f"{CHART} canvas")
    return str(page.locator(f"{CHART} canvas").evaluate("canvas => canvas.toDataURL()"))


def settled(page: Page, before: str) -> str:
    """Wait until the chart's pixels differ from these."""
    for _ in range(100):
        now = painted(page)
        if now != before:
            return now
        page.wait_for_timeout(100)
    raise AssertionError("the chart did not change")


def zoom(page: Page) -> list[float]:
    script = "box => { const root = box.closest('.chart'); return [root.view.x0, root.view.x1]; }"
    found: list[float] = page.locator(f"{CHART} .box").evaluate(script)
    return found


def test_a_deep_link_on_a_fresh_server_opens_page_session_call_and_budget(serve: Serve, visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_bytes(chat(("first", 3), ("second", 3)))
    page = visitor()
    page.goto(serve(tmp_path / "talk.json") + "/calls?session=talk.json&call=2&budget=2500")
    expect(page.get_by_role("heading", name="Call #2")).to_be_visible()
    expect(page.get_by_role("textbox", name="Exact budget")).to_have_value("2500")
    page.reload()
    expect(page.get_by_role("heading", name="Call #2")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Calls").click()
    expect(page.get_by_role("heading", name="Call #2")).to_be_visible()
    assert "call=2" in page.url
    assert "budget=2500" in page.url


def test_a_slider_repaints_the_same_canvas_and_keeps_the_zoom(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&budget=4000")
    page.wait_for_selector(f"{CHART} canvas")
    page.wait_for_timeout(800)
    page.locator(f"{CHART} .box").focus()
    for _ in range(2):
        page.keyboard.press("+")
    before, seen = zoom(page), painted(page)
    assert before[1] - before[0] < 60
    page.locator(f"{CHART} canvas").evaluate("canvas => { canvas.seen = true; }")
    page.locator('[data-testid="stSlider"] [role="slider"], [data-testid="stSlider"] input[type=range]').first.focus()
    page.keyboard.press("ArrowLeft")
    settled(page, seen)
    expect(page.get_by_role("textbox", name="Exact budget")).to_have_value("3900")
    assert page.locator(f"{CHART} canvas").evaluate("canvas => canvas.seen") is True
    assert zoom(page) == before


def test_a_drag_zooms_and_picks_no_call(address: str, visitor: Visitor) -> None:
    """A drag from a tenth to four tenths of the plot: these three tenths are shown, and call 40 stays picked."""
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&call=40&budget=4000")
    canvas = page.locator(f"{CHART} canvas")
    canvas.wait_for()
    page.wait_for_timeout(800)
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    wide = box["width"] - 66
    page.mouse.move(box["x"] + 52 + wide * 0.1, box["y"] + 150)
    page.mouse.down()
    page.mouse.move(box["x"] + 52 + wide * 0.3, box["y"] + 150, steps=4)
    page.mouse.move(box["x"] + 52 + wide * 0.4, box["y"] + 150, steps=4)
    page.mouse.up()
    page.wait_for_timeout(800)
    assert zoom(page) == pytest.approx([8, 32], abs=0.5)
    assert "call=40" in page.url
    canvas.dblclick(position={"x": 300, "y": 150})
    assert zoom(page) == [0, 80]


def test_arrow_keys_pick_a_call_and_announce_it(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&call=10&budget=4000")
    page.wait_for_selector(f"{CHART} canvas")
    page.wait_for_timeout(800)
    page.locator(f"{CHART} .box").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{CHART} .live")).to_have_text(re.compile(r"Call 11 of 80: before [\d,]+ chars, after [\d,]+ chars"))
    expect(page.get_by_role("heading", name="Call #11")).to_be_visible()
    assert "call=11" in page.url


def test_a_click_picks_the_call_under_the_pointer_and_a_tip_tells_its_numbers(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&budget=4000")
    box = page.locator(f"{CHART} canvas")
    box.wait_for()
    page.wait_for_timeout(800)
    size = box.bounding_box()
    assert size is not None
    box.hover(position={"x": 52 + (size["width"] - 66) * 0.507, "y": 150})
    expect(page.locator(f"{CHART} .tip-title")).to_have_text("Call #40")
    box.click(position={"x": 52 + (size["width"] - 66) * 0.507, "y": 150})
    expect(page.get_by_role("heading", name="Call #40")).to_be_visible()


def test_markup_in_a_session_is_shown_and_never_run(address: str, visitor: Visitor) -> None:
    page = visitor()
    for path in ("calls", ""):
        page.goto(f"{address}/{path}?session=tricky.json&budget=unlimited")
        page.get_by_text("Tool results").first.wait_for()
        page.wait_for_timeout(500)
        assert page.evaluate("window.ran") is None
        assert page.locator("main iframe, main script, main img, main h1:has-text('Fake')").count() == 0
        assert page.title() == "ctxscope"
    page.goto(f"{address}/calls?session=tricky.json&budget=unlimited")
    shown = page.locator(LIST)
    expect(shown).to_contain_text("Price $4.20 and $5.10; *special* :red[hot] #1")
    expect(shown).to_contain_text('<img src=x onerror="window.ran=1">')
    expect(shown).to_contain_text("<script>window.ran=1</script>")
    shown.get_by_role("button", name="Raw JSON, message 2").click()
    expect(shown.locator("pre")).to_contain_text('"tool_call_id": "y"')
    assert page.foreign == []  # type: ignore[attr-defined]


def test_two_visitors_never_see_each_others_uploads(address: str, visitor: Visitor) -> None:
    first, second = visitor(), visitor()
    for page, name in ((first, "mine"), (second, "yours")):
        page.goto(address)
        page.locator('input[type="file"]').set_input_files({"name": f"{name}.json", "mimeType": "application/json", "buffer": chat((name, 2))})
    expect(first.get_by_text("mine.json holds 3 model calls")).to_be_visible()
    expect(second.get_by_text("yours.json holds 3 model calls")).to_be_visible()
    stranger = visitor()
    stranger.goto(first.url)
    expect(stranger.get_by_text("Uploads are private")).to_be_visible()
    assert stranger.get_by_text("mine.json").count() == 0


def budget_shown(page: Page) -> tuple[str | None, str]:
    """What the slider and the box say."""
    slider = page.locator('[data-testid="stSlider"] input[type=range]').first
    return slider.get_attribute("aria-valuetext"), page.get_by_role("textbox", name="Exact budget").input_value()


def expect_budget(page: Page, budget: int) -> None:
    """Slider, box and address agree, now and when all messages have come."""
    slider = page.locator('[data-testid="stSlider"] input[type=range]').first
    expect(slider).to_have_attribute("aria-valuetext", f"{budget:,}")
    expect(page.get_by_role("textbox", name="Exact budget")).to_have_value(str(budget))
    page.wait_for_url(re.compile(rf"budget={budget}\b"))
    page.wait_for_timeout(500)
    assert budget_shown(page) == (f"{budget:,}", str(budget))


def test_the_budget_stays_from_page_to_page_and_an_arrow_key_goes_on_from_there(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=coding-agent&budget=20000")
    expect_budget(page, 20_000)
    for title in ("Dropped units", "State", "Calls", "State", "Dropped units", "Calls"):
        page.get_by_role("link", name=title).first.click()
        page.get_by_role("heading", name=title, exact=True).wait_for()
        expect_budget(page, 20_000)
    page.locator('[data-testid="stSlider"] input[type=range]').first.focus()
    page.keyboard.press("ArrowLeft")
    expect_budget(page, 19_000)


@pytest.mark.parametrize("path", ["calls", "dropped", "state"])
def test_no_arrow_key_is_lost_however_fast_they_come(address: str, visitor: Visitor, path: str) -> None:
    """Stops above 10,000 are 1,000 apart: eight keys to the left of 20,000 is 12,000."""
    page = visitor()
    page.goto(f"{address}/{path}?session=coding-agent&budget=20000")
    expect_budget(page, 20_000)
    page.locator('[data-testid="stSlider"] input[type=range]').first.focus()
    for gap in (60,) * 4 + (20,) * 4:
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(gap)
    expect_budget(page, 12_000)
    page.get_by_role("textbox", name="Exact budget").fill("15000")
    page.keyboard.press("Enter")
    expect_budget(page, 15_000)

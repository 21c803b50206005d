"""From a search to its message, notes that go with a report, and two sessions side by side, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve
from tests.chat import conversation, upload
from tests.pages.conftest import chat

Visitor = Callable[[], Page]

expect.set_options(timeout=30_000)

LIST = ".st-key-calls_messages"
HOSTILE = "<img src=x onerror='window.ran=1'> needle **bold** [a](javascript:window.ran=1)"


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("sessions")
    (folder / "talk.json").write_bytes(chat(*((f"Round {n}", 3) for n in range(1, 21))))
    (folder / "one.json").write_bytes(upload(conversation(HOSTILE, ("read", {"path": "a.py"}, HOSTILE))))
    (folder / "two.json").write_bytes(upload(conversation(HOSTILE, ("<b>test</b>", {}, "ok"))))
    return serve(folder / "talk.json", folder / "one.json", folder / "two.json")


def test_a_search_leads_to_its_message_with_the_hit_marked(address: str, visitor: Visitor) -> None:
    """Call 34 of the talk asked for the 26th file; its result is a message of the next call."""
    page = visitor()
    page.goto(f"{address}/search?session=talk.json&budget=unlimited")
    page.get_by_role("textbox", name="Search").fill("line 26 line")
    page.keyboard.press("Enter")
    table = page.locator(".st-key-search_rows")
    expect(table.locator("mark").first).to_have_text("line 26 line")
    assert "find=line+26+line" in page.url
    table.locator("tbody button").first.click()
    expect(page.get_by_role("heading", name="Calls", exact=True)).to_be_visible()
    shown = page.locator(f"{LIST} .revealed")
    expect(shown).to_contain_text("line 26 line 26")
    expect(shown.locator("mark").first).to_have_text("line 26 line")
    expect(shown).to_be_in_viewport()


def test_a_link_to_a_search_shows_it_in_a_fresh_browser(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/search?session=talk.json&find=rou.d%2012&among=regex,messages&budget=unlimited")
    expect(page.locator(".st-key-search_rows mark").first).to_have_text("Round 12")
    expect(page.get_by_role("switch", name="Pattern").or_(page.get_by_role("checkbox", name="Pattern")).first).to_be_checked()


def test_hits_and_both_sides_are_text_and_never_run(address: str, visitor: Visitor) -> None:
    page = visitor()
    for path in ("search?session=one.json&find=img%20src", "side?session=one.json&beside=two.json"):
        page.goto(f"{address}/{path}")
        expect(page.locator("main")).to_contain_text("<img src=x onerror='window.ran=1'>")
        page.wait_for_timeout(500)
        assert page.evaluate("window.ran") is None
        assert page.locator("main img, main .rows b, main a[href^=javascript]").count() == 0
    expect(page.locator("main")).to_contain_text("<b>test</b>")
    assert page.foreign == []  # type: ignore[attr-defined]


def test_a_note_stays_from_page_to_page_and_goes_with_the_report_unless_left_out(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/calls?session=talk.json&call=5&budget=4000")
    page.get_by_text("Write a note on call #5").click()
    page.get_by_role("textbox", name="Note", exact=True).fill("Look <b>here</b> again")
    page.get_by_role("button", name="Add note").click()
    expect(page.get_by_text("1 note on call #5")).to_be_visible()
    page.get_by_role("link", name="Overview").first.click()
    expect(page.locator(".st-key-notes_rows")).to_contain_text("Look <b>here</b> again")
    page.get_by_role("link", name="Report").first.click()
    for included in (True, False):
        if not included:
            page.get_by_text("Include my 1 note").click()
            page.wait_for_timeout(1_500)
        with page.expect_download() as told:
            page.get_by_role("button", name="Report (HTML)").click()
        saved = Path(told.value.path()).read_text(encoding="utf-8")
        assert ("Look &lt;b&gt;here&lt;/b&gt; again" in saved) is included
    assert re.search("<b>here", saved) is None


def test_two_sessions_are_chosen_and_the_address_keeps_them(address: str, visitor: Visitor) -> None:
    page = visitor()
    page.goto(f"{address}/side?session=one.json")
    page.get_by_text("Two sessions", exact=True).click()
    page.get_by_role("combobox", name="Second session").click()
    page.get_by_role("option", name="two.json").click()
    expect(page.get_by_text("The first differing tool call is number 1 of turn 1")).to_be_visible()
    page.wait_for_url(re.compile("beside=two.json"))
    page.reload()
    expect(page.get_by_text("The first differing tool call is number 1 of turn 1")).to_be_visible()
    expect(page.locator(".st-key-side_chart .js-plotly-plot")).to_have_count(1)

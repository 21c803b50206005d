"""The same pages in a real browser: what AppTest cannot see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from ctxcore import read_session, replay
from ctxcore.replay import DROPPED, KEPT, PINNED
from ctxcore.views.masking import MASK
from tests.browser.conftest import Serve
from tests.chat import conversation, upload

SAMPLE = Path(__file__).resolve().parents[2] / "sample_sessions" / "long-research.json"

TITLE = "<img src=x onerror=\"document.title='run'\"><b>bold</b> <a href='https://tracker.invalid'>go</a>"

SIGNS = "www.evil.example me@evil.example :smile: a -> b -- c >= d"


@pytest.fixture(scope="module")
def server(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("plan") / "hostile.json"
    path.write_bytes(upload(conversation("Go.", ("TodoWrite", {"todos": [{"content": TITLE, "status": "pending"}]}, "ok"))))
    links = path.with_name("links.json")
    links.write_bytes(upload(conversation("Go.", ("write_file", {"path": SIGNS, "content": "x"}, "ok"))))
    return serve(path, links)


@pytest.fixture
def page(visitor: Callable[[], Page]) -> Iterator[Page]:
    """A visitor whose page must not report a fault in a script."""
    found = visitor()
    faults: list[str] = []
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on("console", lambda message: faults.append(message.text) if "BidiComponent Error" in message.text else None)
    yield found
    assert not faults


def test_the_grid_tells_the_numbers_of_the_replay(page, server: str) -> None:
    """Keyboard alone: the announced counts of a call equal the replay's, before and after the slider moves; the zoom stays."""
    page.goto(f"{server}/dropped?session=long-research&call=120")
    box = page.locator("[role=application]")
    box.wait_for()
    page.locator("ul.legend li").first.wait_for()
    box.focus()
    for _ in range(4):
        page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("call=121"))
    check_counts(page, 121, 16_000)
    zoom = page.evaluate(f"(() => {{ const r = {FIND}; return [r.view.x0, r.view.x1]; }})()")
    assert zoom[1] - zoom[0] < 100
    slider = page.locator('[data-testid="stSlider"]').locator("[role=slider], input[type=range]").first
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("budget="))
    budget = int(re.search(r"budget=(\d+)", page.url)[1])
    box.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("call=120"))
    check_counts(page, 120, budget)
    assert page.evaluate(f"(() => {{ const r = {FIND}; return [r.view.x0, r.view.x1]; }})()") == zoom


def test_a_picked_unit_is_said_in_words_and_enter_opens_its_first_message(page, server: str) -> None:
    """Unit 3 back in the last call but one of the long sample: its number, kind and size as the replay has them."""
    page.goto(f"{server}/dropped?session=long-research&call=150")
    box = page.locator("[role=application]")
    box.wait_for()
    page.locator("ul.legend li").first.wait_for()
    box.focus()
    for _ in range(60):
        page.keyboard.press("ArrowUp")
    result = replay(read_session(SAMPLE).threads[0], budget=16_000)
    epoch, _ = result.place(150)
    seen = int(result.timelines[epoch].seen[list(result.timelines[epoch].epoch.calls).index(150)])
    unit = int(result.units.of_epoch[epoch][seen - 60])
    line = page.locator(".chart .unit")
    line.wait_for()
    assert line.inner_text().startswith(f"Unit {unit}, dropped in call #150")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/calls\?.*call=150"))
    position = min(result.units.members[unit])
    shown = page.locator(".item.revealed")
    shown.wait_for()
    assert shown.locator(".place").inner_text() == str(position)
    page.wait_for_function(f"(() => {{ const r = {REVEALED}.getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight; }})()")


def test_a_found_text_is_marked_and_a_row_opens_its_message(page, server: str) -> None:
    """Markup in the hit stays text. The row leads to the first call that receives the message, past what the list was limited to before."""
    page.goto(f"{server}/calls?session=hostile.json&budget=unlimited")
    page.get_by_role("textbox", name="Search in these messages").fill("no such text")
    page.keyboard.press("Enter")
    page.get_by_text("No message matches.").wait_for()
    page.get_by_role("link", name="Dropped units").first.click()
    page.get_by_role("textbox", name="Find a text").fill("<B>BOLD")
    page.keyboard.press("Enter")
    row = page.locator(".st-key-dropped_sight tbody tr").first
    row.locator("mark").first.wait_for()
    assert row.locator("mark").first.inner_text() == "<b>bold"
    assert page.evaluate(f"{ALL}.filter((one) => one.localName === 'b').length") == 0
    row.click()
    page.get_by_role("heading", name="Call #1", exact=True).wait_for()
    shown = page.locator(".item.revealed")
    shown.wait_for()
    assert shown.locator(".text mark").first.inner_text() == "<b>bold"
    assert page.get_by_role("textbox", name="Search in these messages").input_value() == ""
    assert "run" not in page.title()


FIND = """(() => {
  const all = (node) => [...node.querySelectorAll('*')].flatMap((one) => one.shadowRoot ? [one, ...all(one.shadowRoot)] : [one]);
  return all(document).find((one) => one.classList?.contains('chart') && !one.classList.contains('strip'));
})()"""
"""The grid's root element, through shadow roots."""


REVEALED = FIND.replace("'chart'", "'revealed'")
"""The message that a jump asked for."""


def check_counts(page, call: int, budget: int) -> None:
    result = replay(read_session(SAMPLE).threads[0], budget=budget)
    status = result.status(call).tolist()
    words = f"Call {call}: {status.count(KEPT)} kept, {status.count(PINNED)} pinned, {status.count(DROPPED)} dropped"
    page.wait_for_function(f"(text) => {FIND}.querySelector('.live').textContent.startsWith(text)", arg=words)


def test_a_change_of_the_plan_opens_its_call(page, server: str) -> None:
    page.goto(f"{server}/plan?session=coding-agent")
    page.get_by_role("button", name="17", exact=True).first.click()
    page.wait_for_url(re.compile(r"/calls\?.*call=17"))
    page.get_by_role("heading", name="Calls", exact=True).wait_for()


def test_a_bar_picks_its_step_and_a_change_opens_its_message(page, server: str) -> None:
    """The fourth pending bar is that of step 6; its first change was made by the reply of call 3."""
    page.goto(f"{server}/plan?session=coding-agent&call=20")
    page.locator(".plotly .bars .point path").nth(3).click(force=True)
    page.wait_for_url(re.compile("call=3"))
    page.get_by_text("Bring the README up to date: claimed done once").wait_for()
    page.locator(".st-key-plan_step_changes button.pick").first.click()
    page.get_by_role("heading", name="Call #3", exact=True).wait_for()
    page.locator(".item.revealed").wait_for()


def test_a_chain_is_shown_step_by_step(page, server: str) -> None:
    page.goto(f"{server}/state?session=coding-agent")
    page.get_by_role("tab", name="Files and values").click()
    page.get_by_role("button", name="settings.json").click()
    page.get_by_role("heading", name="settings.json").wait_for()


def test_a_page_turns_and_a_row_picks_its_call(page, server: str) -> None:
    page.goto(f"{server}/dropped?session=long-research")
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_text("21 to 40 of").wait_for()
    page.locator(".rows button.pick").first.click()
    page.wait_for_url(re.compile("call="))


def test_markup_in_a_plan_stays_text(page, server: str) -> None:
    """A step's title with tags: nothing of it becomes an element, in the figure as in the tables."""
    page.goto(f"{server}/plan?session=hostile.json")
    page.locator(".annotation-text").first.wait_for()
    page.get_by_text("<img src=x", exact=False).first.wait_for()
    assert page.evaluate(f"{ALL}.filter((one) => one.localName === 'img' && one.getAttribute('src') === 'x').length") == 0
    assert page.evaluate(f"{ALL}.filter((one) => String(one.getAttribute('href') ?? '').includes('tracker')).length") == 0
    assert "run" not in page.title()
    assert not [url for url in page.foreign if "tracker" in url]


ALL = """((walk) => walk(document, walk))((node, walk) =>
  [...node.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? walk(one.shadowRoot, walk) : [])]))"""
"""Every element of the page, shadow roots included."""


def test_an_address_in_words_of_a_session_or_of_the_address_bar_is_no_link(page, server: str) -> None:
    """Renderers link bare addresses and turn signs into others even behind backslashes; here they stay what was written."""
    page.goto(f"{server}/?session=coding-agent&unit=https://evil.example/a")
    page.get_by_text(re.compile("evil")).first.wait_for()
    assert page.locator("a[href*='evil']").count() == 0
    page.goto(f"{server}/state?session=links.json")
    page.get_by_role("tab", name="Files and values").click()
    heading = page.locator("[data-testid=stMain] h2").filter(has_text="evil").first
    heading.wait_for()
    assert heading.inner_text().replace("\u2060", "") == SIGNS.replace("me@evil.example", MASK), "an e-mail address is shown as dots"
    assert page.locator("a[href*='evil']").count() == 0

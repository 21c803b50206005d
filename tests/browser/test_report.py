"""The report opens from disk in a real browser, asks nobody for anything, and runs nothing; the page hands it out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ctxcore import read_session
from ctxcore.report import Release, study
from ctxcore.report.page import report_html
from tests.browser.conftest import Serve
from tests.report.test_report import SAMPLE, hostile

expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    written = {}
    for name, source, budget in (("sample", str(SAMPLE), 4_000), ("hostile", hostile(), 2_500_000)):
        session = read_session(source, "hostile.json") if isinstance(source, bytes) else read_session(source)
        page = report_html(study(session.threads[0], session, "whole-units", budget, "chars"), Release.of(session, reviewed=True))
        written[name] = folder / f"{name}.html"
        written[name].write_text(page, encoding="utf-8")
    return written


@pytest.mark.parametrize("name", ["sample", "hostile"])
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_it_opens_from_disk_without_a_request_or_an_error(browser: Browser, reports: dict[str, Path], name: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    address = reports[name].as_uri()
    page.goto(address)
    expect(page.locator(".people")).to_be_visible()
    expect(page.locator(".engineers")).to_be_hidden()
    assert page.locator("svg.area path.before").bounding_box()["height"] > 50
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing is wider than the window"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".engineers")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for summary in page.locator("summary").all():
        if not summary.evaluate("one => one.parentElement.open"):
            summary.click()
    assert page.title().startswith(f"{'coding-agent.jsonl' if name == 'sample' else 'hostile.json'} ·")
    assert page.locator("img, script, iframe, object, embed, form, link").count() == 0
    assert asked == [address]
    assert said == []
    context.close()


def test_the_page_hands_out_the_report_that_was_reviewed(visitor: Callable[[], Page], serve: Serve, tmp_path: Path) -> None:
    talk = {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "mail ann@example.invalid, topic beekeeping"}, {"role": "assistant", "content": "ok"}],
    }
    (tmp_path / "talk.json").write_text(json.dumps(talk), encoding="utf-8")
    page = visitor()
    page.goto(f"{serve(tmp_path / 'talk.json')}/report?budget=100")
    expect(page.get_by_role("heading", name="Review")).to_be_visible()

    def report() -> str:
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Report (HTML)").click()
        return Path(waiting.value.path()).read_text(encoding="utf-8")

    assert "beekeeping" not in report()
    page.get_by_text("I have looked through these findings").click()
    expect(page.get_by_role("button", name="Request (JSON)")).to_be_visible()
    reviewed = report()
    assert "beekeeping" in reviewed
    assert "ann@example" not in reviewed
    assert "[email-1]" in reviewed
    assert page.foreign == []  # type: ignore[attr-defined]

"""Runs that are started on the page Lab: watched, injected, cancelled, opened as sessions; nothing shared, no key kept."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ctxcore.policies import all_policies
from ctxcore.runtime.demo.labs import configured
from ctxcore.runtime.live import LiveRun
from ctxcore.views.lab_endpoint import endpoint_model
from ctxcore.views.policies import policy_label
from tests.pages.conftest import PAGES, Start, chat, data_of, query_of
from tests.runtime.stub_server import completion, serving

KEY = "sk-very-secret-key"


def finished(at: AppTest, seconds: float = 20) -> AppTest:
    """Look again and again, as a browser does, until the run is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        at.run()
        assert not at.exception, at.exception
        if at.button(key="lab_cancel").disabled:
            return at
        time.sleep(0.05)
    raise AssertionError("still running")


def lab(start: Start, *on: str, run: str = "published", pace: float = 0.0) -> AppTest:
    """The page with these switches on."""
    at = start(page="lab")
    if run != "published":
        at.button_group(key="lab_what").set_value(run).run()
    at.slider(key="lab_pace").set_value(pace)
    for name in on:
        at.toggle(key=name).set_value(True)
    at.run()
    return at


def begun(at: AppTest) -> AppTest:
    at.button(key="lab_start").click().run()
    assert not at.exception, at.exception
    return at


def words(at: AppTest) -> str:
    shown = [*at.markdown, *at.warning, *at.error, *at.caption]
    return "\n".join(one.value for one in shown).replace("\\", "").replace("\u2060", "")


def rows(at: AppTest) -> list[list[str]]:
    (table,) = data_of(at, "ctxscope_report")["tables"]
    return [row["cells"] for row in table["rows"]]


def test_the_published_demo_runs_to_its_end_and_opens_on_the_other_pages(start: Start) -> None:
    """Source of the sizes: the whole-unit rule, "A published run to reproduce exactly"."""
    at = finished(begun(lab(start)))
    assert [row[:3] for row in rows(at)] == [
        ["367", "367", "3,700"],
        ["2,802", "2,802", "3,700"],
        ["4,049", "1,774", "3,700"],
        ["5,294", "3,019", "3,700"],
    ]
    assert "Complete after 4 requests." in words(at)
    assert at.selectbox(key="session_select").options[0] == "Published demo, run 1.jsonl"
    for page in ("overview", "calls", "dropped", "differences", "compare", "plan", "state"):
        at.switch_page(_page(page)).run()
        assert not at.exception, at.exception
        assert at.title[0].value != "Lab"
        assert not [one for one in at.title if one.value == "Open a recorded session"]


def _page(name: str) -> str:
    return str(PAGES / f"{name}.py")


def test_reports_appear_while_the_run_goes_on(start: Start) -> None:
    at = begun(lab(start, pace=0.3))
    seen = set()
    while not at.button(key="lab_cancel").disabled:
        at.run()
        seen.add(words(at).split("Running, ")[-1].split(" so far")[0] if "Running, " in words(at) else "done")
    assert len(seen) >= 3
    assert len(rows(at)) == 4


@pytest.mark.parametrize(
    ("switch", "told"),
    [
        ("lab_night-line_failure", "A tool failure is left unresolved"),
        ("lab_night-line_timeout", "read_roadworks failed"),
        ("lab_night-line_checkpoint", "the notice should not blame the works alone"),
    ],
)
def test_what_a_switch_injects_is_told(start: Start, switch: str, told: str) -> None:
    at = finished(begun(lab(start, switch, run="night-line")))
    happened = next(data for data in _components(at, "ctxscope_rows"))
    assert told in str(happened["rows"])
    assert "Complete after" in words(at)


def _components(at: AppTest, name: str) -> list[Any]:
    return [json.loads(one.proto.json) for one in at.get("bidi_component") if one.proto.component_name == name]


def test_a_run_can_be_cancelled_and_what_was_sent_stays(start: Start) -> None:
    at = begun(lab(start, pace=2.0))
    while "so far" not in words(at):
        at.run()
    at.button(key="lab_cancel").click().run()
    at = finished(at, 5)
    assert "Cancelled after" in words(at)
    assert "run 1" in at.selectbox(key="session_select").options[0]


def test_a_budget_that_nothing_fits_is_told_and_no_model_is_asked(start: Start) -> None:
    at = lab(start, run="night-line")
    at.select_slider(key="lab_budget_night-line").set_value(500)
    at = finished(begun(at))
    assert "does not fit the budget whole" in words(at)
    assert "Failed after 0 requests." in words(at)


def test_a_memory_shows_what_was_stored_retrieved_and_seen(start: Start) -> None:
    at = finished(begun(lab(start, "lab_memory", run="night-line")))
    items = next(data for data in _components(at, "ctxscope_rows") if data["columns"][0]["label"] == "In this request")
    fates = {row[5]: row[0] for row in items["rows"]}
    assert fates["core:house rule"] == fates["core:language"] == "seen"
    assert {"seen", "retrieved, not sent", "stored only"} >= set(fates.values())
    assert len(rows(at)[0]) == 8
    at.number_input(key="lab_request_box").set_value(0).run()
    first = next(data for data in _components(at, "ctxscope_rows") if data["columns"][0]["label"] == "In this request")
    assert len(first["rows"]) < len(items["rows"]), "what came in later was not stored yet"


def test_a_recording_of_such_a_run_shows_the_same_when_it_is_opened(start: Start) -> None:
    scenario = configured("night-line", budget=3_400, policy="whole-units", switches=(), memory=True, pace_s=0)
    record = LiveRun(scenario).wait(20).record
    at = start({"run.jsonl": record}, page="lab", session="run.jsonl")
    assert len(rows(at)) == 7
    assert [one.value for one in at.header] == ["The open recording", "What happened", "Stored, retrieved, seen"]


def test_two_visitors_at_once_share_no_run(start: Start) -> None:
    one, other = begun(lab(start, pace=0.2)), start(page="lab")
    assert not other.button(key="lab_start").disabled
    other.run()
    assert "Running" not in words(other)
    finished(one)
    other.run()
    assert not any("run 1" in option for option in other.selectbox(key="session_select").options)


def test_a_finished_run_moves_nobody_who_is_on_another_page(start: Start) -> None:
    at = begun(lab(start))
    at.query_params["session"] = "coding-agent"
    at.switch_page(_page("overview")).run()
    time.sleep(0.5)
    at.run()
    assert query_of(at)["session"] == "coding-agent"
    assert any("run 1" in option for option in at.selectbox(key="session_select").options)


def test_finished_runs_stay_open_beside_uploads_and_the_oldest_go(start: Start) -> None:
    at = lab(start)
    for _ in range(9):
        at = finished(begun(at))
    mine = [option for option in at.selectbox(key="session_select").options if "run" in option and option.endswith(".jsonl")]
    assert mine == [f"Published demo, run {number}.jsonl" for number in range(2, 10)]


# Endpoints


def test_a_server_asks_no_endpoint_unless_it_is_told_to(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CTXSCOPE_ENDPOINTS", raising=False)
    at = start(page="lab")
    assert "plays scripted models only" in words(at)
    assert not [box for box in at.text_input if box.key == "lab_url"]
    at.session_state["lab_asked"] = "endpoint"
    at.session_state["lab_model"], at.session_state["lab_url"] = "m", "http://169.254.169.254/"
    at.button(key="lab_start").click().run()
    assert "asks no endpoints" in words(at)
    assert "lab_run" not in at.session_state


def test_an_endpoint_is_asked_and_its_key_is_written_nowhere(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXSCOPE_ENDPOINTS", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator")

    async def go() -> tuple[AppTest, Any]:
        async with serving([completion({"role": "assistant", "content": f"You sent {KEY}."})]) as stub:

            def visit() -> AppTest:
                at = start(page="lab")
                at.button_group(key="lab_asked").set_value("endpoint").run()
                at.text_input(key="lab_url").set_value(stub.url)
                at.text_input(key="lab_model").set_value("stub")
                at.text_input(key="lab_key").set_value(KEY)
                at.run()
                return finished(begun(at))

            return await asyncio.to_thread(visit), stub

    at, stub = asyncio.run(go())
    assert "Complete after 1 request." in words(at)
    assert stub.headers[0]["authorization"] == f"bearer {KEY}"
    view = at.session_state["lab_run"].run.view()
    assert KEY.encode() not in view.record
    assert b'"stub"' in view.record
    assert KEY not in str(query_of(at))
    assert KEY not in str(vars(at.session_state["lab_run"].run))


def test_a_key_of_the_environment_never_goes_to_an_address_that_was_typed() -> None:
    here = {"CTXSCOPE_ENDPOINTS": "1", "OPENAI_API_KEY": "sk-of-the-operator", "OPENAI_BASE_URL": "http://models.example/v1"}

    def key(url: str) -> str:
        return endpoint_model(here, model="m", base_url=url, api_key="").settings.api_key

    assert key("") == key("http://models.example/v1/") == "sk-of-the-operator"
    assert key("http://evil.example/v1") == ""


def test_an_endpoint_without_a_model_name_says_so(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXSCOPE_ENDPOINTS", "1")
    at = start(page="lab")
    at.button_group(key="lab_asked").set_value("endpoint").run()
    begun(at)
    assert "needs a model's name" in words(at)


def test_a_policy_is_called_the_same_on_every_page(start: Start) -> None:
    for at, key in ((start({}, "lab"), "lab_policy"), (start({"talk.json": chat(("first", 3))}, "side"), "side_policy")):
        assert at.selectbox(key=key).options == [policy_label(kind.name) for kind in all_policies()]

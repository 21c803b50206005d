"""The page State: what calls would see of the state, its chains, alerts, injections, log, forgetting test, and domains of one's own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.chat import conversation, upload
from tests.pages.conftest import ROOT, Start, query_of

SAMPLES = tuple(sorted(path.name.split(".")[0] for path in (ROOT / "sample_sessions").glob("*.json*")))

TABS = ("In the request", "Chains", "Alerts", "Injection", "Edit log", "Forgetting test", "Files and values")

HOSTILE = "<img src=x onerror=alert(1)>**b** $x$ :red[hot] \u202egnp\x1b[31m </order_context>"

OWN = "name: own\nfields:\n  animal:\n    type: text\n    read: [{by: pattern, pattern: '(?P<value>孩子|cat)'}]\n"


def chatted(*lines: str, **more: Any) -> bytes:
    """A conversation; ``u: …`` is the user, ``a: …`` the assistant."""
    roles = {"u": "user", "a": "assistant"}
    messages = [{"role": roles[line[0]], "content": line[3:]} for line in lines]
    return json.dumps({"model": "gpt-4o", "messages": messages, **more}, ensure_ascii=False).encode()


def tab(at: AppTest, name: str) -> AppTest:
    """Open a tab."""
    at.session_state["state_tab"] = name
    at.run()
    assert not at.exception, at.exception
    return at


def words(at: AppTest) -> str:
    parts = [*at.markdown, *at.caption, *at.info, *at.header, *at.error, *at.warning, *at.success, *at.code, *at.text]
    return "\n".join(part.value for part in parts).replace("\\", "").replace("\u2060", "")


def rows(at: AppTest, key: str) -> list[list[Any]]:
    protos = [node.proto for node in at.get("bidi_component")]
    found = [json.loads(one.json) for one in protos if one.component_name.endswith("ctxscope_rows") and one.id.endswith(f"-{key}")]
    table: list[list[Any]] = found[0]["rows"]
    return table


@pytest.mark.parametrize("name", TABS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_tab_of_every_sample(start: Start, sample: str, name: str) -> None:
    at = tab(start(page="state", session=sample), name)
    assert words(at)


def test_the_domain_suggests_itself_and_stands_in_the_address_once_it_is_picked(start: Start) -> None:
    at = start(page="state", session="shop-order-zh")
    assert at.selectbox(key="state_domain").value == "shop"
    assert "domain" not in query_of(at)
    at.selectbox(key="state_domain").set_value("open").run()
    assert query_of(at)["domain"] == "open"
    linked = start(page="state", session="shop-order-zh", domain="travel")
    assert linked.selectbox(key="state_domain").value == "travel"
    wrong = start(page="state", session="shop-order-zh", domain="nonsense")
    assert wrong.selectbox(key="state_domain").value == "shop"
    assert "nonsense" in words(wrong)


def test_the_open_tab_stands_in_the_address_and_an_address_opens_its_tab(start: Start) -> None:
    at = tab(start(page="state", session="shop-order-zh"), "Chains")
    assert query_of(at)["part"] == "chains"
    assert "part" not in query_of(tab(at, "In the request"))
    linked = start(page="state", session="shop-order-zh", part="log")
    assert linked.session_state["state_tab"] == "Edit log"
    assert query_of(linked)["part"] == "log"
    wrong = start(page="state", session="shop-order-zh", part="nonsense")
    assert wrong.session_state["state_tab"] == "In the request"
    assert "nonsense" in words(wrong)


def test_an_outdated_value_without_its_correction_is_the_first_thing_said(start: Start) -> None:
    """Roo drops every second pair after the first two messages: with the correction of message 2 gone, 2000 of message 0 is all that stands."""
    long = "好" * 3_000
    talk = chatted("u: 预算2000元", f"a: {long}", "u: 预算改为3000元", f"a: {long}", "u: 继续", f"a: {long}", "u: 再来", "a: 嗯")
    query = {"session": "a.json", "domain": "shop", "policy": "openhands-conversation-window", "budget": "9000", "unit": "chars"}
    at = start({"a.json": talk}, page="state", **query)
    by_call = {}
    for call in range(4):
        at = start({"a.json": talk}, page="state", call=str(call), **query)
        by_call[call] = {row[0]: row[1] for row in rows(at, "state_fields")}["budget_max"]
        stale = "outdated" in by_call[call]
        assert bool(at.warning) == stale
        assert bool(at.success) != stale
    assert by_call[0] == by_call[1] == "✓ newest value"


def test_the_headline_names_the_value_seen_and_the_newest_with_their_messages(start: Start) -> None:
    """In the sample, this policy keeps the first exchange and drops message 42, in which the customer orders."""
    at = start(page="state", session="shop-order-zh", policy="roo-truncate", budget="16000", call="24")
    assert "Call #24 would still see the outdated value of 1 field, and not the correction." in words(at)
    assert "user_intent: it would see inquiry (message 1), but the value is order since message 42" in words(at)
    assert "In 6 of 28 calls an outdated value would stand without its correction" in words(at)
    assert "(as recorded: 0)" in words(at)
    at.button(key="state_next").click().run()
    assert query_of(at)["call"] == "25"


def test_the_table_has_each_value_with_its_words(start: Start) -> None:
    at = start(page="state", session="shop-order-zh", budget="unlimited")
    shown = {row[0]: row for row in rows(at, "state_fields")}
    assert shown["product_context.attrs.color"][1:3] == ["✓ newest value", "black"]
    assert {"黑色", "user_intent"} <= {cell for row in shown.values() for cell in row if isinstance(cell, str)}
    assert "labelled sentences" in words(at)


def test_chains_are_drawn_by_round_call_and_time(start: Start) -> None:
    at = tab(start(page="state", session="shop-order-zh"), "Chains")
    assert "black → red → black (round 8 the last time)" in words(at)
    for axis in ("Round", "Call", "Time"):
        at.session_state["state_axis"] = axis
        at.run()
        assert not at.exception
        figure = json.loads(at.get("plotly_chart")[0].proto.spec)
        names = [trace.get("name") for trace in figure["data"]]
        assert {"first said", "corrected", "back to an earlier value"} <= set(names)
        bars = next(trace for trace in figure["data"] if trace["type"] == "bar")
        assert [text.strip("\u00a0") for text in bars["text"][:3]] == ["black", "red", "black"]
        assert bars["marker"]["color"][0] == bars["marker"]["color"][2] != bars["marker"]["color"][1]
        assert "黑色" in bars["customdata"][0][2]


def test_what_each_call_would_see_is_a_strip_under_the_lanes(start: Start) -> None:
    at = tab(start(page="state", session="shop-order-zh", policy="roo-truncate", budget="16000"), "Chains")
    at.session_state["state_axis"] = "Call"
    at.run()
    at.toggle(key="state_strip").set_value(True).run()
    assert not at.exception
    names = [trace.get("name") for trace in json.loads(at.get("plotly_chart")[0].proto.spec)["data"]]
    assert {"newest value in the request", "outdated value, correction gone"} <= set(names)


def test_alerts_have_their_codes_and_open_their_message(start: Start) -> None:
    at = tab(start(page="state", session="trip-booking"), "Alerts")
    assert [row[2] for row in rows(at, "state_alerts")] == ["MISSING_REQUIRED_FIELD", "BUSINESS_RULE_RETURN_DATE"]
    at.session_state["state_jump"] = (rows(at, "state_alerts")[0][4], "Porto")
    at.run()
    assert not at.exception


def test_an_action_shows_its_fragment_its_size_and_what_to_ask(start: Start) -> None:
    """The fragment before call 27 is that of the whole sample, 242 characters by counting its lines."""
    at = tab(start(page="state", session="shop-order-zh", call="27"), "Injection")
    text = words(at)
    assert "<max_amount>2000 CNY</max_amount>" in text
    assert "242 characters" in text
    assert "complaint_summary is missing. The question to ask: 请问具体遇到了什么问题？" in text
    at = tab(start(page="state", session="shop-order-zh", call="0"), "Injection")
    assert "budget_max is missing. The question to ask: 您的预算是多少？" in words(at)


def test_the_log_is_filtered(start: Start) -> None:
    at = tab(start(page="state", session="shop-order-zh"), "Edit log")
    everything = rows(at, "state_log")
    assert any(f"{len(everything):,} steps in {len({row[0] for row in everything}):,} rounds." in caption.value for caption in at.caption)
    at.multiselect(key="state_log_kinds").set_value(["transformed"]).run()
    some = rows(at, "state_log")
    assert {row[1] for row in some} == {"transformed"}
    assert len(some) == sum(row[1] == "transformed" for row in everything)
    at.text_input(key="state_log_find").set_value("两千").run()
    assert [row[2] for row in rows(at, "state_log")] == ["budget_max"]


def test_the_forgetting_test_tells_the_agent_and_the_gate_apart(start: Start) -> None:
    at = tab(start(page="state", session="trip-booking"), "Forgetting test")
    assert "noticed in 0 of 100 trials. In 59 it went on without what it needed. Of 41 the recording cannot tell" in words(at)
    assert "The built-in gate, which asks no agent, would refuse the action in 100 of 100." in words(at)
    at.number_input(key="state_trials").set_value(10).run()
    assert "0 of 10 trials" in words(at)


def test_a_domain_of_one_s_own_is_read_at_once_and_its_faults_have_lines(start: Start) -> None:
    at = start(page="state", session="shop-order-zh", domain="own", budget="unlimited")
    assert at.text_area(key="state_own_text").value.startswith("# Buying things")
    at.text_area(key="state_own_text").set_value(OWN).run()
    assert [row[0] for row in rows(at, "state_fields")] == ["animal"]
    at.text_area(key="state_own_text").set_value(OWN.replace("type: text", "type: beast")).run()
    assert not at.exception
    assert "Line 4: " in words(at)
    assert ">    4 |     type: beast" in words(at)
    assert not at.get("tab")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("name: [", ">    1 | name: ["),
        ("!!python/object/apply:os.system ['touch /tmp/never']", "Line 1"),
        ("a: &x [1]\nb: *x", "aliases are not allowed"),
        (OWN + "rules: [never_heard_of]\n", "Line 6: No business rule"),
        (OWN.replace("(?P<value>孩子|cat)", "(("), "no pattern"),
    ],
)
def test_nothing_of_a_bad_domain_is_run(start: Start, text: str, said: str) -> None:
    at = start(page="state", session="shop-order-zh", domain="own")
    at.text_area(key="state_own_text").set_value(text).run()
    assert not at.exception
    assert said in words(at)


def test_a_file_is_taken_over_and_one_that_is_too_large_or_no_text_is_not(start: Start) -> None:
    at = start(page="state", session="shop-order-zh", domain="own")
    at.file_uploader(key="state_own_file").upload("own.yaml", OWN.encode()).run()
    assert at.text_area(key="state_own_text").value == OWN
    for data, said in ((b"#" * 300_000, "at most 262,144 are read"), (b"\xff\xfe\x00", "not UTF-8")):
        at.file_uploader(key="state_own_file").upload("other.yaml", data).run()
        assert not at.exception
        assert said in words(at)
        assert at.text_area(key="state_own_text").value == OWN


def test_one_visitor_s_domain_is_not_another_s(start: Start) -> None:
    at = start(page="state", session="shop-order-zh", domain="own")
    at.text_area(key="state_own_text").set_value(OWN).run()
    other = start(page="state", session="shop-order-zh", domain="own")
    assert other.text_area(key="state_own_text").value != OWN


def test_a_slow_pattern_ends_and_says_so(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    import _state_domain

    monkeypatch.setattr(_state_domain, "LIMIT_S", 0.0)
    at = start(page="state", session="shop-order-zh", domain="own")
    at.text_area(key="state_own_text").set_value(OWN).run()
    assert not at.exception
    assert "takes longer than" in words(at)


@pytest.mark.parametrize("content", [b"", b"{", b'{"messages": []}', b'{"messages": [{"role": "user", "content": "hi"}]}'])
@pytest.mark.parametrize("domain", ["", "shop", "own"])
def test_broken_and_empty_files(start: Start, content: bytes, domain: str) -> None:
    at = start({"a.json": content}, page="state", session="a.json", **({"domain": domain} if domain else {}))
    assert not at.exception


def test_a_thread_without_a_call_still_has_its_chains(start: Start) -> None:
    at = start({"a.json": chatted("u: 预算2000元，要黑色的")}, page="state", session="a.json", domain="shop")
    for name in TABS:
        tab(at, name)


@pytest.mark.parametrize("domain", ["open", "shop", "coding"])
def test_hostile_text_stays_text(start: Start, domain: str) -> None:
    lines = (f"u: {HOSTILE} 预算2000元 {HOSTILE}", f"a: {HOSTILE}", f"u: 我要投诉：{HOSTILE}。budget {HOSTILE} is 300 EUR", "a: ok")
    at = start({"a.json": chatted(*lines)}, page="state", session="a.json", domain=domain)
    for name in TABS:
        tab(at, name)
        shown = words(at) + json.dumps([node.proto.json for node in at.get("bidi_component")], ensure_ascii=False)
        charts = "".join(chart.proto.spec for chart in at.get("plotly_chart"))
        assert "\u202e" not in shown + charts
        assert "\x1b" not in shown + charts
        assert "<img" not in charts
        assert not any(node.allow_html for node in at.markdown)


def test_a_long_thread_shows_a_part_of_its_fields_at_a_time(start: Start) -> None:
    names = [first + second for first in "abcdef" for second in "qrstuvwxyz"]
    lines = [line for n, name in enumerate(names) for line in (f"u: {name}ow price is {n + 100} EUR", "a: ok")]
    at = tab(start({"a.json": chatted(*lines)}, page="state", session="a.json", domain="open"), "Chains")
    assert at.selectbox(key="state_first").options[0].startswith("1 to 20 of")


def test_a_coding_session_is_read_by_its_tools(start: Start) -> None:
    steps = [("read_file", {"path": f"src/{n}.py"}, "x") for n in range(3)] + [("edit_file", {"path": "src/1.py", "old": "a", "new": "b"}, "ok")]
    at = start({"a.json": upload(conversation("Go.", *steps))}, page="state", session="a.json", budget="unlimited")
    assert at.selectbox(key="state_domain").value == "coding"
    shown = {row[0]: row for row in rows(at, "state_fields")}
    assert shown["files.edited"][1] == "✓ newest value"
    assert shown["files.read"][2].startswith("3 items")

"""The page Calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import SelectSlider, TextInput

from ctxcore.readers.detect import read_session
from ctxcore.views.uncounted import budget_note
from tests.cli.test_uncounted import claude_code_log
from tests.pages.conftest import PAGES, Start, chat, data_of, messages_of, query_of

TALK = chat(("first", 3), ("second", 3), ("third", 2))


def budget(at: AppTest, text: str) -> AppTest:
    box(at).set_value(text).run()
    assert not at.exception
    return at


def box(at: AppTest) -> TextInput:
    """The number box of the budget, whichever stands there now."""
    return next(one for one in at.text_input if one.label == "Exact budget")


def slider(at: AppTest) -> SelectSlider[int]:
    """The slider of the budget."""
    return at.select_slider[0]


def test_an_empty_budget_is_unlimited_and_says_so(start: Start) -> None:
    at = budget(start({"a.json": TALK}, "calls"), "")
    assert any("No limit" in m.value for m in at.text)
    assert query_of(at)["budget"] == "unlimited"
    assert all(row["status"] in ("kept", "pinned") for row in messages_of(at))


def test_the_budget_says_what_it_leaves_out(start: Start) -> None:
    """A Claude Code log holds neither system prompt nor tools; in characters no tokens are counted for the sake of a caption."""
    files = {"log.jsonl": claude_code_log([101, 203, 1005]).encode()}
    session = read_session(files["log.jsonl"], "log.jsonl")
    said = budget_note(session, session.threads[0])
    assert said.startswith("Not recorded: system prompt, tool definitions")
    assert "choose the unit tokens to see how much" in said
    for page in ("calls", "overview"):
        told = " ".join(one.value for one in start(files, page, unit="tokens").caption).replace("\\", "")
        assert "The counted part leaves out 200 recorded input tokens a call (median)." in told


def test_a_pattern_that_takes_too_long_is_told_once_and_edits_nothing(start: Start) -> None:
    talk = json.dumps({"messages": [{"role": "user", "content": "a" * 40 + "c"}, {"role": "assistant", "content": "Done."}]}).encode()
    at = start({"a.json": talk}, "calls", policy="swe-agent-remove-regex", set='{"remove":["(a|aa)+$"]}')
    told = [one.value.replace("\\", "") for one in at.caption if "takes longer than" in one.value]
    assert told == ["The pattern '(a|aa)+$' takes longer than 2 s on these texts: nothing is removed."]
    assert {row["status"] for row in messages_of(at)} <= {"kept", "pinned"}


def test_a_budget_of_0_fits_nothing(start: Start) -> None:
    at = budget(start({"a.json": TALK}, "calls"), "0")
    head, columns = data_of(at, "ctxscope_calls")
    assert head["n"] == 11
    assert (columns["cut"] == -1).all()
    assert {row["status"] for row in messages_of(at)} == {"not sent"}


@pytest.mark.parametrize(("text", "said"), [("-5", "negative"), ("abc", "not a whole number"), ("1.5", "not a whole number")])
def test_what_is_no_budget_is_said_and_the_last_result_stays(start: Start, text: str, said: str) -> None:
    at = budget(start({"a.json": TALK}, "calls"), "3000")
    before = messages_of(at)
    budget(at, text)
    assert said in at.error[0].value
    assert messages_of(at) == before
    assert query_of(at)["budget"] == "3000"
    assert box(at).value == text


def test_the_slider_and_the_box_say_the_same(start: Start) -> None:
    at = budget(start({"a.json": TALK}, "calls"), "2,345")
    assert slider(at).value == 2345
    slider(at).set_value(2000).run()
    assert box(at).value == "2000"
    assert query_of(at)["budget"] == "2000"
    slider(at).set_value(2100).run()
    assert (box(at).value, slider(at).value, query_of(at)["budget"]) == ("2100", 2100, "2100")


def test_a_page_that_is_opened_shows_the_budget_and_the_rule_in_force(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", session="a.json", budget="2000", policy="none")
    slider(at).set_value(1900).run()
    for page in ("dropped", "calls", "state", "calls", "dropped"):
        at.switch_page(str(PAGES / f"{page}.py")).run()
        assert (box(at).value, slider(at).value, query_of(at)["budget"]) == ("1900", 1900, "1900")
        assert at.selectbox(key="policy_select").value == "none"


def test_a_slider_ends_a_little_above_the_largest_request_whatever_the_budget(start: Start) -> None:
    """The default of gpt-4o is 85 % of 128,000; the talk is about a thousand tokens."""
    at = start({"a.json": TALK}, "calls", unit="tokens")
    assert box(at).value == "108800"
    assert slider(at).options[-1] == f"{slider(at).value:,} or more"
    assert slider(at).value < 3_000
    assert "Default: 85 % of gpt-4o's window of 128,000 tokens." in [caption.value.replace("\\", "") for caption in at.caption]
    at = start({"a.json": TALK}, "calls")
    assert "Default: 16,000 characters." in [caption.value.replace("\\", "") for caption in at.caption]


def test_a_link_reproduces_call_budget_unit_and_policy(start: Start) -> None:
    at = start({"a.json": TALK, "b.json": chat(("other", 1))}, "calls", session="a.json", call="4", budget="900", unit="tokens", policy="none")
    assert at.header[0].value == "Call #4"
    assert at.selectbox(key="policy_select").value == "none"
    assert at.selectbox(key="unit_select").value == "tokens"
    assert query_of(at) == {"session": "a.json", "call": "4", "budget": "900", "unit": "tokens", "policy": "none"}


@pytest.mark.parametrize(
    ("key", "value"), [("call", "x"), ("call", "-1"), ("policy", "magic"), ("budget", "1e9"), ("budget", "-3"), ("unit", "miles"), ("thread", "gone")]
)
def test_a_value_in_the_address_that_makes_no_sense_takes_the_default(start: Start, key: str, value: str) -> None:
    at = start({"a.json": TALK}, "calls", session="a.json", **{key: value})
    assert at.header[0].value == "Call #10"
    assert value in at.warning[0].value.replace("\\", "")


def test_a_call_beyond_the_end_is_the_last_and_is_said(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", session="a.json", call="99")
    assert at.header[0].value == "Call #10"
    assert "call 99" in at.warning[0].value
    at.button(key="call_previous").click().run()
    assert not at.warning


def test_a_refused_call_has_no_sizes_after_trimming(start: Start) -> None:
    at = budget(start({"a.json": TALK}, "calls"), "0")
    table = data_of(at, "ctxscope_report")["tables"][0]
    assert {row["cells"][1] for row in (*table["rows"], table["total"])} == {"–"}
    assert all(row["after"] == row["before"] for row in table["rows"]), "no bar is hatched as dropped"


def test_previous_and_next_walk_the_calls(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", call="4")
    at.button(key="call_previous").click().run()
    assert at.header[0].value == "Call #3"
    at.button(key="call_next").click().run()
    at.button(key="call_next").click().run()
    assert query_of(at)["call"] == "5"
    at.number_input(key="call_number").set_value(0).run()
    assert at.button(key="call_previous").disabled


def test_a_call_lists_its_messages_in_order_with_what_became_of_them(start: Start) -> None:
    """The last call holds all 22 messages but its reply; at 2,000 characters the first two turns go (8 messages each) and their notice comes."""
    at = budget(start({"a.json": TALK}, "calls"), "2000")
    rows = messages_of(at)
    assert [row["place"] for row in rows] == list(range(len(rows)))
    assert [row["status"] for row in rows] == ["pinned"] + ["dropped"] * 16 + ["pinned", "kept", "kept", "pinned", "pinned"]
    assert data_of(at, "ctxscope_messages")["notice"]["text"].startswith("Context controller omitted 16 historical messages")
    assert rows[1]["rule"] == "Earlier user turn: oldest turns go whole"
    assert rows[2]["what"] == "read_file src/1.py"
    assert rows[3]["what"] == "result of read_file src/1.py"


def test_parts_by_category_sum_to_the_request(start: Start) -> None:
    at = budget(start({"a.json": TALK}, "calls"), "2000")
    table = data_of(at, "ctxscope_report")["tables"][0]
    assert table["total"]["before"] == sum(row["before"] for row in table["rows"])
    facts = {fact["name"]: fact["value"] for fact in data_of(at, "ctxscope_report")["facts"]}
    assert facts["Before"] == f"{table['total']['before']:,} chars"
    assert facts["After"] == f"{table['total']['after']:,} chars"


def test_full_text_and_json_come_only_when_asked_for(start: Start) -> None:
    at = start({"a.json": TALK}, "calls")
    assert all(row["text"] is None and row["raw"] is None for row in messages_of(at))
    at.session_state["calls_opened"][1].add((3, "raw"))
    at.run()
    opened = [row for row in messages_of(at) if row["raw"] is not None]
    assert [row["message"] for row in opened] == [3]
    assert json.loads(opened[0]["raw"])["tool_call_id"] == "c1"


def test_long_calls_are_paged_searched_and_jumped_in(start: Start) -> None:
    """60 turns of two messages and a system message: 120 in the last call, 25 drawn."""
    at = start({"long.json": chat(*((f"Round {n}", 0) for n in range(1, 61)))}, "calls", budget="unlimited")
    assert len(messages_of(at)) == 25
    assert any("1–25 of 120 · 60 turns" in c.value for c in at.text)
    at.number_input(key="message_turn").set_value(55).run()
    assert "Round 55" in [row["preview"] for row in messages_of(at)]
    at.number_input(key="message_turn").set_value(None).run()
    at.text_input(key="message_search").set_value("ROUND 58").run()
    assert [row["preview"] for row in messages_of(at)] == ["Round 58", "Done with Round 58."]


def test_a_short_text_is_shown_whole_and_a_long_one_says_what_is_hidden(start: Start) -> None:
    text = "x" * 1000
    at = start({"a.json": chat((text, 0), ("short", 0))}, "calls", budget="unlimited")
    rows = {row["place"]: row for row in messages_of(at)}
    assert rows[1]["hidden"] == 1000 - len(rows[1]["preview"]) > 0
    assert rows[3]["hidden"] == 0


@pytest.mark.parametrize("name", ["VIEW-01", "VIEW-02", "VIEW-04", "VIEW-05"])
def test_text_of_a_session_is_data_of_a_component_and_never_markdown(start: Start, shared: Path, name: str) -> None:
    source = (shared / "cases" / f"{name}.json").read_bytes()
    at = start({"view.json": source}, "calls", budget="unlimited")
    recorded = [m["content"] for m in json.loads(source)["messages"] if len(m.get("content") or "") > 3]  # "ok" is part of "tokens"
    drawn = " ".join(element.value for kind in ("markdown", "text", "caption", "error", "info", "warning") for element in at.get(kind))
    for text in recorded:
        assert text[:30] not in drawn
    rows = messages_of(at)
    assert len(rows) == len(json.loads(source)["messages"]) - 1
    if name == "VIEW-05":
        assert rows[2]["preview"].startswith("␛[2J␛[1;31mFAILED␛[0m step 2 of 5␛]0;title␇␍␈␈ done␀\n<U+202E>gnp.exe<U+202C>")


def test_a_thread_without_calls_says_so(start: Start) -> None:
    data = json.dumps({"messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": "there"}]}).encode()
    at = start({"a.json": data}, "calls")
    assert at.header[0].value == "Call #0"


def test_the_window_and_the_safe_limit_are_lines_for_tokens_only(start: Start) -> None:
    """gpt-4o takes 128,000 tokens; 85 % of it is 108,800, the default token budget."""
    at = start({"a.json": TALK}, "calls", unit="tokens")
    head, _ = data_of(at, "ctxscope_calls")
    assert [(line["kind"], line["value"]) for line in head["lines"]] == [("budget", 108_800), ("safe", 108_800), ("window", 128_000)]
    assert [line["kind"] for line in data_of(start({"a.json": TALK}, "calls"), "ctxscope_calls")[0]["lines"]] == ["budget"]


def test_the_reply_of_a_call_is_shown_behind_its_messages_in_full_and_found(start: Start) -> None:
    """One question and one long answer: the answer is no message of the only request, so only the reply can show it."""
    answer = "\n".join(f"line {n}" for n in range(300)) + "\nthe last word is heron"
    data = json.dumps({"messages": [{"role": "user", "content": "Tell me."}, {"role": "assistant", "content": answer}]}).encode()
    at = start({"a.json": data}, "calls", budget="unlimited")
    assert [row["preview"] for row in messages_of(at)] == ["Tell me."]
    reply = data_of(at, "ctxscope_messages")["reply"]
    assert (reply["status"], reply["rule"], reply["text"]) == ("reply", "", None)
    at.session_state["calls_opened"][1].update({(1, "text"), (1, "raw")})
    at.run()
    reply = data_of(at, "ctxscope_messages")["reply"]
    assert reply["text"] == answer
    assert json.loads(reply["raw"])["content"] == answer
    at.text_input(key="message_search").set_value("HERON").run()
    assert messages_of(at) == []
    assert data_of(at, "ctxscope_messages")["reply"]["text"] == answer
    assert any("the reply below holds the text" in line.value for line in at.text)
    at.text_input(key="message_search").set_value("stork").run()
    assert data_of(at, "ctxscope_messages")["reply"] is None


def test_a_reply_is_neither_kept_nor_dropped(start: Start) -> None:
    at = budget(start({"a.json": TALK}, "calls"), "2000")
    for show, drawn in (("all", True), ("kept", False), ("dropped", False), ("pinned", False)):
        at.selectbox(key="message_show").set_value(show).run()
        assert (data_of(at, "ctxscope_messages")["reply"] is not None) is drawn


def test_the_last_message_of_a_long_session_is_found_as_the_reply(start: Start) -> None:
    """5,000 messages, numbered from 0: message 4999 is the reply of call 2499, the last."""
    messages = [{"role": ("user", "assistant")[n % 2], "content": f"message {n}"} for n in range(5000)]
    at = start({"long.json": json.dumps({"messages": messages}).encode()}, "calls", budget="unlimited")
    at.text_input(key="message_search").set_value("message 4999").run()
    assert at.header[0].value == "Call #2,499"
    assert messages_of(at) == []
    assert data_of(at, "ctxscope_messages")["reply"]["preview"] == "message 4999"


def test_a_call_without_a_task_says_so_among_its_marks(start: Start, cases: Path) -> None:
    """COMP-02: after the first compaction a request holds the summary alone, which is no person's message."""
    files = {"a.jsonl": (cases / "COMP-02.jsonl").read_bytes()}
    for call, flagged in ((0, False), (1, True)):
        facts = {fact["name"]: fact["value"] for fact in data_of(start(files, "calls", call=str(call)), "ctxscope_report")["facts"]}
        assert ("no user task" in facts.get("Marks", "")) is flagged


def test_a_refused_call_says_what_fills_it(start: Start, cases: Path) -> None:
    """COUNT-13: nearly all of the request is tool definitions, which no trimming touches."""
    source = (cases / "COUNT-13.json").read_bytes()
    tools = len(json.dumps(json.loads(source)["request"]["tools"], separators=(",", ":"), ensure_ascii=False)) - len("[]")
    at = budget(start({"a.json": source}, "calls"), "100")
    facts = {fact["name"]: fact["value"] for fact in data_of(at, "ctxscope_report")["facts"]}
    assert f", tools {tools:,}," in facts["Why refused"]
    assert facts["Why refused"].endswith("Raise the budget or drop tool definitions.")


@pytest.mark.parametrize(("name", "call", "turns"), [("COMP-01", 1, 1), ("COMP-10", 1, 1), ("THREAD-04", 1, 2)])
def test_the_turns_of_a_call_are_the_real_user_messages_in_its_context(start: Start, cases: Path, name: str, call: int, turns: int) -> None:
    """By the cases: what stood before a compaction or on a branch taken back is no turn of the request."""
    at = start({"a.jsonl": (cases / f"{name}.jsonl").read_bytes()}, "calls", call=str(call), budget="unlimited")
    facts = {fact["name"]: fact["value"] for fact in data_of(at, "ctxscope_report")["facts"]}
    told = f"{turns} turn{'' if turns == 1 else 's'}"
    assert facts["Context"].endswith(f", {told}")
    assert any(f"· {told}" in line.value for line in at.text)


@pytest.mark.parametrize(
    ("model", "unit", "said"),
    [
        ("gpt-5-mini", "tokens", "Tokens counted with o200k, exact for gpt-5-mini."),
        ("no-such-model", "tokens", "Tokens counted with o200k, estimate for no-such-model."),
        ("gpt-5-mini", "chars", "Characters of the request's canonical JSON."),
    ],
)
@pytest.mark.parametrize("page", ["overview", "calls"])
def test_the_counter_of_the_sizes_is_named(start: Start, page: str, model: str, unit: str, said: str) -> None:
    source = TALK.replace(b'"gpt-4o"', json.dumps(model).encode())
    at = start({"a.json": source}, page, unit=unit)
    assert any(said in line.value.replace("\\", "") for line in (*at.text, *at.caption))


def test_a_search_finds_a_result_by_the_call_that_it_answers_and_says_so(start: Start) -> None:
    at = start({"a.json": TALK}, "calls", budget="unlimited")
    at.text_input(key="message_search").set_value("src/1.py").run()
    assert [(row["role"], "found by the call it answers" in row["marks"]) for row in messages_of(at)] == [("assistant", False), ("tool", True)]
    assert data_of(at, "ctxscope_messages")["search"] == "src/1.py"


def test_the_search_is_kept_while_other_pages_are_open(start: Start) -> None:
    """Case APP-01: every page visited once, then back."""
    at = start({"a.json": TALK}, "calls", budget="unlimited")
    at.text_input(key="message_search").set_value("src/1.py").run()
    for page in ("overview", "dropped", "plan", "state", "calls"):
        at.switch_page(str(PAGES / f"{page}.py")).run()
    assert at.text_input(key="message_search").value == "src/1.py"
    assert len(messages_of(at)) == 2


def test_the_full_text_of_a_message_is_made_when_it_is_opened(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is rendered whole before; opening one message renders one, whatever the length of the list (case APP-10)."""
    made: list[str] = []

    def counted(text: str) -> str:
        made.append(text)
        return text

    monkeypatch.setattr("ctxcore.views.messages.full_text", counted)
    at = start({"a.json": TALK}, "calls")
    assert len(messages_of(at)) > 5
    assert made == []
    row = messages_of(at)[2]["message"]
    at.session_state["calls_opened"] = (at.session_state["calls_opened"][0], {(row, "text")})
    at.run()
    assert not at.exception
    assert len(set(made)) == 1
    assert next(one["text"] for one in messages_of(at) if one["message"] == row) == made[0]


def test_rows_name_their_units_and_a_kept_one_says_so(start: Start) -> None:
    """Units of the first turn: system, user, then each exchange of a reply and its result."""
    at = start({"a.json": TALK}, "calls", call="3", keep='{"units":[2]}', budget="unlimited")
    rows = messages_of(at)
    assert [row["unit"] for row in rows[:6]] == [0, 1, 2, 2, 3, 3]
    assert [row["wished"] for row in rows[:6]] == [False, False, True, True, False, False]


def test_a_call_is_taken_apart_on_demand(start: Start) -> None:
    at = start({"a.json": chat(("first", 3), ("second", 2))}, "calls", call="5", budget="3000")
    assert not at.get("plotly_chart")
    at.toggle(key="calls_made_of").set_value(True).run()
    assert at.get("plotly_chart")
    assert any("Turn 1 takes most" in text.value for text in at.markdown)
    assert [row[0] for row in data_of(at, "ctxscope_rows")["rows"]][:1] == ["3 tool read_file"]


@pytest.mark.parametrize("asked", [10**30, 10**19, 2**62])
def test_a_budget_of_thirty_one_digits_keeps_everything_and_stands_as_typed(start: Start, cases: Path, asked: int) -> None:
    """Case BUDGET-06."""
    at = budget(start({"a.json": (cases / "BUDGET-06.json").read_bytes()}, "calls"), str(asked))
    assert not at.exception
    assert not at.error
    assert query_of(at)["budget"] == str(asked)
    assert f"At {asked:,} chars: 2 of 2 calls fit as recorded" in " ".join(one.value for one in at.text)


@pytest.mark.parametrize("typed", ["-1", "abc", "NaN", "5.5"])
def test_a_budget_that_makes_no_sense_is_one_sentence_and_the_last_one_stays(start: Start, cases: Path, typed: str) -> None:
    """Case BUDGET-06."""
    at = budget(start({"a.json": (cases / "BUDGET-06.json").read_bytes()}, "calls", budget="5000"), typed)
    assert not at.exception
    assert len(at.error) + len(at.warning) == 1
    assert query_of(at)["budget"] == "5000"


def test_calls_without_a_result_are_marked_at_their_message(start: Start, cases: Path) -> None:
    """Case PAIR-06."""
    at = start({"a.json": (cases / "PAIR-06.json").read_bytes()}, "calls", budget="unlimited")
    assert [row["marks"] for row in messages_of(at) if row["message"] == 2] == [["no result recorded for 2 calls"]]
    assert all("no result recorded" not in str(row["marks"]) for row in messages_of(at) if row["message"] != 2)


def test_round_55_of_60_is_reached_by_search_and_by_paging(start: Start, cases: Path) -> None:
    """Case APP-09."""
    at = start({"a.json": (cases / "APP-09.json").read_bytes()}, "calls", budget="unlimited")
    at.text_input(key="message_search").set_value("Round 55").run()
    assert any("Round 55" in row["preview"] for row in messages_of(at))
    assert "60 turns" in " ".join(one.value for one in (*at.text, *at.caption, *at.markdown))

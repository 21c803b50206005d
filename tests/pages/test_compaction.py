"""The page Compaction without a browser: pieces with their marks, checks in plain words, ways to the source, the forgetting test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ctxcore import read_session
from ctxcore.compaction.source_text import expand
from ctxcore.compaction.values import NOTES
from ctxcore.measures.simulated import simulate
from ctxcore.views.compaction_pieces import FATES, holder, pieces
from ctxcore.views.compaction_words import MEANS
from tests.cases import CASES
from tests.pages.test_units_plan_state import component, opened, rows_of, with_file, words

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"


@pytest.fixture(autouse=True)
def _full_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMLIT_CLIENT_SHOW_ERROR_DETAILS", "full")


def beside(app: AppTest) -> list[dict]:
    return json.loads(component(app, "ctxscope_beside").json)["rows"]


def test_the_newest_budget_is_kept_and_the_older_one_marked_as_dropped() -> None:
    """预算不超过一千块 (message 5), then 可以提高到两千 (message 11)."""
    app = opened("compaction", session="shop-order-zh")
    app.selectbox(key="compaction_domain").set_value("open").run()
    rows = {row["message"]: row for row in beside(app) if row["kind"] == "state"}
    assert (rows[5]["word"], rows[5]["result"]) == ("Dropped", "")
    assert (rows[11]["word"], rows[11]["result"]) == ("Kept", "budget: 2000 CNY")
    assert [text for text, exact in rows[11]["original"] if exact] == ["两千"]
    assert "".join(text for text, _ in rows[11]["original"]) == "夜视 8 米有点近。预算可以提高到两千，看看更好的。"


def test_a_sentence_of_this_session_stands_above_the_chart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The sample never compacts; COMP-10 does once, 5,000 → 400 tokens."""
    told = words(opened("compaction", session="shop-order-zh"))
    assert "This thread was never compacted in 28 calls" in told
    assert "Our own of call #27 would leave" in told
    told = words(with_file(monkeypatch, tmp_path, (CASES / "COMP-10.jsonl").read_bytes(), "compaction"))
    assert "This thread was compacted once, before call #1." in told
    assert "It left 400 of 5,000 tokens (8.0 %)" in told


def test_pieces_are_counted_with_the_messages_they_are_of() -> None:
    app = opened("compaction", session="shop-order-zh")
    every = beside(app)
    assert f" of {len({row['message'] for row in every}):,} messages" in words(app) or len(every) == 40, "a page shows 40"
    app.session_state["compaction_became"] = "dropped"
    app.run()
    shown = beside(app)
    assert f"{len(shown)} pieces of {len({row['message'] for row in shown})} messages:" in words(app)


def test_only_what_was_dropped() -> None:
    app = opened("compaction", session="shop-order-zh")
    every = len(beside(app))
    app.session_state["compaction_became"] = "dropped"
    app.run()
    shown = beside(app)
    assert 0 < len(shown) < every
    assert {row["fate"] for row in shown} == {"dropped"}


def test_a_check_says_its_level_and_what_it_means(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """COMP-10: 5,000 → 400 tokens is 8 %."""
    app = with_file(monkeypatch, tmp_path, (CASES / "COMP-10.jsonl").read_bytes(), "compaction")
    assert not app.exception
    assert "Note" in words(app)
    assert "Little is left." in words(app)
    assert "OVER_COMPRESSED" in words(app)
    assert rows_of(app, "compaction_list")[0][:4] == [1, "recorded", 5000, 400]


def test_without_the_original_there_is_no_pass_and_nothing_beside_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The task, the summary of calls that are nowhere, one call."""
    told = [
        {"role": "user", "content": [{"type": "text", "text": "<task>Mend src/lock.py.</task>"}], "ts": 1},
        {"role": "assistant", "content": "src/lock.py was looked at.", "ts": 2, "isSummary": True},
        {"role": "user", "content": "Go on.", "ts": 3},
        {"role": "assistant", "content": "Mended.", "ts": 4},
    ]
    app = with_file(monkeypatch, tmp_path, json.dumps(told).encode(), "compaction")
    assert not app.exception
    assert "The original is not in the log." in words(app)
    assert "Every check passes" not in words(app)
    assert "cannot be told: it is not recorded" in words(app)
    assert "There is no original" in words(app)


def test_sizes_stand_with_their_basis_and_the_part_that_is_judged() -> None:
    app = opened("compaction", session="shop-order-zh")
    assert "of the whole request. Compacted of it: " in words(app)
    assert rows_of(app, "compaction_list")[-1][4] == "exact"


def test_every_code_that_is_a_note_has_plain_words() -> None:
    assert MEANS.keys() >= NOTES
    assert all(code.isupper() for code in MEANS)


def test_a_domain_without_an_action_says_why_there_is_no_test_and_one_with_an_action_shows_it() -> None:
    app = opened("compaction", session="shop-order-zh")
    assert app.selectbox(key="compaction_domain").value == "shop", "as on the page State"
    assert "Core fields were taken away 100 times at random, before process_order." in words(app)
    assert next(row["result"] for row in beside(app) if row["kind"] == "state" and row["message"] == 18) == "product: MC-200"
    app.selectbox(key="compaction_domain").set_value("open").run()
    assert not app.exception
    assert "The domain open has no action that needs a field" in words(app)


def test_a_source_opens_its_message_on_the_page_calls() -> None:
    app = opened("compaction", session="shop-order-zh")
    place = next(number for number, row in enumerate(beside(app)) if row["message"] == 11 and row["kind"] == "state")
    app.session_state["compaction_jump"] = place
    app.run()
    assert not app.exception
    assert app.session_state["message_place"].text == "两千"


def test_every_piece_of_a_sample_names_words_that_a_call_has() -> None:
    for path in sorted(SAMPLES.glob("*.json*")):
        thread = read_session(path).threads[0]
        made = simulate(thread)
        assert made is not None
        for piece in pieces(thread, made):
            assert piece.fate in FATES
            assert piece.place is not None
            there = holder(thread, piece.place.message, made.call)
            assert there is not None
            call, position = there
            found = thread.calls[call].reply if position < 0 else list(thread.calls[call].messages())[position]
            assert found == piece.place.message
            expand([piece.place], thread.messages)

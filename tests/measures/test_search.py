"""Search over a thread: what is found, and where."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore import read_session
from ctxcore.errors import InputError
from ctxcore.measures.search import FILES, SAID, TOOLS, piece_text, search_pattern, search_text
from ctxcore.model import Thread
from ctxcore.replay import replay
from ctxcore.views.search import hits_frame, listed_hits, search_session
from ctxcore.views.search_query import STATES, WHERES, SearchWish, read_search, search_query
from tests.chat import conversation, thread_of, upload
from tests.hostile import ENDLESS, ENDLESS_ON

THREAD = thread_of(
    "Fix the Limiter.",
    ("read", {"path": "src/limiter.py"}, "class Limiter: pass"),
    "Und die Größe? Ändere É nach Я.",
    ("test", {"name": "limits"}, "Error: 1 failed"),
)
"""Messages: 0 system, 1 user, 2 call of read, 3 its result, 4 user, 5 call of test, 6 its result, 7 last answer."""


def messages(thread: Thread, wanted: str, **more: Any) -> list[int]:
    return [piece.message for piece in search_text(thread, wanted, **more).pieces]


def test_texts_calls_and_results_are_found_whatever_their_capitals() -> None:
    """By hand: “limiter” stands in the task, in the path that is read, and in the result."""
    assert messages(THREAD, "LIMITER") == [1, 2, 3]
    assert messages(THREAD, "limiter", kinds=SAID) == [1]
    assert messages(THREAD, "limiter", kinds=TOOLS) == [2, 3]
    assert messages(THREAD, "failed") == [6]
    assert messages(THREAD, "nowhere") == messages(THREAD, "  ") == []


def test_a_file_finds_the_calls_and_results_about_it() -> None:
    assert messages(THREAD, "limiter.PY", kinds=FILES) == [2, 3]
    assert messages(THREAD, "class", kinds=FILES) == []


@pytest.mark.parametrize("wanted", ["größe", "GRÖßE", "ä", "Ändere é NACH я"])
def test_letters_beyond_ascii_have_capitals_too(wanted: str) -> None:
    assert messages(THREAD, wanted) == [4]


def test_tool_definitions_are_found_once() -> None:
    tools = [{"type": "function", "function": {"name": "find_flight", "description": "Search flights", "parameters": {}}}]
    body = {"model": "m", "tools": tools, "messages": conversation("Go.", ("find_hotel", {}, "1"))}
    thread = read_session(json.dumps(body).encode(), "a.json").threads[0]
    (piece,) = search_text(thread, "flights").pieces
    assert (piece.kind, piece.message) == ("definition", -1)
    assert "find_flight" in piece_text(thread, piece)


LETTERS = st.text('abAB éÉя{}"\\\n你\ud800', max_size=6)


@given(st.lists(LETTERS, min_size=1, max_size=5), LETTERS)
def test_plain_search_finds_what_a_slow_one_finds(texts: list[str], wanted: str) -> None:
    """The slow one lowers both texts, and looks into each of them."""
    body = [{"role": "user", "content": text} for text in texts]
    thread = read_session(json.dumps({"model": "m", "messages": [*body, {"role": "assistant", "content": "z"}]}).encode(), "a.json").threads[0]
    told = [index for index, message in enumerate(thread.messages) if wanted.strip() and wanted.lower() in message.text.lower()]
    assert messages(thread, wanted) == told


def test_a_pattern_finds_what_it_means_and_a_wrong_one_is_told() -> None:
    assert [piece.message for piece in search_pattern(THREAD, r"class \w+:").pieces] == [3]
    assert [piece.message for piece in search_pattern(THREAD, r"^fix").pieces] == [1]
    with pytest.raises(InputError, match="regular expression"):
        search_pattern(THREAD, "(")
    with pytest.raises(InputError, match="500"):
        search_pattern(THREAD, "a" * 501)


def test_a_pattern_that_never_ends_is_stopped_and_says_what_it_left_out() -> None:
    thread = thread_of("Go.", ("read", {"path": "a"}, ENDLESS_ON), ("read", {"path": "b"}, "b"))
    found = search_pattern(thread, ENDLESS, end=time.monotonic() + 0.2)
    assert found.unsearched > 0


def test_hits_can_be_limited_to_what_a_policy_drops_or_a_call_receives() -> None:
    """Three turns; at a budget for about one turn, whole earlier turns go, oldest first; the last call receives the newest one alone."""
    steps = [step for n in range(3) for step in (f"Round {n}.", ("read", {"path": f"{n}.py"}, "word " * 200))]
    session = read_session(upload(conversation(*steps)), "a.json")
    thread = session.threads[0]
    result = replay(thread, budget=2_000)
    wish = SearchWish(state="dropped")
    found = search_session(session, "word", wish)
    holds = [index for index, message in enumerate(thread.messages) if "word" in message.text]
    assert [hit.piece.message for hit in found.hits] == holds

    def left(wish: SearchWish, call: int = 0) -> list[int]:
        return [hit.piece.message for hit in listed_hits(found, wish, lambda _: result, thread, call)]

    last = len(thread.calls) - 1
    gone = {message for call in range(last + 1) for drop in result.drops(call) for message in drop.messages}
    assert left(wish) == [message for message in holds if message in gone]
    kept = set(thread.calls[last].messages()) - {message for drop in result.drops(last) for message in drop.messages}
    assert left(SearchWish(state="seen"), last) == [message for message in holds if message in kept]
    assert left(wish)
    assert left(SearchWish(state="seen"), last)


def test_a_result_that_a_policy_clears_is_not_received_whole() -> None:
    """By hand: with one result kept, the last call has only the newest of three; the older two stand there as placeholders."""
    session = read_session(upload(conversation("Go.", *(("read", {"path": f"{n}.py"}, "word " * 200) for n in range(3)))), "a.json")
    thread = session.threads[0]
    result = replay(thread, "langchain-clear-tool-uses", 10_000, "chars", trigger=0, keep_results=1)
    found = search_session(session, "word", SearchWish())
    assert [hit.piece.message for hit in found.hits] == [3, 5, 7]
    last = len(thread.calls) - 1
    left = listed_hits(found, SearchWish(state="seen"), lambda _: result, thread, last)
    assert [hit.piece.message for hit in left] == [7]
    lost = listed_hits(found, SearchWish(state="dropped"), lambda _: result, thread, last)
    assert [hit.piece.message for hit in lost] == [3, 5]


def test_a_row_tells_where_it_is_first_seen_and_what_is_marked() -> None:
    session = read_session(upload(conversation("Fix it.", ("read", {"path": "a"}, "x" * 300 + " Needle " + "y" * 300))), "a.json")
    wish = SearchWish(regex=True)
    found = search_session(session, r"n\w+dle", wish)
    frame, marks = hits_frame(found.hits, r"n\w+dle", wish, lambda thread: replay(thread, budget=10_000))
    assert marks == ("Needle",)
    row = frame.iloc[0]
    assert "Needle" in row["text"]
    assert row["first seen"] == 1
    assert row["status"] == "in all 1 call"


@pytest.mark.parametrize(
    "wish", [SearchWish(regex=r, where=w, state=s, number=n) for r in (False, True) for w in WHERES for s in STATES for n in (None,)]
)
def test_an_address_says_how_to_search(wish: SearchWish) -> None:
    assert read_search(search_query(wish)) == wish


def test_an_address_with_a_number_or_nonsense() -> None:
    assert read_search("seen12") == SearchWish(state="seen", number=12)
    assert read_search("lost8000,files") == SearchWish(state="lost", number=8000, where="files")
    for text in ("seen-1", "all1", "regex2", "<b>"):
        with pytest.raises(InputError):
            read_search(text)

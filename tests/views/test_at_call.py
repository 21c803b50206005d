"""What pages that hold sides against each other say of the picked call is what the numbers behind it say."""

from __future__ import annotations

from ctxcore.measures.alignment import Turn, align
from ctxcore.measures.compare import Compared
from ctxcore.readers.detect import read_session
from ctxcore.replay import replay
from ctxcore.views.at_call import aligned_call, hits_at_call, sides_at_call
from ctxcore.views.search import search_session
from ctxcore.views.search_query import SearchWish
from tests.pages.conftest import chat

SESSION = read_session(chat(("first", 3), ("second", 3)), "a.json")
TALK = SESSION.threads[0]


def turn(number: int, text: str, *calls: int) -> Turn:
    return Turn(number=number, message=0, text=text, calls=calls, uses=())


def test_a_call_stands_beside_the_one_at_the_same_place_of_the_paired_turn() -> None:
    """Turn b has calls 2 to 4 here and 1 to 2 there: call 3 is its second, beside call 2; call 4 has nothing beside it."""
    found = align([turn(1, "a", 0, 1), turn(2, "b", 2, 3, 4)], [turn(1, "a", 0), turn(2, "b", 1, 2)])
    assert aligned_call(found, 3) == (
        "Call #3 is call 2 of 3 in turn 2 of the first; beside it stands call #2, call 2 of 2 in turn 2 of the second.",
        2,
    )
    assert aligned_call(found, 4) == ("Call #4 is call 3 of 3 in turn 2 of the first; turn 2 of the second has only 2 calls.", None)


def test_a_turn_without_a_partner_has_no_call_beside_it() -> None:
    assert aligned_call(align([turn(1, "a", 0)], []), 0) == ("Call #0 is call 1 of 1 in turn 1 of the first; the second has no such turn.", None)


def test_each_policy_says_what_it_would_send_at_the_call() -> None:
    whole, none = (Compared(replay=replay(TALK, name, budget)) for name, budget in (("whole-units", 2_500), ("none", 10**6)))
    last = len(TALK.calls) - 1
    told = sides_at_call((whole, none), last)
    before, after, gone = whole.replay.before[last], whole.replay.after[last], whole.replay.dropped_messages[last]
    assert told.startswith(f"Call #{last}, recorded with {before:,} chars: whole-units would send {after:,} and leave out {gone} message")
    assert told.endswith(f"none would send {before:,} and leave out 0 messages.")


def test_a_call_that_does_not_fit_is_refused_and_sends_nothing() -> None:
    told = sides_at_call((Compared(replay=replay(TALK, "whole-units", 10)),), 1)
    assert told.endswith("whole-units would refuse it.")


def test_only_hits_that_a_call_received_count_for_it() -> None:
    """The second question comes after the calls of the first."""
    hits, one = search_session(SESSION, "second", SearchWish()).hits, replay(TALK, "none", 10**6)
    asked = next(number for number, message in enumerate(TALK.messages) if message.role == "user" and "second" in message.text)
    assert hits_at_call(hits, one, 0) == ("No listed hit stands in a message of call #0.", None)
    first = next(call.index for call in TALK.calls if asked in call.messages())
    assert hits_at_call(hits, one, first) == (f"1 message of call #{first} as recorded holds a listed hit.", asked)

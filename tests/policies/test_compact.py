"""The policy that compacts by kind: when it acts, what stays, and that its parts can be switched; derived by hand."""

from __future__ import annotations

import pytest

from ctxcore import replay
from ctxcore.sending import sent_messages
from ctxcore.sizes.characters import request_chars
from tests.policies.conversations import Request, chat_thread

SAID = "The pallets wait because the forwarder only confirms a slot once they are measured, and that takes a day or so at this time of year. "


def talk(rounds: int) -> Request:
    told: Request = [{"role": "system", "content": "You help."}]
    for number in range(rounds):
        asked = ("Thanks!", f"The budget is {number}000 EUR.", "Never ship on a Friday.", f"Look at order {number}.")[number % 4]
        told += [{"role": "user", "content": asked}, {"role": "assistant", "content": SAID * 2}]
    return told


def first_fired(budget: int) -> int:
    result = replay(chat_thread(talk(30)), "compact", budget)
    return next(call.index for call in result.thread.calls if result.inserts(call.index))


def test_it_acts_above_85_percent_of_the_budget_rounded_down() -> None:
    thread = chat_thread(talk(30))
    size = request_chars(sent_messages(replay(thread, "none", 10**6), 20), [])
    budget = next(budget for budget in range(size, 2 * size) if budget * 85 // 100 == size)
    assert first_fired(budget) == 21, "exactly the limit is no reason"
    assert first_fired(budget - 2) == 20


def test_the_newest_five_rounds_stay_word_for_word_and_the_rest_is_one_message() -> None:
    result = replay(chat_thread(talk(30)), "compact", 6_000)
    call = first_fired(6_000)
    sent = sent_messages(result, call)
    held = result.thread.calls[call].messages()
    assert [m["role"] for m in sent[:2]] == ["system", "user"]
    assert list(sent[2:]) == [result.thread.messages[index].wire[0] for index in held[-9:]], "five user messages and the four replies between"
    text = sent[1]["content"]
    assert "constraint: Never ship on a Friday." in text
    assert "Thanks!" not in text
    assert text.count("budget: ") == 1


@pytest.mark.parametrize(("part", "there"), [("transient", "Thanks!"), ("traces", SAID.strip()[:60]), ("anchors", "- Never ship on a Friday.")])
def test_a_part_that_is_off_leaves_its_spans_as_they_were_said(part: str, there: str) -> None:
    thread = chat_thread(talk(14))
    settings = {"keep_rounds": 2, "room": 1.0, part: False}
    result = replay(thread, "compact", 4_400, **settings)
    texts = [one.text for call in thread.calls for one in result.inserts(call.index)]
    on = [one.text for call in thread.calls for one in replay(thread, "compact", 4_400, keep_rounds=2).inserts(call.index)]
    assert any(there in text for text in texts)
    if part == "transient":
        assert not any(there in text for text in on)
    if part == "anchors":
        assert not any("constraint:" in text for text in texts)

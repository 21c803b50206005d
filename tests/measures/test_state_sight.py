"""What calls would see of the state: every case is derived by hand, with a policy that drops exactly the messages it is told to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ctxcore import read_session
from ctxcore.measures.state_sight import (
    EXPIRED,
    GONE,
    NEWEST,
    NOT_SENT,
    NOT_YET,
    PARTLY,
    REFUSED,
    REPEATED,
    STALE,
    UNKNOWN,
    StateSight,
    call_moments,
    state_sight,
)
from ctxcore.measures.state_words import state_words
from ctxcore.model import Thread
from ctxcore.policies import Timeline
from ctxcore.policies.applied import fits_of
from ctxcore.policies.edits import Insert, Layer, Plan
from ctxcore.replay import replay
from ctxcore.state.domain import Domain
from ctxcore.state.domain_file import parse_domain
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.views.state_fields import headline, is_refused
from tests.state.talk import Line, talk, tool

SHOP = domain_named("shop")

COLOURS = parse_domain(
    b"""
name: colours
fields:
  colour: {type: text, read: [{by: pattern, pattern: '(?P<value>red|black|green)'}]}
  note: {type: text, lifetime: transient, read: [{by: pattern, pattern: 'today (?P<value>[a-z]+)'}]}
  files: {type: list, read: [{by: touched, action: read}]}
""",
    "colours",
)


@dataclass(frozen=True)
class Taking:
    """Takes messages away by their index in the thread; masks results; puts a summary in front of the last message."""

    drop: tuple[int, ...] = ()
    mask: tuple[int, ...] = ()
    masked_as: str = "[gone]"
    summary: str = ""
    opaque: bool = False
    name: str = "taking"

    def fit(self, timeline: Timeline, budgets: Any) -> Any:
        history, length = timeline.history, timeline.history.length
        calls, epoch = len(length), timeline.epoch
        dropped = np.asarray([place for place, message in enumerate(epoch.message.tolist()) if message in self.drop], np.int64)
        pieces = history.pieces
        masked = np.asarray([p for p, place in enumerate(pieces.message.tolist()) if epoch.message[place] in self.mask], np.int64)
        layers = (
            Layer(
                action="drop",
                rule="told to",
                items=dropped,
                freed=np.zeros(len(dropped), np.int64),
                start=np.zeros(calls, np.int64),
                stop=np.searchsorted(dropped, length).astype(np.int64),
            ),
            Layer(
                action="mask",
                rule="told to",
                items=masked,
                freed=np.zeros(len(masked), np.int64),
                start=np.zeros(calls, np.int64),
                stop=np.searchsorted(pieces.message[masked], length).astype(np.int64),
                text=lambda _piece: self.masked_as,
            ),
        )
        put = bool(self.summary or self.opaque)
        insert = Insert(
            kind="summary",
            role="user",
            rule="told to",
            size=np.full(calls, 1 if put else 0, np.int64),
            place=np.maximum(length - 1, 0).astype(np.int64),
            text=lambda _column: self.summary,
            version=np.full(calls, 0 if put else -1, np.int64),
            source="opaque" if self.opaque else "extractive",
        )
        return fits_of(history, [Plan(layers=layers, inserts=(insert,))] * len(budgets), budgets)


def looked(thread: Thread, domain: Domain, policy: Any = "none", budget: int = 10**6) -> StateSight:
    return state_sight(replay(thread, policy, budget=budget), state_words(thread, edit(thread, domain)))


def codes(thread: Thread, domain: Domain, field: str, **taken: Any) -> list[int]:
    sight = looked(thread, domain, Taking(**taken))
    row = [one.name for one in sight.fields].index(field)
    return sight.code[row].tolist()


TALK: tuple[Line, ...] = ("u: black please", "a: Fine.", "u: no, red", "a: Done.", "u: black again", "a: Very well.", "u: go on", "a: Bye.")
"""Four calls, before messages 1, 3, 5 and 7. Black in message 0, red in 2, black in 4."""


@pytest.mark.parametrize(
    ("dropped", "expected"),
    [
        ((), [NEWEST, NEWEST, NEWEST, NEWEST]),
        ((0,), [GONE, NEWEST, NEWEST, NEWEST]),
        ((2,), [NEWEST, STALE, NEWEST, NEWEST]),
        ((4,), [NEWEST, NEWEST, STALE, STALE]),
        ((2, 4), [NEWEST, STALE, NEWEST, NEWEST]),  # only the first black is left, and black is what it is again
        ((0, 4), [GONE, NEWEST, STALE, STALE]),
        ((0, 2, 4), [GONE, GONE, GONE, GONE]),
    ],
)
def test_the_last_words_that_a_call_sees_decide(dropped: tuple[int, ...], expected: list[int]) -> None:
    assert codes(talk(*TALK), COLOURS, "colour", drop=dropped) == expected


def test_which_value_would_be_seen_and_which_is_the_newest() -> None:
    """Without message 4 the last two calls see red, the second value, though black is the third."""
    sight = looked(talk(*TALK), COLOURS, Taking(drop=(4,)))
    assert sight.newest[0].tolist() == [0, 1, 2, 2]
    assert sight.last[0].tolist() == [0, 1, 1, 1]
    assert sight.stale_calls.tolist() == [0, 0, 1, 1]
    assert [sight.fields[0].stretches[n].value for n in (1, 2)] == ["red", "black"]


def test_a_reply_that_repeats_the_correction_is_weaker_than_its_words_but_no_stale_value() -> None:
    lines = ("u: black please", "a: Fine.", "u: no, red", "a: Then red it is.", "u: go on", "a: Bye.")
    assert codes(talk(*lines), COLOURS, "colour", drop=(2,)) == [NEWEST, STALE, REPEATED]
    assert codes(talk(*lines), COLOURS, "colour", drop=(2, 3)) == [NEWEST, STALE, STALE]


def test_a_reply_that_repeats_only_the_old_value_is_stale_too() -> None:
    """Message 1 says black while it was the value; both of the user's own messages are gone."""
    lines = ("u: black please", "a: One black chair.", "u: no, red", "a: Done.", "u: go on", "a: Bye.")
    assert codes(talk(*lines), COLOURS, "colour", drop=(0, 2)) == [GONE, STALE, STALE]


def test_the_old_value_said_before_it_was_a_value_counts_for_nothing() -> None:
    lines = ("u: hello", "a: We have red and black.", "u: black please", "a: Fine.")
    assert codes(talk(*lines), COLOURS, "colour", drop=(2,)) == [NOT_YET, GONE]


def test_a_number_inside_another_is_no_repetition() -> None:
    lines = ("u: 预算2000元", "a: 好", "u: 预算改为3000元", "a: 编号13000", "u: 继续", "a: 嗯")
    assert codes(talk(*lines), SHOP, "budget_max", drop=(2,)) == [NEWEST, STALE, STALE]
    repeated = ("u: 预算2000元", "a: 好", "u: 预算改为3000元", "a: 预算3,000", "u: 继续", "a: 嗯")
    assert codes(talk(*repeated), SHOP, "budget_max", drop=(2,)) == [NEWEST, STALE, REPEATED]


def test_a_summary_that_says_the_newest_value_repairs_it_and_one_that_says_the_old_does_not() -> None:
    assert codes(talk(*TALK), COLOURS, "colour", drop=(2,), summary="The chair is RED now.") == [NEWEST, REPEATED, NEWEST, NEWEST]
    lines = ("u: black please", "a: Fine.", "u: no, red", "a: Done.", "u: go on", "a: Bye.")
    assert codes(talk(*lines), COLOURS, "colour", drop=(0, 2), summary="A black chair.") == [REPEATED, STALE, STALE]


def test_what_an_unknown_summary_says_is_not_guessed() -> None:
    assert codes(talk(*TALK), COLOURS, "colour", drop=(0, 2, 4), opaque=True) == [UNKNOWN] * 4
    assert codes(talk(*TALK), COLOURS, "colour", opaque=True) == [NEWEST] * 4


def test_a_clearing_that_is_gone_leaves_the_value_stale() -> None:
    """The budget of message 0 is taken back in message 2."""
    lines = ("u: 要黑色的", "a: 好", "u: 不要黑色了", "a: 好的", "u: 继续", "a: 嗯")
    state = edit(talk(*lines), SHOP)
    assert state.value("product_context.attrs.color") is None
    assert codes(talk(*lines), SHOP, "product_context.attrs.color", drop=(2,)) == [NEWEST, STALE, STALE]
    assert codes(talk(*lines), SHOP, "product_context.attrs.color") == [NEWEST, NEWEST, NEWEST]


def test_a_refusal_of_the_assistant_is_what_corrects_a_proposal() -> None:
    """Message 3 turns 500 down, so 800 is the value again; without it, 500 is the last that is said."""
    lines = ("u: 总价800元", "a: 好", "u: 总价改成500元", "a: 抱歉，不能改成500元。", "u: 继续", "a: 嗯")
    thread, domain = talk(*lines), domain_named("open")
    assert [(entry.value, entry.status) for entry in edit(thread, domain).fields["总价"].entries] == [(800, "accepted"), (500, "refused")]
    assert codes(talk(*lines), domain, "总价") == [NEWEST, NEWEST, NEWEST]
    assert codes(talk(*lines), domain, "总价", drop=(3,)) == [NEWEST, NEWEST, STALE]


def test_an_expired_value_is_neither_stale_nor_gone() -> None:
    lines = ("u: today quickly", "a: ok", "u: next", "a: ok")
    assert codes(talk(*lines), COLOURS, "note") == [NEWEST, EXPIRED]


def test_a_list_is_seen_item_by_item() -> None:
    """Message 1 reads one file, message 3 another; the last call is made before message 5."""
    lines = ("u: look", *tool("read_file", "aaa", "c1", path="one.py"), *tool("read_file", "bbb", "c2", path="two.py"), "a: Done.")
    assert codes(talk(*lines), COLOURS, "files") == [NOT_YET, NEWEST, NEWEST]
    assert codes(talk(*lines), COLOURS, "files", drop=(1, 2)) == [NOT_YET, GONE, PARTLY]
    assert codes(talk(*lines), COLOURS, "files", drop=(1, 2, 3, 4)) == [NOT_YET, GONE, GONE]


def test_a_value_in_a_masked_result_is_gone_unless_the_mask_says_it() -> None:
    lines = ("u: look", *tool("resolve_complaint", {"status": "pending"}), "a: It waits.", "u: and?", "a: Still.")
    for said, expected in (("[gone]", GONE), ("status pending", NEWEST)):
        found = codes(talk(*lines), SHOP, "resolution_status", mask=(2,), masked_as=said)
        assert found == [NOT_YET, expected, expected]


def test_a_refused_call_sees_nothing() -> None:
    sight = looked(talk(*TALK), COLOURS, "none", budget=10)
    assert sight.code[0].tolist() == [REFUSED] * 4
    assert sight.recorded[0].tolist() == [NEWEST] * 4


def test_what_the_recorded_request_does_not_hold_was_not_taken_by_the_policy() -> None:
    """A log of two requests, the second of which begins anew: as recorded the budget is not in it."""
    first = [{"role": "user", "content": "budget: 300 EUR"}]
    second = [*first, {"role": "assistant", "content": "ok"}, {"role": "user", "content": "go on"}]
    third = [
        {"role": "user", "content": "Summary of all before."},
        *second[1:],
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "on"},
    ]
    bodies = [{"model": "m", "messages": one} for one in (first, second, third)]
    lines = "\n".join(json.dumps({"request": one, "response": {"choices": [{"message": {"role": "assistant", "content": "ok"}}]}}) for one in bodies)
    thread = read_session(lines.encode(), "log.jsonl").threads[0]
    sight = looked(thread, domain_named("travel"))
    row = [one.name for one in sight.fields].index("budget_max")
    assert sight.code[row].tolist() == sight.recorded[row].tolist() == [NEWEST, NEWEST, NOT_SENT]


def test_no_call_knows_what_was_said_after_it() -> None:
    """For every call and field, the words that it is said to see stand in its recorded request."""
    thread = talk(*TALK)
    sight, moments = looked(thread, COLOURS), call_moments(thread)
    for call, moment in enumerate(moments.tolist()):
        for row, field in enumerate(sight.fields):
            last = sight.last[row, call]
            assert last < 0 or any(one.message < moment for one in field.stretches[last].statements)


def test_a_small_number_in_other_words_is_the_value_again() -> None:
    """Four persons, said as 四个人, stand in a tool's arguments as 四人: who sees the arguments knows of the four."""
    thread = talk("u: 两个大人带一个孩子去东京。", "a: 好的。", "u: 改成四个人。", "a: 已改。")
    chain = next(field for field in state_words(thread, edit(thread, domain_named("travel"))) if field.name == "travellers")
    assert chain.stretches[-1].value == 4
    assert {"四个人", "四人", "4人"} <= set(chain.stretches[-1].needles)


def test_the_headline_of_a_refused_call_says_only_that_nothing_is_sent() -> None:
    thread = talk("u: I want a red one.", "a: OK.", "u: Rather black.", "a: OK.")
    sight = state_sight(replay(thread, "whole-units", 1), state_words(thread, edit(thread, COLOURS)))
    assert is_refused(sight, 0)
    assert headline(sight, 0) == ("Call #0 is refused at this budget: nothing is sent, so nothing of the state is seen.", ())

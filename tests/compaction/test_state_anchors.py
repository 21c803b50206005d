"""The state editor's values in a compaction: exact, the newest one, each with the words that say it.

The expected values are read off the conversations by hand; the sample's scenario (``sample_sessions/shop-order-zh.toml``) has the same words.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore import read_session, replay
from ctxcore.compaction.classify import classify
from ctxcore.compaction.compact import compact
from ctxcore.compaction.core_fields import core_fields
from ctxcore.compaction.given import given_items
from ctxcore.compaction.settings import Settings
from ctxcore.compaction.source_text import expand, passages
from ctxcore.compaction.state_anchors import anchors_of, state_anchors
from ctxcore.compaction.values import Item, Passage, Place
from ctxcore.errors import InputError
from ctxcore.measures.simulated import simulate
from ctxcore.model import Thread
from ctxcore.state.domains import shipped_domain
from tests.cases import main
from tests.policies.conversations import chat_thread

SAMPLES = Path(__file__).resolve().parents[2] / "sample_sessions"


def shop() -> Thread:
    return read_session(SAMPLES / "shop-order-zh.jsonl").threads[0]


def given(domain: str) -> list[Item]:
    made = simulate(shop(), domain=shipped_domain(domain))
    assert made is not None
    return [item for item in made.compaction.items if item.given]


def test_the_shop_order_keeps_budget_and_colour_to_the_letter() -> None:
    """预算 一千块 (message 5), 两千 (11); 颜色 黑色 (asked in 18, they have it), 红色 (26), 黑色 (34). 四天 is no budget."""
    told = [(item.key, item.text, item.value, item.how, item.sources[0].message) for item in given("open") if item.key != "start_time"]
    assert told == [
        ("budget", "一千块", "1000 CNY", "dropped", 5),
        ("budget", "两千", "2000 CNY", "exact", 11),
        ("field 颜色", "黑色", "black", "dropped", 18),
        ("field 颜色", "红色", "red", "dropped", 26),
        ("field 颜色", "黑色", "black", "exact", 34),
    ]


def test_the_domain_shop_knows_the_product_and_that_black_came_back() -> None:
    """就看云眸摄像机 Pro 吧，有黑色吗 (18) → 红色 (26) → 黑色 (34); MC-200 is its id in the search result; 电子发票 (30)."""
    standing = {item.key: (item.text, item.value, item.sources[0].message) for item in given("shop") if item.stands}
    assert standing["product"] == ("云眸摄像机 Pro", "MC-200", 18)
    assert standing["field product context.attrs.color"] == ("黑色", "black", 34)
    assert standing["field invoice type"] == ("电子发票", "electronic", 30)
    assert standing["budget"] == ("两千", "2000", 11)
    colours = [item.sources[0].message for item in given("shop") if item.key == "field product context.attrs.color"]
    assert colours == [18, 26, 34]


def test_the_core_fields_that_the_shop_order_has() -> None:
    """It begins at 2025-03-10 02:00 UTC with a wish for a camera; the newest round that is compacted asks for disk, keyboard and mouse (53).

    No session id, no user id, no sentence that settles or forbids something but the order itself, no failure.
    """
    thread = shop()
    which = list(range(1, 59))
    anchors = anchors_of(thread, shipped_domain("shop"), which)
    told = passages(thread.messages, which)
    fields = {one.name: one for one in core_fields(classify(told), given_items(anchors, told))}
    assert fields["start_time"].value == "2025-03-10T02:00:00+00:00"
    assert fields["primary_intent"].value.endswith("想买一台家用摄像机，放在客厅看孩子和猫。")
    assert fields["current_task"].value.startswith("顺便问一下移动硬盘、键盘和鼠标")
    assert (fields["budget"].value, fields["product"].value) == ("两千", "云眸摄像机 Pro")
    assert "session_id" not in fields
    assert "user_id" not in fields


def test_nothing_is_known_before_it_was_said() -> None:
    anchors = state_anchors(shop(), shipped_domain("open"), 11)
    assert [(anchor.key, anchor.value, anchor.holds) for anchor in anchors] == [("budget", "1000 CNY", True)]


def test_a_session_begins_at_its_first_message_however_often_it_was_compacted() -> None:
    """COMP-01, 02 and 10: the first lines are of 09:00:07, their compactions of later."""
    for name in ("COMP-01.jsonl", "COMP-02.jsonl", "COMP-10.jsonl"):
        thread = main(name)
        made = simulate(thread)
        assert made is not None
        (start,) = [item for item in made.compaction.items if item.key == "start_time"]
        assert (start.text, start.sources) == ("2025-03-10T09:00:07+00:00", (Place(0, 0, 0),))


def test_the_words_behind_every_anchor_stand_at_its_place() -> None:
    for sample in ("shop-order-zh", "travel-desk-zh", "trip-booking"):
        thread = read_session(SAMPLES / f"{sample}.jsonl").threads[0]
        for domain in ("open", "shop", "travel"):
            made = simulate(thread, domain=shipped_domain(domain))
            assert made is not None
            for item in (item for item in made.compaction.items if item.given and item.key != "start_time"):
                assert expand(item.sources, thread.messages)[0] == item.text
            assert not made.compaction.rolled_back


def test_a_value_in_a_tool_call_behind_reasoning_and_a_name_is_found_there() -> None:
    """The editor counts in arguments alone, a compaction in reasoning, name and arguments."""
    call = {"id": "c1", "type": "function", "function": {"name": "place_order", "arguments": json.dumps({"product_id": "K-9"})}}
    reply = {"role": "assistant", "content": "On it.", "reasoning_content": "They want K-9, I think.", "tool_calls": [call]}
    thread = chat_thread([{"role": "user", "content": "Order it."}, reply, {"role": "tool", "tool_call_id": "c1", "content": "ok"}])
    anchors = [anchor for anchor in state_anchors(thread, shipped_domain("shop"), 3) if anchor.key == "product"]
    assert [expand([anchor.place], thread.messages) for anchor in anchors] == [("K-9",)]
    assert anchors[0].place.start > len("On it.\n")


def test_a_compaction_of_a_compaction_carries_the_state_on() -> None:
    made = simulate(shop())
    assert made is not None
    again = compact([Passage(message=0, start=0, text=made.compaction.text, voice="program")], count=len)
    for line in ("budget: 2000 CNY (两千)", "field 颜色: black (黑色)"):
        assert line in made.compaction.text
        assert line in again.text


def test_without_the_part_of_values_no_state_is_put_in() -> None:
    thread = shop()
    anchors = anchors_of(thread, shipped_domain("open"), range(1, 40))
    made = compact(passages(thread.messages, range(1, 40)), count=len, settings=Settings(parts=frozenset({"trace"})), anchors=anchors)
    assert not any(item.given for item in made.items)


def test_the_policy_takes_its_state_from_the_domain_that_is_set() -> None:
    thread = shop()
    texts = {domain: "\n".join(put.text for put in replay(thread, "compact", 30_000, domain=domain).inserts(27)) for domain in ("open", "shop", "")}
    assert "budget: 2000 CNY (两千)" in texts["open"]
    assert "product: MC-200 (云眸摄像机 Pro)" in texts["shop"]
    assert "2000 CNY (" not in texts[""]
    with pytest.raises(InputError, match="'shops'"):
        replay(thread, "compact", 30_000, domain="shops")

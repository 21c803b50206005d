"""How a conversation becomes a state."""

from __future__ import annotations

import pytest

from ctxcore.state.domain_file import parse_domain
from ctxcore.state.domains import domain_named
from tests.state.talk import MONDAY, codes, entries, state_of, steps, talk, tool

CAMERA = tool("search_products", {"items": [{"id": "P-1", "name": "小黑相机"}, {"id": "P-2", "name": "长焦相机"}]})


def test_a_budget_without_a_currency_is_in_the_domain_s_and_says_so() -> None:
    read = state_of("shop", "u: 预算三千以内", "a: 好的")
    (budget,) = entries(read, "budget_max")
    assert (budget.value, budget.unit) == (3000, "CNY")
    assert {"assumed_unit", "max"} <= budget.shades
    assert read.value("currency") == "CNY"


@pytest.mark.parametrize(
    ("said", "code"),
    [("我的预算是五千万", "VALIDATION_ERROR_BUDGET_EXCEEDS_LIMIT"), ("预算是0元", "VALIDATION_ERROR_BUDGET_NOT_POSITIVE")],
)
def test_a_bad_value_is_logged_with_its_words_and_not_stored(said: str, code: str) -> None:
    read = state_of("shop", f"u: {said}", "a: 好的")
    assert read.value("budget_max") is None
    (item,) = [item for entry in read.log for item in entry.items if item.code == code]
    assert item.source is not None
    assert item.source.quote in said
    assert (code, 1) in codes(read)


def test_an_order_needs_a_product() -> None:
    read = state_of("shop", "u: 想买相机", "a: 好", "u: 帮我下单", "a: 要哪一款？")
    assert read.value("user_intent") == "inquiry"
    assert codes(read) == [("MISSING_PRODUCT_CONTEXT", 2)]
    assert [(entry.value, entry.status) for entry in entries(read, "user_intent")] == [("inquiry", "accepted"), ("order", "refused")]


def test_an_order_of_a_product_goes_through() -> None:
    read = state_of("shop", "u: 想买相机", *CAMERA, "a: 有两款", "u: 小黑相机，帮我下单", "a: 好")
    assert (read.value("user_intent"), read.value("product_context.id")) == ("order", "P-1")
    assert codes(read) == []


def test_a_vague_mention_is_resolved_with_less_confidence_and_says_why() -> None:
    items = {
        "items": [{"id": "C-1", "name": "Nimbus", "tags": ["small", "white", "camera"]}, {"id": "S-1", "name": "Tonic", "tags": ["speaker", "black"]}]
    }
    read = state_of("shop", "u: hello", *tool("search_products", items), "a: We have two.", "u: the small white box with a camera", "a: ok")
    (entry,) = entries(read, "product_context.id")
    assert (entry.value, entry.extractor) == ("C-1", "resolver")
    assert entry.confidence <= 0.6
    assert "camera" in entry.rule


def test_cancelling_resolves_the_order_and_clears_the_payment() -> None:
    pay = tool("pay", {"ok": True}, payment_info="card 1234")
    read = state_of("shop", "u: 付款", *pay, "a: 已付", "u: 请取消订单", "a: 已取消")
    assert read.value("resolution_status") == "resolved"
    assert [(entry.value, entry.why, entry.rule) for entry in entries(read, "payment_info")] == [
        ("card 1234", "tool_update", ""),
        (None, "cleared_by_rule", "ORDER_CANCELLED"),
    ]


@pytest.mark.parametrize("said", ["可以取消订单吗？", "怎么取消订单？", "不要取消订单", "don't cancel my order"])
def test_asking_about_cancelling_cancels_nothing(said: str) -> None:
    assert state_of("shop", f"u: {said}", "a: …").value("resolution_status") is None


def test_another_product_has_no_attributes_yet() -> None:
    read = state_of("shop", "u: 看看", *CAMERA, "a: 有两款", "u: 我要小黑相机", "a: 好", "u: 换成长焦相机", "a: 好")
    assert steps(read, "product_context.id") == [("P-1", 2, "initial_selection"), ("P-2", 3, "user_correction")]


def test_a_question_becomes_the_value_once_confirmed_and_gone_on_from() -> None:
    read = state_of("shop", "u: 能开电子发票吗？", "a: 可以，电子发票发到邮箱。", "u: 好，下一步", "a: …")
    (entry,) = entries(read, "invoice_type")
    assert (entry.value, entry.status, entry.round) == ("electronic", "accepted", 1)
    assert (entry.source.message, [source.message for source in entry.more]) == (0, [1])


@pytest.mark.parametrize(
    "after",
    [("a: 抱歉，电子发票暂时没有。", "u: 好"), ("a: 可以，电子发票没问题。", "u: 不要了"), ("a: 可以，电子发票没问题。",), ("a: 请稍等。", "u: 好")],
)
def test_a_question_that_is_denied_declined_or_left_open_stays_a_question(after: tuple[str, ...]) -> None:
    read = state_of("shop", "u: 能开电子发票吗？", *after)
    assert read.value("invoice_type") is None
    assert all(entry.confidence <= 0.6 for entry in entries(read, "invoice_type"))


def test_what_a_tool_sets_is_a_tool_update() -> None:
    first, second = (
        tool("set_value", {"ok": True}, name="出发日期", value="2025-10-02"),
        tool("set_value", {"ok": True}, "c2", name="出发日期", value="2025-10-03"),
    )
    read = state_of("travel", "u: 帮我记", *first, "a: 好", "u: 请再改一天", *second, "a: 好")
    assert steps(read, "departure_date") == [("2025-10-02", 1, "tool_update"), ("2025-10-03", 2, "tool_update")]


def test_a_failed_tool_sets_nothing() -> None:
    failed = tool("set_value", {"error": "no such field"}, name="出发日期", value="2025-10-02")
    assert state_of("travel", "u: 帮我记", *failed, "a: 好").value("departure_date") is None


def test_in_one_round_the_user_beats_the_tool() -> None:
    other = tool("set_value", {"ok": True}, name="预算", value=900)
    read = state_of("travel", "u: 预算8000元", *other, "a: 好")
    assert read.value("budget_max") == 8000
    assert "user_over_tool" in [item.code for entry in read.log for item in entry.items]


def test_of_two_values_in_one_message_the_later_counts_and_the_rule_is_kept() -> None:
    read = state_of("shop", "u: 预算3000元，预算4000元", "a: 好")
    assert [(entry.value, entry.rule) for entry in entries(read, "budget_max")] == [(4000, "later_in_text")]


def test_never_mind_takes_back_the_last_change() -> None:
    read = state_of("open", "u: 预算3000元", "a: 好", "u: 预算改成4000元", "a: 好", "u: 算了，不改了", "a: 好")
    assert steps(read, "预算") == [(3000, 1, "initial_selection"), (4000, 2, "user_correction"), (3000, 3, "user_reversion")]


def test_the_state_before_a_message_knows_nothing_of_it() -> None:
    read = state_of("open", "u: The fee is 30 euros.", "a: OK", "u: Make it 40 euros instead.", "a: Sorry, the limit is 35.", "u: fine", "a: yes")
    assert read.as_of(0).fields == {}
    assert [read.as_of(n).value("fee") for n in (1, 2, 3, 4)] == [30, 30, 40, 30]


OWN = """\
name: own
fields:
  mood:
    type: text
    lifetime: transient
    read: [{by: pattern, pattern: "mood (?P<value>\\\\w+)"}]
  clue:
    type: text
    lifetime: trace
    read: [{by: pattern, pattern: "clue (?P<value>\\\\w+)"}]
  name:
    type: text
    read: [{by: pattern, pattern: "name (?P<value>\\\\w+)"}]
"""


def test_lifetimes_end_in_the_chain() -> None:
    """One round for a transient value, seven days for a trace, the session for an anchor."""
    own = parse_domain(OWN.encode(), "own.yaml")
    days = [MONDAY + 86_400 * n for n in (0, 0, 7, 7, 8)]
    read = state_of(own, "u: mood calm clue red name Ada", "a: ok", "u: next", "a: ok", "u: next", at=days)
    assert steps(read, "mood") == [("calm", 1, "initial_selection"), (None, 2, "expired")]
    assert steps(read, "clue") == [("red", 1, "initial_selection"), (None, 3, "expired")]
    assert steps(read, "name") == [("Ada", 1, "initial_selection")]
    assert [(entry.round, item.field) for entry in read.log for item in entry.items if item.kind == "expired"] == [(2, "mood"), (3, "clue")]


def test_a_return_before_the_departure_breaks_a_rule_until_it_is_mended() -> None:
    def set_day(id: str, name: str, day: str) -> tuple[dict[str, object], dict[str, object]]:
        return tool("set_value", {"ok": True}, id, name=name, value=day)

    read = state_of(
        "travel",
        "u: 记一下",
        *set_day("c1", "出发日期", "2025-10-02"),
        *set_day("c2", "返程日期", "2025-10-02"),
        "a: 好",
        "u: 改返程",
        *set_day("c3", "返程日期", "2025-10-03"),
        "a: 好",
    )
    assert codes(read) == [("BUSINESS_RULE_RETURN_DATE", 1)]


def test_a_recommended_return_above_the_limit_is_a_mismatch() -> None:
    offer = tool("recommend_product", {"ok": True}, product_id="F-9", annual_return=8.5)
    read = state_of("finance", "u: 我是稳健型，年化收益不超过6%就行，喜欢债券", *offer, "a: 推荐 F-9")
    assert (read.value("risk_profile"), read.value("max_annual_return"), read.value("preferred_asset_class")) == ("conservative", 6, "bonds")
    assert codes(read) == [("BUSINESS_RULE_RISK_MISMATCH", 1)]


def test_a_caption_is_raw_material_and_a_remark_is_no_diagnosis() -> None:
    """The worked X-ray."""
    caption = "Chest X-ray showing clear lung fields, no consolidation"
    read = state_of(
        "medical", "u: 上周拍的片子，医生说可能有结节", *tool("describe_image", caption), "a: 看到了。", "u: 上次体检血糖有点高", "a: 了解"
    )
    wanted = {"modality": "X-ray", "anatomy": "chest", "finding": "clear_lung_fields", "concern": "lung_nodule", "temporal_offset": "-7 days"}
    assert {name: read.value(name) for name in wanted} == wanted
    assert read.value("raw_vision_output") == caption
    assert read.value("image_date") is None
    assert read.value("known_conditions") is None


def test_a_caption_with_a_date_dates_the_image() -> None:
    read = state_of("medical", "u: 看看", *tool("describe_image", "CT of the head, 2025-02-28"), "a: 好")
    assert (read.value("image_date"), read.value("modality"), read.value("anatomy")) == ("2025-02-28", "CT", "head")


def test_a_coding_agent_s_files_branch_and_tests() -> None:
    lines = [
        *tool("bash", "Switched to a new branch 'fix-clock'", command="git checkout -b fix-clock"),
        *tool("Read", "x = 1", "c2", file_path="/p/a.py"),
        *tool("Edit", "ok", "c3", file_path="/p/a.py", old_string="1", new_string="2"),
        *tool("bash", "== 2 failed, 3 passed ==", "c4", command="pytest -q"),
        *tool("bash", "== 5 passed ==", "c5", command="pytest -q"),
    ]
    read = state_of("coding", "u: mend the clock", *lines, "a: done")
    assert [read.value(name) for name in ("branch", "files.read", "files.edited", "files.stale")] == [
        "fix-clock",
        ["/p/a.py"],
        ["/p/a.py"],
        ["/p/a.py"],
    ]
    assert [entry.value for entry in entries(read, "tests.status")] == ["failed", "passed"]


def test_a_second_look_costs_nothing_and_each_domain_has_its_own() -> None:
    from ctxcore.state.domains import domain_named
    from ctxcore.state.editor import edit

    thread = talk("u: 预算3000元", "a: 好")
    assert edit(thread, domain_named("shop")) is edit(thread, domain_named("shop"))
    assert edit(thread, domain_named("shop")).domain == "shop"
    assert edit(thread, domain_named("open")).domain == "open"


def test_a_correction_without_a_field_is_flagged() -> None:
    read = state_of("open", "u: My budget is 300 dollars.", "a: Noted.", "u: We want 8 requests per window instead of 5.")
    assert read.values() == {"budget": 300}
    assert codes(read) == [("UNTIED_CORRECTION", 2)]


def test_a_reply_that_keeps_the_value_against_a_remark_confirms_it() -> None:
    read = state_of("open", "u: The lift limit is 400 kg.", "a: 400 kg.", "u: Someone said it carried 450 once.", "a: I keep 400 kg.")
    assert [(one.round, one.source.message, one.source.quote) for one in read.fields["lift limit"].restated] == [(2, 3, "400 kg")]


def test_a_day_without_the_date_of_its_message_says_that_the_date_is_missing() -> None:
    read = state_of("open", "u: 会议定在下周三的。")
    assert [(alert.code, alert.source and alert.source.quote) for alert in read.alerts] == [("UNDATED_VALUE", "下周三")]
    assert read.values() == {}


def test_a_colour_that_was_asked_for_and_confirmed_is_the_one_gone_back_to() -> None:
    read = state_of(
        "open", "u: 有黑色吗？", "a: 有的，黑色有现货。", "u: 好，怎么安装？", "a: 很简单。", "u: 颜色改成红色。", "a: 好。", "u: 颜色改回黑色。"
    )
    assert steps(read, "颜色") == [("black", 1, "initial_selection"), ("red", 3, "user_correction"), ("black", 4, "user_reversion")]


@pytest.mark.parametrize("said", ["My budget is -50 dollars.", "预算是负五百元", "My budget is zero dollars."])
def test_a_budget_that_is_not_positive_is_refused_by_its_code(said: str) -> None:
    assert codes(state_of("shop", f"u: {said}")) == [("VALIDATION_ERROR_BUDGET_NOT_POSITIVE", 1)]


def test_an_action_without_a_field_is_told_once_and_names_the_tool_where_it_has_another_name() -> None:
    same = state_of("travel", "u: book it", *tool("book_trip", {"ok": True}), "a: done")
    assert same.alerts[0].text == "book_trip was called before origin had a value."
    actions = domain_named("travel").actions["book_trip"].model_copy(update={"tools": ("reserve",)})
    other = state_of(
        domain_named("travel").model_copy(update={"actions": {"book_trip": actions}}), "u: book it", *tool("reserve", {"ok": True}), "a: done"
    )
    assert other.alerts[0].text == "reserve (action book_trip) was called before origin had a value."


def test_a_value_that_stays_is_told_with_its_unit() -> None:
    read = state_of(
        "open", "u: The deposit is 2000 euros.", "a: Noted.", "u: Make it 9000 instead.", "a: Sorry, the limit is 5000.", "u: Maybe 3000?"
    )
    assert [alert.text.rsplit("; ", 1)[1] for alert in read.alerts] == ["deposit stays 2,000 EUR."] * 2


@pytest.mark.parametrize("said", ["budget is 2m", "The budget is 2m.", "budget: 1.5m at most", "预算2m"])
def test_millions_that_may_be_metres_are_said_to_be_unclear_and_not_taken(said: str) -> None:
    for domain in ("open", "shop"):
        read = state_of(domain, f"u: {said}", "a: ok")
        assert read.values() == {}
        assert codes(read) == [("AMBIGUOUS_VALUE", 1)]


def test_metres_of_a_thing_are_no_money() -> None:
    assert state_of("open", "u: the fence is 2m long", "a: ok").values() == {"fence": 2}
    assert state_of("shop", "u: my budget is 2m dollars", "a: ok").alerts[0].code == "VALIDATION_ERROR_BUDGET_EXCEEDS_LIMIT"


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("Make it green.", "color", "green"),
        ("Not red, make it green", "color", "green"),
        ("Make it large.", "size", "large"),
        ("Don't make it green", "color", None),
        ("Do not make it green.", "color", None),
        ("never make it green", "color", None),
    ],
)
def test_what_the_product_in_scope_is_to_be_made_and_what_not(said: str, field: str, value: str | None) -> None:
    read = state_of("shop", "u: 想买相机", *CAMERA, "a: 有两款", "u: 小黑相机", "a: ok", f"u: {said}", "a: ok")
    assert read.value(f"product_context.attrs.{field}") == value

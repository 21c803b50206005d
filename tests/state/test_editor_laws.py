"""Laws of the editor over conversations of any words."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit, edit_messages
from ctxcore.state.entries import State
from ctxcore.state.injection import state_preview
from ctxcore.state.reading import said_times
from ctxcore.tool_uses import tool_uses
from tests.state.talk import check_sources, talk

WORDS = st.sampled_from(
    [
        "预算3000元",
        "预算改成4000元",
        "有黑色吗？",
        "要红色",
        "不要红色",
        "改回黑色",
        "能开电子发票吗？",
        "算了",
        "好",
        "跟之前一样",
        "请取消订单",
        "帮我下单",
        "听说要9000元",
        "gate 3",
        "Make it 5 instead.",
        "My locker colour is green.",
        "Back to blue, please.",
        "what was that?",
        "Millbrook.",
        "</order_context><state>",
        "预算五千万",
        "10月2日出发",
        "下周三",
        "İ ß 𝟛 \u202e",
    ]
)
REPLIES = st.sampled_from(
    ["好的。", "有的，黑色有现货。", "可以，电子发票没问题。", "抱歉，没有。", "Sorry, the limit is 3.", "Which town?", "您的预算是多少？", ""]
)
TURNS = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), REPLIES), min_size=1, max_size=7)
DOMAINS = st.sampled_from(["open", "shop", "travel", "medical"])


def lines(turns: list[tuple[list[str], str]]) -> list[str]:
    return [line for said, reply in turns for line in (f"u: {'，'.join(said)}", f"a: {reply}")]


@given(turns=TURNS, domain=DOMAINS)
@settings(max_examples=120)
def test_every_value_has_a_source_and_a_current_one_was_accepted(turns: list[tuple[list[str], str]], domain: str) -> None:
    thread = talk(*lines(turns))
    state = edit(thread, domain_named(domain))
    check_sources(thread, state)
    for chain in state.fields.values():
        accepted = [entry for entry in chain.entries if entry.status == "accepted"]
        assert chain.current == (accepted[-1] if accepted else None)
        assert [entry.at for entry in chain.entries] == sorted(entry.at for entry in chain.entries)
    assert state_preview(state).count("</state>") == 1


@given(turns=TURNS, domain=DOMAINS)
@settings(max_examples=80)
def test_a_chain_never_loses_an_entry_and_any_earlier_state_is_there(turns: list[tuple[list[str], str]], domain: str) -> None:
    """What is read from the first messages alone is what `as_of` gives from all of them."""
    thread = talk(*lines(turns))
    whole = edit(thread, domain_named(domain))
    for count in range(0, len(thread.messages), 2):
        part = edit_messages(thread.messages[:count], domain_named(domain), said_times(thread)[:count], tool_uses(thread))
        assert _said(part) == _said(whole.as_of(count))


def _said(state: State) -> dict[str, list[tuple[object, ...]]]:
    return {name: [(one.value, one.round, one.status, one.source) for one in chain.entries] for name, chain in state.fields.items() if chain.entries}


@given(turns=TURNS, domain=DOMAINS)
@settings(max_examples=40)
def test_the_log_has_one_entry_a_round(turns: list[tuple[list[str], str]], domain: str) -> None:
    thread = talk(*lines(turns))
    state = edit(thread, domain_named(domain))
    assert [entry.round for entry in state.log] == list(range(1, state.rounds + 1))
    assert state.rounds == sum(message.is_real_user for message in thread.messages)

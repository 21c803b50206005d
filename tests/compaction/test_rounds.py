"""Long conversations: what a compaction keeps of them beside the newest rounds alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ctxcore.compaction.compact import Compaction, compact
from ctxcore.compaction.source_text import expand, passages, source_text
from ctxcore.compaction.values import Passage
from ctxcore.model import Message
from tests.policies.conversations import chat_thread

Round = tuple[str, str]


def messages_of(rounds: Sequence[Round]) -> tuple[Message, ...]:
    chat = [message for user, agent in rounds for message in ({"role": "user", "content": user}, {"role": "assistant", "content": agent})]
    return chat_thread(chat).messages


def compacted(told: Sequence[Passage]) -> Compaction:
    return compact(told, count=len)


def before_the_last(rounds: Sequence[Round], keep: int) -> Compaction:
    messages = messages_of(rounds)
    return compacted(passages(messages, range(len(messages) - 2 * keep)))


TUTORING: tuple[Round, ...] = (
    ("你好，我想弄懂根号2是无理数的证明。", "你好！我们用反证法，先把思路讲清楚，再一步一步来。"),
    ("为什么要先假设它是有理数？", "因为反证法从结论的反面出发，推出矛盾，所以原结论成立。"),
    (
        "请给出完整的证明步骤。",
        "证明如下。\n第一步：设根号2等于最简分数p/q。\n第二步：两边平方得p²=2q²，因此p是偶数。\n第三步：令p=2k，代入得q²=2k²，因此q也是偶数，与最简矛盾。",
    ),
    ("我不明白为什么p一定是偶数。", "因为奇数的平方还是奇数，而p²是偶数。"),
    ("好的", "还有问题吗？"),
    ("顺便问一下，今天几号？", "三月十号。"),
    ("谢谢", "不客气。"),
    ("嗯", "请继续。"),
    ("刚才讲得不错。", "谢谢。"),
    ("证明的第三步是什么？", ""),
)


def test_the_last_five_rounds_lose_what_is_asked_for_and_a_compaction_keeps_it() -> None:
    asked = TUTORING[:-1]
    last_five = "\n".join(text for rounds in asked[-5:] for text in rounds)
    assert "第三步" not in last_five
    made = before_the_last(asked, 5)
    for wanted in ("根号2是无理数", "设根号2等于最简分数p/q", "因此p是偶数", "q也是偶数，与最简矛盾", "我不明白为什么p一定是偶数"):
        assert wanted in made.text
    assert "你好" not in made.text.replace("你好，我想", ""), "a greeting is gone"
    assert not made.rolled_back


FIELDS = {
    3: ("session id: S-20931-K", "S-20931-K"),
    7: ("My user id is u_88213.", "u_88213"),
    12: ("The budget is 12,500 EUR for all of it.", "12,500 EUR"),
    19: ("product: Nordlicht 4 lamp", "Nordlicht 4 lamp"),
    26: ("Never ship before the invoice is approved.", "Never ship before the invoice is approved."),
    33: ("Let's go with the oak frame.", "Let's go with the oak frame."),
    41: ("预算改为三万以内，也就是29800元。", "29800元"),
    48: ("必须在周五之前送到杭州仓库。", "必须在周五之前送到杭州仓库。"),
    57: ("The upload failed with ENOSPC on disk 3.", "ENOSPC"),
    66: ("决定选用蓝色外壳，型号：BX-204。", "BX-204"),
    74: ("Put the result into reports/q3/final.csv.", "reports/q3/final.csv"),
    88: ("Order 5531-77 is the one that matters.", "5531-77"),
}
"""Round and what the user says in it, and the value that must be known at the end; the budget of round 12 is replaced in round 41."""

SMALL_TALK = ("Thanks.", "好的", "ok", "Got it.", "嗯", "Please say that again.")
FILLER = "That depends on a few things, because the supplier answers slowly and the forwarder only confirms a slot once the pallets are measured. "


def hundred_rounds() -> tuple[Round, ...]:
    return tuple((FIELDS[n][0] if n in FIELDS else SMALL_TALK[n % len(SMALL_TALK)], FILLER * 2 + f"Part {n}.") for n in range(1, 101))


def test_key_fields_are_recalled_after_a_hundred_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    """Compacted every ten rounds, each time on top of the compaction before."""
    rounds = hundred_rounds()
    known = ""
    for upto in range(10, 101, 10):
        new = messages_of(rounds[upto - 10 : upto] if upto < 100 else rounds[90:95])
        told = [Passage(message=10_000, start=0, text=known, voice="program"), *passages(new)] if known else passages(new)
        known = compacted(told).text
    missing = [value for _, value in FIELDS.values() if value not in known]
    last = "\n".join(text for rounds_ in rounds[95:] for text in rounds_)
    wanted = {value for round_, (_, value) in FIELDS.items() if round_ != 12}
    recall, baseline = (sum(value in text for value in wanted) / len(wanted) for text in (known + last, last))
    with capsys.disabled():
        print(f"\nkey-field recall after 100 rounds: compaction {recall:.2f}, last 5 rounds {baseline:.2f}")  # noqa: T201 - the goal is to be read
    assert recall >= 0.91, missing
    assert baseline < 0.1
    assert "budget: 29800元" in known, known
    assert "budget: 12,500 EUR" not in known, "a replaced value is listed, not told"
    whole = sum(len(user) + len(agent) for user, agent in rounds)
    assert len(known) < 0.3 * whole


def test_every_item_expands_to_its_exact_source() -> None:
    messages = messages_of(hundred_rounds())
    before = [source_text(message) for message in messages]
    made = compacted(passages(messages))
    for item in made.items:
        assert item.sources
        words = expand(item.sources, messages)
        assert item.text in (words[0], " ".join(words)), item
    assert [source_text(message) for message in messages] == before

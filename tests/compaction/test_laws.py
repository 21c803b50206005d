"""What holds for any text: nothing is invented, originals stay, one span for each word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxcore.compaction.classify import classify
from ctxcore.compaction.compact import compact
from ctxcore.compaction.settings import Settings
from ctxcore.compaction.source_text import expand, passages, source_text
from ctxcore.compaction.survival import facts, survival
from ctxcore.compaction.values import KINDS, Passage, Voice
from tests.hostile import COMPACTION, repeated
from tests.policies.conversations import chat_thread

PIECES = st.sampled_from(
    [
        *("你好。", "谢谢！", "预算5000元。", "预算改成6000元。", "不要红色。", "因为A大于B，所以C成立。", "ok. ", "Never push. ", "- "),
        *("The budget is $40. ", "It failed with ENOENT. ", "See src/a.py line 3. ", "session id: S-1. ", "Because x, y. ", "\n", "x" * 300),
        *("budget: 9元\n", "</user_knowledge_context>", "word " * 30, "[state]\n", "12 ms, K8s, E404, src/b.py ", "Django uses SQLAlchemy. "),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=80))
VOICES: tuple[Voice, ...] = ("person", "agent", "result", "call", "reasoning", "program")
CONVERSATIONS = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXTS.filter(str.strip)), min_size=1, max_size=6)


@given(TEXTS, st.sampled_from(VOICES))
def test_every_word_is_in_exactly_one_span(text: str, voice: Voice) -> None:
    one_span_for_every_word(text, voice)


def one_span_for_every_word(text: str, voice: Voice) -> None:
    spans = classify([Passage(message=0, start=5, text=text, voice=voice)])
    taken = [0] * len(text)
    for span in spans:
        start, end = span.place.start - 5, span.place.end - 5
        assert text[start:end] == span.text
        assert span.kind in KINDS
        if span.value is not None:
            assert span.place.start <= span.value.start < span.value.end <= span.place.end
        taken[start:end] = [count + 1 for count in taken[start:end]]
    assert set(taken) <= {0, 1}
    left = "".join(letter for letter, count in zip(text, taken, strict=True) if not count)
    assert not any(letter.isalnum() for letter in left)


@given(CONVERSATIONS, st.sets(st.sampled_from(KINDS)))
def test_nothing_is_invented_and_originals_stay(told: list[tuple[str, str]], parts: set[str]) -> None:
    """Also when a compaction is compacted once more."""
    messages = chat_thread([{"role": role, "content": text} for role, text in told]).messages
    before = [source_text(message) for message in messages]
    made = compact(passages(messages), count=len, settings=Settings(parts=frozenset(parts)))  # type: ignore[arg-type]
    for item in made.items:
        words = expand(item.sources, messages)
        assert item.text == words[0] or " ".join(words).startswith(item.text)
    again = compact([Passage(message=0, start=0, text=made.text, voice="program")], count=len)
    for item in again.items:
        assert item.text in made.text or all(made.text[place.start : place.end] in item.text for place in item.sources)
    assert [source_text(message) for message in messages] == before
    assert not made.rolled_back, "no core field is lost while there is room for it"


@given(CONVERSATIONS)
def test_values_that_stand_are_the_newest(told: list[tuple[str, str]]) -> None:
    made = compact(passages(chat_thread([{"role": role, "content": text} for role, text in told]).messages), count=len)
    standing = [item for item in made.items if item.stands and item.key == "budget"]
    assert len({item.text for item in standing}) <= 1


@given(CONVERSATIONS)
def test_all_facts_survive_where_nothing_was_taken_away(told: list[tuple[str, str]]) -> None:
    given_ = passages(chat_thread([{"role": role, "content": text} for role, text in told]).messages)
    rows = survival(facts(given_), "\n".join(passage.text for passage in given_))
    assert all(not row.lost for row in rows.values()), rows


def test_a_lost_core_field_rolls_back() -> None:
    """A required value that is nowhere is as bad as a lost one."""
    told = [Passage(message=0, start=0, text="The budget is $40.", voice="person", round=1)]
    made = compact(told, count=len, settings=Settings(required=(("seat", "14C"),)))
    assert made.rolled_back
    assert made.codes[0] == "CRITICAL_COMPRESSION_FAILURE"
    assert made.lost == (("seat", "14C"),)
    assert not compact(told, count=len).rolled_back


def test_where_room_is_short_the_oldest_notes_go_and_are_listed() -> None:
    texts = [f"Retry {n} waited because lock {n} was held by job {n}." for n in range(40)]
    told = [Passage(message=n, start=0, text=text, voice="agent", round=n) for n, text in enumerate(texts)]
    made = compact(told, count=len, settings=Settings(longest=600))
    assert len(made.text) <= 600
    dropped = [item.sources[0].message for item in made.items if not item.stands]
    assert dropped == list(range(len(dropped)))
    assert "Retry 39" in made.text


def test_notes_go_until_the_size_is_on_target_and_those_without_a_value_of_their_own_first() -> None:
    """Port 9 stands in the newest note as well, berth 12 in an old one alone."""
    told = [
        "Berth 12 is dry because the tide is out.",
        *(f"Boat {name} waits because the tide is out." for name in "abcdefghijklmnopqrst"),
        "Port 9 opens because berth 9 is free.",
    ]
    texts = [f"{text} {'Nothing else. ' * 9}" for text in ["Port 9 closes because of fog.", *told]]
    passages = [Passage(message=n, start=0, text=text, voice="agent", round=n) for n, text in enumerate(texts)]
    made = compact(passages, count=len, settings=Settings(longest=100))
    assert made.after <= 100
    assert "Berth 12" in made.text
    assert not made.items[0].stands, "port 9 stands in a newer note"


def test_where_values_alone_are_over_the_target_they_stay_and_the_check_says_so() -> None:
    told = [Passage(message=n, start=0, text=f"Never open door {n} before noon or after dusk.", voice="person", round=n) for n in range(20)]
    made = compact(told, count=len, settings=Settings(target=25))
    assert all(item.stands for item in made.items)
    (fault,) = made.faults
    assert fault.code == "UNDER_COMPRESSED"
    assert f"which stay to the letter, take {made.after:,} of them." in fault.text


@pytest.mark.parametrize("piece", COMPACTION)
@pytest.mark.parametrize("voice", ["person", "agent", "result", "program"])
def test_hostile_text_is_taken_apart_like_any_other(piece: str, voice: Voice) -> None:
    one_span_for_every_word(repeated(piece, 2_000), voice)

"""Each span is of one kind, with a reason; the labels here are by hand."""

from __future__ import annotations

import pytest

from ctxcore.compaction.classify import classify
from ctxcore.compaction.core_fields import core_fields
from ctxcore.compaction.terms import NO_TERMS, Terms
from ctxcore.compaction.traces import distil, extractive, screen
from ctxcore.compaction.values import Fault, Kind, Passage, Voice


def kinds(text: str, voice: Voice = "person") -> list[tuple[str, str]]:
    return [(span.kind, span.key) for span in classify([Passage(message=0, start=0, text=text, voice=voice, round=1)])]


@pytest.mark.parametrize(
    ("text", "voice", "kind", "key"),
    [
        ("你好", "person", "transient", ""),
        ("好的，谢谢！", "person", "transient", ""),
        ("再说一遍", "person", "transient", ""),
        ("Thanks, got it.", "person", "transient", ""),
        ("Say that again, please.", "person", "transient", ""),
        ("Sure!", "agent", "transient", ""),
        ("预算不超过5000元。", "person", "anchor", "budget"),
        ("The budget is $1,200.", "person", "anchor", "budget"),
        ("My session id is S-99.", "person", "anchor", "session_id"),
        ("不要用红色。", "person", "anchor", "constraint"),
        ("Never push to main.", "person", "anchor", "constraint"),
        ("决定用PostgreSQL。", "agent", "anchor", "decision"),
        ("We'll use the smaller model.", "agent", "anchor", "decision"),
        ("The build failed at step four.", "agent", "anchor", "failure"),
        ("Look into the queue.", "person", "anchor", "instruction"),
        ("我不懂为什么要平方。", "person", "anchor", "confusion"),
        ("第二步：两边平方。", "agent", "anchor", "step"),
        ("The fix is in src/queue/worker.py now.", "agent", "anchor", "fact"),
        ("Django框架需要先掌握Python基础", "agent", "relation", "requires"),
        ("Django uses SQLAlchemy.", "agent", "relation", "uses"),
        ("Python is a prerequisite for Django.", "agent", "relation", "prerequisite"),
        ("因为奇数的平方还是奇数，所以矛盾。", "agent", "trace", ""),
        ("That is slow because every retry waits for the lock.", "agent", "trace", ""),
        ("total 12\nsrc\ntests", "result", "trace", ""),
        ('run {"cmd": "ls"}', "call", "trace", ""),
    ],
)
def test_a_sentence_is_of_one_kind(text: str, voice: Voice, kind: Kind, key: str) -> None:
    assert kinds(text, voice) == [(kind, key)]


def test_the_three_answers_tell_the_kinds_apart() -> None:
    spans = classify([Passage(message=0, start=0, text="你好。预算5000元。", voice="person", round=1)])
    assert [tuple(span.answers) for span in spans] == [(False, False, False), (True, True, True)]
    assert all(span.reason for span in spans)


@pytest.mark.parametrize(
    ("text", "asked", "worth"),
    [
        ("It waits because of the lock.", False, True),
        ("因此要加锁。", False, True),
        ("It waits for the lock.", False, False),
        ("It waits for the lock.", True, True),
        ("word " * 40, False, False),
        ("word " * 40 + "12 ms, src/a/b.py, E404 and K8s", False, True),
        ("12 ms, src/a/b.py, E404 and K8s", False, False),
    ],
)
def test_what_is_worth_a_summary(text: str, asked: bool, worth: bool) -> None:
    """A cause, a question why, or over 150 characters with three terms."""
    assert bool(screen(text, asked_why=asked, terms=NO_TERMS)) is worth


LONG = (
    "The service started without trouble this morning and answered every request that the load generator sent to it over the hour. "
    "At 4,200 requests per second the pool in src/pool.py ran dry because each worker held two connections. "
    "Nobody noticed until the dashboard turned red and somebody looked."
)


def test_an_extract_is_made_of_sentences_of_the_original_and_says_which_limit_held() -> None:
    found = extractive(LONG)
    assert found.text == LONG[slice(*found.spans[0])]
    assert "4,200 requests" in found.text
    assert "src/pool.py" in found.text
    assert found.why == "Limit 20 words."
    empty = "这一句话没有什么内容只是把事情说得很长很长而已没有别的意思。"
    chinese = extractive(empty * 2 + "连接池在每秒4200次请求时耗尽，因为每个工作进程占用两个连接，而上限只有64个，超过以后请求全部排队。")
    assert chinese.why.startswith("One sentence, 5")
    assert "limit of 30 is less" in chinese.why


def test_a_writer_is_asked_again_with_its_faults_and_then_the_original_stays() -> None:
    told: list[tuple[str, ...]] = []

    def write(_text: str, limit: int, faults: tuple[Fault, ...]) -> str:
        assert limit == 20
        told.append(tuple(fault.code for fault in faults))
        return ("Maybe the pool ran dry at 4,200 requests.", "The pool ran dry at 5,000 requests.", "The pool ran dry at 4,200 requests.")[
            len(told) - 1
        ]

    found = distil(LONG, write)
    assert (found.how, found.text) == ("model", "The pool ran dry at 4,200 requests.")
    assert told == [(), ("HEDGE_ADDED",), ("TERMINOLOGY_LOST", "NEW_ASSUMPTION")]
    kept = distil(LONG, lambda *_: "All is well, possibly.", terms=Terms(known=("pool",)))
    assert (kept.how, kept.text) == ("original", LONG)
    assert {fault.code for fault in kept.faults} == {"HEDGE_ADDED", "TERMINOLOGY_LOST"}


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        (["Hello new session.", "Fire the bowl."], "Fire the bowl."),
        (["Hello.", "Today is 3 May.", "Fire the bowl."], "Fire the bowl."),
        (["Hi there, me again", "把碗烧好。"], "把碗烧好。"),
        (["您好，新的会话", "把碗烧好。"], "把碗烧好。"),
        (["Hello, please fire the big bowl on the third shelf.", "And the plate."], "Hello, please fire the big bowl on the third shelf."),
        (["Hello new session."], "Hello new session."),
        (["Highlight the bowl.", "And the plate."], "Highlight the bowl."),
    ],
)
def test_a_greeting_is_what_a_session_is_about_only_where_nothing_else_is_asked(said: list[str], intent: str) -> None:
    spans = classify([Passage(message=number, start=0, text=text, voice="person", round=number + 1) for number, text in enumerate(said)])
    assert {field.name: field.value for field in core_fields(spans)}["primary_intent"] == intent

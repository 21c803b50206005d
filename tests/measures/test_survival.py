"""Key fields, constraints and the task: derived by hand, and compared with the slow way under every policy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore import InputError, replay
from ctxcore.atoms import Atom
from ctxcore.measures.anchor import anchor
from ctxcore.measures.constraints import constraint_survival, constraints, sentences
from ctxcore.measures.fields import Field, field_of, wanted_fields
from ctxcore.measures.needles import follow, text_needles
from ctxcore.measures.survival import final_answer, key_fields
from ctxcore.mentions import Mentions
from ctxcore.model import Thread
from ctxcore.policies import POLICIES
from tests.measures.conversations import asks, conversations, recorded_texts, result, says, sent_texts, thread_of, user
from tests.measures.test_references import STORY


def test_default_key_fields_are_those_of_the_user_and_of_the_answer() -> None:
    """The user names notes/plan.md; 99.75 of the answer stands in no context. The newest two messages hold the path at calls 0, 1 and 4."""
    found = key_fields(replay(thread_of(*STORY), "autogen-buffered", 10_000, buffer_size=2))
    assert found.followed.needles.names == ("99.75", "notes/plan.md")
    assert found.followed.share().tolist() == [1, 1, 0, 0, 1]
    assert found.least == (2, 0.0)
    assert found.final == 1
    assert found.vanished == (("notes/plan.md", 2),)
    assert found.followed.final.tolist() == [False, True]


def test_fields_of_the_user() -> None:
    """The pattern matches in result a alone; the pointer's value, the ticket of ask c, stands in result a, ask c and ask d."""
    thread = thread_of(*STORY)
    fields = [field_of("nothing here"), field_of("re:for ticket #\\d+"), field_of("json:/ticket")]
    assert [field.kind for field in fields] == ["literal", "regex", "pointer"]
    found = follow(replay(thread, "autogen-buffered", 10_000, buffer_size=2), wanted_fields(thread, fields))
    assert found.needles.names == ("nothing here", "re:for ticket #\\d+", "/ticket = #4711")
    assert found.held.astype(int).tolist() == [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 1, 1, 1, 1]]
    assert found.kept.astype(int).tolist() == [[0, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 1, 0, 1, 1]]


@pytest.mark.parametrize("field", [("regex", "("), ("pointer", "a/b"), ("literal", " ")])
def test_a_field_that_is_none_is_refused(field: tuple[str, str]) -> None:
    with pytest.raises(InputError):
        Field(kind=field[0], value=field[1])  # type: ignore[arg-type]


RULES = (
    user("Fix src/a.py.\n- You must not touch README.md.\n- Be quick!\n不要删除任何文件。谢谢"),
    asks("a", "read", path="src/a.py"),
    result("a", "you must read on; README.md follows"),
    asks("b", "read", path="src/b.py"),
    result("b", "nothing"),
    says("Done."),
)


def test_constraints_of_a_conversation() -> None:
    thread = thread_of(*RULES, system="Always answer in JSON. You are kind.")
    assert [(one.text, one.word, one.role) for one in constraints(thread)] == [
        ("Always answer in JSON.", "always", "system"),
        ("You must not touch README.md.", "must", "user"),
        ("不要删除任何文件。", "不要", "user"),
    ]


def test_a_constraint_survives_by_its_text_or_by_its_evidence_and_its_word() -> None:
    """Call 1 is sent ask a and result a: README.md and "must" stand there. Call 2 is sent ask b and result b: nothing of it."""
    found = constraint_survival(replay(thread_of(*RULES), "autogen-buffered", 10_000, buffer_size=2)).followed
    assert found.needles.names == ("You must not touch README.md.", "不要删除任何文件。")
    assert found.held.all()
    assert found.kept.astype(int).tolist() == [[1, 1, 0], [1, 0, 0]]
    assert found.vanished.tolist() == [2, 1]


def test_sentences_end_where_they_end() -> None:
    assert sentences("1. Use src/a.py. Never stop!  \n\n* Why?\n好的。必须先问我！") == ["Use src/a.py.", "Never stop!", "必须先问我！"]


def test_the_task_is_missed() -> None:
    found = anchor(replay(thread_of(*STORY), "autogen-buffered", 10_000, buffer_size=2))
    assert found.first.tolist() == found.latest.tolist() == [True, False, False, False, False]
    assert (found.without_first, found.without_latest) == (4, 4)
    kept = anchor(replay(thread_of(*STORY), "whole-units", 700))
    assert (kept.without_first, kept.without_latest) == (0, 0)


def test_a_session_without_an_answer_has_no_final_answer() -> None:
    assert final_answer(thread_of(*STORY[:2])) is None


TEXTS = ("src/app/main.py", "connection refused by peer", "请", "ok", "max_retries_total")


@settings(max_examples=40)
@given(conversations(), st.sampled_from([kind.name for kind in POLICIES]), st.sampled_from([300, 600, 1_200, 5_000]))
def test_any_text_is_followed_as_the_slow_way_finds_it(thread: Thread, policy: str, budget: int) -> None:
    after = replay(thread, policy, budget)
    found = follow(after, text_needles(thread, TEXTS))
    share = found.share()
    for call in range(len(thread.calls)):
        held = [_stands(text, recorded_texts(thread, call, system=True)) for text in TEXTS]
        kept = [h and not after.refused[call] and _stands(text, sent_texts(after, call, system=True)) for text, h in zip(TEXTS, held, strict=True)]
        assert found.held[:, call].tolist() == held
        assert found.kept[:, call].tolist() == kept
        assert math.isnan(share[call]) == (bool(after.refused[call]) or not any(held))


def _stands(text: str, texts: object) -> bool:
    return any(Mentions([Atom("quote", text)]).found(one) for one in texts)  # type: ignore[attr-defined]

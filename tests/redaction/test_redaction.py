"""Secrets and personal data are found, and replaced the same way wherever they stand."""

from __future__ import annotations

import json

import pytest

from ctxcore import read_session
from ctxcore.redaction import Redactor, find, findings
from ctxcore.redaction.many import any_of
from tests.hostile import BESIDE_SECRETS, MANY_SECRETS, SECRETS, repeated
from tests.redaction.labelled import NEGATIVE, POSITIVE, unmarked
from tests.redaction.score import score
from tests.views.test_masking import CASES

PASSWORD = "correct-horse-" + "battery"
MAIL = "ann.lee@example.invalid"


def test_the_labelled_set_is_found_and_little_else() -> None:
    assert sum(map(len, POSITIVE.values())) >= 60
    assert len(POSITIVE) >= 12
    assert len(NEGATIVE) >= 60
    result = score()
    assert result.recall >= 0.97, result.missed
    assert result.precision >= 0.97, result.wrong


@pytest.mark.parametrize("text", [unmarked(text)[0] for texts in POSITIVE.values() for text in texts])
def test_no_part_of_a_secret_is_left_and_a_second_time_changes_nothing(text: str) -> None:
    once = Redactor().redacted(text)
    assert once != text
    again = Redactor().redacted(once)
    assert again == once


def test_the_same_value_gets_the_same_placeholder_in_every_escape() -> None:
    """Also where nothing announces it, and inside JSON inside JSON."""
    value = 'pa"ss/wörd\\x1'
    redactor = Redactor()
    redactor.placeholders[value], redactor.rules["secret-1"] = "secret-1", find(f"DB_PASSWORD={PASSWORD}")[0].rule
    once, twice = json.dumps(value), json.dumps(json.dumps(value))
    for text in (value, once[1:-1], twice[3:-3], json.dumps(value, ensure_ascii=False)[1:-1]):
        assert redactor.redacted(f"before {text} after") == "before [secret-1] after"


def test_a_secret_found_behind_its_name_goes_from_bare_places_too() -> None:
    redactor = Redactor()
    redactor.learn(f"DB_PASSWORD={PASSWORD}")
    assert redactor.redacted(f"I typed {PASSWORD} and it worked") == "I typed [secret-1] and it worked"
    assert redactor.redacted(f"mail {MAIL}, again {MAIL}") == "mail [email-1], again [email-1]"
    assert redactor.redacted(MAIL.replace("@", "\\u0040")) == "[email-1]"


def test_an_address_is_known_in_a_link_too() -> None:
    redactor = Redactor()
    redactor.learn(f"eve%40x@example.invalid {MAIL}")
    assert redactor.redacted(f"mailto:{MAIL.replace('@', '%40')} and eve%40x@example.invalid") == "mailto:[email-2] and [email-1]"


def test_a_secret_split_between_neighbouring_texts_goes_whole() -> None:
    redactor = Redactor()
    assert redactor.together([f"DB_PASSWORD={PASSWORD[:9]}", f"{PASSWORD[9:]} is set", " and more"]) == [
        "DB_PASSWORD=[secret-1]",
        " is set",
        " and more",
    ]
    assert redactor.together(["a", "nn.lee@exam", "ple.inva", "lid!"]) == ["[email-1]", "", "", "!"]


def test_json_is_redacted_in_values_and_names() -> None:
    value = {"api_key": "abcd1234efgh", "list": [MAIL, 3, None], MAIL: True, "args": json.dumps({"password": PASSWORD})}
    done = Redactor().redacted_json(value)
    assert done["api_key"] == "[secret-1]"
    assert done["list"] == ["[email-1]", 3, None]
    assert done["[email-1]"] is True
    assert json.loads(done["args"]) == {"password": "[secret-2]"}


def test_findings_are_listed_for_review_and_can_be_left() -> None:
    """Cases VIEW-06 and VIEW-09: four each, none of the order numbers and counts, and no value in the list."""
    for name, count in (("VIEW-06.json", 4), ("VIEW-09.json", 4)):
        session = read_session(CASES / name)
        redactor = Redactor()
        found = [one for one in findings(session, redactor) if one.sure]
        assert len(found) == count
        listed = " ".join(one.sample for one in found)
        assert not any(value in listed for value in redactor.placeholders)
        assert all(one.count >= 1 and "message" in one.place for one in found)
    redactor.leave = frozenset([found[0].placeholder])
    text = session.threads[0].messages[0].text
    first, second, *_ = redactor.placeholders
    assert first in redactor.redacted(text)
    assert second not in redactor.redacted(text)


def test_an_unsure_kind_is_listed_but_stays_unless_it_is_taken() -> None:
    redactor = Redactor()
    assert redactor.redacted("host 10.20.30.40") == "host 10.20.30.40"
    redactor.take = frozenset(["ip-1"])
    assert redactor.redacted("host 10.20.30.40") == "host [ip-1]"


HELD = ("-----BEGIN " + "PRIVATE KEY-----", "secret=", 'password="')
"""Hostile texts that do hold secrets: a key without an end, and a name whose value is the name again."""


@pytest.mark.parametrize("piece", SECRETS)
def test_what_nearly_matches_again_and_again_is_left(piece: str) -> None:
    text = repeated(piece, 20_000)
    once = Redactor().redacted(text)
    assert (once != text) == bool(find(text)) == (piece in HELD)
    assert Redactor().redacted(once) == once


def test_many_texts_are_found_at_once_the_longest_first() -> None:
    """Against looking for each by itself."""
    texts = ["ab", "abc", "abcdef", "b.c", "x" * 40, "x" * 40 + "y", "日本", "日本語"]
    text = "abcdefab abcd b.c bxc 日本語日本 " + "x" * 41 + "y"
    assert [text[a:b] for a, b in any_of(texts).find(text)] == ["abcdef", "ab", "abc", "b.c", "日本語", "日本", "x" * 40]
    assert list(any_of([]).find("anything")) == []
    assert [a for a, _ in any_of(["word"], ["word"]).find("word swords word_ (word) 这word")] == [0, 19, 26]


@pytest.mark.parametrize("text", BESIDE_SECRETS)
@pytest.mark.parametrize("value", MANY_SECRETS)
def test_a_text_that_only_looks_like_many_known_values_stays(text: str, value: str) -> None:
    redactor = Redactor()
    redactor.learn(" ".join(value.format(number) for number in range(500)))
    assert len(redactor.placeholders) == 500
    assert redactor.redacted(text) == text


def test_a_secret_split_between_parts_is_gone_from_a_body() -> None:
    parts = [{"type": "text", "text": "key sk-" + "q7Lm2Np4Rt6V"}, {"type": "text", "text": "w8Yz1Kd93mfl27"}, {"type": "image_url", "image_url": {}}]
    done = Redactor().redacted_json({"messages": [{"role": "user", "content": parts}]})
    assert [part.get("text") for part in done["messages"][0]["content"]] == ["key [secret-1]", "…", None]
    named = Redactor().redacted_json([{"type": "text", "text": "password="}, {"type": "text", "text": "Lm29xx41 ok"}])
    assert [part["text"] for part in named] == ["password=", "[secret-1] ok"]


def test_a_piece_of_a_split_secret_is_known_by_itself() -> None:
    """As a report shows parts: with a break between them."""
    redactor = Redactor()
    redactor.learn_parts(["key sk-" + "q7Lm2Np4Rt6V", "w8Yz1Kd93mfl27"])
    assert redactor.redacted("and\nw8Yz1Kd93mfl27") == "and\n[secret-1]"


def test_words_of_the_api_stay_whatever_a_text_calls_secret() -> None:
    redactor = Redactor()
    redactor.learn('password: "assistant" SECRET="function" password: "customer_id" password="messages"')
    body = {"messages": [{"role": "assistant", "tool_calls": [{"type": "function", "function": {"arguments": '{"old_customer_id": 5}'}}]}]}
    assert redactor.redacted_json(body) == body


def test_two_names_of_fields_stay_two() -> None:
    done = Redactor().redacted_json({MAIL: 1, MAIL.replace("@", "\\u0040"): 2})
    assert sorted(done.values()) == [1, 2]


def test_a_known_number_is_not_cut_out_of_a_longer_one() -> None:
    redactor = Redactor()
    redactor.learn("tel +4930901820")
    assert redactor.redacted("id 77004930901820") == "id 77004930901820"


def test_thousands_of_values_are_replaced() -> None:
    redactor = Redactor()
    redactor.learn(" ".join(f"user{number}@example.invalid" for number in range(3_000)))
    for number in range(2_000):
        assert redactor.redacted(f'C:\\x said "user{number}@example.invalid" %40').count("[email-") == 1

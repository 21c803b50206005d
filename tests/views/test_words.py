"""Budgets, addresses and words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session
from ctxcore.cli import main
from ctxcore.counted import count
from ctxcore.errors import InputError
from ctxcore.views.budget import parse_budget, replay_budget, slider_stops
from ctxcore.views.calls import call_facts
from ctxcore.views.dropped import dropped_sentence
from ctxcore.views.link import Link, read_link
from ctxcore.views.overview import sentence, session_facts, size_facts
from ctxcore.views.sight import around
from ctxcore.views.words import amount, budget_sentence, literal, page_sentence, visible_lines
from tests.chat import thread_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("  ", None),
        ("0", 0),
        ("16000", 16_000),
        ("16,000", 16_000),
        ("16 000", 16_000),
        ("16\u00a0000", 16_000),
        ("16_000", 16_000),
        ("16'000", 16_000),
        ("1,60,000", 160_000),
        ("1,234,567", 1_234_567),
        ("16k", 16_000),
        ("16 K", 16_000),
        ("1.5k", 1_500),
        ("1,500k", 1_500_000),
        ("1M", 1_000_000),
        ("0.25m", 250_000),
        ("+5", 5),
        ("007", 7),
        ("9" * 30 + "M", (10**30 - 1) * 10**6),
        ("1" + "0" * 30, 10**30),
    ],
)
def test_a_typed_budget(text: str, value: int | None) -> None:
    assert parse_budget(text) == value


IN_DOUBT = ("16.000", "1.5", "1.0", "1,5", "1,5k", "16,00", "1,2345", "1,234.567", "16,000 000", "1.0005k", "0.0000001M")
"""Numbers that people of different countries read differently, or that are not whole."""


@pytest.mark.parametrize("text", [*IN_DOUBT, "-1", "-1k", "1e5", "abc", "k", "16kb", "16kk", "١٢", "NaN", "0x10", "--3", "9" * 41, "1_" * 30 + "1"])
def test_what_is_no_budget_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"\.$"):
        parse_budget(text)


def test_slider_stops_rise_by_two_digits_and_end_a_tenth_above_the_peak() -> None:
    """2,345 × 1.1 is 2,579.5."""
    stops = slider_stops(2_345)
    assert stops[:3] == (100, 110, 120)
    assert stops[-2:] == (2_500, 2_600)
    assert slider_stops(2_345, 231_200) == stops
    assert 16_000 in slider_stops(4_000_000)
    assert 16_384 in slider_stops(4_000_000, 16_384)
    assert slider_stops(0) == (100,)


@pytest.mark.parametrize("link", [Link(), Link(session="a b&c", thread="t", call=3, policy="none", budget=0, unit="tokens"), Link(budget=None)])
def test_an_address_reads_back_what_it_says(link: Link) -> None:
    assert read_link(link.query()) == (link, ())


@pytest.mark.parametrize("query", [{"call": "¹"}, {"budget": "x"}, {"policy": "<b>"}, {"unit": "TOKENS"}])
def test_a_bad_address_gives_one_sentence_and_the_default(query: dict[str, Any]) -> None:
    link, complaints = read_link(query)
    assert link == Link()
    assert len(complaints) == 1


def test_literal_text_has_no_markdown_left() -> None:
    assert literal("$5 *b* <i> :red[x] `c` #1") == r"\$5 \*b\* \<i\> \:red\[x\] \`c\` \#1"


RENDERED = ("www.a.b", "WWW.a.b", "https://a.b", "me@a.b", "a -> b", "a <- b", "a <-> b", "a -- b", "a >= b", "a <= b", "a ~= b", ":smile:")


@pytest.mark.parametrize("text", RENDERED)
def test_what_a_renderer_would_make_of_plain_text_is_kept_apart_by_a_mark_that_takes_no_room(text: str) -> None:
    shown = literal(text).replace("\\", "")
    assert shown != text
    assert shown.replace("\u2060", "") == text


def test_visible_lines_keep_breaks_and_tabs_and_mark_the_rest() -> None:
    assert visible_lines("a\n\tb\x1b[1m\r\x00\u202egnp") == "a\n\tb␛[1m␍␀<U+202E>gnp"


def test_one_is_singular_and_every_other_number_plural() -> None:
    assert [count(n, "call") for n in (0, 1, 2, 1000)] == ["0 calls", "1 call", "2 calls", "1,000 calls"]
    assert [count(n, "reply", "replies") for n in (1, 2)] == ["1 reply", "2 replies"]
    assert [amount(n, unit) for n, unit in ((1, "chars"), (2, "chars"), (1, "tokens"))] == ["1 char", "2 chars", "1 token"]


def test_an_excerpt_begins_so_near_its_hit_that_the_hit_is_seen() -> None:
    """Two dozen Latin letters or a dozen Chinese ones before it; line breaks are spaces."""
    latin, chinese = (around(thread_of(lead * 60 + "HIT\n\n  next").messages[1], "hit") for lead in ("x", "酒"))
    assert latin == "…" + "x" * 24 + "HIT next"
    assert chinese == "…" + "酒" * 12 + "HIT next"


def singulars(text: str) -> list[str]:
    """Where a text names one thing in the plural."""
    return re.findall(
        r"(?<![\d,.–-])1 (?:more |recorded )?(?:calls|messages|turns|units|steps|chars|tokens|lines|changes|files|threads|rows)\b", text
    )


@pytest.mark.parametrize("arguments", [("inspect",), ("replay", "--budget", "100"), ("replay", "--budget", "1"), ("replay", "--budget", "100000")])
def test_a_session_of_one_call_is_told_in_the_singular(arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "one.json"
    file.write_text('{"model": "m", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]}', encoding="utf-8")
    assert main([*arguments, str(file)]) == 0
    out = capsys.readouterr().out
    assert "1 call" in out
    assert singulars(out) == []


@pytest.mark.parametrize("budget", [None, 0, 30, 16_000])
def test_every_sentence_about_a_session_of_one_call_is_in_the_singular(budget: int | None) -> None:
    session = read_session(b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]}')
    result = replay_budget(session.threads[0], "whole-units", budget, "chars")
    said = [sentence(session, result, budget), dropped_sentence(result), budget_sentence(result, budget), page_sentence([0], 1, 25, 1, 1)]
    said += [fact.value for fact in (*session_facts(session), *size_facts(result, budget), *call_facts(result, 0))]
    assert singulars("\n".join(said)) == []

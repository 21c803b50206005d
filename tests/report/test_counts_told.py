"""What the half page for people who decide counts is counted once, and a chart names what it shows."""

from __future__ import annotations

import json
import re
from typing import Any

from ctxcore import read_session
from ctxcore.measures.prices import read_prices
from ctxcore.report import Release, Study, study
from ctxcore.report.amounts import dollars, money_change
from ctxcore.report.figures import calls_figure
from ctxcore.report.headline import headline
from ctxcore.report.page import report_html
from ctxcore.report.words import facts, summary, tiles

FILLER = "The weather of that week was mild and nothing else is to be told of it. " * 12
FIRST, AGAIN = "/srv/orders/first-7731.csv", "/srv/orders/again-5502.csv"
"""One path is needed for the first time when it is gone, the other was used at once and is needed again when it is gone."""


def told(messages: list[dict[str, Any]], budget: int, own: str = "", **options: Any) -> Study:
    session = read_session(json.dumps({"model": "made", "messages": messages}).encode(), "made.json")
    prices = read_prices(own, "own") if own else None
    return study(session.threads[0], session, "whole-units", budget, "chars", others=(), own=prices, **options)


def talk(*replies: str) -> list[dict[str, Any]]:
    """A user names both paths; then talk of other things, one turn a reply."""
    found: list[dict[str, Any]] = [{"role": "user", "content": f"Two files: {FIRST} and {AGAIN}."}]
    for reply in replies:
        found += [{"role": "assistant", "content": reply}, {"role": "user", "content": FILLER}]
    return found


def people(about: Study) -> str:
    return report_html(about, Release.of(about.session)).split('class="view engineers"')[0]


def test_lost_references_and_further_facts_are_parts_of_one_count() -> None:
    """By hand: the second reply needs both paths again or first; its request holds only the newest turns."""
    about = told(talk(f"I take {AGAIN}.", "Yes.", f"Now {FIRST} and {AGAIN}."), 1_400)
    assert (about.chosen.lost.total_first, facts(about.chosen)) == (1, 2)
    words = " ".join(summary(about, "x"))
    assert "1 where first needed, called lost reference here; 1 further fact would be gone only where needed again." in words
    tile = next(one for one in tiles(about) if one.label == "Lost references")
    assert (tile.value, tile.note) == ("1", "facts gone where first needed; 1 more only where needed again")


def test_a_fact_that_is_gone_only_at_a_later_use_is_not_called_a_lost_reference() -> None:
    about = told(talk(f"I take {AGAIN}.", "Yes.", f"Again {AGAIN}."), 1_400)
    assert (about.chosen.lost.total_first, facts(about.chosen)) == (0, 1)
    words = " ".join(summary(about, "x"))
    assert "none where it is first needed, but 1 fact where it is needed again." in words
    assert "0 lost references" not in words
    assert "Bars below the line" not in people(about)


def test_amounts_that_look_equal_are_told_as_the_same() -> None:
    """Input is almost free, output costs what it costs under any rule: both sums are written alike."""
    about = told(talk("One.", "Two.", "Three."), 1_400, own='["made"]\ninput = 0.000001\noutput = 1000.0\n')
    money = about.dollars(about.chosen)
    assert money is not None
    assert money[0] != money[1]
    assert dollars(money[0]) == dollars(money[1])
    words = " ".join(summary(about, "x"))
    assert f"it costs the same, about {dollars(money[0])}." in words
    assert not re.search(r"(\$[\d.,]+) (?:instead of|→) \1(?![\d.])", people(about))
    assert "costs the same" in headline(about)
    assert next(one.value for one in tiles(about) if one.label == "Cost at list prices") == "±0 %"
    assert money_change(3.934, 3.926) == "±0 %"
    assert dollars(0) == "$0"


def test_the_legend_names_what_is_drawn_and_a_limit_above_the_chart_is_said() -> None:
    low, high = told(talk("One.", "Two."), 1_400), told(talk("One.", "Two."), 1_000_000)
    assert "<span>limit 1,400 characters</span>" in legend(low)
    assert "limit" not in legend(high)
    assert "The limit of 1,000,000 characters is above this chart." in calls_figure(high)
    for about in (low, high):
        assert "request fails" not in legend(about)
        assert "lost references" not in legend(about)


def legend(about: Study) -> str:
    return re.sub(r"<svg.*?</svg>", "", calls_figure(about).split('<p class="legend">')[1].split("</p>")[0])

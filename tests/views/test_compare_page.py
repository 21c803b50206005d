"""What the page Compare says in words."""

from __future__ import annotations

import re
from functools import cache

from ctxcore import read_session
from ctxcore.measures.compare import Compared, baseline, compared
from ctxcore.measures.prices import read_prices
from ctxcore.policies import all_policies
from ctxcore.views.compare_page import compare_sentence, compared_frame
from ctxcore.views.policies import policy_label
from tests.conftest import ROOT

PRICES = read_prices('["gpt-5-mini"]\ninput = 1000.0\ncache_read = 1000.0\noutput = 0.0\n', "own")
NAMES = ("whole-units", "none", "vercel-prune", "openai-truncation", "agent-framework-composed")


@cache
def rows() -> tuple[Compared, ...]:
    thread = read_session(str(ROOT / "sample_sessions" / "coding-agent.jsonl")).threads[0]
    return tuple(compared(thread, 3_000, "tokens", NAMES, own=PRICES))


def dollars(row: Compared) -> float:
    assert row.cost is not None
    return row.cost.total


def test_the_sentence_names_the_cheapest_with_what_it_loses_and_the_cheapest_that_loses_nothing() -> None:
    """``none`` refuses calls and is cheaper than all: it is in neither place."""
    sound = [row for row in rows() if row.name != "none"]
    cheap = min(sound, key=dollars)
    clean = [row for row in sound if not row.lost_per_call.any()]
    assert min(map(dollars, rows())) < dollars(cheap)
    assert cheap.lost_per_call.any()
    assert clean
    best = min(clean, key=dollars)
    thread = rows()[0].replay.thread
    untrimmed = baseline(thread, own=PRICES).counted
    assert compare_sentence(rows(), untrimmed) == (
        f"4 of 5 policies send every call in a form that its provider takes. Of these the cheapest is {cheap.name} (${dollars(cheap):,.2f}, "
        f"{int(cheap.lost_per_call.sum())} lost references). The cheapest that loses nothing is {best.name} (${dollars(best):,.2f}, nothing lost). "
        f"With nothing trimmed the same count gives ${dollars(untrimmed):,.2f}."
    )


def test_where_all_lose_the_least_loss_is_named() -> None:
    losing = [row for row in rows() if row.lost_per_call.any()]
    least = min(losing, key=lambda row: (int(row.lost_per_call.sum()), dollars(row)))
    said = compare_sentence(losing)
    assert f"None loses nothing; {least.name} loses least (${dollars(least):,.2f}, " in said
    assert not re.search("costs more than it saves", said)


def test_a_policy_is_named_by_its_name_and_its_title() -> None:
    assert compared_frame(rows())["policy"].tolist() == [policy_label(name) for name in NAMES]
    for kind in all_policies():
        assert policy_label(kind.name) == f"{kind.name} · {kind.title}"

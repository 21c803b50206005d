"""The tables that a browser draws every budget from give what the engine gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore.keep import Keep
from ctxcore.readers.detect import read_session
from ctxcore.replay import replay
from ctxcore.views.calls_chart import moving_columns
from ctxcore.views.live_budget import LiveColumns, live_columns
from tests.pages.conftest import chat

SAMPLES = sorted((Path(__file__).parents[2] / "sample_sessions").glob("*.jsonl"))
RECORDINGS = [Path(__file__).parents[1] / "data" / "cases" / name for name in ("COMP-12.jsonl", "COMP-02.jsonl", "THREAD-04.jsonl")]
"""Compactions and a rollback: several epochs."""

TALK = read_session(chat(("first", 3), ("second", 3), ("third", 2)), "a.json").threads[0]


def cuts_by_look_up(live: LiveColumns, before: list[int], budget: int) -> list[int]:
    """The rule of ``LiveColumns``, word by word."""
    cuts = []
    for call, size in enumerate(before):
        need = size - budget
        turns = range(int(live.turn_from[call]), int(live.turn_to[call]))
        units = range(int(live.unit_from[call]), int(live.unit_to[call]))
        found = [int(live.turn_cut[at]) for at in turns if live.turn_gain[at] >= need] or [
            int(live.unit_cut[at]) for at in units if live.unit_gain[at] >= need
        ]
        cuts.append(int(live.whole[call]) if need <= 0 else found[0] if found else -1)
    return cuts


def budgets_that_matter(live: LiveColumns, before: list[int]) -> list[int]:
    """Where an answer can change: every size less every gain, and one more and one less; thinned out where there are many."""
    gains = {0, *live.turn_gain.tolist(), *live.unit_gain.tolist()}
    found = sorted({size - gain + by for size in before for gain in gains for by in (-1, 0, 1) if size - gain + by > 0})
    return found[:: max(1, len(found) // 150)]


@pytest.mark.parametrize("path", [*SAMPLES, *RECORDINGS], ids=lambda path: path.stem)
@pytest.mark.parametrize("notice", [True, False])
def test_every_budget_cuts_as_the_engine_does(path: Path, *, notice: bool) -> None:
    for thread in read_session(path).threads:
        one = replay(thread, "whole-units", 1000, notice=notice)
        live, before = live_columns(one), one.before.tolist()
        assert live is not None
        for budget in budgets_that_matter(live, before):
            assert cuts_by_look_up(live, before, budget) == moving_columns(replay(thread, "whole-units", budget, notice=notice)).cut.tolist(), budget


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6000))
def test_gains_ascend_where_they_are_looked_up(budget: int) -> None:
    live = live_columns(replay(TALK, "whole-units", budget))
    assert live is not None
    for start, stop, gains in ((live.turn_from, live.turn_to, live.turn_gain), (live.unit_from, live.unit_to, live.unit_gain)):
        for call in range(len(start)):
            assert (np.diff(gains[start[call] : stop[call]]) >= 0).all()


@pytest.mark.parametrize(("policy", "keep"), [("none", None), ("anthropic-clear-tool-uses", None), ("whole-units", Keep(units=frozenset({1})))])
def test_only_the_core_tells_of_other_rules_and_of_kept_units(policy: str, keep: Keep | None) -> None:
    assert live_columns(replay(TALK, policy, 5000, keep=keep)) is None

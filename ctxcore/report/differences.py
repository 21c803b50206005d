"""Where the other rules send a call differently than the chosen one: what the page Compare shows of two, for all that a report compares."""

from __future__ import annotations

from collections.abc import Iterator

from ctxcore.measures.breakdown import replay_basis
from ctxcore.measures.compare import Compared, first_difference
from ctxcore.report.amounts import unit_words
from ctxcore.report.study import Study
from ctxcore.report.table import Cell, Table, columns, rows

MOST_DIFFERENCES = 4_000
"""Rows; the first calls of each rule where there are more."""


def differences_table(study: Study) -> Table:
    """One row per rule and call that it sends differently than the rule of the report."""
    others = study.rows[1:]
    each = max(1, MOST_DIFFERENCES // max(1, len(others)))
    return Table(
        name="differences",
        title="Where rules differ, call by call",
        columns=columns(
            "policy",
            "#call",
            "#sent by it",
            "#sent by this report's rule",
            "#difference",
            "#messages dropped by it",
            "#parts edited by it",
            "refused by",
        ),
        rows=rows(row for other in others for row in _rows(study.chosen, other, each)),
        note=(
            f"Against {study.title}, in {unit_words(study.unit)}; calls that both send alike are left out. "
            f"Of each rule at most the first {each:,} calls. Nothing is sent where a rule refuses a call."
        ),
        basis=replay_basis(study.chosen.replay),
        group="Policies",
    )


def _rows(mine: Compared, other: Compared, most: int) -> Iterator[tuple[Cell, ...]]:
    one, its = mine.replay, other.replay
    for call in first_difference(one, its)[:most].tolist():
        sent = [None if replay.refused[call] else int(replay.after[call]) for replay in (its, one)]
        gap = None if None in sent else int(its.after[call] - one.after[call])
        refused = " and ".join(name for name, replay in ((other.name, its), (mine.name, one)) if replay.refused[call])
        yield other.name, call, *sent, gap, int(its.dropped_messages[call]), int(its.edited[call]), refused

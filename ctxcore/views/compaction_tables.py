"""Recorded and simulated compactions for a terminal: a section each; of many threads those that have something to say, and a count of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ctxcore.compaction.checks import LEAST_JUDGED
from ctxcore.compaction.facts import FactKind
from ctxcore.compaction.survival import Kept
from ctxcore.counted import count
from ctxcore.measures.compactions import RecordedCompaction, recorded_compactions
from ctxcore.measures.simulated import SimulatedCompaction
from ctxcore.model import Thread
from ctxcore.views.compaction_shown import Shown, call_of, faults_of, needed_sentence, sizes_sentence, source_of, survival_title
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.visible import shortened, visible

NAMED = 5
"""Values not found that a table names."""

SECTIONS, ROWS = 6, 40
"""Simulated compactions that have a section each; of more, rows of one table."""

Place = tuple[Thread, Shown]


def compact_tables(threads: Iterable[tuple[Thread, SimulatedCompaction | None]]) -> RenderableType:
    """The same for a terminal, without the items."""
    pairs = list(threads)
    recorded: list[Place] = [(thread, one) for thread, _ in pairs for one in recorded_compactions(thread)]
    simulated = [(thread, one) for thread, one in pairs if one is not None]
    if not recorded and not simulated:
        return Text("No compaction is recorded, and there is nothing to compact.")
    if len(simulated) > SECTIONS:
        return Group(*(part for place in recorded for part in _section(place)), *_listed(simulated))
    return Group(*(part for thread, one in pairs for place in _of_thread(thread, one) for part in _section(place)))


def _of_thread(thread: Thread, simulated: SimulatedCompaction | None) -> list[Place]:
    """Recorded ones first."""
    return [*((thread, one) for one in recorded_compactions(thread)), *([] if simulated is None else [(thread, simulated)])]


def _section(place: Place) -> list[RenderableType]:
    """One compaction: sizes, checks, the survival table."""
    thread, one = place
    where = f"{source_of(one).capitalize()} at call #{call_of(one):,} of {visible(thread.id)}"
    checks = [Text(f"  {fault.code}: {shortened(fault.text, 300)}") for fault in faults_of(one)]
    after = [Text(f"  {needed_sentence(one)}")] if isinstance(one, RecordedCompaction) else []
    return [Text(f"\n{where}: {sizes_sentence(one)}"), *checks, *after, *([_survival_table(survival_title(one), one.table)] if one.table else [])]


def _survival_table(title: str, rows: Mapping[FactKind, Kept]) -> FittedTable:
    lines: list[tuple[str, ...]] = []
    for kind, row in rows.items():
        more = len(row.lost) - NAMED
        told = ", ".join(shortened(value, 60) for value in row.lost[:NAMED])
        lines.append((kind.replace("_", " "), f"{row.kept:,}", f"{row.total:,}", told + (f" and {more:,} more" if more > 0 else "")))
    columns = (Column(name="kind", text=True), Column(name="kept"), Column(name="of"), Column(name="not found", text=True, wraps=True))
    return FittedTable(title=title, columns=columns, rows=lines)


def _listed(simulated: Sequence[tuple[Thread, SimulatedCompaction]]) -> list[RenderableType]:
    """A row for each that a check says something of, and how many there are of the rest."""
    told = [(thread, one) for thread, one in simulated if faults_of(one)]
    lines = [
        (visible(thread.id), f"#{one.call:,}", f"{one.whole.before:,}", f"{one.whole.after:,}", _part(one), ", ".join(one.compaction.codes))
        for thread, one in told[:ROWS]
    ]
    columns = (
        Column(name="thread", text=True),
        Column(name="call"),
        Column(name="before"),
        Column(name="after"),
        Column(name="compacted of it"),
        Column(name="checks", text=True, wraps=True),
    )
    title = f"Simulated in {count(len(simulated), 'thread')}, tokens"
    return [*([FittedTable(title=title, columns=columns, rows=lines)] if lines else []), Text(_rest(simulated, len(told)))]


def _part(one: SimulatedCompaction) -> str:
    share = "" if one.part.ratio is None else f" ({100 * one.part.ratio:.1f} %)"
    return f"{one.part.before:,} → {one.part.after:,}{share}"


def _rest(simulated: Sequence[tuple[Thread, SimulatedCompaction]], told: int) -> str:
    """What is not listed, in numbers."""
    passed = [one for _, one in simulated if not faults_of(one)]
    little = sum(one.part.before < LEAST_JUDGED for one in passed)
    hidden = [f"{told - ROWS:,} more with a check are not listed"] if told > ROWS else []
    fine = [f"{len(passed) - little:,} simulated compactions pass every check"] if len(passed) > little else []
    small = [f"{little:,} have less than {LEAST_JUDGED:,} tokens to compact, too little to judge by a ratio"] if little else []
    return "\n" + "; ".join([*hidden, *fine, *small]) + ". Pick one with --thread, or all with --json."
